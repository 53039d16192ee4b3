#include <algorithm>
#include <cmath>
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
  for (int r = 0; r < job.rows; ++r) {
    const std::uint8_t* in = rows + static_cast<std::size_t>(r) * row_bytes;
    std::uint8_t* out = tile + static_cast<std::size_t>(r) * sizeof(T);
    for (int c = 0; c < job.cols; ++c) {
      const T value = convert(load<T>(in + static_cast<std::size_t>(c) * sizeof(T)));
      std::memcpy(out + static_cast<std::size_t>(c) * 16 * sizeof(T), &value, sizeof(T));
    }
  }
}

}  // namespace

float pack_float_tile(const TileJob& job, const std::uint8_t* rows, std::size_t row_bytes,
                      std::uint8_t* tile) {
  float largest = 0;
  if (job.format == PackedFormat::f32) {
    transpose<std::uint32_t>(job, rows, row_bytes, tile, [](std::uint32_t x) { return x; });
  } else if (job.format == PackedFormat::bf16) {
    transpose<std::uint16_t>(job, rows, row_bytes, tile, [](std::uint16_t x) { return x; });
  } else {
    const float factor = std::ldexp(1.0f, job.shift);
    transpose<std::uint16_t>(job, rows, row_bytes, tile, [&](std::uint16_t x) {
      const float value = half_to_float(x);
      largest = std::max(largest, std::fabs(value));
      return float_to_half(value * factor);
    });
  }
  return largest;
}

void unpack_float_row(const TileJob& job, const std::uint8_t* tile, int r, float* out) {
  const float factor = std::ldexp(1.0f, -job.shift);
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
