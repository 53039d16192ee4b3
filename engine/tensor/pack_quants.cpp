#include <algorithm>
#include <cstring>

#include "tensor/pack_blocks.hpp"
#include "tensor/pack_half.hpp"
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
    block = n_blocks * static_cast<std::size_t>(shape.min_bytes());
    if (r >= rows) block += n_blocks * block_bytes;
    scale = block + static_cast<std::size_t>(shape.quant_bytes() / runs + row * 2);
    min = static_cast<std::size_t>(r) * 2;
  }

  void advance() {
    block += block_bytes;
    scale += block_bytes;
    min += 32;
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

}  // namespace

bool pack_quant_tile(const TileJob& job, const u8* rows, std::size_t row_bytes, u8* tile) {
  const QuantShape shape = quant_shape(job.format);
  const bool nibbles = shape.bits == 4;
  int largest = 0;
  const auto store_half = [&](std::size_t at, std::uint16_t half) {
    largest = std::max(largest, half & 0x7fff);
    std::memcpy(tile + at, &half, 2);
  };
  QuantBlock in;
  for (int r = 0; r < job.rows; ++r, rows += row_bytes) {
    Place place(job, shape, r);
    for (int b = 0; b < job.cols / block_cols; ++b, place.advance()) {
      read_block(job.type, rows, b, job.shift, in);
      u8* block = tile + place.block;
      if (job.family == DotFamily::dot8) {
        nibbles ? put_dot8_nibbles(block, place.row, in.q) : put_dot8_bytes(block, place.row, in.q);
      } else {
        nibbles ? put_dot16_nibbles(block, place.row, in.q)
                : put_dot16_bytes(block, place.row, in.q, shape.zero_point);
      }
      store_half(place.scale, in.scale[0]);
      if (shape.scales == 2) store_half(place.scale + 32, in.scale[1]);
      if (shape.mins) store_half(place.min, in.min);
    }
  }
  return largest < infinite_half;
}

void unpack_quant_row(const TileJob& job, const u8* tile, int r, float* out) {
  const QuantShape shape = quant_shape(job.format);
  const float factor = power_of_two(-job.shift);
  const auto load_half = [&](std::size_t at) {
    std::uint16_t bits;
    std::memcpy(&bits, tile + at, 2);
    return half_to_float(bits) * factor;
  };
  Place place(job, shape, r);
  for (int b = 0; b < job.cols / block_cols; ++b, out += block_cols, place.advance()) {
    const float scale[2] = {load_half(place.scale),
                            load_half(place.scale + (shape.scales == 2 ? 32 : 0))};
    const float min = shape.mins ? load_half(place.min) : 0;
    for (int i = 0; i < block_cols; ++i) {
      const int q = quant_at(job, shape, tile + place.block, place.row, i) - shape.zero_point;
      out[i] = scale[i / 16] * static_cast<float>(q) + min;
    }
  }
}

}  // namespace kvscope
