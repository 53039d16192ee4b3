#include "kernels/kv_pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
    "q8_0 keeps each 32 components within half a step of their largest, and that one exactly") {
  std::mt19937 random(1);
  for (const int head_dim : {1, 6, 16, 31, 32, 33, 64, 80, 128, 256}) {
    for (const float size : {1.0f, 1e-6f, 3e4f}) {
      PagesFixture pages(KvType::q8_0, 16, head_dim, 40);
      for (int position = 0; position < 40; ++position) {
        const auto k = random_floats(head_dim, random, size);
        const auto v = random_floats(head_dim, random, size);
        kv_store(pages.view(), position, k.data(), v.data());
        std::vector<float> back_k(head_dim), back_v(head_dim);
        kv_load_k(pages.view(), position, back_k.data());
        kv_load_v(pages.view(), position, back_v.data());
        for (const auto& [stored, given] : {std::pair{back_k, k}, {back_v, v}}) {
          for (int first = 0; first < head_dim; first += 32) {
            const int end = std::min(first + 32, head_dim);
            float largest = 0;
            for (int d = first; d < end; ++d) largest = std::max(largest, std::abs(given[d]));
            // A half has 11 bits; below its normal range steps of 2^-24.
            const float step = std::max(largest / 127 * (1 + 0x1p-10f), largest / 127 + 0x1p-24f);
            for (int d = first; d < end; ++d) {
              CHECK(std::abs(stored[d] - given[d]) <= 0.5001f * step);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("q8_0 stores zeros as zeros and stays finite beyond its range") {
  PagesFixture pages(KvType::q8_0, 8, 64, 8);
  std::vector<float> k(64, 0.0f), back(64, 1.0f);
  for (int d = 32; d < 64; ++d) k[d] = d % 2 ? -1e30f : std::numeric_limits<float>::infinity();
  kv_store(pages.view(), 5, k.data(), k.data());
  kv_load_k(pages.view(), 5, back.data());
  for (int d = 0; d < 32; ++d) CHECK(back[d] == 0);
  for (int d = 32; d < 64; ++d) CHECK(back[d] == (d % 2 ? -127 : 127) * 65504.0f);
}

TEST_CASE("q8_0 has K's scales behind each block of a group, V's before each block of a page") {
  constexpr int head_dim = 40, page_tokens = 16, position = 11;  // the second group's fourth
  PagesFixture pages(KvType::q8_0, page_tokens, head_dim, page_tokens);
  std::vector<float> k(head_dim), v(head_dim);
  for (int d = 0; d < head_dim; ++d) {  // scales of 1 and 2 in K, 3 and 4 in V
    k[d] = d == 5 ? 127 : d == 37 ? -254 : 0;
    v[d] = d == 9 ? 381 : d == 39 ? 508 : 0;
  }
  kv_store(pages.view(), position, k.data(), v.data());
  const std::byte* page = pages.view().pages[0];
  const auto code = [&](std::size_t offset) { return static_cast<std::int8_t>(page[offset]); };
  const auto scale = [&](std::size_t offset) {
    std::uint16_t half;
    std::memcpy(&half, page + offset, 2);
    return half_to_float(half);
  };
  const std::size_t group = pages.view().k_offset + 8 * 44;
  CHECK(code(group + 5 * 8 + 3) == 127);
  CHECK(scale(group + 32 * 8 + 3 * 2) == 1);
  CHECK(code(group + 34 * 8 + 5 * 8 + 3) == -127);
  CHECK(scale(group + 34 * 8 + 8 * 8 + 3 * 2) == 2);
  const std::size_t block = pages.view().v_offset, next = block + 34 * page_tokens;
  CHECK(scale(block + 11 * 2) == 3);
  CHECK(code(block + 2 * page_tokens + 8 * page_tokens + 11 * 8 + 1) == 127);
  CHECK(scale(next + 11 * 2) == 4);
  CHECK(code(next + 2 * page_tokens + 11 * 8 + 7) == 127);
}

TEST_CASE(
    "f16 rounds as float_to_half does, for every exponent, and stays finite beyond its range") {
  PagesFixture pages(KvType::f16, 8, 12, 8);  // 12: whole batches and a rest
  const auto stored = [&](float x) {
    const std::vector<float> row(12, x);
    kv_store(pages.view(), 3, row.data(), row.data());
    std::uint16_t k[12], v[12];
    kv_load_row(pages.view(), 3, reinterpret_cast<std::byte*>(k), reinterpret_cast<std::byte*>(v));
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
