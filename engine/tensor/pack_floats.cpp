#include <algorithm>
#include <cstring>

#include "tensor/half.hpp"
#include "tensor/pack_tile.hpp"

// Float tiles: value[column][row].

namespace kvscope {

namespace {

template <class T>
T load(const std::uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

template <class T, class Convert>
void transpose(const TileJob& job, const std::uint8_t* rows, std::size_t row_bytes,
               std::uint8_t* tile, Convert convert) {
  for (int c = 0; c < job.cols; ++c, rows += sizeof(T), tile += 16 * sizeof(T)) {
    for (int r = 0; r < job.rows; ++r) {
      const T value = convert(load<T>(rows + static_cast<std::size_t>(r) * row_bytes));
      std::memcpy(tile + static_cast<std::size_t>(r) * sizeof(T), &value, sizeof(T));
    }
  }
}

/// f16 weights are stored times this where all of a tile can be. It lifts every finite half out of
/// the subnormal range, where the kernels' f16 trick would make f32 subnormals, which are many
/// times slower to multiply, and loses nothing.
constexpr float usual_lift = 0x1p10f;
constexpr std::uint16_t infinite_half = 0x7c00;

/// Exactly, or infinite.
std::uint16_t lift_half(std::uint16_t h) { return float_to_half(half_to_float(h) * usual_lift); }

}  // namespace

void pack_float_tile(const TileJob& job, const std::uint8_t* rows, std::size_t row_bytes,
                     RowFactors& factors, std::uint8_t* tile) {
  float scale = 1 / float_lift;
  if (job.format == PackedFormat::f32) {
    transpose<std::uint32_t>(job, rows, row_bytes, tile, [](std::uint32_t x) { return x; });
  } else if (job.format == PackedFormat::bf16) {
    transpose<std::uint16_t>(job, rows, row_bytes, tile, [](std::uint16_t x) { return x; });
  } else {
    int largest = 0;
    transpose<std::uint16_t>(job, rows, row_bytes, tile, [&](std::uint16_t x) {
      const std::uint16_t half = lift_half(x);
      largest = std::max(largest, half & 0x7fff);
      return half;
    });
    scale *= half_lift;
    if (largest < infinite_half) {
      scale /= usual_lift;
    } else {
      transpose<std::uint16_t>(job, rows, row_bytes, tile, [](std::uint16_t x) { return x; });
    }
  }
  std::ranges::fill(factors.of, float_to_bfloat(scale));
}

void unpack_float_row(const TileJob& job, const RowFactors& factors, const std::uint8_t* tile,
                      int r, float* out) {
  const float factor = bfloat_to_float(factors.of[r]) * (float_lift / half_lift);
  for (int c = 0; c < job.cols; ++c) {
    const std::size_t i = static_cast<std::size_t>(c) * 16 + static_cast<std::size_t>(r);
    switch (job.format) {
      case PackedFormat::f32: out[c] = load<float>(tile + 4 * i); break;
      case PackedFormat::bf16: out[c] = bfloat_to_float(load<std::uint16_t>(tile + 2 * i)); break;
      default: out[c] = half_to_float(load<std::uint16_t>(tile + 2 * i)) * factor;
    }
  }
}

}  // namespace kvscope
