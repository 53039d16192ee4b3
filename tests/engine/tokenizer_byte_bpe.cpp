// Byte-level BPE on a small vocabulary, against ids recorded from llama.cpp.
#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

using test::bpe_metadata;
using test::check_ids;
using test::make;
using test::small_bpe;

/// With <|endoftext|> as bos and eos, as the recording had it.
Tokenizer recorded_tokenizer(const char* pre) {
  gguf::Metadata metadata = bpe_metadata(small_bpe(), pre);
  for (std::size_t i = 0; i < std::size(reference::small_bpe_tokens); ++i) {
    if (reference::small_bpe_tokens[i].text != "<|endoftext|>") continue;
    metadata.insert("tokenizer.ggml.bos_token_id", std::int64_t(256 + i));
    metadata.insert("tokenizer.ggml.eos_token_id", std::int64_t(256 + i));
  }
  return make(metadata);
}

TEST_CASE("byte-level BPE gives llama.cpp's ids with each pre-tokenizer") {
  check_ids(recorded_tokenizer("gpt-2"), reference::small_gpt_2_ids);
  check_ids(recorded_tokenizer("smollm"), reference::small_smollm_ids);
  check_ids(recorded_tokenizer("qwen2"), reference::small_qwen2_ids);
  check_ids(recorded_tokenizer("llama-bpe"), reference::small_llama_bpe_ids);
}

TEST_CASE("special tokens in text give llama.cpp's ids when they are asked for") {
  check_ids(recorded_tokenizer("llama-bpe"), reference::small_bpe_special_ids, true);
}

test::VocabularyArrays letters_and(std::initializer_list<const char*> texts) {
  test::VocabularyArrays arrays;
  test::add_byte_letters(arrays);
  for (const char* text : texts) arrays.add(text);
  return arrays;
}

TEST_CASE("the earlier merge goes first, wherever it stands in the word") {
  auto arrays = letters_and({"ab", "bc", "abc"});
  arrays.merges.push_back("b c");
  arrays.merges.push_back("a b");
  CHECK(make(bpe_metadata(arrays)).encode("abc") == std::vector<TokenId>{'a', 257});
}

TEST_CASE("of two places for the same merge the left one goes first") {
  auto arrays = letters_and({"aa"});
  arrays.merges.push_back("a a");
  CHECK(make(bpe_metadata(arrays)).encode("aaa") == std::vector<TokenId>{256, 'a'});
}

TEST_CASE("a merge given twice counts where it comes first") {
  auto arrays = letters_and({"ab", "bc"});
  arrays.merges.push_back("a b");
  arrays.merges.push_back("b c");
  arrays.merges.push_back("a b");
  CHECK(make(bpe_metadata(arrays)).encode("abc") == std::vector<TokenId>{256, 'c'});
}

TEST_CASE("a whole word that is a token ignores the merges with llama-bpe, and only there") {
  const auto arrays = letters_and({"abc"});  // no merge leads to it
  CHECK(make(bpe_metadata(arrays, "llama-bpe")).encode("abc") == std::vector<TokenId>{256});
  CHECK(make(bpe_metadata(arrays, "qwen2")).encode("abc") == std::vector<TokenId>{'a', 'b', 'c'});
}

TEST_CASE("a byte without a token is left out, even when there is an unknown token") {
  test::VocabularyArrays arrays;
  arrays.add("a");
  arrays.add("<unk>", 2);
  gguf::Metadata metadata = bpe_metadata(arrays);
  metadata.insert("tokenizer.ggml.unknown_token_id", std::int64_t(1));
  CHECK(make(metadata).encode("aba") == std::vector<TokenId>{0, 0});
}

TEST_CASE("a token may be a part of a character") {
  const Tokenizer tokenizer = make(bpe_metadata(letters_and({})));
  const auto ids = tokenizer.encode("\xEA\xB0\x80");  // 가
  REQUIRE(ids.size() == 3);
  CHECK(tokenizer.piece(ids[0]) == "\xEA");
  CHECK(tokenizer.piece(ids[2]) == "\x80");
  CHECK(tokenizer.decode(ids) == "\xEA\xB0\x80");
}

}  // namespace
}  // namespace kvscope
