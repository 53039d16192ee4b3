#include "session/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "kv_fixture.hpp"

namespace kvscope {
namespace {

std::vector<float> logits_of(std::vector<double> probabilities, double offset = 3) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p) + offset));
  return logits;
}

/// Draws often and checks each frequency against its probability, to four standard deviations.
void check_frequencies(const SamplingParams& params, const std::vector<float>& logits,
                       const std::vector<double>& expected) {
  constexpr int draws = 20000;
  Sampler sampler(params);
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i) ++counts[sampler.sample(logits, {})];
  for (std::size_t id = 0; id < expected.size(); ++id) {
    CAPTURE(id);
    const double p = expected[id];
    CHECK(std::abs(counts[id] - draws * p) <= 4 * std::sqrt(draws * p * (1 - p)));
  }
}

TokenId greedy(const std::vector<float>& logits, const std::vector<TokenId>& recent,
               float penalty) {
  return Sampler({.repeat_penalty = penalty}).sample(logits, recent);
}

TEST_CASE("the random numbers are PCG32's") {
  // From a separate implementation that reproduces the published demo of pcg32 (seed 42, stream
  // 54).
  Pcg32 zero(0), other(42);
  for (const std::uint32_t x : {0xe823a24eu, 0x7a7ecbd9u, 0x89fd6c06u, 0xae646aa8u}) {
    CHECK(zero.next() == x);
  }
  for (const std::uint32_t x : {0xc2f57bd6u, 0x6b07c4a9u, 0x72b7b29bu, 0x44215383u}) {
    CHECK(other.next() == x);
  }
}

TEST_CASE("temperature 0 takes the most likely token, the lower id of two") {
  CHECK(greedy({1, 5, 3}, {}, 1) == 1);
  CHECK(greedy({1, 5, 5}, {}, 1) == 1);
}

TEST_CASE("tokens are drawn as often as the softmax says") {
  check_frequencies({.temperature = 1, .seed = 1}, logits_of({0.5, 0.3, 0.15, 0.05}),
                    {0.5, 0.3, 0.15, 0.05});
}

TEST_CASE("temperature 2 takes square roots, temperature 1/2 squares") {
  const std::vector<float> logits = logits_of({0.64, 0.32, 0.04});
  const double roots = 0.8 + std::sqrt(0.32) + 0.2;
  check_frequencies({.temperature = 2, .seed = 2}, logits,
                    {0.8 / roots, std::sqrt(0.32) / roots, 0.2 / roots});
  const double squares = 0.64 * 0.64 + 0.32 * 0.32 + 0.04 * 0.04;
  check_frequencies({.temperature = 0.5f, .seed = 3}, logits,
                    {0.64 * 0.64 / squares, 0.32 * 0.32 / squares, 0.04 * 0.04 / squares});
}

TEST_CASE("top_k keeps the k most likely") {
  check_frequencies({.temperature = 1, .top_k = 2, .seed = 4}, logits_of({0.15, 0.5, 0.05, 0.3}),
                    {0, 0.625, 0, 0.375});
}

TEST_CASE("top_p keeps the fewest that reach p, the one that crosses it included") {
  const std::vector<float> logits = logits_of({0.15, 0.5, 0.05, 0.3});
  check_frequencies({.temperature = 1, .top_p = 0.75f, .seed = 5}, logits, {0, 0.625, 0, 0.375});
  check_frequencies({.temperature = 1, .top_p = 0.01f, .seed = 5}, logits, {0, 1, 0, 0});
  check_frequencies({.temperature = 1, .top_p = 0.52f, .seed = 5}, logits, {0, 0.625, 0, 0.375});
  check_frequencies({.temperature = 1, .top_p = 0.81f, .seed = 5}, logits,
                    {0.15 / 0.95, 0.5 / 0.95, 0, 0.3 / 0.95});
}

TEST_CASE("top_p is of what top_k left: 0.5 of 0.8 already reaches 0.6") {
  const std::vector<float> logits = logits_of({0.15, 0.5, 0.05, 0.3});
  check_frequencies({.temperature = 1, .top_k = 2, .top_p = 0.6f, .seed = 6}, logits, {0, 1, 0, 0});
}

