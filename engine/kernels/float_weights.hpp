#pragma once

#include <cstdint>

#include "kernels/vec128.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

/// How 4 float weights are read, by their stored width.
template <PackedFormat format>
struct FloatWeights;

template <>
struct FloatWeights<PackedFormat::f32> {
  static constexpr int bytes = 4;
  simd::Vec load4(const std::uint8_t* p) const { return simd::load(p); }
};

template <>
struct FloatWeights<PackedFormat::bf16> {
  static constexpr int bytes = 2;
  simd::Vec load4(const std::uint8_t* p) const {
    return simd::i32x4_shl<16>(simd::u32x4_load16x4(p));
  }
};

template <>
struct FloatWeights<PackedFormat::f16> {
  static constexpr int bytes = 2;
  simd::Vec mask = simd::half_mask();
  simd::Vec lift = simd::keep_in_register(simd::f32x4_splat(0x1p112f));
  simd::Vec load4(const std::uint8_t* p) const {
    return simd::f32x4_mul(simd::f32x4_load_half(p, mask), lift);
  }
};

}  // namespace kvscope
