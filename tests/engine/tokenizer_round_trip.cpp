// Whatever is typed comes back: encode, then decode.
#include "tokenizer/stream_decoder.hpp"
#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

using test::make;
using test::random_text;

TEST_CASE("any bytes come back from byte-level BPE, with each pre-tokenizer") {
  for (const char* pre : {"gpt-2", "smollm", "qwen2", "llama-bpe"}) {
    const Tokenizer tokenizer = make(test::bpe_metadata(test::small_bpe(), pre));
    std::mt19937 random(11);
    for (int i = 0; i < 500; ++i) {
      const std::string text = random_text(random, true);
      CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
    }
  }
}

/// A user-defined token in SentencePiece text breaks it into two texts, each with its own space
/// prefix, as in llama.cpp; so the vocabulary of this test has none.
gguf::Metadata without_user_defined(bool add_space_prefix) {
  auto arrays = test::small_spm();
  for (auto& type : arrays.types) type = type == 4 ? 3 : type;
  return test::spm_metadata(arrays, add_space_prefix);
}

TEST_CASE("any bytes come back from SentencePiece, U+2581 too") {
  for (const bool add_space_prefix : {true, false}) {
    const Tokenizer tokenizer = make(without_user_defined(add_space_prefix));
    std::mt19937 random(12);
    for (int i = 0; i < 1000; ++i) {
      const std::string text = random_text(random, true);
      CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
    }
  }
}

TEST_CASE("pieces streamed one by one give whole characters, and together the text") {
  const Tokenizer bpe = make(test::bpe_metadata(test::small_bpe()));
  const Tokenizer spm = make(without_user_defined(false));
  std::mt19937 random(13);
  for (int i = 0; i < 300; ++i) {
    const std::string text = random_text(random);
    for (const Tokenizer* tokenizer : {&bpe, &spm}) {
      StreamDecoder decoder;
      std::string streamed;
      for (const TokenId id : tokenizer->encode(text)) {
        const std::string whole = decoder.push(tokenizer->piece(id));
        StreamDecoder check;
        CHECK(check.push(whole) == whole);
        CHECK_FALSE(check.has_pending());
        streamed += whole;
      }
      CHECK_FALSE(decoder.has_pending());
      CHECK(streamed == text);
    }
  }
}

}  // namespace
}  // namespace kvscope
