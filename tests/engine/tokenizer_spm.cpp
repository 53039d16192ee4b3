// SentencePiece BPE on a small vocabulary, against ids recorded from llama.cpp.
#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

using test::check_ids;
using test::make;
using test::small_spm;
using test::spm_metadata;
using Ids = std::vector<TokenId>;

constexpr EncodeOptions no_bos{.bos = BosMode::never};
constexpr TokenId first_byte = 3;

/// <unk>, <s>, </s>, the 256 bytes and the given pieces, from id 259 on.
Tokenizer with_pieces(std::initializer_list<std::pair<const char*, double>> pieces,
                      bool add_space_prefix = false) {
  test::VocabularyArrays all = small_spm(), arrays;
  for (std::size_t i = 0; i < 259; ++i) arrays.add(all.texts[i], static_cast<int>(all.types[i]));
  for (const auto& [text, score] : pieces) arrays.add(text, 1, score);
  return make(spm_metadata(arrays, add_space_prefix));
}

TEST_CASE("SentencePiece BPE gives llama.cpp's ids, with and without the space prefix") {
  check_ids(make(spm_metadata(small_spm(), true)), reference::small_spm_ids);
  check_ids(make(spm_metadata(small_spm(), false)), reference::small_spm_no_prefix_ids);
}

TEST_CASE("SentencePiece text after a special token gets its own space prefix, as in llama.cpp") {
  check_ids(make(spm_metadata(small_spm(), true)), reference::small_spm_special_ids, true);
  check_ids(make(spm_metadata(small_spm(), false)), reference::small_spm_no_prefix_special_ids,
            true);
}

TEST_CASE("the pair of best score merges first, the leftmost of equals") {
  const Tokenizer tokenizer =
      with_pieces({{"a", -9}, {"b", -9}, {"c", -9}, {"ab", -2}, {"bc", -1}, {"aa", -3}});
  CHECK(tokenizer.encode("abc", no_bos) == Ids{259, 263});
  CHECK(tokenizer.encode("aaa", no_bos) == Ids{264, 259});
}

TEST_CASE("a character without a token is sent as its bytes") {
  const Tokenizer tokenizer = with_pieces({{"a", -1}});
  CHECK(tokenizer.encode("a\xEA\xB0\x80", no_bos) ==
        Ids{259, first_byte + 0xEA, first_byte + 0xB0, first_byte + 0x80});
  CHECK(tokenizer.encode("\xFF", no_bos) == Ids{first_byte + 0xFF});
  CHECK(tokenizer.piece(first_byte + 0xEA) == "\xEA");
}

TEST_CASE("a typed U+2581 is sent as bytes and comes back, a space comes back as a space") {
  const Tokenizer tokenizer = with_pieces({{"\xE2\x96\x81", -5},
                                           {"a", -5},
                                           {"\xE2\x96\x81"
                                            "a",
                                            -1}});
  CHECK(tokenizer.encode(" a", no_bos) == Ids{261});
  const Ids typed = tokenizer.encode(
      "\xE2\x96\x81"
      "a",
      no_bos);
  CHECK(typed == Ids{first_byte + 0xE2, first_byte + 0x96, first_byte + 0x81, 260});
  CHECK(tokenizer.decode(typed) ==
        "\xE2\x96\x81"
        "a");
  CHECK(tokenizer.decode({261}) == " a");
}

TEST_CASE("the text of control and byte tokens in user text is only text") {
  const Tokenizer tokenizer = with_pieces({{"<", -1}, {"s", -1}, {">", -1}, {"s>", -1}});
  CHECK(tokenizer.encode("<s>", no_bos) == Ids{259, 262});
  for (const char* text : {"<s>", "</s>", "<unk>", "<0x41>"}) {
    const Ids ids = tokenizer.encode(text, no_bos);
    CHECK(ids.size() > 1);
    CHECK(tokenizer.decode(ids) == text);
  }
}

TEST_CASE("decode removes the space prefix at the very start only") {
  const Tokenizer tokenizer = make(spm_metadata(small_spm(), true));
  CHECK(tokenizer.adds_space_prefix());
  const Ids ids = tokenizer.encode("the sea");
  CHECK(ids.front() == tokenizer.bos());
  CHECK(tokenizer.decode(ids) == "the sea");
  CHECK(tokenizer.decode(ids, true) == "<s>the sea");
  CHECK(tokenizer.decode(tokenizer.encode(" the  sea ")) == " the  sea ");
  std::string joined;
  for (const TokenId id : ids) joined += tokenizer.piece(id);
  CHECK(joined == " the sea");
}

TEST_CASE("without byte tokens what has no token becomes the unknown one") {
  test::VocabularyArrays arrays;
  arrays.add("<unk>", 2);
  arrays.add("<s>", 3);
  arrays.add("</s>", 3);
  arrays.add("a");
  arrays.add("\xE2\x96\x81");
  const Tokenizer tokenizer = make(spm_metadata(arrays, false));
  CHECK(tokenizer.encode("a\xEA\xB0\x80 a", no_bos) == Ids{3, 0, 4, 3});
}

TEST_CASE("byte tokens whose file gives them no type are bytes all the same") {
  gguf::Metadata metadata = spm_metadata(small_spm(), false);
  metadata.erase("tokenizer.ggml.token_type");
  const Tokenizer tokenizer = make(metadata);
  CHECK(tokenizer.piece(first_byte + 'A') == "A");
}

TEST_CASE("a user-defined token that is written with U+2581 stands for spaces") {
  test::VocabularyArrays arrays = small_spm();
  const auto id = static_cast<TokenId>(arrays.texts.size());
  arrays.add("\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81", 4, 1000);
  const Tokenizer tokenizer = make(spm_metadata(arrays, false));
  CHECK(tokenizer.piece(id) == "     ");
  const std::string marks = "\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81";
  CHECK(tokenizer.decode(tokenizer.encode(marks)) == marks);
}

}  // namespace
}  // namespace kvscope
