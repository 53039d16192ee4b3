#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kvscope {

/// One part of a message: a text, whose bytes the caller keeps until then, or a number.
class MessagePart {
 public:
  MessagePart(std::string_view text) : text_(text) {}
  MessagePart(const std::string& text) : text_(text) {}
  MessagePart(const char* text) : text_(text) {}
  MessagePart(std::signed_integral auto value) : kind_(Kind::integer), integer_(value) {}
  MessagePart(std::unsigned_integral auto value) : kind_(Kind::size), size_(value) {}
  MessagePart(std::floating_point auto value) : kind_(Kind::real), real_(value) {}

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

std::string concat_parts(std::initializer_list<MessagePart> parts);

/// "a" + 1 + "b" for error messages; std::format would add 60 KB to the module.
template <class... Parts>
std::string concat(const Parts&... parts) {
  return concat_parts({MessagePart(parts)...});
}

}  // namespace kvscope
