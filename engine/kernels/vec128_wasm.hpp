#pragma once

// vec128.hpp for WebAssembly: plain SIMD128, and relaxed SIMD where the build has it.

#include <wasm_simd128.h>

namespace kvscope::simd {

using Vec = v128_t;

inline Vec load(const void* p) { return wasm_v128_load(p); }
inline void store(void* p, Vec v) { wasm_v128_store(p, v); }
inline Vec load32_splat(const void* p) { return wasm_v128_load32_splat(p); }
inline Vec i32x4_load16x4(const void* p) { return wasm_i32x4_load16x4(p); }
inline Vec u32x4_load16x4(const void* p) { return wasm_u32x4_load16x4(p); }
inline Vec i16x8_load8x8(const void* p) { return wasm_i16x8_load8x8(p); }
/// Four integers of 16 bits, each twice.
inline Vec i16x8_load16x4_pairs(const void* p) {
  const Vec v = wasm_v128_load64_zero(p);
  return wasm_i16x8_shuffle(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
}

inline Vec i8x16_splat(int x) { return wasm_i8x16_splat(static_cast<std::int8_t>(x)); }
inline Vec i16x8_splat(int x) { return wasm_i16x8_splat(static_cast<std::int16_t>(x)); }
inline Vec i32x4_splat(std::int32_t x) { return wasm_i32x4_splat(x); }
inline Vec f32x4_splat(float x) { return wasm_f32x4_splat(x); }

inline Vec v128_and(Vec a, Vec b) { return wasm_v128_and(a, b); }
inline Vec v128_or(Vec a, Vec b) { return wasm_v128_or(a, b); }
inline Vec i16x8_add(Vec a, Vec b) { return wasm_i16x8_add(a, b); }
inline Vec i16x8_sub(Vec a, Vec b) { return wasm_i16x8_sub(a, b); }
inline Vec i32x4_add(Vec a, Vec b) { return wasm_i32x4_add(a, b); }
inline Vec i32x4_sub(Vec a, Vec b) { return wasm_i32x4_sub(a, b); }
template <int n>
Vec u16x8_shr(Vec a) {
  return wasm_u16x8_shr(a, n);
}
template <int n>
Vec i32x4_shl(Vec a) {
  return wasm_i32x4_shl(a, n);
}
template <int n>
Vec i32x4_shr(Vec a) {
  return wasm_i32x4_shr(a, n);
}
inline Vec i16x8_narrow_i32x4(Vec a, Vec b) { return wasm_i16x8_narrow_i32x4(a, b); }
inline Vec i8x16_narrow_i16x8(Vec a, Vec b) { return wasm_i8x16_narrow_i16x8(a, b); }
inline Vec i32x4_dot_i16x8(Vec a, Vec b) { return wasm_i32x4_dot_i16x8(a, b); }

inline Vec f32x4_convert_i32x4(Vec a) { return wasm_f32x4_convert_i32x4(a); }
inline Vec f32x4_add(Vec a, Vec b) { return wasm_f32x4_add(a, b); }
inline Vec f32x4_sub(Vec a, Vec b) { return wasm_f32x4_sub(a, b); }
inline Vec f32x4_mul(Vec a, Vec b) { return wasm_f32x4_mul(a, b); }
inline Vec f32x4_max(Vec a, Vec b) { return wasm_f32x4_pmax(a, b); }  // one instruction, unlike max
// V8 makes the mask of f32x4.abs anew each time.
inline Vec f32x4_abs(Vec a) { return wasm_v128_and(a, wasm_i32x4_splat(0x7fffffff)); }
inline float f32x4_max_lane(Vec v) {
  v = f32x4_max(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
  v = f32x4_max(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
  return wasm_f32x4_extract_lane(v, 0);
}

#if defined(__wasm_relaxed_simd__)
/// a: 16 signed bytes, b: 16 bytes in 0..127; sums of two neighbouring products.
inline Vec i16x8_dot_i8x16_i7x16(Vec a, Vec b) { return wasm_i16x8_relaxed_dot_i8x16_i7x16(a, b); }
/// c + sums of four neighbouring products.
inline Vec i32x4_dot_i8x16_i7x16_add(Vec a, Vec b, Vec c) {
  return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(a, b, c);
}
/// a * b + c, rounded once where the machine can.
inline Vec f32x4_madd(Vec a, Vec b, Vec c) { return wasm_f32x4_relaxed_madd(a, b, c); }
#else
Vec i32x4_dot_i8x16_i7x16_add(Vec a, Vec b, Vec c);
Vec i16x8_dot_i8x16_i7x16(Vec a, Vec b);  // not in this build: no kernel of it calls this
inline Vec f32x4_madd(Vec a, Vec b, Vec c) { return wasm_f32x4_add(wasm_f32x4_mul(a, b), c); }
#endif

/// LLVM sinks constants into loops, where V8 rebuilds them with three instructions; a value that it
/// cannot see through stays in its register (7 % of a GEMV).
inline Vec keep_in_register(Vec v) {
  volatile std::int32_t zero = 0;
  return v128_or(v, i32x4_splat(zero));
}

}  // namespace kvscope::simd