TEST_CASE("min_p keeps tokens at least that fraction as likely as the most likely one") {
  const std::vector<float> logits = logits_of({0.15, 0.5, 0.05, 0.3});
  check_frequencies({.temperature = 1, .min_p = 0.31f, .seed = 7}, logits, {0, 0.625, 0, 0.375});
  check_frequencies({.temperature = 1, .min_p = 0.29f, .seed = 7}, logits,
                    {0.15 / 0.95, 0.5 / 0.95, 0, 0.3 / 0.95});
}

TEST_CASE("temperature comes after the filters and does not widen them") {
  const std::vector<float> logits = logits_of({0.15, 0.5, 0.05, 0.3});
  const double sum = std::sqrt(0.5) + std::sqrt(0.3);
  check_frequencies({.temperature = 2, .top_p = 0.75f, .seed = 8}, logits,
                    {0, std::sqrt(0.5) / sum, 0, std::sqrt(0.3) / sum});
}

TEST_CASE("top_p over a flat vocabulary keeps as many as it takes") {
  const std::vector<float> logits(3000, -1.0f);  // 0.5 needs 1500 of them: lower ids come first
  Sampler sampler({.temperature = 1, .top_p = 0.5f, .seed = 9});
  TokenId highest = 0;
  for (int i = 0; i < 2000; ++i) highest = std::max(highest, sampler.sample(logits, {}));
  CHECK(highest >= 1480);
  CHECK(highest <= 1501);
}

TEST_CASE("top_p draws from the fewest tokens that reach p, however the logits are spread") {
  std::mt19937 random(13);
  for (const float deviation : {0.5f, 2.0f, 4.0f}) {
    const std::vector<float> logits = test::random_floats(20000, random, deviation);
    std::vector<double> weights;
    for (const float l : logits) weights.push_back(std::exp(static_cast<double>(l)));
    std::sort(weights.begin(), weights.end(), std::greater<>());
    double sum = 0;
    for (const double w : weights) sum += w;
    for (const float p : {0.3f, 0.9f, 0.99f, 0.99999f}) {
      CAPTURE(deviation);
      CAPTURE(p);
      std::size_t n = 0;
      for (double mass = 0; mass < p * sum && n < weights.size(); ++n) mass += weights[n];
      const std::size_t slack = n < weights.size() ? 1 : 0;  // single precision sums
      const double least = weights[n - 1 + slack], rarest = weights[n * 9 / 10];
      Sampler sampler({.temperature = 50, .top_p = p, .seed = 14});  // nearly all alike
      bool drew_rare = false;
      for (int i = 0; i < 200; ++i) {
        const double w = std::exp(static_cast<double>(logits[sampler.sample(logits, {})]));
        REQUIRE(w >= least * (1 - 1e-6));
        if (w <= rarest) drew_rare = true;
      }
      CHECK(drew_rare);  // the last tenth of the nucleus is in it
    }
  }
}

TEST_CASE("logits that are no numbers give some token") {
  const std::vector<float> logits(300, std::nanf(""));
  const TokenId id = Sampler({.temperature = 1, .top_p = 0.9f, .seed = 15}).sample(logits, {});
  CHECK((id >= 0 && id < 300));
}

TEST_CASE("a tiny temperature is greedy, not a division that overflows") {
  Sampler sampler({.temperature = 2e-38f, .seed = 10});
  for (int i = 0; i < 100; ++i) CHECK(sampler.sample(std::vector<float>{90, 100, -80}, {}) == 1);
}

TEST_CASE("a token without probability is never drawn") {
  std::vector<float> logits(50, -std::numeric_limits<float>::infinity());
  logits[17] = 1;
  logits[30] = 1;
  Sampler sampler({.temperature = 1, .seed = 11});
  std::map<TokenId, int> counts;
  for (int i = 0; i < 1000; ++i) ++counts[sampler.sample(logits, {})];
  CHECK(counts.size() == 2);
  CHECK(counts[17] + counts[30] == 1000);
}

TEST_CASE("the repeat penalty divides positive and multiplies negative logits, once a token") {
  CHECK(greedy({2, -1, 1.5f}, {}, 1.5f) == 0);
  CHECK(greedy({2, -1, 1.5f}, {0}, 1.5f) == 2);           // 2 / 1.5 < 1.5
  CHECK(greedy({2.5f, -1, 1.5f}, {0, 0, 0}, 1.5f) == 0);  // 2.5 / 1.5 > 1.5, divided once only
  CHECK(greedy({-1, -1.4f}, {0}, 1.5f) == 1);             // -1.5 < -1.4
  CHECK(greedy({2, -1, 1.5f}, {0, 99, -1}, 1.5f) == 2);   // ids outside the vocabulary are ignored
}

