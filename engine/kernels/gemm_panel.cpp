#include "kernels/gemm_panel.hpp"

namespace kvscope {

void unpack_scales(const std::uint8_t* halves, int block_bytes, int n_blocks, int scales,
                   float* out) {
  const simd::Vec mask = simd::half_mask();
  for (int b = 0; b < n_blocks; ++b, halves += block_bytes) {
    for (int i = 0; i < scales; ++i, out += 8) {
      simd::store(out, simd::f32x4_load_half(halves + 32 * i, mask));
      simd::store(out + 4, simd::f32x4_load_half(halves + 32 * i + 8, mask));
    }
  }
}

}  // namespace kvscope
