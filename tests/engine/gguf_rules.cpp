// Each rule of the format, broken once: the code, and that the message names the culprit.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "support/gguf_expect.hpp"
#include "support/gguf_writer.hpp"

namespace kvscope::testing {

namespace {

using gguf::TensorType;
using gguf::ValueType;

// A header as far as its counts; what follows is up to the test.
ByteWriter preamble(std::uint64_t n_tensors, std::uint64_t n_entries, std::uint32_t version = 3) {
  ByteWriter out;
  out.text("GGUF").u32(version).u64(n_tensors).u64(n_entries);
  return out;
}

// The directory entry of a tensor, with the data's offset.
ByteWriter one_tensor(std::string_view name, std::vector<std::uint64_t> ne, std::uint32_t type,
                      std::uint64_t offset = 0) {
  ByteWriter out = preamble(1, 0);
  out.string(name).u32(static_cast<std::uint32_t>(ne.size()));
  for (const std::uint64_t n : ne) out.u64(n);
  out.u32(type).u64(offset);
  return out;
}

constexpr std::uint32_t f32 = 0, q4_0 = 2, q6_k = 14;

}  // namespace

TEST_CASE("versions other than 2 and 3 are refused") {
  for (const std::uint32_t version : {0u, 1u, 4u, 77u}) {
    check_refused(preamble(0, 0, version).bytes, ErrorCode::unsupported_version,
                  "GGUF version " + std::to_string(version) + ";");
  }
}

TEST_CASE("a big-endian file is recognised by its version") {
  check_refused(preamble(0, 0, 0x03000000).bytes, ErrorCode::not_gguf, "big-endian");
}

TEST_CASE("impossible numbers of tensors and entries are refused before any memory is taken") {
  check_refused(preamble(1ull << 60, 0).bytes, ErrorCode::bad_gguf, "1152921504606846976 tensors");
  check_refused(preamble(65537, 0).bytes, ErrorCode::bad_gguf, "65537 tensors");
  check_refused(preamble(0, ~0ull).bytes, ErrorCode::bad_gguf, "18446744073709551615 metadata");
  check_refused(preamble(0, 65537).bytes, ErrorCode::bad_gguf, "65537 metadata");
}

TEST_CASE("a key must have 1 to 65535 bytes") {
  check_refused(preamble(0, 2).string("").bytes, ErrorCode::bad_gguf,
                "entry 1 of 2 has an empty key");
  check_refused(preamble(0, 1).u64(65536).bytes, ErrorCode::bad_gguf, "a key of 65536 bytes");
}

TEST_CASE("a key must not occur twice") {
  check_refused(GgufWriter().u32("twice", 1).string("twice", "x").file(), ErrorCode::bad_gguf,
                "repeats the key \"twice\"");
}

TEST_CASE("unknown value types are refused, alone and in arrays") {
  check_refused(preamble(0, 1).string("k").u32(13).bytes, ErrorCode::bad_gguf,
                "\"k\" has the unknown type 13");
  check_refused(preamble(0, 1).string("k").put(ValueType::array).u32(99).u64(1).bytes,
                ErrorCode::bad_gguf, "array of the unknown type 99");
}

TEST_CASE("arrays of arrays are refused") {
  check_refused(preamble(0, 1).string("k").put(ValueType::array).put(ValueType::array).u64(1).bytes,
                ErrorCode::bad_gguf, "array of arrays");
}

TEST_CASE("announced lengths beyond the limits are refused before any memory is taken") {
  check_refused(preamble(0, 1).string("k").put(ValueType::string).u64(~0ull).bytes,
                ErrorCode::bad_gguf, "string of 18446744073709551615 bytes");
  check_refused(
      preamble(0, 1).string("k").put(ValueType::array).put(ValueType::u8).u64(1 << 30).bytes,
      ErrorCode::bad_gguf, "array of 1073741824 elements");
  check_refused(preamble(0, 1)
                    .string("k")
                    .put(ValueType::array)
                    .put(ValueType::string)
                    .u64(1)
                    .u64(1ull << 40)
                    .bytes,
                ErrorCode::bad_gguf, "string of 1099511627776 bytes");
}

TEST_CASE("a header longer than 128 MiB is refused when its last string is announced") {
  ByteWriter out = preamble(0, 3);
  out.string("a").put(ValueType::string).string(std::string(64 << 20, 'x'));
  out.string("b").put(ValueType::string).string(std::string((64 << 20) - 200, 'x'));
  out.string("c").put(ValueType::string).u64(300);
  const ReadOutcome outcome = read_header(out.bytes, out.bytes.size());
  REQUIRE(outcome.error.has_value());
  CHECK(outcome.error->code == ErrorCode::bad_gguf);
  CHECK(contains(outcome.error->message, "longer than 134217728 bytes"));
}

TEST_CASE("a boolean is 0 or 1 and a whole number below 2^63, alone and in arrays") {
  check_refused(GgufWriter().scalar<std::uint8_t>("k", ValueType::boolean, 2).file(),
                ErrorCode::bad_gguf, "\"k\" is out of range");
  check_refused(GgufWriter().scalar<std::uint64_t>("k", ValueType::u64, 1ull << 63).file(),
                ErrorCode::bad_gguf, "\"k\" is out of range");
  const std::array<std::uint8_t, 2> flags{1, 2};
  check_refused(GgufWriter().array<std::uint8_t>("k", ValueType::boolean, flags).file(),
                ErrorCode::bad_gguf, "\"k\" is out of range");
  const std::array<std::uint64_t, 2> numbers{1, ~0ull};
  check_refused(GgufWriter().array<std::uint64_t>("k", ValueType::u64, numbers).file(),
                ErrorCode::bad_gguf, "\"k\" is out of range");
}

TEST_CASE("general.alignment must be a power of two") {
  for (const std::uint32_t alignment : {0u, 3u, 48u, 0x80000000u}) {
    check_refused(GgufWriter().u32("general.alignment", alignment).file(), ErrorCode::bad_gguf,
                  "general.alignment is " + std::to_string(alignment));
  }
  check_refused(GgufWriter().string("general.alignment", "32").file(), ErrorCode::bad_gguf,
                "general.alignment");
}

TEST_CASE("a tensor name has 1 to 63 bytes and occurs once") {
  CHECK(read_header(one_tensor(std::string(63, 'n'), {1}, f32).bytes, 50).ok());
  check_refused(one_tensor(std::string(64, 'n'), {1}, f32).bytes, ErrorCode::bad_gguf,
                "tensor 1 of 1 has a name of 64 bytes");
  check_refused(one_tensor("", {1}, f32).bytes, ErrorCode::bad_gguf, "a name of 0 bytes");
  const std::array<float, 1> value{1};
  check_refused(GgufWriter().tensor("same", {1}, value).tensor("same", {1}, value).file(),
                ErrorCode::bad_gguf, "\"same\" is listed twice");
}

TEST_CASE("a tensor has at most 4 dimensions, none of them 0") {
  CHECK(read_header(one_tensor("t", {1, 2, 3, 4}, f32).bytes, 50).ok());
  check_refused(one_tensor("t", {1, 1, 1, 1, 1}, f32).bytes, ErrorCode::bad_gguf, "5 dimensions");
  check_refused(one_tensor("t", {32, 0}, f32).bytes, ErrorCode::bad_gguf,
                "length 0 in dimension 1");
}

TEST_CASE("shapes whose product overflows are refused") {
  const std::uint64_t big = 1ull << 32;
  check_refused(one_tensor("t", {big, big}, f32).bytes, ErrorCode::bad_gguf,
                "more than 1099511627776");
  check_refused(one_tensor("t", {big, big, big, big}, f32).bytes, ErrorCode::bad_gguf, "values");
  check_refused(one_tensor("t", {~0ull, 2}, f32).bytes, ErrorCode::bad_gguf, "values");
  check_refused(one_tensor("t", {1ull << 63, 2}, f32).bytes, ErrorCode::bad_gguf, "values");
}

TEST_CASE("rows must be whole blocks") {
  check_refused(one_tensor("t", {48, 2}, q4_0).bytes, ErrorCode::bad_gguf,
                "rows of 48 values, which are not whole Q4_0 blocks of 32");
  check_refused(one_tensor("t", {32}, q6_k).bytes, ErrorCode::bad_gguf, "Q6_K blocks of 256");
}

TEST_CASE("tensor data must follow each other without gap or overlap") {
  check_refused(one_tensor("t", {1}, f32, 32).bytes, ErrorCode::bad_gguf,
                "offset 32 in place of 0");
  for (const std::uint64_t offset : {0, 4, 64}) {
    ByteWriter out = preamble(2, 0);
    out.string("a").u32(1).u64(1).u32(f32).u64(0);
    out.string("b").u32(1).u64(1).u32(f32).u64(offset);
    check_refused(out.bytes, ErrorCode::bad_gguf, "in place of 32");
  }
}

TEST_CASE("an unread tensor type is named, with the tensor and what is read instead") {
  check_refused(one_tensor("blk.0.attn_q.weight", {256}, 10).bytes,
                ErrorCode::unsupported_tensor_type,
                "\"blk.0.attn_q.weight\" is stored as Q2_K (type 10)");
  check_refused(one_tensor("t", {256}, 20).bytes, ErrorCode::unsupported_tensor_type,
                "IQ4_NL (type 20)");
  check_refused(one_tensor("t", {256}, 11).bytes, ErrorCode::unsupported_tensor_type,
                "F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, BF16");
  for (const std::uint32_t id : {4u, 1000u, 0xffffffffu}) {
    check_refused(one_tensor("t", {256}, id).bytes, ErrorCode::unsupported_tensor_type,
                  "an unknown type (type " + std::to_string(id) + ")");
  }
}

TEST_CASE("a part of a split model says so") {
  const auto part = [](std::uint16_t no, std::uint16_t count) {
    return GgufWriter()
        .scalar("split.no", ValueType::u16, no)
        .scalar("split.count", ValueType::u16, count)
        .file();
  };
  check_refused(part(0, 3), ErrorCode::bad_gguf, "part 1 of 3 of a split model");
  CHECK(read_header(part(0, 1), 1000).ok());
}

TEST_CASE("a file that ends inside its header is truncated, wherever it ends") {
  const std::array<float, 2> values{1, 2};
  const std::vector<std::byte> header =
      GgufWriter().string("key", "value").f32s("array", values).tensor("t", {2}, values).header();
  for (std::size_t n = 4; n < header.size(); ++n) {
    CAPTURE(n);
    check_refused(std::span(header).first(n), ErrorCode::truncated,
                  "ends after " + std::to_string(n) + " bytes");
  }
}

TEST_CASE("text from the file is shown in messages without control characters") {
  check_refused(preamble(0, 1).string("a\x1b[2J\xff\n").u32(99).bytes, ErrorCode::bad_gguf,
                "\"a?[2J? \"");
  check_refused(preamble(0, 1).string(std::string(1000, 'k')).u32(99).bytes, ErrorCode::bad_gguf,
                "\"" + std::string(64, 'k') + "...\"");
}

TEST_CASE("after an error each push gives the same error") {
  gguf::HeaderReader reader;
  const std::vector<std::byte> bad = preamble(0, 1).string("").bytes;
  const Result<bool> first = reader.push(bad);
  REQUIRE_FALSE(first.ok());
  const Result<bool> second = reader.push(bad);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().message == first.error().message);
  CHECK(reader.end_of_file().message == first.error().message);
}

}  // namespace kvscope::testing
