// Speed of the matmul kernels alone, without a model: GMAC/s and the bytes of weights read a
// second.
//   kernel_bench [threads] [filter]
// The decode cases run from memory (more weights than the caches hold) and from the L2 cache.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/matmul.hpp"
#include "kernels/vec128.hpp"
#include "tensor/half.hpp"
#include "tensor/packed_layout.hpp"

using namespace kvscope;

namespace {

double now_s() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

struct Case {
  gguf::TensorType type;
  Precision precision;
  int rows;
  int cols;
  int tokens;
};

/// Speed needs no Gaussian weights, but sane scales.
PackedMatrix random_matrix(const Case& c, std::mt19937& random) {
  auto w = PackedMatrix::create(c.type, c.rows, c.cols, c.precision);
  if (!w.ok()) std::abort();
  const auto traits = gguf::traits_of(c.type);
  const std::size_t row_bytes = gguf::row_bytes(c.type, static_cast<std::size_t>(c.cols));
  std::vector<std::byte> rows(row_bytes * 16);
  for (auto& b : rows) b = static_cast<std::byte>(random() & 0x3f);
  for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(traits.block_bytes)) {
    const std::uint16_t halves[2] = {float_to_half(0.01f), float_to_half(0.005f)};
    const std::size_t at = c.type == gguf::TensorType::Q6_K ? i + 208 : i;
    if (traits.block_bytes > 4)
      std::memcpy(&rows[at], halves, c.type == gguf::TensorType::Q6_K ? 2 : 4);
  }
  for (int t = 0; t < w->tiles(); ++t) w->pack_tile(t, rows.data());
  return std::move(w).value();
}

struct Timing {
  double median_s;
  double best_s;
};

/// Warm-up of 0.3 s (tier-up of the engine's compiler included), then 100 rounds of >= 1 ms: on a
/// shared machine some of them run undisturbed.
template <class F>
Timing time_of(F&& f) {
  const double start = now_s();
  int calls = 0;
  do {
    f();
    ++calls;
  } while (now_s() - start < 0.3);
  const int repeats = std::max(1, static_cast<int>(0.001 * calls / (now_s() - start)));
  std::vector<double> rounds;
  for (int i = 0; i < 100; ++i) {
    const double begin = now_s();
    for (int k = 0; k < repeats; ++k) f();
    rounds.push_back((now_s() - begin) / repeats);
  }
  std::sort(rounds.begin(), rounds.end());
  return {rounds[rounds.size() / 2], rounds[0]};
}

void run(const Case& c, ThreadPool& pool) {
  std::mt19937 random(1);
  const PackedMatrix w = random_matrix(c, random);
  const PackedMatrix* weights[] = {&w};
  Activations x(c.tokens, c.cols, ActivationForms::of(weights));
  std::vector<float> values(static_cast<std::size_t>(c.tokens) * c.cols),
      y(static_cast<std::size_t>(c.tokens) * c.rows);
  for (float& v : values) v = std::normal_distribution<float>()(random);
  const Product product{&w, y.data(), static_cast<std::size_t>(c.rows)};
  x.prepare(pool, values.data(), c.tokens, c.cols, weights);
  const Timing t = time_of([&] { matmul(pool, x, {&product, 1}); });
  const double macs = double(c.rows) * c.cols * c.tokens;
  std::printf("%-5s %-5s %6d x %-5d T=%-4d GMAC/s: best %5.1f median %5.1f   best GB/s %5.1f\n",
              std::string(gguf::traits_of(c.type).name).c_str(),
              w.family() == DotFamily::dot8    ? "dot8"
              : w.family() == DotFamily::dot16 ? "dot16"
                                               : "f32",
              c.rows, c.cols, c.tokens, macs / t.best_s * 1e-9, macs / t.median_s * 1e-9,
              double(w.bytes()) / t.best_s * 1e-9);
}

