#pragma once

#include <cstdint>
#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "kernels/vec128.hpp"
#include "tensor/half.hpp"

namespace kvscope {

/// The floats that one instruction handles: 8 where registers have 256 bits, 4 in WebAssembly.
/// Never more, because K is stored in groups of 8 positions.
using FloatBatch =
    std::conditional_t<std::is_void_v<xsimd::make_sized_batch_t<float, 8>>,
                       xsimd::make_sized_batch_t<float, 4>, xsimd::make_sized_batch_t<float, 8>>;
using IntBatch = xsimd::batch<std::int32_t, FloatBatch::arch_type>;
constexpr int float_lanes = static_cast<int>(FloatBatch::size);

/// a * b + c. xsimd knows no relaxed SIMD; the fused form doubles the peak of the f32 kernels.
inline FloatBatch madd(FloatBatch a, FloatBatch b, FloatBatch c) {
#if defined(__wasm_relaxed_simd__)
  return FloatBatch(wasm_f32x4_relaxed_madd(a, b, c));
#else
  return xsimd::fma(a, b, c);
#endif
}

/// b where it is larger, else a: a NaN in b never wins.
inline FloatBatch larger(FloatBatch a, FloatBatch b) {
#if defined(__wasm_simd128__)
  return FloatBatch(wasm_f32x4_pmax(a, b));
#else
  return xsimd::select(b > a, b, a);
#endif
}

inline FloatBatch load_batch(const float* p) { return FloatBatch::load_unaligned(p); }

/// The first n values at p, or as many as a batch holds, and `rest` in the lanes without one.
inline FloatBatch load_part(const float* p, int n, float rest) {
  if (n >= float_lanes) return load_batch(p);
  alignas(64) float lanes[float_lanes];
  for (int i = 0; i < float_lanes; ++i) lanes[i] = i < n ? p[i] : rest;
  return FloatBatch::load_aligned(lanes);
}

/// Stores the first n lanes, or as many as there are.
inline void store_part(FloatBatch batch, float* p, int n) {
  if (n >= float_lanes) return batch.store_unaligned(p);
  alignas(64) float lanes[float_lanes];
  batch.store_aligned(lanes);
  for (int i = 0; i < n; ++i) p[i] = lanes[i];
}

/// Batches that make eight floats: the width of K's groups and V's slices.
constexpr int eight_batches = 8 / float_lanes;

/// Halves are loaded divided by half_lift. Where no instruction converts, moving the bits into
/// place leaves the exponent 112 too small; the caller multiplies once by half_lift, not per value.
#if defined(__wasm_simd128__)
constexpr float half_lift = 0x1p112f;
#else
constexpr float half_lift = 1.0f;
#endif

/// Loads eight elements as floats. To be made before the loop that loads: what conversion needs
/// V8 would make anew in each turn of the loop.
template <class Element>
struct EightLoader;

template <>
struct EightLoader<float> {
  void operator()(const float* p, FloatBatch out[eight_batches]) const {
    for (int i = 0; i < eight_batches; ++i) out[i] = load_batch(p + i * float_lanes);
  }
};

/// IEEE binary16.
template <>
struct EightLoader<std::uint16_t> {
#if defined(__wasm_simd128__)
  simd::Vec mask = simd::half_mask();
#endif

  void operator()(const std::uint16_t* p, FloatBatch out[eight_batches]) const {
#if defined(__wasm_simd128__)
    for (int i = 0; i < eight_batches; ++i) {
      out[i] = FloatBatch(simd::f32x4_load_half(p + i * float_lanes, mask));
    }
#elif defined(__F16C__) && defined(__AVX__)
    out[0] = FloatBatch(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
    alignas(64) float lanes[8];
    for (int i = 0; i < 8; ++i) lanes[i] = half_to_float(p[i]);
    for (int i = 0; i < eight_batches; ++i)
      out[i] = FloatBatch::load_aligned(lanes + i * float_lanes);
#endif
  }
};

/// Codes of q8_0.
template <>
struct EightLoader<std::int8_t> {
  EightLoader<std::uint16_t> halves;

  void operator()(const std::int8_t* p, FloatBatch out[eight_batches]) const {
#if defined(__AVX2__)
    const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    out[0] = FloatBatch(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes)));
#elif defined(__wasm_simd128__)
    const v128_t codes = wasm_i16x8_load8x8(p);
    out[0] = FloatBatch(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(codes)));
    out[1] = FloatBatch(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(codes)));
#else
    alignas(64) float lanes[8];
    for (int i = 0; i < 8; ++i) lanes[i] = static_cast<float>(p[i]);
    for (int i = 0; i < eight_batches; ++i)
      out[i] = FloatBatch::load_aligned(lanes + i * float_lanes);
#endif
  }

  /// Eight scales.
  void scales(const void* p, FloatBatch out[eight_batches]) const {
    halves(static_cast<const std::uint16_t*>(p), out);
    for (int i = 0; i < eight_batches; ++i) out[i] *= FloatBatch(half_lift);
  }
};

}  // namespace kvscope
