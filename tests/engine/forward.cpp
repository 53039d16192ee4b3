#include "model/forward.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "session/session.hpp"
#include "support/plain_llama.hpp"
#include "support/tiny_llama.hpp"

namespace kvscope::testing {

namespace {

std::vector<TokenId> some_tokens(int n) {
  std::vector<TokenId> ids{1};
  while (static_cast<int>(ids.size()) < n)
    ids.push_back(static_cast<TokenId>(3 + ids.size() * 37 % 260));
  return ids;
}

/// first_pass_tokens: of the first pass, where that is to be another number.
std::vector<float> engine_logits(const Model& model, ThreadPool& pool,
                                 const std::vector<TokenId>& ids, int pass_tokens,
                                 KvType kv = KvType::f32, int first_pass_tokens = 0) {
  Result<std::unique_ptr<Session>> session =
      Session::create(model, pool, {.context_length = 256, .kv_type = kv, .adapt_threads = false});
  REQUIRE(session.ok());
  REQUIRE((*session)->begin_prefill(ids).ok());
  for (int n = first_pass_tokens ? first_pass_tokens : pass_tokens;; n = pass_tokens) {
    const Result<bool> finished = (*session)->advance_prefill(n);
    REQUIRE(finished.ok());
    if (*finished) break;
  }
  const std::span<const float> logits = (*session)->logits();
  return {logits.begin(), logits.end()};
}

/// Root mean square of the difference, as a share of the reference's own spread.
template <class A, class B>
double relative_error(const A& a, const B& reference) {
  REQUIRE(a.size() == reference.size());
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(reference[i]), 2);
    size += std::pow(static_cast<double>(reference[i]), 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace

TEST_CASE("logits equal those of a plain double-precision transcription of the architecture") {
  ThreadPool pool(1);
  struct Case {
    const char* what;
    TinyShape shape;
    double bound;
  };
  // f32 weights leave only f32 rounding; quantised ones add the 13-bit rounding of activations.
  const Case cases[] = {
      {"grouped queries, tied", {}, 1e-5},
      {"one KV head for all", {.n_kv_heads = 1}, 1e-5},
      {"a KV head for each query head, untied", {.n_kv_heads = 4, .tied = false}, 1e-5},
      {"head_dim that is not dim / heads", {.head_dim = 24}, 1e-5},
      {"scaled rotary frequencies", {.rope_factors = true}, 1e-5},
      {"sizes that no vector width divides",
       {.dim = 50, .n_heads = 3, .n_kv_heads = 3, .head_dim = 10, .ffn_dim = 37},
       1e-5},
      {"F16", {.type = gguf::TensorType::F16}, 1e-5},
      {"Q4_0", {.type = gguf::TensorType::Q4_0}, 2e-3},
      {"Q4_1", {.type = gguf::TensorType::Q4_1}, 2e-3},
      {"Q8_0", {.type = gguf::TensorType::Q8_0}, 2e-3},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::unique_ptr<Model> model = tiny_llama(c.shape);
    const std::vector<TokenId> ids = some_tokens(19);
    CHECK(relative_error(engine_logits(*model, pool, ids, 128), PlainLlama(*model).logits(ids)) <
          c.bound);
  }
}

TEST_CASE("8-bit activations stay within a few percent of the transcription") {
  ThreadPool pool(1);
  for (const gguf::TensorType type :
       {gguf::TensorType::Q4_0, gguf::TensorType::Q4_1, gguf::TensorType::Q8_0}) {
    const std::unique_ptr<Model> model = tiny_llama({.type = type}, Precision::fast);
    const std::vector<TokenId> ids = some_tokens(19);
    CHECK(relative_error(engine_logits(*model, pool, ids, 128), PlainLlama(*model).logits(ids)) <
          0.05);
  }
}

TEST_CASE("a KV cache in f16 or q8_0 gives nearly the logits of one in f32") {
  ThreadPool pool(1);
  const std::vector<TokenId> ids = some_tokens(120);
  for (const int head_dim : {16, 32, 64}) {
    CAPTURE(head_dim);
    const std::unique_ptr<Model> model = tiny_llama({.head_dim = head_dim});
    for (const int slice : {1, 128}) {  // attended as stored, and expanded
      CAPTURE(slice);
      const std::vector<float> exact = engine_logits(*model, pool, ids, slice);
      const double half =
          relative_error(engine_logits(*model, pool, ids, slice, KvType::f16), exact);
      const double codes =
          relative_error(engine_logits(*model, pool, ids, slice, KvType::q8_0), exact);
      CHECK(half < 1e-3);
      CHECK(codes < 2e-2);  // rounding to 1/254 of a block's largest, in K and V of two layers
      CHECK(codes > half);  // or it is not q8_0 that was attended
    }
  }
}

TEST_CASE("prefill at once, in slices and token by token give the same logits") {
  ThreadPool pool(1);
  for (const KvType kv : {KvType::f32, KvType::f16, KvType::q8_0}) {
    const std::unique_ptr<Model> model = tiny_llama({.type = gguf::TensorType::Q4_0});
    const std::vector<TokenId> ids = some_tokens(150);
    const std::vector<float> at_once = engine_logits(*model, pool, ids, 128, kv);
    for (const int slice : {1, 3, 32, 100}) {
      CAPTURE(slice);
      // A value on the border between two 8-bit codes may fall to either.
      const double bound = kv == KvType::q8_0 ? 1e-3 : 1e-4;
      CHECK(relative_error(engine_logits(*model, pool, ids, slice, kv), at_once) < bound);
    }
  }
}

#ifdef KVSCOPE_THREADS
TEST_CASE("threads change nothing in a prefill and in steps too short to share out") {
  const std::unique_ptr<Model> model = tiny_llama({.type = gguf::TensorType::Q4_1});
  const std::vector<TokenId> ids = some_tokens(70);
  ThreadPool one(1), three(3);
  CHECK(engine_logits(*model, one, ids, 128) == engine_logits(*model, three, ids, 128));
  CHECK(engine_logits(*model, one, ids, 1) == engine_logits(*model, three, ids, 1));
}

TEST_CASE("decode attention shared out over threads gives what one gives, the same each time") {
  // From the 128th position on these have 32 KB of K and V in a layer.
  const std::vector<TokenId> ids = some_tokens(140);
  for (const int n_kv_heads : {1, 2, 4}) {
    const std::unique_ptr<Model> model =
        tiny_llama({.n_kv_heads = n_kv_heads, .head_dim = n_kv_heads == 1 ? 32 : 16});
    const auto logits = [&](int n_threads) {
      ThreadPool pool(n_threads);
      return engine_logits(*model, pool, ids, 1, KvType::f32, /*first_pass_tokens=*/128);
    };
    const std::vector<float> alone = logits(1);
    for (const int n_threads : {2, 3}) {
      CAPTURE(n_kv_heads);
      CAPTURE(n_threads);
      const std::vector<float> shared = logits(n_threads);
      CHECK(relative_error(shared, alone) < 1e-5);
      CHECK(shared != alone);  // or nothing was joined
      CHECK(logits(n_threads) == shared);
    }
  }
}
#endif

}  // namespace kvscope::testing
