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

// Each of these puts block b of a row of GGUF bytes into row r of a block and returns its scales.

struct PutAny {
  BlockScales operator()(const TileJob& job, const u8* row, int b, u8* block, int r) const {
    const QuantShape shape = quant_shape(job.format);
    const bool nibbles = shape.bits == 4;
    u8 q[block_cols];
    const BlockScales scales = read_block(job.type, row, b, q);
    if (job.family == DotFamily::dot8) {
      nibbles ? put_dot8_nibbles(block, r, q) : put_dot8_bytes(block, r, q);
    } else {
      nibbles ? put_dot16_nibbles(block, r, q) : put_dot16_bytes(block, r, q, shape.zero_point);
    }
    return scales;
  }
};

// The usual types need not be taken apart: in the file, too, a byte of Q4_0 and Q4_1 holds columns
// i and 16 + i, one of Q8_0 a signed value.

template <bool has_min>
struct CopyNibbles {
  BlockScales operator()(const TileJob&, const u8* row, int b, u8* block, int r) const {
    constexpr int header = has_min ? 4 : 2;
    const u8* in = row + b * (header + 16);
    for (int g = 0; g < 4; ++g) store32(block + g * 64 + r * 4, load32(in + header + 4 * g));
    const float scale = load_half(in);
    return {{scale, scale}, has_min ? load_half(in + 2) : 0};
  }
};

struct CopyBytes {
  BlockScales operator()(const TileJob&, const u8* row, int b, u8* block, int r) const {
    const u8* in = row + b * 34;
    for (int i = 0; i < 16; ++i) std::memcpy(block + i * 32 + r * 2, in + 2 + 2 * i, 2);
    const float scale = load_half(in);
    return {{scale, scale}, 0};
  }
};

/// Where rows 8 half … 8 half + 7 lie in a tile.
struct Place {
  int row;  // the first of them in its block
  std::size_t block_bytes;
  std::size_t block;  // the first
  std::size_t scale;  // of that row, from its block on; a second one is 32 bytes further
  std::size_t min;

  Place(const TileJob& job, const QuantShape& shape, int half) {
    // dot16's nibbles are two runs of half blocks of 8 rows.
    const int runs = job.family == DotFamily::dot16 && shape.bits == 4 ? 2 : 1;
    row = runs == 2 ? 0 : 8 * half;
    block_bytes = static_cast<std::size_t>(shape.block_bytes() / runs);
    block =
        runs == 2 && half > 0 ? block_bytes * static_cast<std::size_t>(job.cols / block_cols) : 0;
    scale = static_cast<std::size_t>(shape.quant_bytes() / runs + row * 2);
    min = scale + static_cast<std::size_t>(32 / runs * shape.scales);
  }
};

/// Row r of a tile, all but its scales: those go to column r of [block][scales, min][16 rows].
template <class Put>
void put_row(const TileJob& job, const Place& place, const u8* row, int r, u8* tile,
             float* scales) {
  const Put put;
  const int n_scales = quant_shape(job.format).scales;
  u8* block = tile + place.block;
  float* out = scales + r;
  for (int b = 0; b < job.cols / block_cols; ++b, block += place.block_bytes, out += 16) {
    const BlockScales in = put(job, row, b, block, place.row + r % 8);
    for (int i = 0; i < n_scales; ++i, out += 16) *out = in.scale[i];
    *out = in.min;
  }
}

decltype(&put_row<PutAny>) put_row_of(const TileJob& job) {
  using enum gguf::TensorType;
  const bool dot8 = has_dot8 && job.family == DotFamily::dot8;
  if (dot8 && job.type == Q4_0) return put_row<CopyNibbles<false>>;
  if (dot8 && job.type == Q4_1) return put_row<CopyNibbles<true>>;
  return job.type == Q8_0 ? put_row<CopyBytes> : put_row<PutAny>;
}

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

