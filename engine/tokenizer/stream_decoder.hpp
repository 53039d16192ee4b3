#pragma once

#include <string>
#include <string_view>

namespace kvscope {

/// Turns a stream of token bytes into a stream of whole UTF-8 characters.
class StreamDecoder {
 public:
  /// The longest run of whole characters that the bytes so far complete. Bytes that can no longer
  /// become a character come out as U+FFFD, one for each maximal ill-formed part (WHATWG decoding).
  std::string push(std::string_view bytes);

  /// What is still waiting, as U+FFFD; empty when nothing is.
  std::string flush();

  bool has_pending() const { return !pending_.empty(); }

 private:
  std::string pending_;
};

}  // namespace kvscope
