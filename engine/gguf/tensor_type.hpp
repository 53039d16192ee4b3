#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kvscope::gguf {

/// The block formats that we read, with GGUF's own ids (ggml_type in the format's specification).
enum class TensorType : std::uint32_t {
  F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q4_1 = 3,
  Q5_0 = 6,
  Q5_1 = 7,
  Q8_0 = 8,
  Q4_K = 12,
  Q5_K = 13,
  Q6_K = 14,
  BF16 = 30,
};

/// A row is stored as consecutive blocks of `block_values` values in `block_bytes` bytes.
struct TypeTraits {
  TensorType type;
  std::string_view name;
  int block_values;
  int block_bytes;
};

/// nullopt for an id that we do not read.
std::optional<TypeTraits> find_type(std::uint32_t id);

/// Only for types that find_type() knows.
TypeTraits traits_of(TensorType type);

/// The name of any type that GGUF has given out, read here or not; empty for an id that it has not.
std::string_view type_name(std::uint32_t id);

/// "F32, F16, …", for messages.
std::string readable_type_names();

/// Bytes of a row of n values; n is a multiple of the type's block_values.
inline std::size_t row_bytes(TensorType type, std::size_t n) {
  const TypeTraits t = traits_of(type);
  return n / static_cast<std::size_t>(t.block_values) * static_cast<std::size_t>(t.block_bytes);
}

}  // namespace kvscope::gguf
