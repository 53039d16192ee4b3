#include "session/stop_matcher.hpp"

#include <doctest/doctest.h>

namespace kvscope {
namespace {

using Strings = std::vector<std::string>;

/// All pieces pushed, then flushed.
std::string shown(const Strings& stops, const Strings& pieces) {
  StopMatcher matcher(stops);
  std::string text;
  for (const std::string& piece : pieces) text += matcher.push(piece);
  return text + matcher.flush();
}

TEST_CASE("text without a stop string passes at once and complete") {
  StopMatcher none;
  CHECK(none.push("hello") == "hello");
  CHECK(none.flush().empty());
  StopMatcher matcher({"STOP"});
  CHECK(matcher.push("hello ") == "hello ");
  CHECK(matcher.push("world") == "world");
  CHECK(!matcher.stopped());
}

TEST_CASE("the text before a stop string is shown, the stop string and the rest are not") {
  StopMatcher matcher({"STOP"});
  CHECK(matcher.push("before STOP after") == "before ");
  CHECK(matcher.stopped());
  CHECK(matcher.push("more").empty());
  CHECK(matcher.flush().empty());
}

TEST_CASE("a stop string that spans pieces is found") {
  StopMatcher matcher({"<|end|>"});
  CHECK(matcher.push("bye<|") == "bye");
  CHECK(matcher.push("en").empty());
  CHECK(matcher.push("d|>x").empty());
  CHECK(matcher.stopped());
}

TEST_CASE("what only looked like a beginning is let go") {
  StopMatcher matcher({"STOP"});
  CHECK(matcher.push("a ST") == "a ");
  CHECK(matcher.push("AR") == "STAR");
  CHECK(matcher.push("S") == "");
  CHECK(matcher.flush() == "S");
  CHECK(!matcher.stopped());
}

TEST_CASE("a beginning inside a beginning is not lost") {
  CHECK(shown({"aab"}, {"a", "a", "a", "b", "c"}) == "a");
  CHECK(shown({"ababc"}, {"abab", "abc"}) == "ab");
}

TEST_CASE("of several stop strings the one complete first counts, then the longest") {
  CHECK(shown({"abcd", "bc"}, {"xabcd"}) == "xa");
  CHECK(shown({"bc", "abc"}, {"xabc"}) == "x");
  CHECK(shown({"b", "a"}, {"xaby"}) == "x");
}

TEST_CASE("how the text is cut makes no difference") {
  const std::string text = "one ab two abc\n\nthree abcdab four";
  for (const Strings& stops :
       {Strings{"abcd"}, {"\n\n"}, {"abcda", "bcd"}, {"zzz"}, {"four", "fou"}}) {
    const std::string whole = shown(stops, {text});
    for (std::size_t n = 1; n < 8; ++n) {
      Strings pieces;
      for (std::size_t i = 0; i < text.size(); i += n) pieces.push_back(text.substr(i, n));
      CHECK(shown(stops, pieces) == whole);
    }
  }
}

TEST_CASE("characters of several bytes are held and released whole") {
  StopMatcher matcher({"파도"});
  CHECK(matcher.push("바다") == "바다");  // 바 and 파 begin with the same byte, but are whole here
  CHECK(matcher.push("파").empty());
  CHECK(matcher.push("랗다") == "파랗다");
  CHECK(matcher.push("파").empty());
  CHECK(matcher.push("도").empty());
  CHECK(matcher.stopped());
}

TEST_CASE("an empty stop string stops nothing") { CHECK(shown({"", "x"}, {"abc"}) == "abc"); }

}  // namespace
}  // namespace kvscope
