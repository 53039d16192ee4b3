#pragma once

#include <cstdint>
#include <vector>

namespace kvscope {

/// What the pre-tokenizers' regexes tell apart.
enum class CharClass : std::uint8_t {
  other,   // [^\s\p{L}\p{N}]: also marks, unassigned code points, bytes that are no UTF-8
  letter,  // \p{L}
  number,  // \p{N}
  space,   // \s, that is White_Space
  none,    // no character at all: beyond the end of the text
};

/// Classes of all code points, unpacked from unicode_ranges.hpp.
class CharClasses {
 public:
  CharClasses();
  CharClass of(char32_t code_point) const;

 private:
  CharClass ascii_[128];
  std::vector<std::uint32_t> letters_;  // begin, end, begin, end, … rising; end is exclusive
  std::vector<std::uint32_t> numbers_;
};

}  // namespace kvscope
