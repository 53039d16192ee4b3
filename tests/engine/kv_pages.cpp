#include "kernels/kv_pages.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kv_fixture.hpp"
#include "tensor/half.hpp"

namespace kvscope {
namespace {

using test::PagesFixture;
using test::random_floats;

TEST_CASE("K and V come back from every position as they were stored") {
  std::mt19937 random(1);
  for (const KvType type : {KvType::f32, KvType::f16}) {
    for (const int page_tokens : {8, 24, 64}) {
      for (const int head_dim : {2, 6, 12, 64}) {
        PagesFixture pages(type, page_tokens, head_dim, 70);
        std::vector<std::vector<float>> k, v;
        for (int position = 0; position < 70; ++position) {
          k.push_back(random_floats(head_dim, random));
          v.push_back(random_floats(head_dim, random));
          kv_store(pages.view(), position, k.back().data(), v.back().data());
        }
        const auto expected = [&](float x) {
          return type == KvType::f32 ? x : half_to_float(float_to_half(x));
        };
        std::vector<float> out(head_dim);
        for (int position = 0; position < 70; ++position) {
          kv_load_k(pages.view(), position, out.data());
          for (int d = 0; d < head_dim; ++d) CHECK(out[d] == expected(k[position][d]));
          kv_load_v(pages.view(), position, out.data());
          for (int d = 0; d < head_dim; ++d) CHECK(out[d] == expected(v[position][d]));
        }
      }
    }
  }
}

TEST_CASE("K lies in groups of eight positions, V in slices of eight components") {
  PagesFixture pages(KvType::f32, 16, 10, 32);
  const float k[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, v[] = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  kv_store(pages.view(), 16 + 11, k, v);  // second page, second group, fourth of eight
  const auto at = [&](std::size_t offset, int index) {
    float x;
    std::memcpy(&x, pages.view().pages[1] + offset + 4 * index, 4);
    return x;
  };
  for (int d = 0; d < 10; ++d) CHECK(at(pages.view().k_offset, 1 * 10 * 8 + d * 8 + 3) == k[d]);
  for (int d = 0; d < 8; ++d) CHECK(at(pages.view().v_offset, 11 * 8 + d) == v[d]);
  for (int d = 8; d < 10; ++d) {  // the last slice is two wide
    CHECK(at(pages.view().v_offset, 16 * 8 + 11 * 2 + d - 8) == v[d]);
  }
}

TEST_CASE(
    "f16 rounds as float_to_half does, for every exponent, and stays finite beyond its range") {
  PagesFixture pages(KvType::f16, 8, 12, 8);  // 12: whole batches and a rest
  const auto stored = [&](float x) {
    const std::vector<float> row(12, x);
    kv_store(pages.view(), 3, row.data(), row.data());
    std::uint16_t k[12], v[12];
    kv_load_elements(pages.view(), 3, reinterpret_cast<std::byte*>(k),
                     reinterpret_cast<std::byte*>(v));
    for (int d = 0; d < 12; ++d) REQUIRE((k[d] == k[0] && v[d] == k[0]));
    return k[0];
  };
  std::mt19937 random(1);
  for (std::uint32_t exponent = 0; exponent < 142; ++exponent) {  // up to 2^15
    for (int i = 0; i < 40; ++i) {
      // Half of them right on or beside a tie.
      const std::uint32_t mantissa =
          i % 2 ? random() : (random() & 0x7fe000) + 0x1000 + i / 2 % 3 - 1;
      const std::uint32_t sign = random() & 0x80000000;
      const float x = std::bit_cast<float>(sign | exponent << 23 | (mantissa & 0x7fffff));
      CHECK(stored(x) == float_to_half(x));
    }
  }
  CHECK(stored(65504) == 0x7bff);
  CHECK(stored(65519) == 0x7bff);
  CHECK(stored(65520) == 0x7bff);
  CHECK(stored(-1e30f) == 0xfbff);
  CHECK(stored(std::numeric_limits<float>::infinity()) == 0x7bff);
  CHECK(std::isnan(half_to_float(stored(std::nanf("")))));
}

}  // namespace
}  // namespace kvscope
