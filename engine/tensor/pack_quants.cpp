#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensor/half.hpp"
#include "tensor/pack_blocks.hpp"
#include "tensor/pack_tile.hpp"

// Quantised tiles: packed_layout.hpp draws them. Each layout is a pair of functions that put a
// row's 32 columns into a block and take them out again.

namespace kvscope {

namespace {

using u8 = std::uint8_t;

std::uint32_t load32(const u8* p) {
  std::uint32_t x;
  std::memcpy(&x, p, 4);
  return x;
}
void store32(u8* p, std::uint32_t x) { std::memcpy(p, &x, 4); }

struct Dot8Nibbles {
  static void put(u8* block, int r, const u8* q, int) {
    for (int g = 0; g < 4; ++g) {
      store32(block + g * 64 + r * 4, load32(q + 4 * g) | load32(q + 16 + 4 * g) << 4);
    }
  }
  static void take(const u8* block, int r, u8* q, int) {
    for (int g = 0; g < 4; ++g) {
      const std::uint32_t bytes = load32(block + g * 64 + r * 4);
      store32(q + 4 * g, bytes & 0x0f0f0f0f);
      store32(q + 16 + 4 * g, bytes >> 4 & 0x0f0f0f0f);
    }
  }
};

struct Dot8Bytes {
  static void put(u8* block, int r, const u8* q, int) {
    for (int g = 0; g < 8; ++g) std::memcpy(block + g * 64 + r * 4, q + 4 * g, 4);
  }
  static void take(const u8* block, int r, u8* q, int) {
    for (int g = 0; g < 8; ++g) std::memcpy(q + 4 * g, block + g * 64 + r * 4, 4);
  }
};

struct Dot16Nibbles {  // r counts within a half of 8 rows
  static void put(u8* block, int r, const u8* q, int) {
    for (int g = 0; g < 4; ++g) {
      const u8* k = q + 8 * g;  // lane i, nibble n: column 2n + i
      const auto lane = [&](int i) {
        return static_cast<std::uint32_t>(k[i] | k[2 + i] << 4 | k[4 + i] << 8 | k[6 + i] << 12);
      };
      store32(block + g * 32 + r * 4, lane(0) | lane(1) << 16);
    }
  }
  static void take(const u8* block, int r, u8* q, int) {
    for (int g = 0; g < 4; ++g) {
      const std::uint32_t lanes = load32(block + g * 32 + r * 4);
      for (int n = 0; n < 4; ++n) {
        q[8 * g + 2 * n] = lanes >> 4 * n & 15;
        q[8 * g + 2 * n + 1] = lanes >> (16 + 4 * n) & 15;
      }
    }
  }
};

struct Dot16Bytes {
  static void put(u8* block, int r, const u8* q, int zero_point) {
    for (int i = 0; i < 32; ++i) {
      block[i / 2 * 32 + r * 2 + i % 2] = static_cast<u8>(q[i] - zero_point);
    }
  }
  static void take(const u8* block, int r, u8* q, int zero_point) {
    for (int i = 0; i < 32; ++i) {
      q[i] = static_cast<u8>(block[i / 2 * 32 + r * 2 + i % 2] + zero_point);
    }
  }
};

/// Where block b of row r lies in a tile.
struct Place {
  std::size_t block;
  int row;  // within the block
  std::size_t scale;
  std::size_t second_scale;
  std::size_t min;
};

template <class Layout>
Place place_of(const QuantShape& shape, int n_blocks, int r, int b) {
  // dot16's nibbles are two runs of half blocks of 8 rows
  constexpr int runs = std::is_same_v<Layout, Dot16Nibbles> ? 2 : 1;
  constexpr int rows = 16 / runs;
  const int index = r / rows * n_blocks + b;
  const int block = n_blocks * shape.min_bytes() + index * shape.block_bytes() / runs;
  const int scale = block + shape.quant_bytes() / runs + r % rows * 2;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  return {at(block), r % rows, at(scale), at(scale + 32), at((b * 16 + r) * 2)};
}

template <class Layout>
float pack(const TileJob& job, const u8* rows, std::size_t row_bytes, u8* tile) {
  const QuantShape shape = quant_shape(job.format);
  const BlockReader read = block_reader(job.type);
  const float factor = std::ldexp(1.0f, job.shift);
  const int n_blocks = job.cols / block_cols;
  float largest = 0;
  const auto store_half = [&](std::size_t at, float value) {
    largest = std::max(largest, std::fabs(value));
    const std::uint16_t bits = float_to_half(value * factor);
    std::memcpy(tile + at, &bits, 2);
  };
  QuantBlock in;
  for (int r = 0; r < job.rows; ++r) {
    for (int b = 0; b < n_blocks; ++b) {
      read(rows + static_cast<std::size_t>(r) * row_bytes, b, in);
      const Place place = place_of<Layout>(shape, n_blocks, r, b);
      Layout::put(tile + place.block, place.row, in.q, shape.zero_point);
      store_half(place.scale, in.scale[0]);
      if (shape.scales == 2) store_half(place.second_scale, in.scale[1]);
      if (shape.mins) store_half(place.min, in.min);
    }
  }
  return largest;
}

template <class Layout>
void unpack(const TileJob& job, const u8* tile, int r, float* out) {
  const QuantShape shape = quant_shape(job.format);
  const float factor = std::ldexp(1.0f, -job.shift);
  const int n_blocks = job.cols / block_cols;
  const auto load_half = [&](std::size_t at) {
    std::uint16_t bits;
    std::memcpy(&bits, tile + at, 2);
    return half_to_float(bits) * factor;
  };
  u8 q[32];
  for (int b = 0; b < n_blocks; ++b, out += block_cols) {
    const Place place = place_of<Layout>(shape, n_blocks, r, b);
    Layout::take(tile + place.block, place.row, q, shape.zero_point);
    const float scale[2] = {load_half(place.scale),
                            load_half(shape.scales == 2 ? place.second_scale : place.scale)};
    const float min = shape.mins ? load_half(place.min) : 0;
    for (int i = 0; i < block_cols; ++i) {
      out[i] = scale[i / 16] * static_cast<float>(q[i] - shape.zero_point) + min;
    }
  }
}

/// Calls f with the layout of the job's family and width.
template <class F>
auto with_layout(const TileJob& job, F&& f) {
  const bool nibbles = quant_shape(job.format).bits == 4;
  if (job.family == DotFamily::dot8) return nibbles ? f(Dot8Nibbles{}) : f(Dot8Bytes{});
  return nibbles ? f(Dot16Nibbles{}) : f(Dot16Bytes{});
}

}  // namespace

float pack_quant_tile(const TileJob& job, const u8* rows, std::size_t row_bytes, u8* tile) {
  return with_layout(
      job, [&]<class Layout>(Layout) { return pack<Layout>(job, rows, row_bytes, tile); });
}

void unpack_quant_row(const TileJob& job, const u8* tile, int r, float* out) {
  with_layout(job, [&]<class Layout>(Layout) { unpack<Layout>(job, tile, r, out); });
}

}  // namespace kvscope
