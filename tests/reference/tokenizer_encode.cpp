// For tokenizer_llama_vocabularies.py: tokens of many texts by the vocabulary of a GGUF file.
//   tokenizer_encode model.gguf [special] < texts, each ended by a zero byte
// One line of ids for each text, after the times on the error stream. Exit status 3: a text did not
// come back from its tokens.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "gguf/header_reader.hpp"
#include "tokenizer/tokenizer.hpp"

namespace {

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

kvscope::Result<kvscope::Tokenizer> load(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  kvscope::gguf::HeaderReader reader;
  const auto complete = reader.push(std::as_bytes(std::span(bytes)));
  if (!complete) return complete.error();
  const auto begin = std::chrono::steady_clock::now();
  auto tokenizer = kvscope::Tokenizer::create(reader.header().metadata);
  std::fprintf(stderr, "loaded in %.1f ms\n", ms_since(begin));
  return tokenizer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  const auto tokenizer = load(argv[1]);
  if (!tokenizer) {
    std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
    return 2;
  }
  const bool special = argc > 2;
  std::ios::sync_with_stdio(false);
  bool came_back = true;
  double ms = 0;
  std::size_t n_bytes = 0;
  for (std::string text; std::getline(std::cin, text, '\0');) {
    const auto begin = std::chrono::steady_clock::now();
    const auto ids = tokenizer->encode(text, {.parse_special = special});
    ms += ms_since(begin);
    n_bytes += text.size();
    came_back = came_back && (special || tokenizer->decode(ids) == text);
    for (const auto id : ids) std::cout << id << ' ';
    std::cout << '\n';
  }
  std::fprintf(stderr, "%zu bytes in %.1f ms\n", n_bytes, ms);
  return came_back ? 0 : 3;
}
