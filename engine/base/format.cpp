#include "base/format.hpp"

#include <iterator>

namespace kvscope {
namespace {

/// std::to_string comes with a table for speed.
void append_integer(std::string& out, std::uint64_t value) {
  char digits[20];
  char* first = std::end(digits);
  do *--first = static_cast<char>('0' + value % 10);
  while ((value /= 10) != 0);
  out.append(first, std::end(digits));
}

std::uint64_t magnitude_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

/// Three decimals, which is what an error message needs; printf's would add 5 KB.
void append_real(std::string& out, double value) {
  constexpr double largest = 1e15;
  if (value != value) {
    out += "not a number";
    return;
  }
  if (value < 0) out += '-';
  const double size = value < 0 ? -value : value;
  if (size >= largest) {
    out += "more than 10^15";
    return;
  }
  const auto thousandths = static_cast<std::uint64_t>(size * 1000 + 0.5);
  append_integer(out, thousandths / 1000);
  if (thousandths % 1000 == 0) return;
  const std::size_t point = out.size();
  append_integer(out, thousandths % 1000 + 1000);
  out[point] = '.';  // in place of the 1
  while (out.back() == '0') out.pop_back();
}

}  // namespace

MessagePart::MessagePart(const char* text) : text_(text) {}
MessagePart::MessagePart(std::int64_t value) : kind_(Kind::integer), integer_(value) {}
MessagePart::MessagePart(std::uint64_t value) : kind_(Kind::size), size_(value) {}
MessagePart::MessagePart(double value) : kind_(Kind::real), real_(value) {}

void MessagePart::append_to(std::string& out) const {
  if (kind_ == Kind::text) out += text_;
  if (kind_ == Kind::integer && integer_ < 0) out += '-';
  if (kind_ == Kind::integer) append_integer(out, magnitude_of(integer_));
  if (kind_ == Kind::size) append_integer(out, size_);
  if (kind_ == Kind::real) append_real(out, real_);
}

std::string concat_parts(const MessagePart* parts, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) parts[i].append_to(out);
  return out;
}

}  // namespace kvscope
