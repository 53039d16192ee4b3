#pragma once

#include <cstddef>

#include "kernels/activation_blocks.hpp"

namespace kvscope {

// Each takes `tokens` (1..N) rows of n_blocks * 32 floats, x_stride apart, to one group of N tokens
// as activation_blocks.hpp describes it; tokens that are missing become zeros.

/// q = round(x / d), d = max|x| / 127 over 32 columns.
template <int N>
void quantise_dot8(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                   std::byte* group);

/// d = max|x| / 32767.
template <int N>
void quantise_dot16(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                    std::byte* group);

/// (tokens, cols) floats, cols not necessarily a multiple of 32, to [cols][N] times float_lift.
template <int N>
void lift_floats(const float* x, std::size_t x_stride, int tokens, int cols, std::byte* group);

}  // namespace kvscope
