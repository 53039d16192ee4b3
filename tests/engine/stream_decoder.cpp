#include "tokenizer/stream_decoder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace kvscope {
namespace {

const std::string fffd = "\xEF\xBF\xBD";

std::string decode_whole(std::string_view bytes) {
  StreamDecoder decoder;
  std::string out = decoder.push(bytes);
  return out + decoder.flush();
}

std::string decode_bytewise(std::string_view bytes) {
  StreamDecoder decoder;
  std::string out;
  for (const char byte : bytes) out += decoder.push(std::string_view(&byte, 1));
  return out + decoder.flush();
}

TEST_CASE("a character comes out when its last byte has come in, not before") {
  StreamDecoder decoder;
  CHECK(decoder.push("a\xEA").compare("a") == 0);
  CHECK(decoder.has_pending());
  CHECK(decoder.push("\xB0").empty());
  CHECK(decoder.push("\x80!") == "\xEA\xB0\x80!");
  CHECK_FALSE(decoder.has_pending());
  CHECK(decoder.flush().empty());
}

TEST_CASE("an unfinished character is one U+FFFD at the end") {
  for (const char* bytes : {"\xC3", "\xEA", "\xEA\xB0", "\xF0\x9F", "\xF0\x9F\x98"}) {
    StreamDecoder decoder;
    CHECK(decoder.push(bytes).empty());
    CHECK(decoder.flush() == fffd);
    CHECK_FALSE(decoder.has_pending());
    CHECK(decoder.push("ok") == "ok");
  }
}

TEST_CASE("ill-formed bytes become one U+FFFD for each maximal subpart, as in browsers") {
  // The expected texts are those of TextDecoder (Node 20); the first three are the examples of
  // chapter 3.9 of the Unicode standard.
  struct Case {
    std::string_view bytes;
    int replacements;
    std::string_view kept;
  };
  const Case cases[] = {
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 8, "A"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 8, "A"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 4, "A"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 7, "AB"},
      {"\xF4\x8F\xBF\xBF", 0, "\xF4\x8F\xBF\xBF"},
      {"\xF4\x90\x80\x80", 4, ""},
      {"\xEE\x80\x80\xEF\xBF\xBF", 0, "\xEE\x80\x80\xEF\xBF\xBF"},
      {"\xF8\x88\x80\x80\x80", 5, ""},
      {"\xE2\x82"
       "a",
       1, "a"},
      {"\xE2\x82\xE2\x82\xAC", 1, "\xE2\x82\xAC"},
  };
  for (const Case& c : cases) {
    std::string out = decode_whole(c.bytes), kept;
    CHECK(decode_bytewise(c.bytes) == out);
    int replacements = 0;
    for (std::size_t at; (at = out.find(fffd)) != std::string::npos; ++replacements) {
      out.erase(at, fffd.size());
    }
    CHECK(replacements == c.replacements);
    CHECK(out == c.kept);
  }
}

TEST_CASE("well-formed text goes through unchanged however it is cut") {
  const std::string text = "a\xC2\xA3\xE0\xA4\xB9\xED\x9F\xBF\xF0\x90\x8D\x88\xEF\xBB\xBF\x01z";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    StreamDecoder decoder;
    std::string out = decoder.push(std::string_view(text).substr(0, cut));
    out += decoder.push(std::string_view(text).substr(cut));
    CHECK(out == text);
    CHECK_FALSE(decoder.has_pending());
  }
}

}  // namespace
}  // namespace kvscope
