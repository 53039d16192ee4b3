#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

using test::bpe_metadata;
using test::make;
using Ids = std::vector<TokenId>;

constexpr EncodeOptions special{.parse_special = true};

enum : TokenId { end_of_text = 256, im_end, tool, tools, space_run, plain_eot, html_s, unknown };

test::VocabularyArrays arrays_with_special_tokens() {
  test::VocabularyArrays arrays;
  test::add_byte_letters(arrays);
  arrays.add("<|endoftext|>", 3);
  arrays.add("<|im_end|>", 4);  // some converters say user-defined
  arrays.add("<tool>", 4);
  arrays.add("<tools>", 4);
  arrays.add("    ", 4);
  arrays.add("<|eot_id|>", 1);
  arrays.add("</s>", 4);
  arrays.add("<unk>", 2);
  return arrays;
}

Tokenizer tokenizer_with(std::initializer_list<std::pair<const char*, gguf::Value>> keys) {
  gguf::Metadata metadata = bpe_metadata(arrays_with_special_tokens());
  for (const auto& [key, value] : keys) test::set(metadata, key, value);
  return make(metadata);
}

Ids letters(std::string_view text) { return Ids(text.begin(), text.end()); }

Ids joined(std::initializer_list<Ids> parts) {
  Ids all;
  for (const Ids& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST_CASE("control tokens are read from text only when asked for") {
  const Tokenizer tokenizer = tokenizer_with({});
  CHECK(tokenizer.encode("<|endoftext|>") == letters("<|endoftext|>"));
  CHECK(tokenizer.encode("a<|endoftext|>b", special) == Ids{'a', end_of_text, 'b'});
  CHECK(tokenizer.encode("<|endoftext", special) == letters("<|endoftext"));
  CHECK(tokenizer.encode("<unk>") == letters("<unk>"));
  CHECK(tokenizer.encode("<unk>", special) == Ids{unknown});
}

TEST_CASE("user-defined tokens are always cut out first, the longest where several begin") {
  const Tokenizer tokenizer = tokenizer_with({});
  CHECK(tokenizer.encode("x<tool><tools>y") == Ids{'x', tool, tools, 'y'});
  CHECK(tokenizer.encode("<tools") == letters("<tools"));
  CHECK(tokenizer.encode("a    b") == Ids{'a', space_run, 'b'});
  CHECK(tokenizer.decode({'a', space_run, 'b'}) == "a    b");
}

TEST_CASE("an end token that a converter called user-defined does not come out of user text") {
  const Tokenizer tokenizer = tokenizer_with({});
  CHECK(tokenizer.is_control(im_end));
  CHECK(tokenizer.encode("<|im_end|>") == letters("<|im_end|>"));
  CHECK(tokenizer.encode("<|im_end|>", special) == Ids{im_end});
}

TEST_CASE("control and unknown tokens have no text unless it is asked for") {
  const Tokenizer tokenizer = tokenizer_with({});
  CHECK(tokenizer.piece(end_of_text).empty());
  CHECK(tokenizer.piece(end_of_text, true) == "<|endoftext|>");
  CHECK(tokenizer.piece(unknown).empty());
  CHECK(tokenizer.piece(tool) == "<tool>");
  CHECK(tokenizer.decode({'a', end_of_text, 'b'}) == "ab");
  CHECK(tokenizer.decode({'a', end_of_text, 'b'}, true) == "a<|endoftext|>b");
}

TEST_CASE("generation ends at eos, eot, eom and at control tokens with a well-known text") {
  const Tokenizer none = tokenizer_with({});
  CHECK(none.bos() == -1);
  CHECK(none.eos() == -1);
  CHECK(none.is_end_of_generation(end_of_text));
  CHECK(none.is_end_of_generation(im_end));
  CHECK_FALSE(none.is_end_of_generation(plain_eot));  // a normal token: it is only text
  CHECK_FALSE(none.is_end_of_generation(html_s));     // user-defined </s>: HTML
  CHECK_FALSE(none.is_end_of_generation(tool));
  CHECK_FALSE(none.is_end_of_generation('a'));

  const Tokenizer some = tokenizer_with({{"tokenizer.ggml.eos_token_id", std::int64_t(tool)},
                                         {"tokenizer.ggml.eot_token_id", std::int64_t('a')},
                                         {"tokenizer.ggml.eom_token_id", std::int64_t('b')}});
  CHECK(some.eos() == tool);
  CHECK(some.is_end_of_generation(tool));
  CHECK(some.is_end_of_generation('a'));
  CHECK(some.is_end_of_generation('b'));
  CHECK(some.is_end_of_generation(im_end));
}

TEST_CASE("bos and eos are added as the metadata says, and bos as the caller says") {
  const std::pair<const char*, gguf::Value> bos{"tokenizer.ggml.bos_token_id",
                                                std::int64_t(end_of_text)};
  const std::pair<const char*, gguf::Value> eos{"tokenizer.ggml.eos_token_id",
                                                std::int64_t(im_end)};
  const std::pair<const char*, gguf::Value> add_bos{"tokenizer.ggml.add_bos_token", true};
  const std::pair<const char*, gguf::Value> add_eos{"tokenizer.ggml.add_eos_token", true};

  const Tokenizer plain = tokenizer_with({bos, eos});
  CHECK(plain.encode("a") == Ids{'a'});
  CHECK(plain.encode("a", {.bos = BosMode::always}) == Ids{end_of_text, 'a'});

  const Tokenizer adds = tokenizer_with({bos, eos, add_bos, add_eos});
  CHECK(adds.encode("a") == Ids{end_of_text, 'a', im_end});
  CHECK(adds.encode("") == Ids{end_of_text, im_end});
  CHECK(adds.encode("a", {.bos = BosMode::never}) == Ids{'a'});

  const Tokenizer without_ids = tokenizer_with({add_bos, add_eos});
  CHECK(without_ids.encode("a", {.bos = BosMode::always}) == Ids{'a'});
}

TEST_CASE("thousands of special tokens with a common beginning are told apart") {
  test::VocabularyArrays arrays;
  test::add_byte_letters(arrays);
  for (int i = 0; i < 5000; ++i) arrays.add("<unused" + std::to_string(i) + ">", 3);
  const Tokenizer tokenizer = make(bpe_metadata(arrays));
  CHECK(tokenizer.encode("<unused7><unused77><unused4999>!", special) ==
        Ids{256 + 7, 256 + 77, 256 + 4999, '!'});
  CHECK(tokenizer.encode("<unused5000>", special) == letters("<unused5000>"));
  CHECK(tokenizer.encode("<unused12", special) == letters("<unused12"));
}

TEST_CASE("a shorter special token is found where a longer one only begins") {
  test::VocabularyArrays arrays;
  test::add_byte_letters(arrays);
  arrays.add("ab", 4);
  arrays.add("abcd", 4);
  arrays.add("abc", 3);
  const Tokenizer tokenizer = make(bpe_metadata(arrays));
  CHECK(tokenizer.encode("abcx") == joined({{256}, letters("cx")}));
  CHECK(tokenizer.encode("abcx", special) == Ids{258, 'x'});
  CHECK(tokenizer.encode("abcd") == Ids{257});
}

TEST_CASE("the chat template is the metadata's") {
  CHECK(tokenizer_with({}).chat_template().empty());
  CHECK(tokenizer_with({{"tokenizer.chat_template", std::string("{{ x }}")}}).chat_template() ==
        "{{ x }}");
}

}  // namespace
}  // namespace kvscope
