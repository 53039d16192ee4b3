#include <algorithm>
#include <cstring>

#include "tensor/pack_half.hpp"
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

}  // namespace

bool pack_float_tile(const TileJob& job, const std::uint8_t* rows, std::size_t row_bytes,
                     std::uint8_t* tile) {
  if (job.format == PackedFormat::f32) {
    transpose<std::uint32_t>(job, rows, row_bytes, tile, [](std::uint32_t x) { return x; });
    return true;
  }
  int largest = 0;
  transpose<std::uint16_t>(job, rows, row_bytes, tile, [&](std::uint16_t x) {
    if (job.format == PackedFormat::bf16) return x;
    const std::uint16_t half = shift_half(x, job.shift);
    largest = std::max(largest, half & 0x7fff);
    return half;
  });
  return largest < infinite_half;
}

void unpack_float_row(const TileJob& job, const std::uint8_t* tile, int r, float* out) {
  const float factor = power_of_two(-job.shift);
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