void run_quantise(int tokens, int cols, Precision precision, ThreadPool& pool) {
  std::mt19937 random(1);
  const PackedMatrix w = random_matrix({gguf::TensorType::Q4_0, precision, 16, cols, 1}, random);
  const PackedMatrix* weights[] = {&w};
  Activations x(tokens, cols, ActivationForms::of(weights));
  std::vector<float> values(static_cast<std::size_t>(tokens) * cols);
  for (float& v : values) v = std::normal_distribution<float>()(random);
  const Timing t = time_of([&] { x.prepare(pool, values.data(), tokens, cols, weights); });
  std::printf("quantise %-5s T=%-4d %5.2f ns/value\n",
              w.family() == DotFamily::dot8 ? "dot8" : "dot16", tokens,
              t.best_s * 1e9 / tokens / cols);
}

void run_pack(gguf::TensorType type, Precision precision) {
  std::mt19937 random(1);
  const int rows = 1536, cols = 768;
  PackedMatrix w = random_matrix({type, precision, rows, cols, 1}, random);
  const std::size_t bytes = gguf::row_bytes(type, cols) * 16;
  std::vector<std::byte> source(bytes);
  for (auto& b : source) b = static_cast<std::byte>(random() & 0x3f);
  const Timing t = time_of([&] {
    for (int i = 0; i < w.tiles(); ++i) w.pack_tile(i, source.data());
  });
  std::printf("pack %-5s %-5s %6.2f GB/s of GGUF, %5.2f ns/block of 32\n",
              std::string(gguf::traits_of(type).name).c_str(),
              w.family() == DotFamily::dot8    ? "dot8"
              : w.family() == DotFamily::dot16 ? "dot16"
                                               : "f32",
              double(bytes) * w.tiles() / t.best_s * 1e-9, t.best_s * 1e9 / (rows * cols / 32));
}

volatile int sink;

void run_bandwidth() {
  const std::vector<int> data(20'000'000, 1);
  const Timing t = time_of([&] {
    simd::Vec s[8];
    for (auto& v : s) v = simd::i32x4_splat(0);
    for (std::size_t i = 0; i < data.size(); i += 32) {
      for (int k = 0; k < 8; ++k) s[k] = simd::i32x4_add(s[k], simd::load(&data[i + 4 * k]));
    }
    for (int k = 1; k < 8; ++k) s[0] = simd::i32x4_add(s[0], s[k]);
    int lane[4];
    simd::store(lane, s[0]);
    sink = lane[0];
  });
  std::printf("read 80 MB: %.1f GB/s (best %.1f)\n", 0.08 / t.median_s, 0.08 / t.best_s);
}

}  // namespace

int main(int argc, char** argv) {
  ThreadPool pool(argc > 1 ? std::atoi(argv[1]) : 1);
  const char* filter = argc > 2 ? argv[2] : "";
  const auto wanted = [&](const char* name) { return std::strstr(name, filter) != nullptr; };
  using enum gguf::TensorType;
  constexpr gguf::TensorType types[] = {Q4_1, Q4_0, Q5_0, Q5_1, Q6_K, Q8_0, F16, BF16, F32};
  if (wanted("bandwidth")) run_bandwidth();
  for (const Precision p : {Precision::fast, Precision::high}) {
    for (const auto type : types) {
      const std::string name{gguf::traits_of(type).name};
      const int cols = type == Q6_K ? 512 : 576;
      if (wanted((name + " decode").c_str())) {
        run({type, p, 192, type == Q6_K ? 256 : 192, 1}, pool);  // a tiny model's
        run({type, p, 1536, cols, 1}, pool);
        run({type, p, type < Q4_0 || type == BF16 ? 65536 : 196608, cols, 1}, pool);
      }
      if (wanted((name + " prefill").c_str())) {
        run({type, p, 1536, cols, 16}, pool);
        run({type, p, 192, cols, 128}, pool);  // a round of 1 ms again
        run({type, p, 192, cols, 512}, pool);
        run({type, p, 64, 1536, 512}, pool);
      }
    }
    if (wanted("quantise")) run_quantise(1, 576, p, pool), run_quantise(128, 576, p, pool);
    if (wanted("pack")) {
      for (const auto type : {Q4_0, Q4_1, Q5_0, Q8_0, Q4_K, Q6_K, F16}) run_pack(type, p);
    }
  }
}
