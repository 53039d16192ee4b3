#pragma once

#include "kernels/f32_batch.hpp"

namespace kvscope {

/// e^x for x <= 0; 0 below -87, where the result would no longer be a normal float.
/// Relative error at most 1.2e-7 with fused multiply-add, 1.3e-7 without (all floats of [-87, 0]).
/// Polynomial of Cephes' expf on [-ln2/2, ln2/2].
inline FloatBatch exp_nonpositive(FloatBatch x) {
  // Adding 1.5 * 2^23 rounds to an integer n and leaves it in the low bits, ready for the exponent.
  const FloatBatch round_magic(12582912.0f);
  const FloatBatch clamped = xsimd::max(x, FloatBatch(-87.0f));
  const FloatBatch shifted = madd(clamped, FloatBatch(1.44269504f), round_magic);
  const FloatBatch n = shifted - round_magic;
  FloatBatch r = madd(n, FloatBatch(-0.693145752f), clamped);
  r = madd(n, FloatBatch(-1.42860677e-6f), r);
  FloatBatch p(1.9875691500e-4f);
  p = madd(p, r, FloatBatch(1.3981999507e-3f));
  p = madd(p, r, FloatBatch(8.3334519073e-3f));
  p = madd(p, r, FloatBatch(4.1665795894e-2f));
  p = madd(p, r, FloatBatch(1.6666665459e-1f));
  p = madd(p, r, FloatBatch(5.0000001201e-1f));
  p = madd(p * r, r, r) + FloatBatch(1.0f);
  const IntBatch exponent = xsimd::bitwise_cast<std::int32_t>(shifted) << 23;
  const FloatBatch power =
      xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(p) + exponent);
  return xsimd::select(x < FloatBatch(-87.0f), FloatBatch(0.0f), power);
}

}  // namespace kvscope
