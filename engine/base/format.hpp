#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvscope {

/// One part of a message: a text, whose bytes the caller keeps until then, or a number.
class MessagePart {
 public:
  MessagePart(std::string_view text) : text_(text) {}
  MessagePart(const std::string& text) : text_(text) {}
  // Not inline: there are 200 of them.
  MessagePart(const char* text);
  MessagePart(std::int64_t value);
  MessagePart(std::uint64_t value);
  MessagePart(double value);
  MessagePart(std::signed_integral auto value) : MessagePart(static_cast<std::int64_t>(value)) {}
  MessagePart(std::unsigned_integral auto value) : MessagePart(static_cast<std::uint64_t>(value)) {}
  MessagePart(float value) : MessagePart(static_cast<double>(value)) {}

  void append_to(std::string& out) const;

 private:
  enum class Kind : std::uint8_t { text, integer, size, real };

  Kind kind_ = Kind::text;
  union {
    std::string_view text_;
    std::int64_t integer_;
    std::uint64_t size_;
    double real_;
  };
};

std::string concat_parts(const MessagePart* parts, std::size_t n);

/// "a" + 1 + "b" for error messages; std::format would add 60 KB to the module.
template <class... Parts>
std::string concat(const Parts&... parts) {
  const MessagePart list[] = {MessagePart(parts)...};
  return concat_parts(list, sizeof...(parts));
}

}  // namespace kvscope
