#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kvscope::gguf {

static_assert(std::endian::native == std::endian::little, "GGUF is read as it lies in memory");

/// The ids of metadata values, gguf_metadata_value_type in the format's specification.
enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

inline constexpr std::uint32_t n_value_types = 13;

/// Bytes of a value of fixed size; 0 for strings and arrays.
constexpr std::size_t value_bytes(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean: return 1;
    case ValueType::u16:
    case ValueType::i16: return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32: return 4;
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64: return 8;
    case ValueType::string:
    case ValueType::array: return 0;
  }
  return 0;
}

/// A little-endian T at any address.
template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace kvscope::gguf
