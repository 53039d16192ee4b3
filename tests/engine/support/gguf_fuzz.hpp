#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>

#include "gguf/header_reader.hpp"
#include "gguf_read.hpp"

namespace kvscope::testing {

/// The rule that an accepted header breaks; empty when it keeps all of them.
inline std::string broken_rule(gguf::Header& header) {
  if (header.version != 2 && header.version != 3) return "version";
  if (header.data_offset % header.alignment != 0) return "data offset";
  std::uint64_t end = 0;
  std::set<std::string> names;
  for (const gguf::TensorInfo& tensor : header.tensors) {
    if (tensor.name.empty() || tensor.name.size() > 63) return "name length";
    if (!names.insert(tensor.name).second) return "unique names";
    if (tensor.n_dims < 0 || tensor.n_dims > 4) return "dimensions";
    const gguf::TypeTraits traits = gguf::traits_of(tensor.type);
    const auto block_values = static_cast<std::uint64_t>(traits.block_values);
    const auto block_bytes = static_cast<std::uint64_t>(traits.block_bytes);
    if (tensor.ne[0] % block_values != 0) return "whole blocks";
    if (tensor.n_values() / tensor.ne[0] != tensor.n_rows()) return "overflow";
    if (tensor.bytes != tensor.n_values() / block_values * block_bytes) return "bytes";
    if (tensor.offset % header.alignment != 0) return "alignment";
    if (tensor.offset < end || tensor.offset - end >= header.alignment) return "consecutive data";
    end = tensor.offset + tensor.bytes;
  }
  if (header.data_bytes != end) return "data bytes";
  return {};
}

/// Reads arbitrary bytes at once and in small pieces. Both must come to the same end, and an
/// accepted header must keep the rules. Gives what went wrong, or nothing.
inline std::string fuzz_header(std::span<const std::byte> file) {
  const std::size_t piece = 1 + (file.empty() ? 0 : static_cast<std::size_t>(file.back()) % 37);
  ReadOutcome whole = read_header(file, std::max<std::size_t>(file.size(), 1));
  const ReadOutcome pieces = read_header(file, piece);
  if (whole.ok() != pieces.ok()) return "accepted or not, depending on the pieces";
  if (!whole.ok()) {
    if (whole.error->code != pieces.error->code) return "the error depends on the pieces";
    return whole.error->message.size() > 1000 ? "a message without end" : "";
  }
  if (whole.reader.header_bytes() != pieces.reader.header_bytes()) return "header bytes";
  return broken_rule(whole.reader.header());
}

}  // namespace kvscope::testing
