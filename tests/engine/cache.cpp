#include <doctest/doctest.h>

#include <cstring>

#include "cache/kv_cache.hpp"
#include "kv_fixture.hpp"

namespace kvscope {
namespace {

using test::random_floats;

KvShape smollm2(KvType type, int capacity) {
  return {
      .n_layers = 30, .n_kv_heads = 3, .head_dim = 64, .type = type, .capacity_tokens = capacity};
}

KvShape small(KvType type, int capacity = 40) {
  return {.n_layers = 2, .n_kv_heads = 3, .head_dim = 6, .type = type, .capacity_tokens = capacity};
}

/// Stores `tokens` random positions in all layers and heads.
void fill(KvCache& cache, int tokens, unsigned seed) {
  std::mt19937 random(seed);
  REQUIRE(cache.reserve(tokens).ok());
  const KvShape& s = cache.shape();
  for (int position = 0; position < tokens; ++position) {
    for (int layer = 0; layer < s.n_layers; ++layer) {
      for (int head = 0; head < s.n_kv_heads; ++head) {
        const auto k = random_floats(s.head_dim, random), v = random_floats(s.head_dim, random);
        kv_store(cache.pages(layer, head), position, k.data(), v.data());
      }
    }
  }
  cache.set_tokens(tokens);
}

std::vector<float> contents(const KvCache& cache) {
  const KvShape& s = cache.shape();
  std::vector<float> all, row(s.head_dim);
  for (int position = 0; position < cache.tokens(); ++position) {
    for (int layer = 0; layer < s.n_layers; ++layer) {
      for (int head = 0; head < s.n_kv_heads; ++head) {
        kv_load_k(cache.pages(layer, head), position, row.data());
        all.insert(all.end(), row.begin(), row.end());
        kv_load_v(cache.pages(layer, head), position, row.data());
        all.insert(all.end(), row.begin(), row.end());
      }
    }
  }
  return all;
}

std::vector<std::byte> saved(const KvCache& cache) {
  std::vector<std::byte> out(cache.snapshot_bytes());
  cache.save(out);
  return out;
}

TEST_CASE("cache bytes are 2 x layers x KV heads x bytes of a head's row x tokens") {
  // 64 components: floats, halves, and codes with two scales of two bytes
  for (const auto& [type, row] :
       {std::pair{KvType::f32, 256u}, {KvType::f16, 128u}, {KvType::q8_0, 68u}}) {
    KvCache cache(smollm2(type, 1000));
    CHECK(cache.bytes() == 0);
    CHECK(cache.bytes_per_token() == 2 * 30 * 3 * row);
    for (const int tokens : {1, 2, 300}) {
      REQUIRE(cache.reserve(tokens).ok());
      cache.set_tokens(tokens);
      CHECK(cache.bytes() == 2u * 30 * 3 * row * tokens);
      CHECK(cache.k_bytes_per_head() == row * tokens);
      CHECK(cache.k_bytes_per_layer() == 3u * row * tokens);
      CHECK(30 * (cache.k_bytes_per_layer() + cache.v_bytes_per_layer()) == cache.bytes());
    }
    cache.advance(1);
    CHECK(cache.tokens() == 301);
  }
}

TEST_CASE("a row of q8_0 has a scale for each 32 components, a started 32 included") {
  for (const auto& [head_dim, bytes] :
       {std::pair{1, 3u}, {16, 18u}, {32, 34u}, {33, 37u}, {64, 68u}, {80, 86u}, {256, 272u}}) {
    CHECK(kv_row_bytes(KvType::q8_0, head_dim) == bytes);
  }
}

TEST_CASE("memory grows by pages, and truncate gives pages back") {
  KvCache cache(smollm2(KvType::f16, 2000));
  CHECK(cache.page_tokens() == 256);
  CHECK(cache.reserved_bytes() == 0);
  const std::size_t page = 256 * cache.bytes_per_token();
  REQUIRE(cache.reserve(1).ok());
  CHECK(cache.reserved_bytes() == page);
  REQUIRE(cache.reserve(256).ok());
  CHECK(cache.reserved_bytes() == page);
  REQUIRE(cache.reserve(600).ok());
  CHECK(cache.reserved_bytes() == 3 * page);
  cache.set_tokens(600);
  cache.truncate(512);
  CHECK(cache.reserved_bytes() == 2 * page);
  CHECK(cache.tokens() == 512);
  cache.truncate(600);  // cannot lengthen
  CHECK(cache.tokens() == 512);
  cache.clear();
  CHECK(cache.reserved_bytes() == 0);
  CHECK(cache.tokens() == 0);
}

TEST_CASE("pages stay under 8 MB and shrink with the capacity") {
  CHECK(KvCache(smollm2(KvType::f32, 2000)).page_tokens() == 128);  // 256 would be 11.8 MB
  CHECK(KvCache(smollm2(KvType::f16, 100)).page_tokens() == 128);
  CHECK(KvCache(smollm2(KvType::f16, 5)).page_tokens() == 8);
  const KvShape huge{.n_layers = 80,
                     .n_kv_heads = 64,
                     .head_dim = 128,
                     .type = KvType::f32,
                     .capacity_tokens = 4096};
  CHECK(KvCache(huge).page_tokens() == 8);  // the smallest, although it has 41 MB
}

TEST_CASE("every layer, head and position has a place of its own, in q8_0 every code and scale") {
  for (const int head_dim : {6, 32, 40, 64}) {
    KvShape shape = small(KvType::q8_0, 300);
    shape.head_dim = head_dim;
    KvCache cache(shape);
    fill(cache, 290, 1);
    const std::size_t row = kv_row_bytes(KvType::q8_0, head_dim);
    std::mt19937 random(7);
    std::vector<std::byte> expected, found;
    for (int pass = 0; pass < 2; ++pass) {  // all stored before any is read
      for (int position = 0; position < 290; ++position) {
        for (int layer = 0; layer < 2; ++layer) {
          for (int head = 0; head < 3; ++head) {
            std::vector<std::byte> kv(2 * row);
            if (pass == 0) {
              for (std::byte& b : kv) b = static_cast<std::byte>(random());
              kv_store_row(cache.pages(layer, head), position, kv.data(), kv.data() + row);
            } else {
              kv_load_row(cache.pages(layer, head), position, kv.data(), kv.data() + row);
            }
            auto& all = pass == 0 ? expected : found;
            all.insert(all.end(), kv.begin(), kv.end());
          }
        }
      }
    }
    CHECK(found == expected);
  }

  KvCache cache(small(KvType::f32, 300));
  REQUIRE(cache.reserve(290).ok());
  cache.set_tokens(290);
  float counter = 0;
  std::vector<float> expected;
  for (int position = 0; position < 290; ++position) {
    for (int layer = 0; layer < 2; ++layer) {
      for (int head = 0; head < 3; ++head) {
        std::vector<float> kv(12);
        for (float& x : kv) x = ++counter;
        kv_store(cache.pages(layer, head), position, kv.data(), kv.data() + 6);
        expected.insert(expected.end(), kv.begin(), kv.end());
      }
    }
  }
  CHECK(contents(cache) == expected);
}

TEST_CASE("growth moves nothing: views and contents stay valid") {
  KvCache cache(small(KvType::f16, 1000));
  const KvPages view = cache.pages(1, 2);  // taken before any page exists
  fill(cache, 5, 1);
  const auto before = contents(cache);
  REQUIRE(cache.reserve(1000).ok());
  CHECK(contents(cache) == before);
  std::vector<float> early(6), late(6);
  kv_load_k(view, 4, early.data());
  kv_load_k(cache.pages(1, 2), 4, late.data());
  CHECK(early == late);
}

TEST_CASE("reserve refuses more than the capacity and keeps what is there") {
  KvCache cache(small(KvType::f32));
  fill(cache, 10, 1);
  const auto before = contents(cache);
  const Status status = cache.reserve(41);
  REQUIRE(!status.ok());
  CHECK(status.error().code == ErrorCode::context_full);
  CHECK(status.error().message.find("41") != std::string::npos);
  CHECK(contents(cache) == before);
}

TEST_CASE("a snapshot restores K and V exactly, into an empty cache or over other contents") {
  for (const KvType type : test::kv_types) {
    for (const int tokens : {0, 1, 8, 37}) {
      KvCache source(small(type)), target(small(type, 300));  // another page size
      fill(source, tokens, 1);
      const auto bytes = saved(source);
      CHECK(bytes.size() == 28 + source.bytes());
      REQUIRE(target.restore(bytes).ok());
      CHECK(target.tokens() == tokens);
      CHECK(contents(target) == contents(source));
      fill(target, 290, 2);
      REQUIRE(target.restore(bytes).ok());
      CHECK(contents(target) == contents(source));
      CHECK(saved(target) == bytes);
      CHECK(target.reserved_bytes() <= target.bytes_per_token() * 256);
    }
  }
}

TEST_CASE("restore refuses foreign bytes and other shapes, and leaves the cache as it was") {
  KvCache cache(small(KvType::f16));
  fill(cache, 12, 1);
  const auto before = contents(cache);
  const auto good = saved(cache);
  const auto refused = [&](std::vector<std::byte> bytes, const char* reason) {
    const Status status = cache.restore(bytes);
    REQUIRE(!status.ok());
    CHECK(status.error().code == ErrorCode::bad_snapshot);
    CHECK_MESSAGE(status.error().message.find(reason) != std::string::npos, status.error().message);
    CHECK(contents(cache) == before);
  };
  refused({}, "at least 28 bytes");
  refused(std::vector<std::byte>(good.begin(), good.end() - 1), "cut short");
  auto longer = good;
  longer.push_back(std::byte{0});
  refused(longer, "cut short or joined");
  auto wrong = good;
  wrong[0] = std::byte{'X'};
  refused(wrong, "no KV cache snapshot");
  wrong = good;
  wrong[4] = std::byte{2};
  refused(wrong, "version 2");
  wrong = good;
  wrong[27] = std::byte{0xff};  // 4 billion tokens
  refused(wrong, "at most 40");

  KvShape other = small(KvType::f16);
  other.n_layers = 3;
  KvCache more_layers(other);
  refused(saved(more_layers), "3 layers");
  refused(saved(KvCache(small(KvType::f32))), "4 bytes an element");
  refused(saved(KvCache(small(KvType::q8_0))), "1 bytes an element");
  KvCache larger(small(KvType::f16, 80));
  fill(larger, 41, 1);
  refused(saved(larger), "41 tokens");
  CHECK(cache.restore(good).ok());
}

}  // namespace
}  // namespace kvscope
