#pragma once

#include <cstdint>

#include "kernels/vec128.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

/// The two relaxed dots of 8-bit integers. Both give the same integers; which is fast depends on
/// the machine: x86 does the first in one instruction and the second in three, ARM the first in
/// three and the second in one, x86 with AVX-VNNI each in one.
enum class DotForm : std::uint8_t {
  pairs16,  // i16x8: two products a lane, summed in 16 bits
  quads32,  // i32x4: four products a lane, added to 32 bits
};

/// The fast one here, told by what the second makes of an operand outside its range of 0..127: ARM
/// takes the byte 255 for -1, VNNI for 255; x86 without VNNI goes by way of 16 bits, which
/// saturate. Anything else is no right answer either (the quick compiler of Node 20 adds the
/// products twice). A benchmark at start would time that quick compiler's code.
inline DotForm fast_dot_form() {
  if constexpr (has_dot8) {
    const simd::Vec a = simd::keep_in_register(simd::i8x16_splat(127));
    const simd::Vec b = simd::keep_in_register(simd::i8x16_splat(-1));
    std::int32_t lane[4];
    simd::store(lane, simd::i32x4_dot_i8x16_i7x16_add(a, b, simd::i32x4_splat(1000)));
    const bool is_vnni = lane[0] == 1000 + 4 * 127 * 255;
    const bool is_arm = lane[0] == 1000 - 4 * 127;
    if (is_vnni || is_arm) return DotForm::quads32;
  }
  return DotForm::pairs16;
}

}  // namespace kvscope
