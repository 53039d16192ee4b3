// Reading good GGUF headers: values, tensors, offsets, and bytes that arrive in pieces of any size.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gguf/header_reader.hpp"
#include "support/gguf_read.hpp"
#include "support/gguf_writer.hpp"

namespace kvscope::testing {

namespace {

using gguf::TensorType;
using gguf::ValueType;

// One entry of every kind and three tensors of different types.
GgufWriter sample() {
  const std::vector<std::string> tokens{"<s>", "", "바다", "▁the"};
  const std::array<float, 3> scores{0.5f, -1.0f, 2.0f};
  const std::array<std::int32_t, 3> types{-1, 3, 6};
  const std::array<std::uint8_t, 2> flags{1, 0};
  const std::array<float, 6> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::byte> q8_0(2 * 34, std::byte{7});
  GgufWriter writer;
  writer.string("general.architecture", "llama")
      .u32("llama.block_count", 30)
      .f32("llama.rope.freq_base", 100000.0f)
      .boolean("tokenizer.ggml.add_bos_token", true)
      .strings("tokenizer.ggml.tokens", tokens)
      .f32s("tokenizer.ggml.scores", scores)
      .i32s("tokenizer.ggml.token_type", types)
      .array<std::uint8_t>("flags", ValueType::boolean, flags)
      .strings("nothing", {})
      .tensor("norm.weight", {6}, values)
      .tensor("blk.0.attn_q.weight", TensorType::Q8_0, {32, 2}, q8_0)
      .tensor("scalar", {}, std::span(values).first(1));
  return writer;
}

void check_sample(gguf::Header& header) {
  CHECK(header.metadata.size() == 9);
  CHECK(header.metadata.string("general.architecture") == "llama");
  CHECK(header.metadata.integer("llama.block_count") == 30);
  CHECK(header.metadata.number("llama.rope.freq_base") == 100000.0);
  CHECK(header.metadata.boolean("tokenizer.ggml.add_bos_token") == true);
  const gguf::StringArray* tokens = header.metadata.strings("tokenizer.ggml.tokens");
  REQUIRE(tokens);
  REQUIRE(tokens->size() == 4);
  CHECK((*tokens)[0] == "<s>");
  CHECK((*tokens)[1] == "");
  CHECK((*tokens)[2] == "바다");
  CHECK((*tokens)[3] == "▁the");
  REQUIRE(header.metadata.floats("tokenizer.ggml.scores"));
  CHECK(*header.metadata.floats("tokenizer.ggml.scores") == std::vector<float>{0.5f, -1.0f, 2.0f});
  REQUIRE(header.metadata.integers("tokenizer.ggml.token_type"));
  CHECK(*header.metadata.integers("tokenizer.ggml.token_type") ==
        std::vector<std::int64_t>{-1, 3, 6});
  const gguf::Value& flags = header.metadata.all().at("flags");
  REQUIRE(std::holds_alternative<std::vector<std::byte>>(flags));
  CHECK(std::get<std::vector<std::byte>>(flags) == std::vector{std::byte{1}, std::byte{0}});
  REQUIRE(header.metadata.strings("nothing"));
  CHECK(header.metadata.strings("nothing")->size() == 0);

  REQUIRE(header.tensors.size() == 3);
  const gguf::TensorInfo& q = header.tensors[1];
  CHECK(q.name == "blk.0.attn_q.weight");
  CHECK(q.type == TensorType::Q8_0);
  CHECK(q.n_dims == 2);
  CHECK(q.ne == std::array<std::uint64_t, 4>{32, 2, 1, 1});
  CHECK(q.offset == 32);  // 6 floats are 24 bytes, padded to 32
  CHECK(q.bytes == 68);
  CHECK(header.tensors[2].n_values() == 1);
  CHECK(header.tensors[2].offset == 128);
}

}  // namespace

TEST_CASE("a header gives back every entry and tensor that was written") {
  const std::vector<std::byte> file = sample().file();
  ReadOutcome outcome = read_header(file, file.size());
  REQUIRE(outcome.ok());
  check_sample(outcome.reader.header());
  CHECK(outcome.reader.header().version == 3);
  CHECK(outcome.reader.header().file_bytes() == file.size());
}

TEST_CASE("a header is read the same in pieces of every size, and the rest is handed back") {
  const GgufWriter writer = sample();
  const std::vector<std::byte> file = writer.file();
  const std::size_t header_bytes = writer.header().size();
  for (std::size_t piece = 1; piece <= file.size(); ++piece) {
    CAPTURE(piece);
    ReadOutcome outcome = read_header(file, piece);
    REQUIRE(outcome.ok());
    check_sample(outcome.reader.header());
    CHECK(outcome.reader.header_bytes() == header_bytes);
    CHECK(outcome.reader.header().data_offset == (header_bytes + 31) / 32 * 32);
    // The rest is what the last piece held beyond the header.
    const std::size_t pushed = std::min((header_bytes + piece - 1) / piece * piece, file.size());
    REQUIRE(outcome.reader.rest().size() == pushed - header_bytes);
    CHECK(outcome.reader.rest().data() == file.data() + header_bytes);
  }
}

TEST_CASE("integers of every width are int64, floats of both widths double") {
  GgufWriter writer;
  writer.scalar<std::uint8_t>("u8", ValueType::u8, 255)
      .scalar<std::int8_t>("i8", ValueType::i8, -128)
      .scalar<std::uint16_t>("u16", ValueType::u16, 65535)
      .scalar<std::int16_t>("i16", ValueType::i16, -32768)
      .scalar<std::uint32_t>("u32", ValueType::u32, 4294967295u)
      .scalar<std::int32_t>("i32", ValueType::i32, -2147483647)
      .scalar<std::uint64_t>("u64", ValueType::u64, std::numeric_limits<std::int64_t>::max())
      .scalar<std::int64_t>("i64", ValueType::i64, std::numeric_limits<std::int64_t>::min())
      .scalar<float>("f32", ValueType::f32, 1e-5f)
      .scalar<double>("f64", ValueType::f64, 1e-300);
  ReadOutcome outcome = read_header(writer.file(), 1);
  REQUIRE(outcome.ok());
  const gguf::Metadata& metadata = outcome.reader.header().metadata;
  CHECK(metadata.integer("u8") == 255);
  CHECK(metadata.integer("i8") == -128);
  CHECK(metadata.integer("u16") == 65535);
  CHECK(metadata.integer("i16") == -32768);
  CHECK(metadata.integer("u32") == 4294967295);
  CHECK(metadata.integer("i32") == -2147483647);
  CHECK(metadata.integer("u64") == std::numeric_limits<std::int64_t>::max());
  CHECK(metadata.integer("i64") == std::numeric_limits<std::int64_t>::min());
  CHECK(metadata.number("f32") == static_cast<double>(1e-5f));
  CHECK(metadata.number("f64") == 1e-300);
}

TEST_CASE("arrays of every element type keep their values") {
  GgufWriter writer;
  const auto add = [&]<class T>(std::string_view key, ValueType type, std::array<T, 2> values) {
    writer.array<T>(key, type, values);
  };
  add("u8", ValueType::u8, std::array<std::uint8_t, 2>{0, 255});
  add("i8", ValueType::i8, std::array<std::int8_t, 2>{-128, 127});
  add("u16", ValueType::u16, std::array<std::uint16_t, 2>{0, 65535});
  add("i16", ValueType::i16, std::array<std::int16_t, 2>{-32768, 32767});
  add("u32", ValueType::u32, std::array<std::uint32_t, 2>{0, 4294967295u});
  add("i64", ValueType::i64, std::array<std::int64_t, 2>{-1, 1});
  add("u64", ValueType::u64, std::array<std::uint64_t, 2>{2, 3});
  add("f64", ValueType::f64, std::array<double, 2>{0.25, -3});
  ReadOutcome outcome = read_header(writer.file(), 3);
  REQUIRE(outcome.ok());
  const gguf::Metadata& metadata = outcome.reader.header().metadata;
  const auto check = [&](const char* key, std::vector<std::int64_t> expected) {
    CAPTURE(key);
    REQUIRE(metadata.integers(key));
    CHECK(*metadata.integers(key) == expected);
  };
  check("u8", {0, 255});
  check("i8", {-128, 127});
  check("u16", {0, 65535});
  check("i16", {-32768, 32767});
  check("u32", {0, 4294967295});
  check("i64", {-1, 1});
  check("u64", {2, 3});
  REQUIRE(metadata.floats("f64"));
  CHECK(*metadata.floats("f64") == std::vector<float>{0.25f, -3});
}

TEST_CASE("an array longer than a field keeps its values, whatever the pieces") {
  std::vector<std::int32_t> numbers(2500);
  std::iota(numbers.begin(), numbers.end(), -1000);
  GgufWriter writer;
  writer.i32s("numbers", numbers).u32("behind", 7);
  const std::vector<std::byte> file = writer.file();
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, file.size()}) {
    CAPTURE(piece);
    ReadOutcome outcome = read_header(file, piece);
    REQUIRE(outcome.ok());
    const gguf::Metadata& metadata = outcome.reader.header().metadata;
    REQUIRE(metadata.integers("numbers"));
    CHECK(*metadata.integers("numbers") ==
          std::vector<std::int64_t>(numbers.begin(), numbers.end()));
    CHECK(metadata.integer("behind") == 7);
  }
}

