// Each block format against values that an independent implementation computed.
#include "tensor/dequantise.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "../reference/dequantise.hpp"
#include "support/gguf_writer.hpp"
#include "tensor/half.hpp"

namespace kvscope::testing {

namespace {

using gguf::TensorType;

constexpr TensorType all_types[] = {TensorType::F32,  TensorType::F16,  TensorType::BF16,
                                    TensorType::Q4_0, TensorType::Q4_1, TensorType::Q5_0,
                                    TensorType::Q5_1, TensorType::Q8_0, TensorType::Q4_K,
                                    TensorType::Q5_K, TensorType::Q6_K};

TensorType type_of(std::string_view name) {
  for (const TensorType type : all_types) {
    if (gguf::traits_of(type).name == name) return type;
  }
  FAIL("no type ", name);
  return TensorType::F32;
}

std::vector<std::byte> from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  return bytes;
}

std::vector<float> dequantised(TensorType type, std::span<const std::byte> blocks) {
  const gguf::TypeTraits traits = gguf::traits_of(type);
  std::vector<float> out(blocks.size() / static_cast<std::size_t>(traits.block_bytes) *
                         static_cast<std::size_t>(traits.block_values));
  dequantise(type, blocks.data(), out.size(), out.data());
  return out;
}

}  // namespace

TEST_CASE("every block format gives the same bits as the Python package gguf") {
  std::set<std::string_view> seen;
  for (const reference::Dequantised& record : reference::dequantised) {
    CAPTURE(record.type);
    seen.insert(record.type);
    const std::vector<std::byte> expected = from_hex(record.values);
    const std::vector<float> values = dequantised(type_of(record.type), from_hex(record.blocks));
    REQUIRE(values.size() * sizeof(float) == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      CAPTURE(i);
      const auto bits = gguf::load<std::uint32_t>(expected.data() + i * sizeof(float));
      REQUIRE(std::bit_cast<std::uint32_t>(values[i]) == bits);
    }
  }
  CHECK(seen.size() == std::size(all_types));
}

TEST_CASE("a Q4_1 block by hand: scale 0.5, minimum -1, nibbles 0 to 15 and back") {
  ByteWriter block;
  block.put(float_to_half(0.5f)).put(float_to_half(-1.0f));
  for (int i = 0; i < 16; ++i) block.put(static_cast<std::uint8_t>(i | (15 - i) << 4));
  const std::vector<float> values = dequantised(TensorType::Q4_1, block.bytes);
  REQUIRE(values.size() == 32);
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(values[i] == 0.5f * static_cast<float>(i) - 1.0f);
    CHECK(values[i + 16] == 0.5f * static_cast<float>(15 - i) - 1.0f);
  }
}

TEST_CASE("a row of n values takes the bytes that the format says") {
  CHECK(gguf::row_bytes(TensorType::F32, 5) == 20);
  CHECK(gguf::row_bytes(TensorType::BF16, 5) == 10);
  CHECK(gguf::row_bytes(TensorType::Q4_0, 64) == 36);
  CHECK(gguf::row_bytes(TensorType::Q4_1, 576) == 360);
  CHECK(gguf::row_bytes(TensorType::Q5_0, 32) == 22);
  CHECK(gguf::row_bytes(TensorType::Q5_1, 32) == 24);
  CHECK(gguf::row_bytes(TensorType::Q8_0, 576) == 612);
  CHECK(gguf::row_bytes(TensorType::Q4_K, 512) == 288);
  CHECK(gguf::row_bytes(TensorType::Q5_K, 256) == 176);
  CHECK(gguf::row_bytes(TensorType::Q6_K, 256) == 210);
}

TEST_CASE("a type id is found exactly when it can be read") {
  for (const TensorType type : all_types) {
    const auto found = gguf::find_type(static_cast<std::uint32_t>(type));
    REQUIRE(found.has_value());
    CHECK(found->type == type);
    CHECK(found->name == gguf::type_name(static_cast<std::uint32_t>(type)));
  }
  for (const std::uint32_t id : {4u, 5u, 9u, 10u, 11u, 15u, 20u, 24u, 31u, 39u, 41u, 42u, ~0u}) {
    CHECK_FALSE(gguf::find_type(id).has_value());
  }
  CHECK(gguf::type_name(11) == "Q3_K");
  CHECK(gguf::type_name(23) == "IQ4_XS");
  CHECK(gguf::type_name(39) == "MXFP4");
  CHECK(gguf::type_name(4).empty());
  CHECK(gguf::type_name(~0u).empty());
}

}  // namespace kvscope::testing
