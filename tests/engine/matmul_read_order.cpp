#include <doctest/doctest.h>

#include "kernels/matmul.hpp"
#include "kernels/matmul_kernels.hpp"
#include "matmul_inputs.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

std::vector<GemvKernel> kernels_for(const PackedMatrix& w) {
  switch (w.family()) {
    case DotFamily::f32: return {gemv_float(w.format())};
    case DotFamily::dot8:
      return {gemv_dot8(w.format(), DotForm::pairs16), gemv_dot8(w.format(), fast_dot_form())};
    case DotFamily::dot16: return {gemv_dot16(w.format())};
  }
  return {};
}

}  // namespace

TEST_CASE("GEMV gives the same bits in either order of reading") {
  ThreadPool pool(1);
  Random random(60);
  constexpr int cols = 768;
  for (const auto type : all_types) {
    for (const Precision precision : {Precision::fast, Precision::high}) {
      for (const int rows : {33, 64, 145}) {  // no, one and two groups of tiles, with some left
        CAPTURE(gguf::traits_of(type).name);
        CAPTURE(rows);
        const PackedMatrix w =
            pack(type, rows, cols, precision, random_rows(type, rows, cols, random));
        const PackedMatrix* weights[] = {&w};
        Activations x(1, cols, ActivationForms::of(weights));
        REQUIRE(x.valid());
        x.prepare(pool, random_activations(1, cols, random).data(), 1, cols, weights);
        for (const GemvKernel kernel : kernels_for(w)) {
          for (const int first : {0, 1}) {
            std::vector<float> straight(static_cast<std::size_t>(rows), 3), by_turns = straight;
            const void* group = x.group(w.family(), 0);
            kernel({&w, first, w.tiles(), group, straight.data(), first > 0, ReadOrder::straight});
            kernel({&w, first, w.tiles(), group, by_turns.data(), first > 0, ReadOrder::by_turns});
            CHECK(straight == by_turns);
            CHECK(straight.back() != 3);
          }
        }
      }
    }
  }
}
