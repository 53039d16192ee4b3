#pragma once

// vec128.hpp for x86-64 with AVX2 and FMA: 128-bit instructions only, those that a browser's
// compiler would choose, so that native profiles resemble the web's.

#include <immintrin.h>

namespace kvscope::simd {

using Vec = __m128i;

inline __m128 as_f32(Vec v) { return _mm_castsi128_ps(v); }
inline Vec from_f32(__m128 v) { return _mm_castps_si128(v); }

inline Vec load(const void* p) { return _mm_loadu_si128(static_cast<const Vec*>(p)); }
inline void store(void* p, Vec v) { _mm_storeu_si128(static_cast<Vec*>(p), v); }
inline Vec load32_splat(const void* p) {
  return from_f32(_mm_broadcast_ss(static_cast<const float*>(p)));
}
inline Vec load64(const void* p) { return _mm_loadl_epi64(static_cast<const Vec*>(p)); }
inline Vec i32x4_load16x4(const void* p) { return _mm_cvtepi16_epi32(load64(p)); }
inline Vec u32x4_load16x4(const void* p) { return _mm_cvtepu16_epi32(load64(p)); }
inline Vec i16x8_load8x8(const void* p) { return _mm_cvtepi8_epi16(load64(p)); }
inline Vec i16x8_load16x4_pairs(const void* p) { return _mm_unpacklo_epi16(load64(p), load64(p)); }

inline Vec i8x16_splat(int x) { return _mm_set1_epi8(static_cast<char>(x)); }
inline Vec i16x8_splat(int x) { return _mm_set1_epi16(static_cast<short>(x)); }
inline Vec i32x4_splat(std::int32_t x) { return _mm_set1_epi32(x); }
inline Vec f32x4_splat(float x) { return from_f32(_mm_set1_ps(x)); }

inline Vec v128_and(Vec a, Vec b) { return _mm_and_si128(a, b); }
inline Vec v128_or(Vec a, Vec b) { return _mm_or_si128(a, b); }
inline Vec i16x8_add(Vec a, Vec b) { return _mm_add_epi16(a, b); }
inline Vec i16x8_sub(Vec a, Vec b) { return _mm_sub_epi16(a, b); }
inline Vec i32x4_add(Vec a, Vec b) { return _mm_add_epi32(a, b); }
inline Vec i32x4_sub(Vec a, Vec b) { return _mm_sub_epi32(a, b); }
template <int n>
Vec u16x8_shr(Vec a) {
  return _mm_srli_epi16(a, n);
}
template <int n>
Vec i32x4_shl(Vec a) {
  return _mm_slli_epi32(a, n);
}
template <int n>
Vec i32x4_shr(Vec a) {
  return _mm_srai_epi32(a, n);
}
inline Vec i16x8_narrow_i32x4(Vec a, Vec b) { return _mm_packs_epi32(a, b); }
inline Vec i8x16_narrow_i16x8(Vec a, Vec b) { return _mm_packs_epi16(a, b); }
inline Vec i32x4_dot_i16x8(Vec a, Vec b) { return _mm_madd_epi16(a, b); }

inline Vec f32x4_convert_i32x4(Vec a) { return from_f32(_mm_cvtepi32_ps(a)); }
inline Vec f32x4_add(Vec a, Vec b) { return from_f32(_mm_add_ps(as_f32(a), as_f32(b))); }
inline Vec f32x4_sub(Vec a, Vec b) { return from_f32(_mm_sub_ps(as_f32(a), as_f32(b))); }
inline Vec f32x4_mul(Vec a, Vec b) { return from_f32(_mm_mul_ps(as_f32(a), as_f32(b))); }
inline Vec f32x4_max(Vec a, Vec b) { return from_f32(_mm_max_ps(as_f32(a), as_f32(b))); }
inline Vec f32x4_abs(Vec a) { return _mm_and_si128(a, _mm_set1_epi32(0x7fffffff)); }
inline float f32x4_max_lane(Vec v) {
  v = f32x4_max(v, _mm_shuffle_epi32(v, 0x4e));
  v = f32x4_max(v, _mm_shuffle_epi32(v, 0xb1));
  return _mm_cvtss_f32(as_f32(v));
}

inline Vec i16x8_dot_i8x16_i7x16(Vec a, Vec b) { return _mm_maddubs_epi16(b, a); }
inline Vec i32x4_dot_i8x16_i7x16_add(Vec a, Vec b, Vec c) {
#if defined(__AVXVNNI__)
  return _mm_dpbusd_avx_epi32(c, b, a);
#else
  return _mm_add_epi32(c, _mm_madd_epi16(_mm_maddubs_epi16(b, a), _mm_set1_epi16(1)));
#endif
}
inline Vec f32x4_madd(Vec a, Vec b, Vec c) {
  return from_f32(_mm_fmadd_ps(as_f32(a), as_f32(b), as_f32(c)));
}

inline Vec keep_in_register(Vec v) { return v; }

}  // namespace kvscope::simd
