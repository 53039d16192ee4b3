#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gguf/metadata.hpp"
#include "gguf/tensor_type.hpp"

namespace kvscope::gguf {

/// One entry of the tensor directory. ne[0] is the length of a row (the fastest dimension), ne[1] the
/// number of rows; unused dimensions are 1.
struct TensorInfo {
  std::string name;
  TensorType type;
  int n_dims;
  std::array<std::uint64_t, 4> ne;
  std::uint64_t offset;  // from the start of the data section
  std::uint64_t bytes;

  std::uint64_t n_values() const { return ne[0] * ne[1] * ne[2] * ne[3]; }
  std::uint64_t n_rows() const { return ne[1] * ne[2] * ne[3]; }
};

struct Header {
  std::uint32_t version = 0;
  std::uint32_t alignment = 32;
  Metadata metadata;
  std::vector<TensorInfo> tensors;  // in the order of their offsets
  std::uint64_t data_offset = 0;    // of the data section, from the start of the file
  std::uint64_t data_bytes = 0;     // up to the end of the last tensor

  std::uint64_t file_bytes() const { return data_offset + data_bytes; }
};

/// Reads a GGUF header (version 2 or 3, little endian) from untrusted bytes that arrive in pieces of
/// any size. Format: the GGUF specification of the ggml project. Every count, length, offset and
/// product is checked before memory is taken for it.
class HeaderReader {
 public:
  /// Takes the next bytes of the file. True when the header is complete; from then on
  /// `header()` and `rest()` are valid and push() must not be called again.
  /// Errors: not_gguf (says what the bytes look like: HTML, JSON, gzip, safetensors, big-endian GGUF…),
  /// unsupported_version, unsupported_tensor_type, bad_gguf.
  Result<bool> push(std::span<const std::byte> bytes);

  Header& header() { return header_; }

  /// The bytes that were pushed beyond the header; they begin at file offset header_bytes(), that is
  /// before any padding up to header().data_offset.
  std::span<const std::byte> rest() const;
  std::uint64_t header_bytes() const;

 private:
  Header header_;
  // HELPER B: buffer and cursor of the incremental parser
};

}  // namespace kvscope::gguf
