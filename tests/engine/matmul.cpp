#include "kernels/matmul.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "matmul_inputs.hpp"
#include "matmul_runs.hpp"
#include "tensor/packed_layout.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

constexpr Precision both[] = {Precision::fast, Precision::high};

/// What rounding activations may do to one result: each is off by half a step of its block of 32.
struct Bound {
  double worst;
  double rms;  // of errors that are uniform in a step
};

Bound bound_of(const PackedMatrix& w, int row, const float* x) {
  std::vector<float> weights(static_cast<std::size_t>(w.cols()));
  w.unpack_row(row, weights.data());
  Bound bound{0, 0};
  double variance = 0;
  for (int c = 0; c < w.cols(); c += 32) {
    const int n = std::min(32, w.cols() - c);
    float largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::fabs(x[c + i]));
    const double step = w.family() == DotFamily::dot8    ? largest / 127.
                        : w.family() == DotFamily::dot16 ? largest / 32767.
                                                         : 0;
    for (int i = 0; i < n; ++i) {
      const double weight = std::fabs(weights[static_cast<std::size_t>(c + i)]);
      bound.worst += weight * step * 0.5;
      variance += weight * weight * step * step / 12;
      // Float rounding: each of `cols` additions may lose 2^-24 of the sum so far, and weights with
      // a minimum are added as two terms several times as large.
      bound.worst += weight * std::fabs(x[c + i]) * 0x1p-24 * (16 + w.cols() / 8.);
    }
  }
  bound.rms = std::sqrt(variance);
  return bound;
}

/// Errors of all results against the oracle, in units of what is expected.
void check_against_scalar(const PackedMatrix& w, int tokens, const std::vector<float>& x,
                          const std::vector<float>& y) {
  const auto expected = multiply_scalar(w, x, tokens);
  double worst = 0;
  for (int t = 0; t < tokens; ++t) {
    for (int r = 0; r < w.rows(); ++r) {
      const auto i = static_cast<std::size_t>(t * w.rows() + r);
      const Bound bound = bound_of(w, r, x.data() + t * w.cols());
      const double error = std::fabs(double{y[i]} - double{expected[i]});
      if (!(error == 0)) worst = std::max(worst, error / bound.worst);
    }
  }
  CHECK(worst <= 1);
}

constexpr int odd_rows[] = {1, 15, 16, 17, 33, 145};  // 145: more tiles than GEMV finishes at once
constexpr int odd_tokens[] = {1, 2, 3, 4, 5, 7, 16, 33};

std::vector<int> odd_cols(gguf::TensorType type) {
  const int block = gguf::traits_of(type).block_values;
  if (block == 256) return {256, 768, 1024, 2304};
  if (block == 32) return {32, 64, 96, 288, 576, 800, 2080};  // the last in several panels
  return {1, 7, 32, 172, 288, 576};
}

}  // namespace

TEST_CASE("matmul agrees with the scalar oracle for every type, precision and odd size") {
  ThreadPool pool(1);
  Random random(10);
  for (const auto type : all_types) {
    for (const Precision precision : both) {
      for (const int cols : odd_cols(type)) {
        for (const int rows : odd_rows) {
          const PackedMatrix w =
              pack(type, rows, cols, precision, random_rows(type, rows, cols, random));
          const int tokens = odd_tokens[random() % std::size(odd_tokens)];
          CAPTURE(gguf::traits_of(type).name);
          CAPTURE(rows);
          CAPTURE(cols);
          CAPTURE(tokens);
          const auto x = random_activations(tokens, cols, random);
          check_against_scalar(w, tokens, x, multiply(pool, w, x, tokens));
        }
      }
    }
  }
}

TEST_CASE("errors are those of rounding activations to 8 or 16 bits, no larger") {
  ThreadPool pool(1);
  Random random(12);
  constexpr int rows = 64, cols = 1024, tokens = 8;
  for (const auto type : all_types) {
    for (const Precision precision : both) {
      CAPTURE(gguf::traits_of(type).name);
      const PackedMatrix w =
          pack(type, rows, cols, precision, random_rows(type, rows, cols, random));
      if (w.family() == DotFamily::f32) continue;
      const auto x = random_activations(tokens, cols, random);
      const auto y = multiply(pool, w, x, tokens);
      const auto expected = multiply_scalar(w, x, tokens);
      double squares = 0;
      for (int t = 0; t < tokens; ++t) {
        for (int r = 0; r < rows; ++r) {
          const auto i = static_cast<std::size_t>(t * rows + r);
          const double error = double{y[i]} - double{expected[i]};
          const double rms = bound_of(w, r, x.data() + t * cols).rms;
          squares += error * error / (rms * rms);
        }
      }
      // Each x is off by something uniform in a step; 16 bits come near to a float's own rounding.
      const double ratio = std::sqrt(squares / (tokens * rows));
      CHECK(ratio > 0.8);
      CHECK(ratio < (w.family() == DotFamily::dot8 ? 1.2 : 1.5));
    }
  }
}

TEST_CASE("a token's results have the same bits whatever the number of tokens beside it") {
  ThreadPool pool(1);
  Random random(11);
  constexpr int rows = 40, most = 67;
  for (const auto type : all_types) {
    for (const Precision precision : both) {
      for (const int cols : {256, 2304}) {
        CAPTURE(gguf::traits_of(type).name);
        CAPTURE(cols);
        const PackedMatrix w =
            pack(type, rows, cols, precision, random_rows(type, rows, cols, random));
        const auto x = random_activations(most, cols, random);
        std::vector<float> alone;
        for (int t = 0; t < most; ++t) {
          const std::vector<float> token(x.begin() + t * cols, x.begin() + (t + 1) * cols);
          for (const float y : multiply(pool, w, token, 1)) alone.push_back(y);
        }
        for (const int tokens : {2, 3, 4, 5, 7, 16, 33, 64, 65, most}) {
          CAPTURE(tokens);
          const std::vector<float> expected(alone.begin(), alone.begin() + tokens * rows);
          CHECK(multiply(pool, w, x, tokens) == expected);
        }
      }
    }
  }
}
