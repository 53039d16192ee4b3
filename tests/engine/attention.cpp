#include "kernels/attention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "kv_fixture.hpp"

namespace kvscope {
namespace {

using test::PagesFixture;
using test::random_floats;

struct Shape {
  KvType type;
  int page_tokens, head_dim, group, first_position, n_tokens;
};

/// Largest difference from the oracle, which reads the same stored values, relative to the largest
/// value. Also checks that nothing beside the output is written.
float error_of(const Shape& s, std::mt19937& random, float q_deviation = 1) {
  const int context = s.first_position + s.n_tokens;
  PagesFixture pages(s.type, s.page_tokens, s.head_dim, context);
  pages.fill(0, context, random);
  const std::size_t width = s.group * s.head_dim, q_stride = width + 3, out_stride = width + 5;
  const auto q = random_floats(s.n_tokens * q_stride, random, q_deviation);
  constexpr float untouched = 12345;
  std::vector<float> out(s.n_tokens * out_stride, untouched), expected = out;
  std::vector<float> scratch(attention_scratch_floats(s.group, s.head_dim, context) + 1, untouched);
  AttentionArgs args{pages.view(),     q.data(),   q_stride,
                     out.data(),       out_stride, s.group,
                     s.first_position, s.n_tokens, 1 / std::sqrt(static_cast<float>(s.head_dim)),
                     scratch.data()};
  attention(args);
  args.out = expected.data();
  attention_scalar(args);
  CHECK(scratch.back() == untouched);
  float error = 0, largest = 1e-30f;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % out_stride >= width) {
      CHECK(out[i] == untouched);
      continue;
    }
    // not std::max, which would drop a NaN
    if (!(std::abs(out[i] - expected[i]) <= error)) error = std::abs(out[i] - expected[i]);
    largest = std::max(largest, std::abs(expected[i]));
  }
  return error / largest;
}

constexpr float tolerance = 4e-6f;

TEST_CASE("decode attention equals the oracle for every group and head_dim") {
  std::mt19937 random(2);
  for (const KvType type : test::kv_types) {
    for (const int head_dim : {2, 4, 6, 10, 16, 20, 32, 36, 62, 64, 80, 96, 128, 256}) {
      for (int group = 1; group <= 9; ++group) {
        for (const int first : {0, 6, 7, 8, 63, 64, 100}) {
          CAPTURE(head_dim);
          CAPTURE(group);
          CAPTURE(first);
          CHECK(error_of({type, 32, head_dim, group, first, 1}, random) < tolerance);
        }
      }
    }
  }
}

TEST_CASE("decode attention equals the oracle for every context up to 600, across page borders") {
  std::mt19937 random(3);
  for (const KvType type : test::kv_types) {
    for (int context = 1; context <= 600; context += context < 80 ? 1 : 13) {
      CAPTURE(context);
      CHECK(error_of({type, context % 3 ? 256 : 8, 16, 3, context - 1, 1}, random) < tolerance);
    }
  }
}

TEST_CASE("prefill attention equals the oracle for 1 to 40 tokens, also after a cached beginning") {
  std::mt19937 random(4);
  for (const KvType type : test::kv_types) {
    for (int n_tokens = 1; n_tokens <= 40; ++n_tokens) {
      for (const int first : {0, 1, 8, 61, 130}) {
        CAPTURE(n_tokens);
        CAPTURE(first);
        const int group = 1 + n_tokens % 5;
        CHECK(error_of({type, 40, 16, group, first, n_tokens}, random) < tolerance);
      }
    }
    for (const int head_dim : {2, 6, 64, 80, 256}) {
      for (const int group : {1, 3, 9, 60}) {  // 60: more heads than one block of rows
        CHECK(error_of({type, 64, head_dim, group, 5, 17}, random) < tolerance);
      }
    }
    CHECK(error_of({type, 256, 64, 3, 0, 300}, random) < tolerance);
  }
}

TEST_CASE("decode attention shared out by positions joins to what one thread gives") {
  std::mt19937 random(6);
  constexpr int head_dim = 20;
  for (const KvType type : test::kv_types) {
    for (const int group : {1, 3, 9, 60}) {
      for (const int context : {1, 7, 8, 100, 300}) {
        PagesFixture pages(type, 64, head_dim, context);
        pages.fill(0, context, random);
        const std::size_t width = group * head_dim,
                          part_floats = attention_part_floats(group, head_dim);
        const auto q = random_floats(width, random, 3);
        std::vector<float> out(width), expected(width);
        std::vector<float> scratch(attention_scratch_floats(group, head_dim, context));
        const AttentionArgs args{pages.view(), q.data(), width, expected.data(), width, group,
                                 context - 1,  1,        0.3f,  scratch.data()};
        attention(args);
        for (const int n_parts : {1, 2, 3, 8}) {  // some of the ranges are empty
          CAPTURE(group);
          CAPTURE(context);
          CAPTURE(n_parts);
          std::vector<float> parts(n_parts * part_floats);
          for (int i = 0; i < n_parts; ++i) {
            const auto [begin, end] = attention_share(0, 1, context, i, n_parts);
            attention_part(args, begin, end, parts.data() + i * part_floats);
          }
          attention_join(parts.data(), n_parts, group, head_dim, out.data());
          for (std::size_t i = 0; i < width; ++i) REQUIRE(std::abs(out[i] - expected[i]) < 1e-5f);
        }
      }
    }
  }
}

