#pragma once

#include <cstddef>

#include "kernels/activation_blocks.hpp"

namespace kvscope {

// Each takes `tokens` (1..N) rows of n_blocks * 32 floats, x_stride apart, as one group; tokens
// that are missing become zeros. q = round(x / d), d = max|x| / 127 over 32 columns (32767 for 16
// bits).

template <int N>
void quantise_dot8(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                   ActivationBlock8<N>* out);
template <int N>
void quantise_dot16(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                    ActivationBlock16<N>* out);

/// (group_tokens, cols) floats to [cols][group_tokens].
void interleave_floats(const float* x, std::size_t x_stride, int tokens, int cols, float* out);

}  // namespace kvscope
