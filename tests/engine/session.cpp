#include "session/session.hpp"

#include <doctest/doctest.h>

#include "probe/probe.hpp"
#include "support/model_run.hpp"
#include "support/tiny_llama.hpp"

namespace kvscope::testing {

namespace {

struct Fixture {
  explicit Fixture(const TinyShape& shape = {}) : model(tiny_llama(shape)) {}

  std::unique_ptr<Session> session(const SessionOptions& options = {.context_length = 64}) {
    return open_session(*model, pool, options);
  }

  std::unique_ptr<Model> model;
  ThreadPool pool{1};
};

/// The formula that the JavaScript API promises, written from the shapes alone.
std::int64_t macs_by_formula(const Model& m, std::int64_t first, std::int64_t n,
                             std::int64_t n_logits) {
  const Hparams& h = m.hparams;
  const std::int64_t d = h.dim, q = h.q_dim(), kv = h.kv_dim(), f = h.ffn_dim;
  std::int64_t macs = 0;
  for (std::int64_t t = first; t < first + n; ++t) {
    macs += h.n_layers * (d * q + 2 * d * kv + q * d + 3 * d * f + 2 * q * (t + 1));
  }
  return macs + n_logits * d * m.vocab_size();
}

const std::vector<TokenId> prompt{1, 70, 80, 90, 100};

}  // namespace

TEST_CASE("with and without the KV cache the same tokens come out") {
  Fixture f;
  const auto cached = f.session({.context_length = 64, .kv_type = KvType::f32});
  const auto uncached =
      f.session({.context_length = 64, .kv_type = KvType::f32, .kv_cache = false});
  for (const float temperature : {0.0f, 1.0f}) {
    GenerateOptions options{.max_tokens = 40, .ignore_eos = true};
    options.sampling.temperature = temperature;
    options.sampling.seed = 7;
    prefill(*cached, prompt);
    prefill(*uncached, prompt);
    CHECK(ids_of(generate(*cached, options)) == ids_of(generate(*uncached, options)));
  }
}

TEST_CASE("multiply-accumulates follow from the shapes of the work done") {
  Fixture f;
  const auto cached = f.session();
  const auto uncached = f.session({.context_length = 64, .kv_cache = false});
  prefill(*cached, prompt);
  prefill(*uncached, prompt);
  CHECK(cached->prefill_report().cost.macs == macs_by_formula(*f.model, 0, 5, 1));
  CHECK(uncached->prefill_report().cost.macs == macs_by_formula(*f.model, 0, 5, 1));

  const GenerateOptions options{.max_tokens = 6, .ignore_eos = true};
  const std::vector<Step> with = generate(*cached, options);
  const std::vector<Step> without = generate(*uncached, options);
  CHECK(with[0].cost.macs == 0);  // its logits came with the prefill
  CHECK(without[0].cost.macs == 0);
  for (int i = 1; i < 6; ++i) {
    CHECK(with[static_cast<std::size_t>(i)].cost.macs == macs_by_formula(*f.model, 4 + i, 1, 1));
    CHECK(without[static_cast<std::size_t>(i)].cost.macs == macs_by_formula(*f.model, 0, 5 + i, 1));
  }
}

TEST_CASE("the KV cache grows by one token a step and by the formula's bytes") {
  Fixture f;
  // of one head's 16 components: floats, halves, codes with one scale of two bytes
  for (const auto& [type, row] :
       {std::pair{KvType::f32, 64u}, {KvType::f16, 32}, {KvType::q8_0, 18}}) {
    const auto s = f.session({.context_length = 64, .kv_type = type});
    const std::size_t per_token = 2u * 2 * 2 * row;  // K and V, layers, KV heads
    prefill(*s, prompt);
    CHECK(s->cache().bytes() == 5 * per_token);
    REQUIRE(s->begin_generate({.max_tokens = 10, .ignore_eos = true}).ok());
    for (std::size_t i = 0; i < 10; ++i) {
      REQUIRE(s->generate_step().ok());
      CHECK(s->cache().bytes() == (5 + i) * per_token);  // the newest token enters in the next pass
    }
  }
}

TEST_CASE("without the cache nothing is kept between steps") {
  Fixture f;
  const auto s = f.session({.context_length = 64, .kv_cache = false});
  prefill(*s, prompt);
  CHECK(s->cache().bytes() == 0);
  generate(*s, {.max_tokens = 3, .ignore_eos = true});
  CHECK(s->cache().bytes() == 0);
  CHECK(s->tokens().size() == 8);
}

TEST_CASE("each pass makes and drops Q of layers x heads x head_dim floats a token") {
  Fixture f;
  const auto s = f.session();
  prefill(*s, prompt);
  const std::int64_t per_token = 2 * 4 * 16 * 4;
  CHECK(s->input().cost.q_bytes == 5 * per_token);
  generate(*s, {.max_tokens = 4, .ignore_eos = true});
  CHECK(s->output().cost.q_bytes == 3 * per_token);
}

TEST_CASE("prefill reuses the beginning that is cached and computes the rest") {
  Fixture f;
  const auto s = f.session();
  prefill(*s, prompt);
  CHECK(s->prefill_report().reused == 0);
  std::vector<TokenId> longer = prompt;
  longer.insert(longer.end(), {110, 120});
  prefill(*s, longer);
  CHECK(s->prefill_report().reused == 5);
  CHECK(s->prefill_report().tokens == 7);
  CHECK(s->prefill_report().cost.macs == macs_by_formula(*f.model, 5, 2, 1));

  std::vector<TokenId> edited = longer;
  edited[3] = 91;
  prefill(*s, edited);
  CHECK(s->prefill_report().reused == 3);
  const std::vector<float> reused_logits(s->logits().begin(), s->logits().end());
  const auto fresh = f.session();
  prefill(*fresh, edited);
  for (std::size_t i = 0; i < reused_logits.size(); ++i)
    CHECK(reused_logits[i] == doctest::Approx(fresh->logits()[i]).epsilon(1e-3));

  prefill(*s, edited);  // the same again: only the last token, for its logits
  CHECK(s->prefill_report().reused == 6);
}

TEST_CASE("append continues after a generation, the newest token included") {
  Fixture f;
  const auto s = f.session();
  prefill(*s, prompt);
  const std::vector<Step> steps = generate(*s, {.max_tokens = 3, .ignore_eos = true});
  REQUIRE(s->begin_append(std::vector<TokenId>{50, 60}).ok());
  finish_prefill(*s);
  std::vector<TokenId> all = prompt;
  for (const Step& step : steps) all.push_back(step.id);
  all.insert(all.end(), {50, 60});
  CHECK(std::vector<TokenId>(s->tokens().begin(), s->tokens().end()) == all);
  CHECK(s->prefill_report().reused == 7);  // the third sampled token was not in the cache yet
  CHECK(s->cache().tokens() == 10);
}

TEST_CASE("a prefill can be abandoned between slices and taken up again") {
  Fixture f;
  const auto s = f.session();
  const std::vector<TokenId> ids(40, 77);
  REQUIRE(s->begin_prefill(ids).ok());
  REQUIRE(s->advance_prefill(16).ok());
  s->abort_prefill();
  CHECK(s->cache().tokens() == 16);
  CHECK(s->tokens().size() == 16);
  CHECK(s->logits().empty());
  prefill(*s, ids);
  CHECK(s->prefill_report().reused == 16);
}

TEST_CASE(
    "generation ends at its limit, at the end token, at a stop text and when the context is full") {
  Fixture f;
  const auto s = f.session({.context_length = 12});
  prefill(*s, prompt);
  SUBCASE("length") {
    const std::vector<Step> steps = generate(*s, {.max_tokens = 4, .ignore_eos = true});
    CHECK(steps.size() == 4);
    CHECK(steps.back().finish == Finish::length);
  }
  SUBCASE("context") {
    const std::vector<Step> steps = generate(*s, {.max_tokens = 100, .ignore_eos = true});
    CHECK(steps.back().finish == Finish::context);
    CHECK(steps.size() == 8);  // 12 - 5 fit, and the last one is sampled from the twelfth
    CHECK(s->cache().tokens() == 12);
  }
  SUBCASE("a step after the end is an error, and the session goes on") {
    generate(*s, {.max_tokens = 2, .ignore_eos = true});
    CHECK(s->generate_step().error().code == ErrorCode::bad_state);
    CHECK(generate(*s, {.max_tokens = 2, .ignore_eos = true}).size() == 2);
  }
}

TEST_CASE("a stop text that spans tokens ends generation before it") {
  Fixture f;
  const auto s = f.session();
  prefill(*s, prompt);
  const std::string whole = text_of(generate(*s, {.max_tokens = 30, .ignore_eos = true}));
  REQUIRE(whole.size() > 8);
  const std::string stop = whole.substr(whole.size() / 2, 5);
  const std::size_t first = whole.find(stop);
  prefill(*s, prompt);
  const std::vector<Step> steps =
      generate(*s, {.max_tokens = 30, .stop = {stop}, .ignore_eos = true});
  CHECK(text_of(steps) == whole.substr(0, first));
  CHECK(steps.back().finish == Finish::stop);
}

TEST_CASE("generation takes up from whatever is cached, and from nothing it is refused") {
  Fixture f;
  const auto s = f.session({.context_length = 64, .kv_type = KvType::f32});
  CHECK(s->begin_generate({}).error().code == ErrorCode::bad_state);
  prefill(*s, prompt);
  const std::vector<TokenId> expected = ids_of(generate(*s, {.max_tokens = 6, .ignore_eos = true}));
  REQUIRE(s->truncate(5).ok());  // its logits are gone: the pass of token 4 runs again
  CHECK(ids_of(generate(*s, {.max_tokens = 6, .ignore_eos = true})) == expected);
}

TEST_CASE("truncate drops tokens from the cache; what was computed before them still counts") {
  Fixture f;
  const auto s = f.session();
  prefill(*s, prompt);
  generate(*s, {.max_tokens = 5, .ignore_eos = true});
  REQUIRE(s->truncate(3).ok());
  CHECK(s->cache().tokens() == 3);
  CHECK(s->tokens().size() == 3);
  CHECK(s->logits().empty());
  CHECK(s->truncate(4).error().code == ErrorCode::bad_argument);
  prefill(*s, prompt);
  CHECK(s->prefill_report().reused == 3);
}

TEST_CASE("input that cannot be used is refused and leaves the session as it was") {
  Fixture f;
  const auto s = f.session({.context_length = 8});
  prefill(*s, prompt);
  CHECK(s->begin_prefill(std::vector<TokenId>{}).error().code == ErrorCode::bad_argument);
  CHECK(s->begin_prefill(std::vector<TokenId>{1, 271}).error().code == ErrorCode::bad_token);
  CHECK(s->begin_prefill(std::vector<TokenId>{1, -1}).error().code == ErrorCode::bad_token);
  const Status too_long = s->begin_prefill(std::vector<TokenId>(9, 5));
  REQUIRE_FALSE(too_long.ok());
  CHECK(too_long.error().code == ErrorCode::context_full);
  CHECK(too_long.error().message.find("9 tokens") != std::string::npos);
  CHECK(s->begin_append(std::vector<TokenId>(4, 5)).error().code == ErrorCode::context_full);
  CHECK(s->begin_generate({.max_tokens = 0}).error().code == ErrorCode::bad_argument);
  CHECK(s->cache().tokens() == 5);
  CHECK(generate(*s, {.max_tokens = 2, .ignore_eos = true}).size() == 2);
  CHECK(Session::create(*f.model, f.pool, {.context_length = 257}).error().code ==
        ErrorCode::bad_argument);
}

TEST_CASE("a restored session continues exactly as the saved one") {
  Fixture f;
  for (const KvType type : {KvType::f32, KvType::f16, KvType::q8_0}) {
    const SessionOptions options{.context_length = 64, .kv_type = type};
    const auto first = f.session(options);
    prefill(*first, prompt);
    generate(*first, {.max_tokens = 3, .ignore_eos = true});
    const std::vector<std::byte> snapshot = first->save();
    const std::vector<TokenId> expected =
        ids_of(generate(*first, {.max_tokens = 8, .ignore_eos = true}));
    const auto second = f.session(options);
    REQUIRE(second->restore(snapshot).ok());
    CHECK(second->tokens().size() == 8);
    CHECK(second->cache().tokens() == 7);
    CHECK(ids_of(generate(*second, {.max_tokens = 8, .ignore_eos = true})) == expected);
  }
}

TEST_CASE(
    "restore refuses a snapshot of another KV type, one that is too long, and a part of one") {
  Fixture f;
  const auto first = f.session();
  prefill(*first, prompt);
  generate(*first, {.max_tokens = 3, .ignore_eos = true});
  const std::vector<std::byte> snapshot = first->save();
  const auto second = f.session();
  for (const KvType type : {KvType::f32, KvType::q8_0}) {
    const auto other = f.session({.context_length = 64, .kv_type = type});
    CHECK(other->restore(snapshot).error().code == ErrorCode::bad_snapshot);
  }
  const auto too_small = f.session({.context_length = 6});
  CHECK(too_small->restore(snapshot).error().code == ErrorCode::bad_snapshot);
  for (std::size_t n = 0; n < snapshot.size(); n += 97) {
    CHECK(second->restore(std::span(snapshot).first(n)).error().code == ErrorCode::bad_snapshot);
  }
}

#ifdef KVSCOPE_THREADS
TEST_CASE("a model of less than 8 MB runs on one thread, and says so") {
  Fixture f;
  ThreadPool pool(3);
  CHECK(Session::threads_for(*f.model, pool) == 1);
  Result<std::unique_ptr<Session>> s = Session::create(*f.model, pool, {.context_length = 64});
  REQUIRE(s.ok());
  prefill(**s, prompt);
  CHECK(pool.active() == 1);
  const std::unique_ptr<Model> larger = tiny_llama({.dim = 512, .ffn_dim = 1024});
  REQUIRE(larger->weight_bytes() > (8 << 20));
  CHECK(Session::threads_for(*larger, pool) == 3);
  CHECK(Session::threads_for(*larger, f.pool) == 1);
}
#endif

TEST_CASE("score gives the log-probability of each next token") {
  Fixture f;
  const auto s = f.session();
  const Result<std::vector<float>> log_p = s->score(prompt);
  REQUIRE(log_p.ok());
  REQUIRE(log_p->size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    prefill(*s, {prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(i) + 1});
    const float p = Normaliser::of(s->logits()).probability(s->logits()[prompt[i + 1]]);
    CHECK(std::exp((*log_p)[i]) == doctest::Approx(p).epsilon(1e-3));
  }
}

TEST_CASE(
    "the probe shows projections, scores and weights of the newest position, K and V of all") {
  Fixture f;
  const auto s = f.session({.context_length = 64, .kv_type = KvType::f32});
  Probe probe(*f.model);
  CHECK(probe.inspect(*s, 0, 0, 0).error().code == ErrorCode::bad_state);
  s->observe(&probe);
  prefill(*s, prompt);

  const Result<Inspection> newest = probe.inspect(*s, 1, 3, 4);
  REQUIRE(newest.ok());
  CHECK(newest->kv_head == 1);
  CHECK(newest->wq.first_row == 48);
  float sum = 0;
  for (const float w : newest->weights) sum += w;
  CHECK(newest->weights.size() == 5);
  CHECK(sum == doctest::Approx(1).epsilon(1e-6));
  for (std::size_t row = 0; row < 16; ++row) {  // q = W_Q x, element by element
    double dot = 0;
    for (std::size_t i = 0; i < 64; ++i)
      dot += static_cast<double>(newest->wq.values[row * 64 + i]) * newest->x[i];
    CHECK(newest->q[row] == doctest::Approx(dot).epsilon(1e-4));
  }
  const Result<Inspection> older = probe.inspect(*s, 1, 3, 2);
  REQUIRE(older.ok());
  CHECK(older->k.size() == 16);
  CHECK(older->q.empty());
  CHECK(probe.inspect(*s, 2, 0, 0).error().code == ErrorCode::bad_argument);
  CHECK(probe.inspect(*s, 0, 4, 0).error().code == ErrorCode::bad_argument);
  CHECK(probe.inspect(*s, 0, 0, 5).error().code == ErrorCode::bad_argument);
}

}  // namespace kvscope::testing
