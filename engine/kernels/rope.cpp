#include <cstddef>

#include "base/elementary.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/f32_batch.hpp"

namespace kvscope {
namespace {

struct SwapNeighbours {
  static constexpr std::uint32_t get(std::size_t lane, std::size_t) { return lane ^ 1; }
};

/// (a, b) becomes (a cos - b sin, a sin + b cos).
void turn(float& a, float& b, float cos, float sin) {
  const float turned = a * cos - b * sin;
  b = a * sin + b * cos;
  a = turned;
}

// Both forms take a few pairs through all heads, so that cos and sin are put in place once.

void rope_adjacent(float* x, int n_heads, int head_dim, int n_rot, const float* table) {
  constexpr auto swap =
      xsimd::make_batch_constant<std::uint32_t, FloatBatch::arch_type, SwapNeighbours>();
  int d = 0;
  for (; d + float_lanes <= n_rot; d += float_lanes) {
    alignas(64) float cos[float_lanes], sin[float_lanes];
    for (int j = 0; j < float_lanes; j += 2) {
      cos[j] = cos[j + 1] = table[d + j];
      sin[j] = -table[d + j + 1];
      sin[j + 1] = table[d + j + 1];
    }
    const FloatBatch c = FloatBatch::load_aligned(cos), s = FloatBatch::load_aligned(sin);
    for (int h = 0; h < n_heads; ++h) {
      float* p = x + static_cast<std::ptrdiff_t>(h) * head_dim + d;
      const FloatBatch v = load_batch(p);
      madd(xsimd::swizzle(v, swap), s, v * c).store_unaligned(p);
    }
  }
  for (; d < n_rot; d += 2) {
    for (int h = 0; h < n_heads; ++h) {
      float* p = x + static_cast<std::ptrdiff_t>(h) * head_dim + d;
      turn(p[0], p[1], table[d], table[d + 1]);
    }
  }
}

void rope_halves(float* x, int n_heads, int head_dim, int n_rot, const float* table) {
  const int half = n_rot / 2;
  int i = 0;
  for (; i + float_lanes <= half; i += float_lanes) {
    alignas(64) float cos[float_lanes], sin[float_lanes];
    for (int j = 0; j < float_lanes; ++j) {
      cos[j] = table[2 * (i + j)];
      sin[j] = table[2 * (i + j) + 1];
    }
    const FloatBatch c = FloatBatch::load_aligned(cos), s = FloatBatch::load_aligned(sin);
    for (int h = 0; h < n_heads; ++h) {
      float* p = x + static_cast<std::ptrdiff_t>(h) * head_dim + i;
      const FloatBatch a = load_batch(p), b = load_batch(p + half);
      (a * c - b * s).store_unaligned(p);
      madd(a, s, b * c).store_unaligned(p + half);
    }
  }
  for (; i < half; ++i) {
    for (int h = 0; h < n_heads; ++h) {
      float* p = x + static_cast<std::ptrdiff_t>(h) * head_dim + i;
      turn(p[0], p[half], table[2 * i], table[2 * i + 1]);
    }
  }
}

}  // namespace

void rope_table(float position, int n_rot, float base, std::span<const float> factors,
                float* table) {
  // In double: at position 8000 a float angle would already be off by 5e-4.
  const double step = exp_of(log_of(static_cast<double>(base)) * -2.0 / n_rot);
  double theta = 1.0;
  for (int i = 0; i < n_rot / 2; ++i, theta *= step) {
    const double angle =
        position * theta / (factors.empty() ? 1.0 : static_cast<double>(factors[i]));
    const CosSin at = cos_sin_of(angle);
    table[2 * i] = static_cast<float>(at.cos);
    table[2 * i + 1] = static_cast<float>(at.sin);
  }
}

void rope(float* x, int n_heads, int head_dim, int n_rot, RopePairs pairs, const float* table) {
  if (pairs == RopePairs::adjacent) {
    rope_adjacent(x, n_heads, head_dim, n_rot, table);
  } else {
    rope_halves(x, n_heads, head_dim, n_rot, table);
  }
}

}  // namespace kvscope
