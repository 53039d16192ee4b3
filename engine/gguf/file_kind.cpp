#include "gguf/file_kind.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/format.hpp"
#include "gguf/quoted.hpp"
#include "gguf/value_type.hpp"

namespace kvscope::gguf {

namespace {

using namespace std::string_view_literals;

struct Kind {
  std::string_view magic;
  std::string_view description;
};

constexpr Kind binary_kinds[] = {
    {"\x1f\x8b"sv, "it is gzip-compressed. Decompress it first."},
    {"PK\x03\x04"sv,
     "it is a zip archive (PyTorch checkpoints are). Unpack it, or convert it to GGUF."},
    {"\x28\xb5\x2f\xfd"sv, "it is zstd-compressed. Decompress it first."},
    {"\xfd"
     "7zXZ"sv,
     "it is xz-compressed. Decompress it first."},
    {"7z\xbc\xaf"sv, "it is a 7z archive. Unpack it first."},
    {"\x80\x02"sv, "it is a Python pickle (an old PyTorch checkpoint). Convert it to GGUF."},
    {"FUGG"sv, "it is a GGUF file in reversed byte order. Take the little-endian file."},
    {"lmgg"sv, "it is a GGML file, the format before GGUF. Convert it to GGUF."},
    {"fmgg"sv, "it is a GGMF file, a format before GGUF. Convert it to GGUF."},
    {"tjgg"sv, "it is a GGJT file, a format before GGUF. Convert it to GGUF."},
    {"\0\0\0\0"sv, "it begins with zeros, as an unfinished download does. Download it again."},
};

constexpr Kind text_kinds[] = {
    {"vers"sv,
     "it is a git-lfs pointer. Fetch the file itself (git lfs pull, or a resolve address)."},
    {"<"sv,
     "it is an HTML or XML page. The address leads to a page about the file, or to an error page; "
     "use "
     "the address that downloads the file (on Hugging Face /resolve/ in place of /blob/)."},
    {"{"sv, "it is JSON, often the error message of a server. Check the address."},
    {"["sv, "it is JSON, often the error message of a server. Check the address."},
};

std::string_view description_of(std::span<const Kind> kinds, std::string_view bytes) {
  for (const Kind& kind : kinds) {
    if (bytes.starts_with(kind.magic)) return kind.description;
  }
  return {};
}

// A safetensors file begins with the length of its JSON header (64 bits), then the header.
bool is_safetensors(std::string_view bytes) {
  constexpr std::uint64_t largest_header = 100'000'000;
  if (bytes.size() < 9 || bytes[8] != '{') return false;
  return load<std::uint64_t>(reinterpret_cast<const std::byte*>(bytes.data())) <= largest_header;
}

std::string_view skip_space(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!out.empty()) out += ' ';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace

std::string describe_foreign_file(std::span<const std::byte> first_bytes) {
  const std::string_view all(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  const std::string_view bytes = all.substr(0, 256);
  if (bytes.empty()) return "it is empty. Download it again.";
  if (is_safetensors(bytes)) return "it is a safetensors file. Convert it to GGUF.";
  if (const auto kind = description_of(binary_kinds, bytes); !kind.empty())
    return std::string(kind);
  if (!is_text(bytes)) {
    return concat("it begins with the bytes ", hex(bytes.substr(0, 4)),
                  " in place of 47 47 55 46 (\"GGUF\"). Choose a .gguf file.");
  }
  const std::string_view text = skip_space(bytes);
  const std::string_view kind = description_of(text_kinds, text);
  return concat(kind.empty() ? "it is a text. Choose a .gguf file."sv : kind, " It begins with ",
                quoted(text), ".");
}

}  // namespace kvscope::gguf
