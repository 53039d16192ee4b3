#pragma once

// vec128.hpp for every other machine, in GCC's and clang's vector extension: right, not fast.

#include <cmath>
#include <cstring>

namespace kvscope::simd {

using Vec = std::int32_t __attribute__((vector_size(16)));
using I16x8 = std::int16_t __attribute__((vector_size(16)));
using U16x8 = std::uint16_t __attribute__((vector_size(16)));
using I8x16 = std::int8_t __attribute__((vector_size(16)));
using F32x4 = float __attribute__((vector_size(16)));

inline Vec load(const void* p) {
  Vec v;
  std::memcpy(&v, p, 16);
  return v;
}
inline void store(void* p, Vec v) { std::memcpy(p, &v, 16); }

inline Vec i8x16_splat(int x) { return Vec(I8x16{} + static_cast<std::int8_t>(x)); }
inline Vec i16x8_splat(int x) { return Vec(I16x8{} + static_cast<std::int16_t>(x)); }
inline Vec i32x4_splat(std::int32_t x) { return Vec{x, x, x, x}; }
inline Vec f32x4_splat(float x) { return Vec(F32x4{x, x, x, x}); }

inline Vec load32_splat(const void* p) {
  std::int32_t x;
  std::memcpy(&x, p, 4);
  return i32x4_splat(x);
}
/// Loads n values of type From and widens them to the lanes of To.
template <class To, class From, int n>
Vec load_extend(const void* p) {
  From narrow[n];
  std::memcpy(narrow, p, sizeof narrow);
  To wide;
  for (int i = 0; i < n; ++i) wide[i] = narrow[i];
  return Vec(wide);
}
inline Vec i32x4_load16x4(const void* p) { return load_extend<Vec, std::int16_t, 4>(p); }
inline Vec u32x4_load16x4(const void* p) { return load_extend<Vec, std::uint16_t, 4>(p); }
inline Vec i16x8_load8x8(const void* p) { return load_extend<I16x8, std::int8_t, 8>(p); }
inline Vec i16x8_load16x4_pairs(const void* p) {
  const Vec v = u32x4_load16x4(p);
  return v | v << 16;
}

inline Vec v128_and(Vec a, Vec b) { return a & b; }
inline Vec v128_or(Vec a, Vec b) { return a | b; }
inline Vec i16x8_add(Vec a, Vec b) { return Vec(U16x8(a) + U16x8(b)); }
inline Vec i16x8_sub(Vec a, Vec b) { return Vec(U16x8(a) - U16x8(b)); }
inline Vec i32x4_add(Vec a, Vec b) { return a + b; }
inline Vec i32x4_sub(Vec a, Vec b) { return a - b; }
template <int n>
Vec u16x8_shr(Vec a) {
  return Vec(U16x8(a) >> n);
}
template <int n>
Vec i32x4_shl(Vec a) {
  using U32x4 = std::uint32_t __attribute__((vector_size(16)));
  return Vec(U32x4(a) << n);
}
template <int n>
Vec i32x4_shr(Vec a) {
  return a >> n;
}
/// Both vectors' lanes, clamped to the range of To's lanes.
template <class To, class From, int n>
Vec narrow(Vec a, Vec b, int low, int high) {
  To out;
  for (int i = 0; i < n; ++i) {
    const int x = i < n / 2 ? From(a)[i] : From(b)[i - n / 2];
    out[i] = static_cast<std::int16_t>(x < low ? low : x > high ? high : x);
  }
  return Vec(out);
}
inline Vec i16x8_narrow_i32x4(Vec a, Vec b) { return narrow<I16x8, Vec, 8>(a, b, -32768, 32767); }
inline Vec i8x16_narrow_i16x8(Vec a, Vec b) { return narrow<I8x16, I16x8, 16>(a, b, -128, 127); }
inline Vec i32x4_dot_i16x8(Vec a, Vec b) {
  const I16x8 x = I16x8(a), y = I16x8(b);
  Vec out;
  for (int i = 0; i < 4; ++i) out[i] = x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
  return out;
}

inline Vec f32x4_convert_i32x4(Vec a) { return Vec(__builtin_convertvector(a, F32x4)); }
inline Vec f32x4_add(Vec a, Vec b) { return Vec(F32x4(a) + F32x4(b)); }
inline Vec f32x4_sub(Vec a, Vec b) { return Vec(F32x4(a) - F32x4(b)); }
inline Vec f32x4_mul(Vec a, Vec b) { return Vec(F32x4(a) * F32x4(b)); }
inline Vec f32x4_max(Vec a, Vec b) { return F32x4(a) > F32x4(b) ? a : b; }
inline Vec f32x4_abs(Vec a) { return a & 0x7fffffff; }
inline float f32x4_max_lane(Vec v) {
  const F32x4 x = F32x4(v);
  return std::fmax(std::fmax(x[0], x[1]), std::fmax(x[2], x[3]));
}

inline Vec i16x8_dot_i8x16_i7x16(Vec a, Vec b) {
  const I8x16 x = I8x16(a), y = I8x16(b);
  I16x8 out;
  for (int i = 0; i < 8; ++i) {
    out[i] = static_cast<std::int16_t>(x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1]);
  }
  return Vec(out);
}
inline Vec i32x4_dot_i8x16_i7x16_add(Vec a, Vec b, Vec c) {
  const I8x16 x = I8x16(a), y = I8x16(b);
  for (int i = 0; i < 16; ++i) c[i / 4] += x[i] * y[i];
  return c;
}
inline Vec f32x4_madd(Vec a, Vec b, Vec c) {
  const F32x4 x = F32x4(a), y = F32x4(b), z = F32x4(c);
  F32x4 out;
  for (int i = 0; i < 4; ++i) out[i] = std::fma(x[i], y[i], z[i]);
  return Vec(out);
}

inline Vec keep_in_register(Vec v) { return v; }

}  // namespace kvscope::simd