TEST_CASE("shares of a decode step cover each head's positions once and differ by one group of 8") {
  for (const int n_kv_heads : {1, 2, 3, 8}) {
    for (const int n_positions : {1, 8, 9, 64, 1001}) {
      for (const int n_threads : {1, 2, 3, 4, 7}) {
        CAPTURE(n_kv_heads);
        CAPTURE(n_positions);
        CAPTURE(n_threads);
        int least = n_kv_heads * n_positions, most = 0;
        std::vector<int> next(n_kv_heads, 0);  // position of each head
        for (int thread = 0; thread < n_threads; ++thread) {
          int groups = 0;
          for (int g = 0; g < n_kv_heads; ++g) {
            const auto [begin, end] =
                attention_share(g, n_kv_heads, n_positions, thread, n_threads);
            if (begin == end) continue;
            CHECK(begin == next[g]);
            CHECK(begin % 8 == 0);
            CHECK((end % 8 == 0 || end == n_positions));
            next[g] = end;
            groups += (end - begin + 7) / 8;
          }
          least = std::min(least, groups);
          most = std::max(most, groups);
        }
        CHECK(next == std::vector<int>(n_kv_heads, n_positions));
        CHECK(most - least <= 1);
      }
    }
  }
}

TEST_CASE("where threads divide the KV heads, each has whole heads") {
  for (int thread = 0; thread < 4; ++thread) {
    for (int g = 0; g < 8; ++g) {
      const auto [begin, end] = attention_share(g, 8, 1001, thread, 4);
      CHECK(end - begin == (g / 2 == thread ? 1001 : 0));
    }
  }
}

TEST_CASE(
    "attention is right where one score outweighs all others, and for tiny and huge queries") {
  std::mt19937 random(5);
  for (const KvType type : test::kv_types) {
    for (const float deviation : {1e-6f, 40.0f, 1000.0f}) {
      CAPTURE(deviation);
      // Scores of size s carry an absolute error of about s * 2^-24, and so do the weights.
      const float allowed = tolerance * std::max(1.0f, deviation);
      CHECK(error_of({type, 64, 64, 3, 200, 1}, random, deviation) < allowed);
      CHECK(error_of({type, 64, 64, 3, 100, 20}, random, deviation) < allowed);
    }
  }
}

TEST_CASE("attention over q8_0 equals the oracle for whole, odd and last blocks of components") {
  std::mt19937 random(7);
  for (const int head_dim : {1, 7, 8, 31, 32, 33, 40, 63, 64, 65, 96, 100, 128, 256}) {
    for (const int page_tokens : {8, 64, 256}) {
      for (const int n_tokens : {1, 2, 3, 40}) {
        CAPTURE(head_dim);
        CAPTURE(page_tokens);
        CAPTURE(n_tokens);
        CHECK(error_of({KvType::q8_0, page_tokens, head_dim, 3, 70, n_tokens}, random) < tolerance);
      }
    }
  }
}

TEST_CASE("values below half precision's normal range are read right") {
  for (const int n_tokens : {1, 20}) {
    PagesFixture pages(KvType::f16, 32, 16, 32);
    for (int position = 0; position < 32; ++position) {
      std::vector<float> k(16, position * 0x1p-24f), v(16, -(position + 1) * 0x1p-24f);
      kv_store(pages.view(), position, k.data(), v.data());
    }
    const std::vector<float> q(n_tokens * 16, 0x1p20f);
    std::vector<float> out(n_tokens * 16), expected(n_tokens * 16);
    std::vector<float> scratch(attention_scratch_floats(1, 16, 32));
    AttentionArgs args{pages.view(),  q.data(), 16, out.data(),    16, 1,
                       32 - n_tokens, n_tokens, 1,  scratch.data()};
    attention(args);
    args.out = expected.data();
    attention_scalar(args);
    for (std::size_t i = 0; i < out.size(); ++i) {
      CHECK(out[i] == doctest::Approx(expected[i]).epsilon(1e-5).scale(1e-6));
    }
  }
}

}  // namespace
}  // namespace kvscope
