#include "tensor/pack_blocks.hpp"

#include <cstddef>
#include <cstring>

#include "tensor/half.hpp"

// dequantise.cpp explains the formats; here the integers stay integers.

namespace kvscope {

namespace {

using u8 = std::uint8_t;

/// Bit i of the word is bit 4 of q[i]. Eight at a time: a byte is copied to 8 bytes, of which each
/// keeps its own bit; adding 127 moves that to the top.
void add_fifth_bits(const u8* word, u8* q) {
  for (int i = 0; i < 4; ++i, q += 8) {
    std::uint64_t values;
    std::memcpy(&values, q, 8);
    const std::uint64_t bits = word[i] * 0x0101010101010101u & 0x8040201008040201u;
    values |= ((bits + 0x7f7f7f7f7f7f7f7fu) & 0x8080808080808080u) >> 3;
    std::memcpy(q, &values, 8);
  }
}

/// Q4_0 … Q5_1: scale, minimum, word of fifth bits, 16 bytes of nibbles, as far as the type has
/// them.
BlockScales read_nibbles(const u8* row, int block, bool has_min, bool has_fifth_bits, u8* q) {
  const int nibbles = 2 + (has_min ? 2 : 0) + (has_fifth_bits ? 4 : 0);
  const u8* b = row + block * (nibbles + 16);
  for (int i = 0; i < 16; ++i) {
    q[i] = b[nibbles + i] & 15;
    q[i + 16] = b[nibbles + i] >> 4;
  }
  if (has_fifth_bits) add_fifth_bits(b + nibbles - 4, q);
  const float scale = load_half(b);
  return {{scale, scale}, has_min ? load_half(b + 2) : 0};
}

/// Q4_K, Q5_K: of a block's 8 groups one; its scale and minimum are products of two numbers.
BlockScales read_k(const u8* row, int block, bool has_fifth_bits, u8* q) {
  const u8* b = row + block / 8 * (has_fifth_bits ? 176 : 144);
  const u8* packed = b + 4;
  const int group = block % 8;
  const bool low = group < 4;
  const int scale_bits =
      low ? packed[group] & 63 : (packed[group + 4] & 15) | packed[group - 4] >> 6 << 4;
  const int min_bits =
      low ? packed[group + 4] & 63 : packed[group + 4] >> 4 | packed[group] >> 6 << 4;
  const u8* run = b + (has_fifth_bits ? 48 : 16) + group / 2 * 32;
  for (int i = 0; i < 32; ++i) q[i] = run[i] >> group % 2 * 4 & 15;
  if (has_fifth_bits) {
    for (int i = 0; i < 32; ++i) q[i] = static_cast<u8>(q[i] | (b[16 + i] >> group & 1) << 4);
  }
  const float scale = load_half(b) * static_cast<float>(scale_bits);
  return {{scale, scale}, -load_half(b + 2) * static_cast<float>(min_bits)};
}

BlockScales read_q6_k(const u8* row, int block, u8* q) {
  const u8* b = row + block / 8 * 210;
  const int half = block % 8 / 4, run = block % 4;
  const u8* low = b + half * 64 + run % 2 * 32;
  const u8* high = b + 128 + half * 32;
  for (int i = 0; i < 32; ++i) {
    q[i] = static_cast<u8>((low[i] >> run / 2 * 4 & 15) | (high[i] >> run * 2 & 3) << 4);
  }
  const float d = load_half(b + 208);
  const auto scale = [&](int i) {
    return d * static_cast<float>(static_cast<std::int8_t>(b[192 + block % 8 * 2 + i]));
  };
  return {{scale(0), scale(1)}, 0};
}

}  // namespace

BlockScales read_block(gguf::TensorType type, const u8* row, int block, u8 q[32]) {
  using enum gguf::TensorType;
  switch (type) {
    case Q4_0: return read_nibbles(row, block, false, false, q);
    case Q4_1: return read_nibbles(row, block, true, false, q);
    case Q5_0: return read_nibbles(row, block, false, true, q);
    case Q5_1: return read_nibbles(row, block, true, true, q);
    case Q4_K: return read_k(row, block, false, q);
    case Q5_K: return read_k(row, block, true, q);
    case Q6_K: return read_q6_k(row, block, q);
    default: return {};  // float types have no blocks, those of Q8_0 are copied as they are
  }
}

}  // namespace kvscope
