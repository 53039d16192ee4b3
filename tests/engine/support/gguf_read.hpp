#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "gguf/header_reader.hpp"

namespace kvscope::testing {

/// What became of a reader that was given a file in pieces of one size.
struct ReadOutcome {
  gguf::HeaderReader reader;
  std::optional<Error> error;  // of push(), or end_of_file() when the bytes did not suffice

  bool ok() const { return !error; }
};

inline ReadOutcome read_header(std::span<const std::byte> file, std::size_t piece_bytes) {
  ReadOutcome outcome;
  for (std::size_t begin = 0; begin < file.size(); begin += piece_bytes) {
    const std::size_t n = std::min(piece_bytes, file.size() - begin);
    const Result<bool> done = outcome.reader.push(file.subspan(begin, n));
    if (!done) outcome.error = done.error();
    if (!done || *done) return outcome;
  }
  outcome.error = outcome.reader.end_of_file();
  return outcome;
}

}  // namespace kvscope::testing
