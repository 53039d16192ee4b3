#include "tensor/pack_blocks.hpp"

#include <cstddef>
#include <cstring>

#include "tensor/half.hpp"

// dequantise.cpp explains the formats; here the integers stay integers.

namespace kvscope {

namespace {

using u8 = std::uint8_t;

float load_half(const u8* p) {
  std::uint16_t bits;
  std::memcpy(&bits, p, 2);
  return half_to_float(bits);
}

void read_nibbles(const u8* nibbles, u8* q) {
  for (int i = 0; i < 16; ++i) {
    q[i] = nibbles[i] & 15;
    q[i + 16] = nibbles[i] >> 4;
  }
}

void add_fifth_bits(const u8* word, u8* q) {
  std::uint32_t bits;
  std::memcpy(&bits, word, 4);
  for (int i = 0; i < 32; ++i) q[i] = static_cast<u8>(q[i] | (bits >> i & 1) << 4);
}

void set_scale(QuantBlock& out, float scale, float min) {
  out.scale[0] = out.scale[1] = scale;
  out.min = min;
}

void q4_0(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block * 18;
  set_scale(out, load_half(b), 0);
  read_nibbles(b + 2, out.q);
}

void q4_1(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block * 20;
  set_scale(out, load_half(b), load_half(b + 2));
  read_nibbles(b + 4, out.q);
}

void q5_0(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block * 22;
  set_scale(out, load_half(b), 0);
  read_nibbles(b + 6, out.q);
  add_fifth_bits(b + 2, out.q);
}

void q5_1(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block * 24;
  set_scale(out, load_half(b), load_half(b + 2));
  read_nibbles(b + 8, out.q);
  add_fifth_bits(b + 4, out.q);
}

void q8_0(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block * 34;
  set_scale(out, load_half(b), 0);
  for (int i = 0; i < 32; ++i) out.q[i] = static_cast<u8>(b[2 + i] ^ 0x80);  // + 128
}

/// d and d_min times the group's scale and minimum of 6 bits, packed in 12 bytes.
void read_k_scales(const u8* b, int group, QuantBlock& out) {
  const u8* packed = b + 4;
  const bool low = group < 4;
  const int scale =
      low ? packed[group] & 63 : (packed[group + 4] & 15) | packed[group - 4] >> 6 << 4;
  const int min = low ? packed[group + 4] & 63 : packed[group + 4] >> 4 | packed[group] >> 6 << 4;
  set_scale(out, load_half(b) * static_cast<float>(scale),
            -load_half(b + 2) * static_cast<float>(min));
}

void read_run(const u8* nibbles, int group, u8* q) {
  const u8* run = nibbles + group / 2 * 32;
  const int shift = group % 2 * 4;
  for (int i = 0; i < 32; ++i) q[i] = run[i] >> shift & 15;
}

void q4_k(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block / 8 * 144;
  read_k_scales(b, block % 8, out);
  read_run(b + 16, block % 8, out.q);
}

void q5_k(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block / 8 * 176;
  const int group = block % 8;
  read_k_scales(b, group, out);
  read_run(b + 48, group, out.q);
  for (int i = 0; i < 32; ++i) out.q[i] = static_cast<u8>(out.q[i] | (b[16 + i] >> group & 1) << 4);
}

void q6_k(const u8* row, int block, QuantBlock& out) {
  const u8* b = row + block / 8 * 210;
  const int half = block % 8 / 4, run = block % 4;
  const u8* low = b + half * 64 + run % 2 * 32;
  const u8* high = b + 128 + half * 32;
  for (int i = 0; i < 32; ++i) {
    out.q[i] = static_cast<u8>((low[i] >> run / 2 * 4 & 15) | (high[i] >> run * 2 & 3) << 4);
  }
  const float d = load_half(b + 208);
  for (int i = 0; i < 2; ++i) {
    out.scale[i] = d * static_cast<float>(static_cast<std::int8_t>(b[192 + block % 8 * 2 + i]));
  }
  out.min = 0;
}

}  // namespace

BlockReader block_reader(gguf::TensorType type) {
  using enum gguf::TensorType;
  switch (type) {
    case Q4_0: return q4_0;
    case Q4_1: return q4_1;
    case Q5_0: return q5_0;
    case Q5_1: return q5_1;
    case Q8_0: return q8_0;
    case Q4_K: return q4_k;
    case Q5_K: return q5_k;
    case Q6_K: return q6_k;
    default: return nullptr;
  }
}

}  // namespace kvscope
