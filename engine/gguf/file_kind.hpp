#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kvscope::gguf {

/// What a file without the GGUF magic seems to be, judged by its first bytes (16 tell most kinds
/// apart), and what to do about it: the tail of a sentence "This is not a GGUF file: …".
std::string describe_foreign_file(std::span<const std::byte> first_bytes);

}  // namespace kvscope::gguf
