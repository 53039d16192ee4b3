#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "tensor/half.hpp"
#include "tensor/pack_blocks.hpp"
#include "tensor/pack_tile.hpp"

// Quantised tiles: packed_layout.hpp draws them.

namespace kvscope {

namespace {

using u8 = std::uint8_t;

std::uint32_t load32(const u8* p) {
  std::uint32_t x;
  std::memcpy(&x, p, 4);
  return x;
}
void store32(u8* p, std::uint32_t x) { std::memcpy(p, &x, 4); }

// Each of these puts 32 columns of row r into a block.

void put_dot8_nibbles(u8* block, int r, const u8* q) {
  for (int g = 0; g < 4; ++g) {
    store32(block + g * 64 + r * 4, load32(q + 4 * g) | load32(q + 16 + 4 * g) << 4);
  }
}

void put_dot8_bytes(u8* block, int r, const u8* q) {
  for (int g = 0; g < 8; ++g) store32(block + g * 64 + r * 4, load32(q + 4 * g));
}

void put_dot16_nibbles(u8* block, int r, const u8* q) {
  for (int g = 0; g < 4; ++g) {
    // Columns 8g … 8g + 7 are bytes a b c d and e f g h: nibbles (a c e g) and (b d f h) of 2
    // lanes.
    const std::uint32_t first = load32(q + 8 * g), second = load32(q + 8 * g + 4);
    const std::uint32_t ac_bd = (first | first >> 12) & 0xffff;
    const std::uint32_t eg_fh = (second | second >> 12) & 0xffff;
    store32(block + g * 32 + r * 4,
            (ac_bd & 0xff) | (eg_fh & 0xff) << 8 | (ac_bd & 0xff00) << 8 | (eg_fh & 0xff00) << 16);
  }
}

void put_dot16_bytes(u8* block, int r, const u8* q, int zero_point) {
  u8 values[32];
  for (int i = 0; i < 32; ++i) values[i] = static_cast<u8>(q[i] - zero_point);
  for (int pair = 0; pair < 16; ++pair) {
    std::memcpy(block + pair * 32 + r * 2, values + 2 * pair, 2);
  }
}

/// Where a row's first block lies in a tile, and its scales; advance() goes to the next block.
struct Place {
  int row;  // within the block
  std::size_t block_bytes;
  std::size_t block;
  std::size_t scale;  // a second one is 32 bytes on
  std::size_t min;

  Place(const TileJob& job, const QuantShape& shape, int r) {
    const auto n_blocks = static_cast<std::size_t>(job.cols / block_cols);
    // dot16's nibbles are two runs of half blocks of 8 rows.
    const int runs = job.family == DotFamily::dot16 && shape.bits == 4 ? 2 : 1;
    const int rows = 16 / runs;
    row = r % rows;
    block_bytes = static_cast<std::size_t>(shape.block_bytes() / runs);
    block = r < rows ? 0 : n_blocks * block_bytes;
    scale = block + static_cast<std::size_t>(shape.quant_bytes() / runs + row * 2);
    min = scale + static_cast<std::size_t>(32 / runs * shape.scales);
  }

  void advance() {
    block += block_bytes;
    scale += block_bytes;
    min += block_bytes;
  }
};

/// The stored q of column i of 32, for reading back: one value at a time.
int quant_at(const TileJob& job, const QuantShape& shape, const u8* block, int r, int i) {
  if (job.family == DotFamily::dot8) {
    if (shape.bits != 4) return block[i / 4 * 64 + r * 4 + i % 4];
    return block[i % 16 / 4 * 64 + r * 4 + i % 4] >> i / 16 * 4 & 15;
  }
  if (shape.bits != 4) return static_cast<u8>(block[i / 2 * 32 + r * 2 + i % 2] + shape.zero_point);
  const int nibble = i % 8 / 2;
  return block[i / 8 * 32 + r * 4 + i % 2 * 2 + nibble / 2] >> nibble % 2 * 4 & 15;
}

/// The unit of a row (packed_layout.hpp): the smallest power of two above x. 2^-13 more than needed
/// keeps rounding from reaching a limit.
float unit_of(const QuantShape& shape, float largest_scale, float largest_min) {
  const float x = (1 + 0x1p-13f) *
                  std::max(largest_scale / shape.scale_limit(), largest_min / (min_unit * 0x1p15f));
  const float bounded = std::clamp(x, 0x1p-60f, 0x1p60f);  // a row of zeros, an infinite half
  return 2 * std::bit_cast<float>(std::bit_cast<std::uint32_t>(bounded) & 0x7f800000);
}

/// The nearest integer. Only infinities and NaN are out of range.
std::int16_t to_int16(float x) {
  const float bounded = x < 32767.f ? std::max(x, -32767.f) : 32767.f;
  return static_cast<std::int16_t>(std::nearbyint(bounded));
}

}  // namespace

void pack_quant_tile(const TileJob& job, const u8* rows, std::size_t row_bytes, RowFactors& factors,
                     u8* tile) {
  const QuantShape shape = quant_shape(job.format);
  const bool nibbles = shape.bits == 4;
  std::vector<BlockScales> blocks(static_cast<std::size_t>(job.cols / block_cols));
  for (int r = 0; r < job.rows; ++r, rows += row_bytes) {
    float largest_scale = 0, largest_min = 0;
    Place place(job, shape, r);
    int b = 0;
    for (BlockScales& in : blocks) {
      u8 q[block_cols];
      in = read_block(job.type, rows, b++, q);
      u8* block = tile + place.block;
      if (job.family == DotFamily::dot8) {
        nibbles ? put_dot8_nibbles(block, place.row, q) : put_dot8_bytes(block, place.row, q);
      } else {
        nibbles ? put_dot16_nibbles(block, place.row, q)
                : put_dot16_bytes(block, place.row, q, shape.zero_point);
      }
      for (const float scale : in.scale) largest_scale = std::max(largest_scale, std::fabs(scale));
      largest_min = std::max(largest_min, std::fabs(in.min));
      place.advance();
    }
    const float unit = unit_of(shape, largest_scale, largest_min);
    const float inverse = 1 / unit;
    const auto store = [&](std::size_t at, float x) {
      const std::int16_t stored = to_int16(x * inverse);
      std::memcpy(tile + at, &stored, 2);
    };
    place = Place(job, shape, r);
    for (const BlockScales& in : blocks) {
      for (int i = 0; i < shape.scales; ++i) store(place.scale + 32 * i, in.scale[i]);
      if (shape.mins) store(place.min, in.min * (1.f / min_unit));
      place.advance();
    }
    factors.of[r] = float_to_bfloat(unit);
  }
}

void unpack_quant_row(const TileJob& job, const RowFactors& factors, const u8* tile, int r,
                      float* out) {
  const QuantShape shape = quant_shape(job.format);
  const float unit = bfloat_to_float(factors.of[r]);
  const auto load = [&](std::size_t at) {
    std::int16_t stored;
    std::memcpy(&stored, tile + at, 2);
    return static_cast<float>(stored) * unit;
  };
  Place place(job, shape, r);
  for (int b = 0; b < job.cols / block_cols; ++b, out += block_cols, place.advance()) {
    const float scale[2] = {load(place.scale), load(place.scale + (shape.scales == 2 ? 32 : 0))};
    const float min = shape.mins ? load(place.min) * min_unit : 0;
    for (int i = 0; i < block_cols; ++i) {
      const int q = quant_at(job, shape, tile + place.block, place.row, i) - shape.zero_point;
      out[i] = scale[i / 16] * static_cast<float>(q) + min;
    }
  }
}

}  // namespace kvscope
