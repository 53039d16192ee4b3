#pragma once

#include <cstdint>

namespace kvscope {

// 32 columns of N tokens side by side: N = 1 for GEMV, 4 for GEMM, where one load of a weight meets
// 4 tokens. The same members serve both, so both compute the same integers and the same floats.

/// Tokens that the GEMM kernels take at once: 8 rows x 4 tokens fill the registers with
/// accumulators.
inline constexpr int group_tokens = 4;

/// int8 activations: x = q * d.
template <int N>
struct ActivationBlock8 {
  std::int8_t q[8][N][4];  // [column / 4][token][column % 4]
  // Weights are stored with a zero point z to be unsigned. Starting an accumulator at -z * sum(q)
  // takes it away again at no cost; each 16-bit accumulator sums two columns of each group of four.
  std::int16_t start_q4[N][2];     // z = 8, all 32 columns
  std::int16_t start_q6[2][N][2];  // z = 32, columns 0..15 and 16..31
  float d[N];
  float d_sum[N];  // min_unit * d * sum(q): what minima are multiplied by
};

/// int16 activations.
template <int N>
struct ActivationBlock16 {
  std::int16_t q[16][N][2];  // [column / 2][token][column % 2]
  std::int32_t start_q4[N];  // -8 * sum(q), as above
  float d[N];
  float d_sum[N];
};

}  // namespace kvscope