/// largest = max(largest, |x|) for 16 rows. Without __restrict, -Os makes no vectors of it.
void take_largest(const float* __restrict x, float* __restrict largest) {
  for (int r = 0; r < 16; ++r) largest[r] = std::max(largest[r], std::fabs(x[r]));
}

/// The nearest integers to x * inverse for 8 rows. Only infinities and NaN are out of range.
void store_ints(const float* __restrict x, const float* __restrict inverse, u8* __restrict out) {
  constexpr float rounder = 0x1.8p23f;  // adding it rounds, and leaves the integer in the low bits
  std::int16_t stored[8];
  for (int r = 0; r < 8; ++r) {
    const float exact = x[r] * inverse[r];
    const float bounded = exact < 32767.f ? std::max(exact, -32767.f) : 32767.f;
    stored[r] = static_cast<std::int16_t>(std::bit_cast<std::uint32_t>(bounded + rounder));
  }
  std::memcpy(out, stored, sizeof stored);
}

}  // namespace

void pack_quant_tile(const TileJob& job, const u8* rows, std::size_t row_bytes, RowFactors& factors,
                     u8* tile) {
  const QuantShape shape = quant_shape(job.format);
  const Place halves[2] = {Place(job, shape, 0), Place(job, shape, 1)};
  const auto n_blocks = static_cast<std::size_t>(job.cols / block_cols);
  std::vector<float> scales(n_blocks * static_cast<std::size_t>(shape.scales + 1) * 16);
  const auto put = put_row_of(job);
  for (int r = 0; r < job.rows; ++r, rows += row_bytes) {
    put(job, halves[r / 8], rows, r, tile, scales.data());
  }

  float largest_scale[16] = {}, largest_min[16] = {}, inverse[16], inverse_min[16];
  const float* x = scales.data();
  for (std::size_t b = 0; b < n_blocks; ++b, x += 16) {
    for (int i = 0; i < shape.scales; ++i, x += 16) take_largest(x, largest_scale);
    take_largest(x, largest_min);
  }
  for (int r = 0; r < 16; ++r) {
    const float unit = unit_of(shape, largest_scale[r], largest_min[r]);
    factors.of[r] = float_to_bfloat(unit);
    inverse[r] = 1 / unit;
    inverse_min[r] = inverse[r] / min_unit;
  }
  for (int first_row = 0; first_row < 16; first_row += 8) {
    const Place& place = halves[first_row / 8];
    u8* block = tile + place.block;
    x = scales.data();
    for (std::size_t b = 0; b < n_blocks; ++b, x += 16, block += place.block_bytes) {
      for (int i = 0; i < shape.scales; ++i, x += 16) {
        store_ints(x + first_row, inverse + first_row, block + place.scale + 32 * i);
      }
      if (shape.mins) store_ints(x + first_row, inverse_min + first_row, block + place.min);
    }
  }
}

void unpack_quant_row(const TileJob& job, const RowFactors& factors, const u8* tile, int r,
                      float* out) {
  const QuantShape shape = quant_shape(job.format);
  const Place place(job, shape, r / 8);
  const float unit = bfloat_to_float(factors.of[r]);
  const u8* block = tile + place.block;
  const auto load = [&](std::size_t at) {
    std::int16_t stored;
    std::memcpy(&stored, block + at + r % 8 * 2, 2);
    return static_cast<float>(stored) * unit;
  };
  for (int b = 0; b < job.cols / block_cols; ++b, out += block_cols, block += place.block_bytes) {
    const float scale[2] = {load(place.scale), load(place.scale + (shape.scales == 2 ? 32 : 0))};
    const float min = shape.mins ? load(place.min) * min_unit : 0;
    for (int i = 0; i < block_cols; ++i) {
      const int q = quant_at(job, shape, block, place.row + r % 8, i) - shape.zero_point;
      out[i] = scale[i / 16] * static_cast<float>(q) + min;
    }
  }
}

}  // namespace kvscope
