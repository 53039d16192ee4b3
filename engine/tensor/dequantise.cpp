#include "tensor/dequantise.hpp"

#include <cstdint>
#include <cstring>

#include "tensor/half.hpp"

// q values are small integers and scales have 11 bits, so each product below is exact in a float
// and the only rounding is that of the last addition: fused or not, the compiler gives the same
// bits.

namespace kvscope {

namespace {

using u8 = std::uint8_t;

template <class T>
T load(const u8* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

int low_nibble(u8 byte) { return byte & 15; }
int high_nibble(u8 byte) { return byte >> 4; }

void f32(const u8* block, float* out) { *out = load<float>(block); }

void f16(const u8* block, float* out) { *out = load_half(block); }

void bf16(const u8* block, float* out) { *out = bfloat_to_float(load<std::uint16_t>(block)); }

// scale d, then 16 bytes: low nibbles are values 0..15, high nibbles 16..31.
void q4_0(const u8* block, float* out) {
  const float d = load_half(block);
  const u8* nibbles = block + 2;
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low_nibble(nibbles[i]) - 8);
    out[i + 16] = d * static_cast<float>(high_nibble(nibbles[i]) - 8);
  }
}

// scale d, minimum m, then nibbles as in Q4_0.
void q4_1(const u8* block, float* out) {
  const float d = load_half(block);
  const float m = load_half(block + 2);
  const u8* nibbles = block + 4;
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low_nibble(nibbles[i])) + m;
    out[i + 16] = d * static_cast<float>(high_nibble(nibbles[i])) + m;
  }
}

// The fifth bits of 32 values are one 32-bit word; this is bit i where it belongs in a value.
int fifth_bit(std::uint32_t bits, int i) { return static_cast<int>(bits >> i & 1) << 4; }

// scale d, word of fifth bits, then nibbles as in Q4_0.
void q5_0(const u8* block, float* out) {
  const float d = load_half(block);
  const std::uint32_t bits = load<std::uint32_t>(block + 2);
  const u8* nibbles = block + 6;
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>((low_nibble(nibbles[i]) | fifth_bit(bits, i)) - 16);
    out[i + 16] = d * static_cast<float>((high_nibble(nibbles[i]) | fifth_bit(bits, i + 16)) - 16);
  }
}

// scale d, minimum m, word of fifth bits, then nibbles as in Q4_0.
void q5_1(const u8* block, float* out) {
  const float d = load_half(block);
  const float m = load_half(block + 2);
  const std::uint32_t bits = load<std::uint32_t>(block + 4);
  const u8* nibbles = block + 8;
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low_nibble(nibbles[i]) | fifth_bit(bits, i)) + m;
    out[i + 16] = d * static_cast<float>(high_nibble(nibbles[i]) | fifth_bit(bits, i + 16)) + m;
  }
}

// scale d, then 32 signed bytes.
void q8_0(const u8* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) {
    out[i] = d * static_cast<float>(static_cast<std::int8_t>(block[2 + i]));
  }
}

struct ScaleAndMin {
  int scale;
  int min;
};

// Q4_K and Q5_K: 8 scales and 8 minimums of 6 bits in 12 bytes. Bytes 0..3 hold scales 0..3 and
// bytes 4..7 minimums 0..3 in their low 6 bits; the nibbles of bytes 8..11 are the low 4 bits of
// scales (low nibble) and minimums (high nibble) 4..7, whose top 2 bits fill up bytes 0..3
// and 4..7.
ScaleAndMin scale_and_min(const u8* packed, int i) {
  if (i < 4) return {packed[i] & 63, packed[i + 4] & 63};
  return {low_nibble(packed[i + 4]) | packed[i - 4] >> 6 << 4,
          high_nibble(packed[i + 4]) | packed[i] >> 6 << 4};
}

// scale d, scale of minimums, 12 bytes of scales and minimums for 8 groups of 32 values, 128 bytes
// of nibbles: each run of 32 bytes holds a group in its low nibbles and the next in its high ones.
void q4_k(const u8* block, float* out) {
  const float d = load_half(block);
  const float d_min = load_half(block + 2);
  const u8* nibbles = block + 16;
  for (int group = 0; group < 8; ++group) {
    const ScaleAndMin s = scale_and_min(block + 4, group);
    const float scale = d * static_cast<float>(s.scale);
    const float min = d_min * static_cast<float>(s.min);
    const u8* run = nibbles + group / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int q = group % 2 == 0 ? low_nibble(run[i]) : high_nibble(run[i]);
      out[group * 32 + i] = scale * static_cast<float>(q) - min;
    }
  }
}

// As Q4_K, with 32 bytes of fifth bits before the nibbles: bit `group` of byte i is for value i.
void q5_k(const u8* block, float* out) {
  const float d = load_half(block);
  const float d_min = load_half(block + 2);
  const u8* fifths = block + 16;
  const u8* nibbles = block + 48;
  for (int group = 0; group < 8; ++group) {
    const ScaleAndMin s = scale_and_min(block + 4, group);
    const float scale = d * static_cast<float>(s.scale);
    const float min = d_min * static_cast<float>(s.min);
    const u8* run = nibbles + group / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int low = group % 2 == 0 ? low_nibble(run[i]) : high_nibble(run[i]);
      const int q = low | fifth_bit(fifths[i], group);
      out[group * 32 + i] = scale * static_cast<float>(q) - min;
    }
  }
}

// 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 signed scales (one for 16 values), scale
// d. Each half of 128 values is 4 runs of 32: runs 0 and 1 are the low nibbles of 64 bytes, runs 2
// and 3 the high nibbles of the same; run r has its high bits at bit 2r of 32 bytes.
void q6_k(const u8* block, float* out) {
  const float d = load_half(block + 208);
  for (int value = 0; value < 256; ++value) {
    const int half = value / 128;
    const int run = value / 32 % 4;
    const int i = value % 32;
    const u8 nibbles = block[half * 64 + run % 2 * 32 + i];
    const u8 pairs = block[128 + half * 32 + i];
    const int low = run < 2 ? low_nibble(nibbles) : high_nibble(nibbles);
    const int q = (low | (pairs >> 2 * run & 3) << 4) - 32;
    const auto scale = static_cast<std::int8_t>(block[192 + value / 16]);
    out[value] = d * static_cast<float>(scale) * static_cast<float>(q);
  }
}

using BlockDecoder = void (*)(const u8* block, float* out);

BlockDecoder decoder_of(gguf::TensorType type) {
  using enum gguf::TensorType;
  switch (type) {
    case F32: return f32;
    case F16: return f16;
    case BF16: return bf16;
    case Q4_0: return q4_0;
    case Q4_1: return q4_1;
    case Q5_0: return q5_0;
    case Q5_1: return q5_1;
    case Q8_0: return q8_0;
    case Q4_K: return q4_k;
    case Q5_K: return q5_k;
    case Q6_K: return q6_k;
  }
  return nullptr;
}

}  // namespace

void dequantise(gguf::TensorType type, const std::byte* blocks, std::size_t n, float* out) {
  const gguf::TypeTraits traits = gguf::traits_of(type);
  const BlockDecoder decode = decoder_of(type);
  const u8* block = reinterpret_cast<const u8*>(blocks);
  const auto values = static_cast<std::size_t>(traits.block_values);
  for (std::size_t i = 0; i < n; i += values) {
    decode(block, out + i);
    block += traits.block_bytes;
  }
}

}  // namespace kvscope
