// SmolLM2's own vocabulary, from the file that set-up fetches, against llama.cpp on the same file.
#include <cstdlib>
#include <fstream>

#include "gguf/header_reader.hpp"
#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

/// nullopt, and a message, when the model has not been fetched.
std::optional<Tokenizer> smollm2() {
  const char* folder = std::getenv("KVSCOPE_MODEL_DIR");
  const std::string path =
      std::string(folder ? folder : KVSCOPE_MODELS_DIR) + "/SmolLM2-135M-Instruct.Q4_1.gguf";
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    MESSAGE("not run: there is no " << path);
    return std::nullopt;
  }
  gguf::HeaderReader reader;
  std::vector<char> chunk(1 << 18);
  for (;;) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    REQUIRE(file.gcount() > 0);
    const auto bytes = std::span(chunk).first(static_cast<std::size_t>(file.gcount()));
    const Result<bool> complete = reader.push(std::as_bytes(bytes));
    REQUIRE(complete.ok());
    if (*complete) break;
  }
  return test::make(reader.header().metadata);
}

TEST_CASE("SmolLM2: token ids are those of llama.cpp") {
  const auto tokenizer = smollm2();
  if (!tokenizer) return;
  test::check_ids(*tokenizer, reference::smollm2_ids);
  test::check_ids(*tokenizer, reference::smollm2_special_ids, true);
}

TEST_CASE("SmolLM2: all text comes back but the control characters that it has no token for") {
  const auto tokenizer = smollm2();
  if (!tokenizer) return;
  // Also bytes that occur in no text, or only beyond U+40000.
  constexpr std::string_view lacking =
      "\x04\x06\x13\x14\x16\x1D\xC0\xC1\xF1\xF2\xF5\xF6\xF7\xF8\xF9\xFA\xFB\xFC\xFD\xFE\xFF";
  std::mt19937 random(14);
  for (int i = 0; i < 500; ++i) {
    const std::string text = test::random_text(random, true);
    std::string expected;
    for (const char c : text) {
      if (lacking.find(c) == std::string_view::npos) expected += c;
    }
    CHECK(tokenizer->decode(tokenizer->encode(text)) == expected);
  }
}

TEST_CASE("SmolLM2: vocabulary, special ids and chat template are the file's") {
  const auto tokenizer = smollm2();
  if (!tokenizer) return;
  CHECK(tokenizer->vocab_size() == 49152);
  CHECK(tokenizer->bos() == 1);
  CHECK(tokenizer->eos() == 2);
  CHECK_FALSE(tokenizer->adds_space_prefix());
  CHECK(tokenizer->piece(2, true) == "<|im_end|>");
  CHECK(tokenizer->is_control(2));
  CHECK(tokenizer->is_end_of_generation(0));  // <|endoftext|>
  CHECK(tokenizer->is_end_of_generation(2));
  CHECK_FALSE(tokenizer->is_end_of_generation(1));
  CHECK(tokenizer->chat_template().find("<|im_start|>") != std::string_view::npos);
}

}  // namespace
}  // namespace kvscope
