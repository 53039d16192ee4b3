// Damaged or foreign metadata is refused with the right code and a message that names the fault.
#include <limits>

#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

using test::bpe_metadata;
using test::set;
using test::small_bpe;
using test::small_spm;
using test::spm_metadata;

void check_refused(const gguf::Metadata& metadata, ErrorCode code, std::string_view named) {
  const Result<Tokenizer> tokenizer = Tokenizer::create(metadata);
  REQUIRE_FALSE(tokenizer.ok());
  CHECK(tokenizer.error().code == code);
  CAPTURE(tokenizer.error().message);
  CHECK(tokenizer.error().message.find(named) != std::string::npos);
}

TEST_CASE("a kind of tokenizer that we do not have is named, with those that we have") {
  gguf::Metadata metadata = bpe_metadata(small_bpe());
  set(metadata, "tokenizer.ggml.model", std::string("t5"));
  check_refused(metadata, ErrorCode::unsupported_tokenizer, "\"t5\"");
  check_refused(metadata, ErrorCode::unsupported_tokenizer, "gpt2");
}

TEST_CASE("a pre-tokenizer that is unknown or missing is refused, not guessed") {
  for (const char* pre : {"default", "falcon", ""}) {
    const gguf::Metadata metadata = bpe_metadata(small_bpe(), pre);
    check_refused(metadata, ErrorCode::unsupported_tokenizer, std::string("\"") + pre + '"');
    check_refused(metadata, ErrorCode::unsupported_tokenizer, "smollm");
  }
  gguf::Metadata missing = bpe_metadata(small_bpe());
  missing.erase("tokenizer.ggml.pre");
  check_refused(missing, ErrorCode::unsupported_tokenizer, "missing");
}

TEST_CASE("missing keys are named") {
  for (const char* key :
       {"tokenizer.ggml.model", "tokenizer.ggml.tokens", "tokenizer.ggml.merges"}) {
    gguf::Metadata metadata = bpe_metadata(small_bpe());
    metadata.erase(key);
    check_refused(metadata, ErrorCode::missing_key, key);
  }
  gguf::Metadata metadata = spm_metadata(small_spm());
  metadata.erase("tokenizer.ggml.scores");
  check_refused(metadata, ErrorCode::missing_key, "tokenizer.ggml.scores");
}

TEST_CASE("arrays that do not fit the vocabulary are refused") {
  auto arrays = small_spm();
  arrays.scores.pop_back();
  check_refused(spm_metadata(arrays), ErrorCode::bad_gguf, "tokenizer.ggml.scores");
  arrays = small_spm();
  arrays.types.push_back(1);
  check_refused(spm_metadata(arrays), ErrorCode::bad_gguf, "tokenizer.ggml.token_type");
  gguf::Metadata metadata = spm_metadata(small_spm());
  set(metadata, "tokenizer.ggml.token_type", std::string("normal"));
  check_refused(metadata, ErrorCode::bad_gguf, "tokenizer.ggml.token_type");
  set(metadata, "tokenizer.ggml.tokens", gguf::StringArray());
  check_refused(metadata, ErrorCode::bad_gguf, "tokenizer.ggml.tokens");
}

TEST_CASE("types that do not exist and byte tokens that are no byte are refused") {
  for (const int type : {-1, 7, 1 << 30}) {
    auto arrays = small_bpe();
    arrays.types[300] = type;
    check_refused(bpe_metadata(arrays), ErrorCode::bad_gguf, "token 300");
  }
  auto arrays = small_bpe();
  for (const char* text : {"<0x4>", "<0xG0>", "<0x41", "x0x41>", "hello!"}) {
    auto with_byte = arrays;
    with_byte.add(text, 6);
    check_refused(bpe_metadata(with_byte), ErrorCode::bad_gguf, "<0xNN>");
  }
}

TEST_CASE("a score that is not a number is refused, an infinite one is not") {
  auto arrays = small_spm();
  arrays.scores[270] = -std::numeric_limits<float>::infinity();
  CHECK(Tokenizer::create(spm_metadata(arrays)).ok());
  arrays.scores[270] = std::numeric_limits<float>::quiet_NaN();
  check_refused(spm_metadata(arrays), ErrorCode::bad_gguf, "token 270");
}

TEST_CASE("a text that two tokens have is refused, empty texts are not") {
  auto arrays = small_bpe();
  arrays.add("");
  arrays.add("");
  CHECK(Tokenizer::create(bpe_metadata(arrays)).ok());
  arrays.add("a");
  check_refused(bpe_metadata(arrays), ErrorCode::bad_gguf, "tokens 97 and");
}

TEST_CASE("a merge of or into something that is no token is refused") {
  for (const char* merge : {"a zz", "zz a", "q z", "ab", " ", "", "a  b", "a "}) {
    auto arrays = small_bpe();
    const auto n = arrays.merges.size();
    arrays.merges.push_back(merge);
    check_refused(bpe_metadata(arrays), ErrorCode::bad_gguf, "merge " + std::to_string(n));
  }
}

TEST_CASE("special ids outside the vocabulary are refused, the 32-bit -1 means none") {
  for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
                          "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.eot_token_id",
                          "tokenizer.ggml.eom_token_id"}) {
    const auto n = static_cast<std::int64_t>(small_bpe().texts.size());
    for (const std::int64_t id : {n, std::int64_t(-2), std::int64_t(1) << 40}) {
      gguf::Metadata metadata = bpe_metadata(small_bpe());
      metadata.insert(key, id);
      check_refused(metadata, ErrorCode::bad_gguf, key);
    }
    gguf::Metadata metadata = bpe_metadata(small_bpe());
    metadata.insert(key, std::int64_t(0xFFFFFFFF));
    CHECK(Tokenizer::create(metadata).ok());
  }
}

TEST_CASE("SentencePiece ids default to 0, 1 and 2, unless the vocabulary is smaller") {
  const Tokenizer tokenizer = test::make(spm_metadata(small_spm()));
  CHECK(tokenizer.bos() == 1);
  CHECK(tokenizer.eos() == 2);
  test::VocabularyArrays one;
  one.add("a");
  const Tokenizer tiny = test::make(spm_metadata(one));
  CHECK(tiny.bos() == -1);
  CHECK(tiny.eos() == -1);
}

}  // namespace
}  // namespace kvscope
