#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "gguf/field.hpp"
#include "gguf/metadata.hpp"
#include "gguf/value_type.hpp"

namespace kvscope::gguf {

/// Reads the key-value pairs of a GGUF header, field by field (see field.hpp).
class MetadataReader {
 public:
  // Limits, far above what models have (60 entries, 10^6 array elements, 30 MB for a tokenizer's
  // JSON).
  static constexpr std::uint64_t max_entries = 1 << 16;
  static constexpr std::uint64_t max_key_bytes = 65535;  // the specification's own
  static constexpr std::uint64_t max_string_bytes = 64 << 20;
  static constexpr std::uint64_t max_array_elements = 1 << 24;

  explicit MetadataReader(std::uint64_t n_entries = 0);

  bool done() const { return step_ == Step::done; }
  std::uint64_t field_bytes() const { return field_bytes_; }

  /// Errors: bad_gguf; the message is a clause without a full stop.
  Status take(Field field);

  Metadata& metadata() { return metadata_; }

 private:
  enum class Step {
    key_length,
    key,
    value_type,
    scalar,
    string_length,
    string,
    array_head,
    array_scalars,
    array_string_length,
    array_string,
    done,
  };

  void want(Step step, std::uint64_t bytes);
  void want_entry();
  void want_element();
  Status take_key_length(Field field);
  Status take_key(Field field);
  Status take_value_type(Field field);
  Status take_scalar(Field field);
  Status take_string_length(Field field, Step string_step);
  Status take_string(Field field);
  Status take_array_head(Field field);
  Status take_array_scalars(Field field);
  Status take_array_string(Field field);
  Status store(Value value);
  Error bad_entry(std::string_view what) const;
  Error bad_value(std::string_view what) const;

  Metadata metadata_;
  std::uint64_t n_entries_;
  Step step_ = Step::done;
  std::uint64_t field_bytes_ = 0;

  // The entry that is being read.
  std::string key_;
  ValueType type_ = ValueType::u8;  // of the value, or of the elements of an array
  Value array_;
  std::uint64_t elements_left_ = 0;
};

}  // namespace kvscope::gguf
