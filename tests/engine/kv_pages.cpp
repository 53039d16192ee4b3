#include "kernels/kv_pages.hpp"

#include <doctest/doctest.h>

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

}  // namespace
}  // namespace kvscope
