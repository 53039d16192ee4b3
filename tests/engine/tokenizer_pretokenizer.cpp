#include "tokenizer/pretokenizer.hpp"

#include <doctest/doctest.h>

#include "../reference/tokenizer_pieces.hpp"
#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

using Views = std::vector<std::string_view>;

TEST_CASE("letters, numbers and spaces are those of Unicode 17 as the regex package has them") {
  const CharClasses classes;
  reference::ClassSum letters{}, numbers{}, spaces{};
  const auto count = [](reference::ClassSum& sum, char32_t c) {
    ++sum.count;
    sum.sum += c;
  };
  for (char32_t c = 0; c < 0x110000; ++c) {
    const CharClass found = classes.of(c);
    if (found == CharClass::letter) count(letters, c);
    if (found == CharClass::number) count(numbers, c);
    if (found == CharClass::space) count(spaces, c);
  }
  CHECK(letters.count == reference::letters.count);
  CHECK(letters.sum == reference::letters.sum);
  CHECK(numbers.count == reference::numbers.count);
  CHECK(numbers.sum == reference::numbers.sum);
  CHECK(spaces.count == reference::spaces.count);
  CHECK(spaces.sum == reference::spaces.sum);
}

TEST_CASE("each pre-tokenizer cuts text as its regular expressions do") {
  const CharClasses classes;
  for (const reference::Pieces& recorded : reference::pieces) {
    CAPTURE(recorded.text);
    CHECK(pretokenize(recorded.text, PreTokenizer::gpt2, classes) == recorded.gpt2);
    CHECK(pretokenize(recorded.text, PreTokenizer::smollm, classes) == recorded.smollm);
    CHECK(pretokenize(recorded.text, PreTokenizer::qwen2, classes) == recorded.qwen2);
    CHECK(pretokenize(recorded.text, PreTokenizer::llama3, classes) == recorded.llama3);
  }
}

TEST_CASE("the pieces of any bytes are not empty and make the text again") {
  const CharClasses classes;
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    const std::string text = test::random_text(random, true);
    for (const PreTokenizer kind :
         {PreTokenizer::gpt2, PreTokenizer::smollm, PreTokenizer::qwen2, PreTokenizer::llama3}) {
      std::string joined;
      for (const std::string_view piece : pretokenize(text, kind, classes)) {
        CHECK_FALSE(piece.empty());
        joined += piece;
      }
      CHECK(joined == text);
    }
  }
}

TEST_CASE("bytes that are no UTF-8 count as symbols") {
  const CharClasses classes;
  CHECK(pretokenize("ab\xFF\xFE"
                    "cd \xE2\x82 e",
                    PreTokenizer::gpt2,
                    classes) == Views{"ab", "\xFF\xFE", "cd", " \xE2\x82", " e"});
}

TEST_CASE("names that llama.cpp gives the same expressions are known, others are not") {
  CHECK(find_pretokenizer("smollm")->kind == PreTokenizer::smollm);
  CHECK(find_pretokenizer("gpt-2")->kind == PreTokenizer::gpt2);
  CHECK(find_pretokenizer("deepseek-r1-qwen")->kind == PreTokenizer::qwen2);
  CHECK(find_pretokenizer("llama3")->kind == PreTokenizer::llama3);
  CHECK(find_pretokenizer("llama-bpe")->ignore_merges);
  CHECK(find_pretokenizer("llama-bpe")->adds_bos);
  CHECK_FALSE(find_pretokenizer("qwen2")->ignore_merges);
  CHECK_FALSE(find_pretokenizer("default"));
  CHECK_FALSE(find_pretokenizer(""));
}

}  // namespace
}  // namespace kvscope
