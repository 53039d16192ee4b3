#pragma once

#include "kernels/f32_batch.hpp"

namespace kvscope {

/// 2^f = 1 + f (c1 + f (c2 + …)) on [-1/2, 1/2], minimax with relative error 9.2e-8; and the
/// bounds. Defined in a file of its own on purpose: constants that the compiler can see it rebuilds
/// at each use, three instructions each in V8, where these are one load.
struct ExpConstants {
  float log2_e;
  float rounder;  // 1.5 * 2^23: adding it rounds to an integer and leaves that in the low bits
  float lowest;   // below it e^x is no normal float
  float c1, c2, c3, c4, c5;
  float one;
};
extern const ExpConstants exp_constants;

/// e^x for x <= 88, and 0 below -87. Relative error at most 2.5e-7 + 1e-7 |x|.
inline FloatBatch exp_batch(FloatBatch x) {
  const ExpConstants& c = exp_constants;
  const FloatBatch log2_e(c.log2_e), rounder(c.rounder);
  const FloatBatch shifted = madd(x, log2_e, rounder);
  const FloatBatch f = madd(x, log2_e, rounder - shifted);
  FloatBatch p = madd(FloatBatch(c.c5), f, FloatBatch(c.c4));
  p = madd(p, f, FloatBatch(c.c3));
  p = madd(p, f, FloatBatch(c.c2));
  p = madd(p, f, FloatBatch(c.c1));
  p = madd(p, f, FloatBatch(c.one));
  const IntBatch exponent = xsimd::bitwise_cast<std::int32_t>(shifted) << 23;
  const FloatBatch power =
      xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(p) + exponent);
  return xsimd::select(x < FloatBatch(c.lowest), FloatBatch(0.0f), power);
}

}  // namespace kvscope
