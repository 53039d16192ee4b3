#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "gguf_read.hpp"

namespace kvscope::testing {

/// The error of a file that must not be readable, the same in one piece and byte by byte.
inline Error error_of(std::span<const std::byte> file) {
  const ReadOutcome whole = read_header(file, std::max<std::size_t>(file.size(), 1));
  const ReadOutcome by_byte = read_header(file, 1);
  REQUIRE(whole.error.has_value());
  REQUIRE(by_byte.error.has_value());
  CHECK(whole.error->code == by_byte.error->code);
  return *whole.error;
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// CHECKs that a file fails with this code and that the message says `part`.
inline void check_refused(std::span<const std::byte> file, ErrorCode code, std::string_view part) {
  const Error error = error_of(file);
  CAPTURE(error.message);
  CHECK(code_name(error.code) == code_name(code));
  CHECK(contains(error.message, part));
}

}  // namespace kvscope::testing
