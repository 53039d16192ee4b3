#include "tokenizer/stream_decoder.hpp"

#include "tokenizer/utf8.hpp"

namespace kvscope {

std::string StreamDecoder::push(std::string_view bytes) {
  pending_ += bytes;
  const std::string_view text = pending_;
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const utf8::Step step = utf8::decode(text, at);
    if (step.status == utf8::Status::incomplete) break;
    out +=
        step.status == utf8::Status::complete ? text.substr(at, step.n_bytes) : utf8::replacement;
    at += step.n_bytes;
  }
  pending_.erase(0, at);
  return out;
}

std::string StreamDecoder::flush() {
  if (pending_.empty()) return {};
  pending_.clear();
  return std::string(utf8::replacement);  // what waits is always one unfinished character
}

}  // namespace kvscope
