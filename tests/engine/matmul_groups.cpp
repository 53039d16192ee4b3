#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "kernels/matmul.hpp"
#include "matmul_inputs.hpp"
#include "matmul_runs.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

constexpr int cols = 256;

/// One matrix of each type, so that a group needs all forms of activations at once.
std::vector<PackedMatrix> one_of_each(Precision precision, Random& random) {
  std::vector<PackedMatrix> matrices;
  int rows = 1;
  for (const auto type : all_types) {
    matrices.push_back(pack(type, rows, cols, precision, random_rows(type, rows, cols, random)));
    rows += 13;
  }
  return matrices;
}

struct Outputs {
  std::vector<std::vector<float>> y;  // of each product, `padding` floats between rows
};

constexpr std::size_t padding = 3;
constexpr float untouched = 12345.f;

Outputs multiply_group(ThreadPool& pool, const std::vector<PackedMatrix>& matrices,
                       const std::vector<float>& x, int tokens, bool accumulate) {
  std::vector<const PackedMatrix*> weights;
  for (const PackedMatrix& w : matrices) weights.push_back(&w);
  Activations activations(tokens, cols);
  REQUIRE(activations.valid());
  activations.prepare(pool, x.data(), tokens, cols, weights);
  Outputs out;
  std::vector<Product> products;
  for (const PackedMatrix& w : matrices) {
    const std::size_t stride = static_cast<std::size_t>(w.rows()) + padding;
    out.y.emplace_back(static_cast<std::size_t>(tokens) * stride, untouched);
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const std::size_t stride = static_cast<std::size_t>(matrices[i].rows()) + padding;
    products.push_back({&matrices[i], out.y[i].data(), stride, accumulate});
  }
  matmul(pool, activations, products);
  return out;
}

}  // namespace

TEST_CASE("products of different formats share activations, and write nothing but their rows") {
  ThreadPool pool(1);
  Random random(20);
  for (const Precision precision : {Precision::fast, Precision::high}) {
    const auto matrices = one_of_each(precision, random);
    for (const int tokens : {1, 6}) {
      const auto x = random_activations(tokens, cols, random);
      const Outputs group = multiply_group(pool, matrices, x, tokens, false);
      for (std::size_t i = 0; i < matrices.size(); ++i) {
        const auto rows = static_cast<std::size_t>(matrices[i].rows());
        const auto alone = multiply(pool, matrices[i], x, tokens);
        for (std::size_t k = 0; k < group.y[i].size(); ++k) {
          const std::size_t row = k % (rows + padding);
          REQUIRE(group.y[i][k] ==
                  (row < rows ? alone[k / (rows + padding) * rows + row] : untouched));
        }
      }
    }
  }
}

TEST_CASE("accumulate adds a product to what is there") {
  ThreadPool pool(1);
  Random random(21);
  for (const Precision precision : {Precision::fast, Precision::high}) {
    const auto matrices = one_of_each(precision, random);
    for (const int tokens : {1, 6}) {
      const auto x = random_activations(tokens, cols, random);
      const Outputs plain = multiply_group(pool, matrices, x, tokens, false);
      const Outputs added = multiply_group(pool, matrices, x, tokens, true);
      for (std::size_t i = 0; i < matrices.size(); ++i) {
        const auto rows = static_cast<std::size_t>(matrices[i].rows());
        for (std::size_t k = 0; k < plain.y[i].size(); ++k) {
          const bool written = k % (rows + padding) < rows;
          REQUIRE(added.y[i][k] == (written ? untouched + plain.y[i][k] : untouched));
        }
      }
    }
  }
}

#ifdef KVSCOPE_THREADS  // WebAssembly has builds without

TEST_CASE("any number of threads gives the bits of one thread") {
  Random random(22);
  ThreadPool one(1);
  for (const Precision precision : {Precision::fast, Precision::high}) {
    const auto matrices = one_of_each(precision, random);
    for (const int tokens : {1, 3, 130}) {
      const auto x = random_activations(tokens, cols, random);
      const Outputs expected = multiply_group(one, matrices, x, tokens, false);
      for (const int threads : {2, 3, 7}) {
        ThreadPool several(threads);
        CHECK(multiply_group(several, matrices, x, tokens, false).y == expected.y);
      }
    }
  }
}

TEST_CASE("more threads than tiles") {
  Random random(23);
  ThreadPool one(1), four(4);
  const PackedMatrix w = pack(gguf::TensorType::Q4_0, 20, 32, Precision::fast,
                              random_rows(gguf::TensorType::Q4_0, 20, 32, random));
  const auto x = random_activations(5, 32, random);
  CHECK(multiply(four, w, x, 5) == multiply(one, w, x, 5));
}

#endif

TEST_CASE("a token that went wrong does not touch the tokens beside it") {
  ThreadPool pool(1);
  Random random(24);
  for (const Precision precision : {Precision::fast, Precision::high}) {
    for (const PackedMatrix& w : one_of_each(precision, random)) {
      auto x = random_activations(4, cols, random);
      const auto before = multiply(pool, w, x, 4);
      x[cols + 5] = std::numeric_limits<float>::quiet_NaN();
      x[cols + 70] = std::numeric_limits<float>::infinity();
      const auto after = multiply(pool, w, x, 4);
      for (int i = 0; i < 4 * w.rows(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (i / w.rows() != 1) REQUIRE(after[at] == before[at]);
      }
    }
  }
}
