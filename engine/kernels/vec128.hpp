#pragma once

// 128-bit vectors, untyped like WebAssembly's v128. Functions bear the names of the WebAssembly
// instructions that they compile to, so that a kernel can be read next to the specification; the
// same kernels run natively on x86 (tests, profiling) and, slowly, on any other machine.

#include <cstdint>

#if defined(__wasm_simd128__)
#include "kernels/vec128_wasm.hpp"
#elif defined(__AVX2__) && defined(__FMA__) && !defined(KVSCOPE_VEC128_GENERIC)
#include "kernels/vec128_x86.hpp"
#else
#include "kernels/vec128_generic.hpp"
#endif

// Loops that must stay loops. Fully unrolled, LLVM's wasm backend emits one accumulator's whole
// expression tree after the other and keeps all loads alive; V8 has 15 registers and spills.
#if defined(__clang__)
#define KVSCOPE_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define KVSCOPE_ROLLED _Pragma("GCC unroll 1")
#endif

namespace kvscope::simd {

/// Four halves as floats times 2^-112: shifting brings exponent and mantissa into place, only the
/// exponent's bias (15 against 127) is left to the caller. Exact; not for infinities and NaN.
/// `mask` is half_mask(), kept in a register by the caller.
inline Vec f32x4_load_half(const void* p, Vec mask) {
  return v128_and(i32x4_shl<13>(i32x4_load16x4(p)), mask);
}

inline Vec half_mask() {
  return keep_in_register(i32x4_splat(static_cast<std::int32_t>(0x8fffffff)));
}

/// Four of bfloat16, or integers of 16 bits, as floats.
inline Vec f32x4_load_bfloat(const void* p) { return i32x4_shl<16>(u32x4_load16x4(p)); }
inline Vec f32x4_load_int16(const void* p) { return f32x4_convert_i32x4(i32x4_load16x4(p)); }

/// Nearest integers, ties to even, of |x| < 2^22. One addition does it: at 1.5 * 2^23 a float's
/// last bit is worth 1.
inline Vec i32x4_nearest(Vec x) {
  const Vec magic = f32x4_splat(0x1.8p23f);
  return i32x4_sub(f32x4_add(x, magic), magic);
}

}  // namespace kvscope::simd
