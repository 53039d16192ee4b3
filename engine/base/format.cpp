#include "base/format.hpp"

namespace kvscope {
namespace {

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
  const auto thousandths = static_cast<std::int64_t>(size * 1000 + 0.5);
  out += std::to_string(thousandths / 1000);
  std::string decimals = std::to_string(thousandths % 1000 + 1000).substr(1);
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  if (!decimals.empty()) out += "." + decimals;
}

}  // namespace

void MessagePart::append_to(std::string& out) const {
  if (kind_ == Kind::text) out += text_;
  if (kind_ == Kind::integer) out += std::to_string(integer_);
  if (kind_ == Kind::size) out += std::to_string(size_);
  if (kind_ == Kind::real) append_real(out, real_);
}

std::string concat_parts(std::initializer_list<MessagePart> parts) {
  std::string out;
  for (const MessagePart& part : parts) part.append_to(out);
  return out;
}

}  // namespace kvscope
