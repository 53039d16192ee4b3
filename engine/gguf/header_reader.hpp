#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gguf/field.hpp"
#include "gguf/metadata.hpp"
#include "gguf/metadata_reader.hpp"
#include "gguf/tensor_directory.hpp"
#include "gguf/tensor_type.hpp"

namespace kvscope::gguf {

struct Header {
  std::uint32_t version = 0;
  std::uint32_t alignment = 32;
  Metadata metadata;
  std::vector<TensorInfo> tensors;  // in the order of their offsets
  std::uint64_t data_offset = 0;    // of the data section, from the start of the file
  std::uint64_t data_bytes = 0;     // up to the end of the last tensor

  std::uint64_t file_bytes() const { return data_offset + data_bytes; }
};

/// Reads a GGUF header (version 2 or 3, little endian) from untrusted bytes that arrive in pieces
/// of any size, in time linear in the number of bytes. Format: the GGUF specification of the ggml
/// project. Every count, length, offset and product is checked before memory is taken for it.
class HeaderReader {
 public:
  // Ten times the header of the largest vocabulary known.
  static constexpr std::uint64_t max_header_bytes = 128 << 20;

  /// Takes the next bytes of the file. True when the header is complete; from then on
  /// `header()` and `rest()` are valid and push() must not be called again.
  /// Errors: not_gguf (says what the bytes look like: HTML, JSON, gzip, safetensors, big-endian
  /// GGUF…), unsupported_version, unsupported_tensor_type, bad_gguf. After an error every push
  /// gives it again.
  Result<bool> push(std::span<const std::byte> bytes);

  /// What to report when the file ends before push() gave true: truncated, or not_gguf when the
  /// file is too short even for the magic.
  Error end_of_file() const;

  Header& header() { return header_; }

  /// The last pushed bytes beyond the header, a view of what the caller passed; they begin at file
  /// offset header_bytes(), that is before any padding up to header().data_offset.
  std::span<const std::byte> rest() const { return rest_; }
  std::uint64_t header_bytes() const { return consumed_bytes_; }

 private:
  enum class Part { magic, version, counts, metadata, tensors, done };

  std::uint64_t field_bytes() const;
  std::optional<Field> next_field();
  Status take(Field field);
  Status take_magic(Field field);
  Status take_version(Field field);
  Status take_counts(Field field);
  Status advance();
  Status finish_metadata();
  Status take_alignment();
  Status check_not_split() const;
  void finish_tensors();
  Error located(Error error) const;

  Part part_ = Part::magic;
  std::uint64_t n_tensors_ = 0;
  MetadataReader metadata_;
  TensorDirectory directory_;
  Header header_;
  std::optional<Error> error_;

  std::span<const std::byte> rest_;  // of the last push
  std::vector<std::byte> pending_;   // the beginning of a field, from earlier pushes
  std::vector<std::byte> field_;     // a field that came in pieces
  std::uint64_t consumed_bytes_ = 0;
};

}  // namespace kvscope::gguf
