#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "kernels/matmul.hpp"

// One matrix, one call: what most tests of matmul need.

namespace kvscope::test {

inline std::vector<float> multiply(ThreadPool& pool, const PackedMatrix& w,
                                   const std::vector<float>& x, int tokens) {
  const PackedMatrix* weights[] = {&w};
  Activations activations(tokens, w.cols(), ActivationForms::of(weights));
  REQUIRE(activations.valid());
  activations.prepare(pool, x.data(), tokens, w.cols(), weights);
  const auto rows = static_cast<std::size_t>(w.rows());
  std::vector<float> y(static_cast<std::size_t>(tokens) * rows, -1e9f);
  const Product product{&w, y.data(), rows};
  matmul(pool, activations, {&product, 1});
  return y;
}

inline std::vector<float> multiply_scalar(const PackedMatrix& w, const std::vector<float>& x,
                                          int tokens) {
  const auto rows = static_cast<std::size_t>(w.rows());
  std::vector<float> y(static_cast<std::size_t>(tokens) * rows);
  matmul_scalar(w, x.data(), tokens, y.data(), rows);
  return y;
}

}  // namespace kvscope::test
