#include <doctest/doctest.h>

#include "kernels/matmul_kernels.hpp"
#include "kernels/quantise_activations.hpp"
#include "matmul_inputs.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

constexpr int rows = 33, cols = 512, n_blocks = cols / 32;

constexpr gguf::TensorType small_types[] = {
    gguf::TensorType::Q4_0, gguf::TensorType::Q4_1, gguf::TensorType::Q5_0, gguf::TensorType::Q5_1,
    gguf::TensorType::Q4_K, gguf::TensorType::Q5_K, gguf::TensorType::Q6_K};

template <int N>
std::vector<std::byte> quantised(const std::vector<float>& x) {
  std::vector<std::byte> group(sizeof(ActivationBlock8<N>) * n_blocks);
  quantise_dot8<N>(x.data(), cols, N, n_blocks, group.data());
  return group;
}

std::vector<float> gemv(const PackedMatrix& w, const std::vector<std::byte>& x, DotForm form) {
  std::vector<float> y(rows);
  gemv_dot8(w.format(), form)({&w, 0, w.tiles(), x.data(), y.data(), false, ReadOrder::straight});
  return y;
}

std::vector<float> gemm(const PackedMatrix& w, const std::vector<std::byte>& x, DotForm form) {
  std::vector<float> y(group_tokens * rows);
  for (int tile = 0; tile < w.tiles(); ++tile) {
    gemm_dot8(w.format(),
              form)({&w, tile, x.data(), x.size(), group_tokens, y.data(), rows, false});
  }
  return y;
}

}  // namespace

TEST_CASE("both relaxed dots give the same bits") {
  if (!has_dot8) return;
  std::int32_t lane[4];
  simd::store(lane, simd::i32x4_dot_i8x16_i7x16_add(simd::keep_in_register(simd::i8x16_splat(100)),
                                                    simd::i8x16_splat(100), simd::i32x4_splat(5)));
  if (lane[0] != 40005) {
    MESSAGE("this WebAssembly engine has the 32-bit dot wrong: ", lane[0], " in place of 40005");
    CHECK(fast_dot_form() == DotForm::pairs16);
    return;
  }
  Random random(50);
  for (const auto type : small_types) {
    CAPTURE(gguf::traits_of(type).name);
    const PackedMatrix w =
        pack(type, rows, cols, Precision::fast, random_rows(type, rows, cols, random));
    const auto x = random_activations(group_tokens, cols, random);
    const auto one = quantised<1>(x);
    CHECK(gemv(w, one, DotForm::quads32) == gemv(w, one, DotForm::pairs16));
    const auto four = quantised<group_tokens>(x);
    CHECK(gemm(w, four, DotForm::quads32) == gemm(w, four, DotForm::pairs16));
  }
}
