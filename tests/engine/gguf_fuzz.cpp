// A short, repeatable run of what tests/fuzz does at length: mutated headers must never do harm.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/gguf_fuzz.hpp"
#include "support/gguf_writer.hpp"

namespace kvscope::testing {

namespace {

constexpr int n_mutations = 20'000;

std::vector<std::byte> seed_file() {
  const std::vector<std::string> tokens{"a", "bc", "def"};
  const std::array<float, 32> values{};
  const std::vector<std::byte> blocks(2 * 20);
  return GgufWriter()
      .u32("general.alignment", 32)
      .string("general.architecture", "llama")
      .strings("tokenizer.ggml.tokens", tokens)
      .f32s("tokenizer.ggml.scores", std::span(values).first(3))
      .boolean("flag", true)
      .tensor("norm", {32}, values)
      .tensor("weight", gguf::TensorType::Q4_1, {32, 2}, blocks)
      .header();
}

class Mutator {
 public:
  std::vector<std::byte> mutated(std::vector<std::byte> file) {
    for (int n = 1 + pick(3); n > 0; --n) mutate(file);
    return file;
  }

 private:
  int pick(std::size_t n) { return static_cast<int>(random_() % n); }

  void mutate(std::vector<std::byte>& file) {
    if (file.size() < 16) return;
    const int at = pick(file.size() - 8);
    const auto place = file.begin() + at;
    switch (pick(6)) {
      case 0: *place ^= static_cast<std::byte>(1 << pick(8)); break;
      case 1: *place = static_cast<std::byte>(pick(256)); break;
      case 2: overwrite_length(file.data() + at); break;
      case 3: file.erase(place, place + 1 + pick(8)); break;
      case 4: file.insert(place, static_cast<std::size_t>(1 + pick(8)), std::byte{0}); break;
      case 5: file.resize(static_cast<std::size_t>(at) + 8); break;
    }
  }

  void overwrite_length(std::byte* at) {
    constexpr std::uint64_t lengths[] = {0,          1,          63,         64,         65536,
                                         1ull << 31, 1ull << 32, 1ull << 40, 1ull << 62, 1ull << 63,
                                         ~0ull,      ~0ull - 31, 0x20000000};
    std::memcpy(at, &lengths[pick(std::size(lengths))], sizeof(std::uint64_t));
  }

  std::mt19937 random_{20'251'129};
};

}  // namespace

TEST_CASE("twenty thousand mutated headers are read safely, the same in any pieces") {
  const std::vector<std::byte> seed = seed_file();
  REQUIRE(read_header(seed, seed.size()).ok());
  Mutator mutator;
  std::map<std::string_view, int> ends;
  for (int i = 0; i < n_mutations; ++i) {
    const std::vector<std::byte> file = mutator.mutated(seed);
    CAPTURE(i);
    REQUIRE(fuzz_header(file) == "");
    const ReadOutcome outcome = read_header(file, file.size());
    ++ends[outcome.ok() ? "ok" : code_name(outcome.error->code)];
  }
  // The mutations reach every way to end; counts are of this seed.
  for (const std::string_view end : {"ok", "not-gguf", "truncated", "bad-gguf",
                                     "unsupported-version", "unsupported-tensor-type"}) {
    CAPTURE(end);
    CHECK(ends[end] > 50);
  }
}

}  // namespace kvscope::testing
