// Long texts and large vocabularies: the work must not grow as the square of the length.
#include "tokenizer/best_first_merge.hpp"
#include "tokenizer_fixture.hpp"

namespace kvscope {
namespace {

TEST_CASE("merging n symbols asks about at most three pairs a symbol, in one word of 200,000") {
  constexpr int n = 200000;
  std::vector<Symbol> symbols;
  for (int i = 0; i < n; ++i) {
    symbols.push_back({static_cast<std::uint32_t>(i), 1, i - 1, i + 1 < n ? i + 1 : -1, 0});
  }
  long asked = 0;
  BestFirstMerger merger;
  // Every pair merges, the shortest first: the longest possible run of merges.
  merger.run(symbols, [&](const Symbol& left, const Symbol& right) {
    ++asked;
    return Merge{static_cast<double>(left.n_bytes + right.n_bytes), 0};
  });
  CHECK(symbols[0].n_bytes == n);
  CHECK(symbols[0].next == -1);
  CHECK(asked <= 3L * n);
}

TEST_CASE("a text of 1 MB in one word, in many words and of one character comes back") {
  const Tokenizer bpe = test::make(test::bpe_metadata(test::small_bpe()));
  const Tokenizer spm = test::make(test::spm_metadata(test::small_spm()));
  std::string word, words;
  while (word.size() < (1u << 20)) word += "thereother";
  while (words.size() < (1u << 20)) words += "the sea 바다 12, ";
  for (const std::string& text :
       {word, words, std::string(1u << 20, ' '), std::string(1u << 20, '<')}) {
    const auto ids = bpe.encode(text, {.parse_special = true});
    CHECK((bpe.decode(ids) == text));
    CHECK((spm.decode(spm.encode(text)) == text));
  }
}

TEST_CASE("a vocabulary of 260,000 tokens loads, and its last token is found") {
  test::VocabularyArrays arrays = test::small_spm();
  for (const char* text : {"\u03A8", "\u03A9"}) arrays.add(text);
  for (int i = 0; i < 260000; ++i) arrays.add("filler" + std::to_string(i), 1, -i);
  const auto last = static_cast<TokenId>(arrays.texts.size());
  arrays.add("\u03A8\u03A9", 1, -1e6);
  const Tokenizer tokenizer = test::make(test::spm_metadata(arrays));
  CHECK(tokenizer.vocab_size() == last + 1);
  CHECK(tokenizer.encode("\u03A8\u03A9", {.bos = BosMode::never}).back() == last);
}

}  // namespace
}  // namespace kvscope