TEST_CASE("a getter gives nothing for an absent key and for another kind of value") {
  ReadOutcome outcome = read_header(sample().file(), 100);
  REQUIRE(outcome.ok());
  const gguf::Metadata& metadata = outcome.reader.header().metadata;
  CHECK_FALSE(metadata.integer("absent").has_value());
  CHECK_FALSE(metadata.integer("general.architecture").has_value());
  CHECK_FALSE(metadata.integer("llama.rope.freq_base").has_value());
  CHECK_FALSE(metadata.string("llama.block_count").has_value());
  CHECK_FALSE(metadata.boolean("llama.block_count").has_value());
  CHECK(metadata.strings("tokenizer.ggml.scores") == nullptr);
  CHECK(metadata.floats("tokenizer.ggml.tokens") == nullptr);
  CHECK(metadata.integers("absent") == nullptr);
  CHECK(metadata.number("llama.block_count") == 30.0);  // an integer is a number
}

TEST_CASE("version 2 is read like version 3") {
  GgufWriter writer = sample();
  writer.version = 2;
  ReadOutcome outcome = read_header(writer.file(), 7);
  REQUIRE(outcome.ok());
  check_sample(outcome.reader.header());
  CHECK(outcome.reader.header().version == 2);
}

TEST_CASE("general.alignment moves the data section and each tensor") {
  const std::array<float, 3> values{1, 2, 3};
  GgufWriter writer;
  writer.alignment = 256;
  writer.u32("general.alignment", 256).tensor("a", {3}, values).tensor("b", {3}, values);
  const std::vector<std::byte> file = writer.file();
  ReadOutcome outcome = read_header(file, 64);
  REQUIRE(outcome.ok());
  const gguf::Header& header = outcome.reader.header();
  CHECK(header.alignment == 256);
  CHECK(header.data_offset == 256);
  CHECK(header.tensors[1].offset == 256);
  CHECK(header.file_bytes() == file.size());
}

TEST_CASE("a header without entries and tensors is complete after 24 bytes") {
  const std::vector<std::byte> file = GgufWriter().file();
  REQUIRE(file.size() == 24);
  ReadOutcome outcome = read_header(file, 24);
  REQUIRE(outcome.ok());
  CHECK(outcome.reader.header().tensors.empty());
  CHECK(outcome.reader.header().data_bytes == 0);
}

TEST_CASE("a complete header takes no more bytes") {
  const std::vector<std::byte> file = GgufWriter().file();
  ReadOutcome outcome = read_header(file, 24);
  REQUIRE(outcome.ok());
  const Result<bool> again = outcome.reader.push(file);
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == ErrorCode::bad_state);
}

TEST_CASE("megabytes in pieces of one byte take linear time") {
  GgufWriter writer;
  writer.strings("tokens", std::vector<std::string>(100'000, "a token"))
      .string("template", std::string(1 << 20, 'x'));
  const std::vector<std::byte> file = writer.file();
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(read_header(file, 1).ok());
  // About 0.1 s; a reader that starts again for each piece would need 10^12 steps.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

}  // namespace kvscope::testing