TEST_CASE("the repeat penalty looks back 64 tokens") {
  std::vector<TokenId> recent(64, 1);
  recent[0] = 0;
  CHECK(greedy({2, -1, 1.5f}, recent, 1.5f) == 2);
  recent.push_back(1);  // token 0 is 65 back now
  CHECK(greedy({2, -1, 1.5f}, recent, 1.5f) == 0);
}

TEST_CASE("the same seed draws the same tokens, another one others") {
  std::mt19937 random(1);
  const auto logits = test::random_floats(49152, random, 2);
  const auto run = [&](std::uint32_t seed) {
    Sampler sampler({.temperature = 1, .top_k = 500, .top_p = 0.95f, .seed = seed});
    std::vector<TokenId> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(sampler.sample(logits, ids));
    return ids;
  };
  CHECK(run(7) == run(7));
  CHECK(run(7) != run(8));
}

TEST_CASE("top_candidates are the most likely tokens with their share of the whole vocabulary") {
  const auto top_of = [](std::vector<float> logits, int k) {
    return top_candidates(logits, Normaliser::of(logits), k);
  };
  const auto top = top_of(logits_of({0.15, 0.5, 0.05, 0.3}), 2);
  REQUIRE(top.size() == 2);
  CHECK(top[0].id == 1);
  CHECK(top[0].p == doctest::Approx(0.5));
  CHECK(top[1].id == 3);
  CHECK(top[1].p == doctest::Approx(0.3));
  CHECK(top_of(logits_of({0.5, 0.5}), 10).size() == 2);
  CHECK(top_of(logits_of({0.5, 0.5}), 0).empty());
}

TEST_CASE("top_candidates equals a full sort on a vocabulary of 49152") {
  std::mt19937 random(2);
  auto logits = test::random_floats(49152, random, 4);
  logits[40000] = logits[3] = 30;  // equal: the lower id first
  std::vector<TokenId> ids(logits.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>(i);
  std::stable_sort(ids.begin(), ids.end(),
                   [&](TokenId a, TokenId b) { return logits[a] > logits[b]; });
  const Normaliser normaliser = Normaliser::of(logits);
  const auto top = top_candidates(logits, normaliser, 20);
  REQUIRE(top.size() == 20);
  for (int i = 0; i < 20; ++i) {
    CHECK(top[i].id == ids[i]);
    CHECK(top[i].p == doctest::Approx(normaliser.probability(logits[ids[i]])).epsilon(1e-5));
  }
}

TEST_CASE("a normaliser's probability is the softmax of one token") {
  const auto logits = logits_of({0.15, 0.5, 0.05, 0.3}, -200);
  const Normaliser normaliser = Normaliser::of(logits);
  CHECK(normaliser.probability(logits[0]) == doctest::Approx(0.15).epsilon(1e-4));
  CHECK(normaliser.probability(logits[2]) == doctest::Approx(0.05).epsilon(1e-4));
}

TEST_CASE("validate names the parameter, its value and its range") {
  const auto refused = [](SamplingParams params, const char* name) {
    const Status status = validate(params);
    REQUIRE(!status.ok());
    CHECK(status.error().code == ErrorCode::bad_argument);
    CHECK_MESSAGE(status.error().message.starts_with(name), status.error().message);
  };
  CHECK(validate({}).ok());
  CHECK(validate(
            {.temperature = 2, .top_k = 40, .top_p = 0.9f, .min_p = 0.1f, .repeat_penalty = 1.1f})
            .ok());
  refused({.temperature = -1}, "temperature is -1; it must be from 0 to 100");
  refused({.temperature = std::nanf("")}, "temperature is not a number");
  refused({.top_k = -1}, "topK is -1");
  refused({.top_p = 0}, "topP is 0");
  refused({.top_p = 1.5f}, "topP is 1.5");
  refused({.min_p = -0.1f}, "minP is -0.1");
  refused({.min_p = 1.1f}, "minP is 1.1");
  refused({.repeat_penalty = 0}, "repeatPenalty is 0");
}

}  // namespace
}  // namespace kvscope
