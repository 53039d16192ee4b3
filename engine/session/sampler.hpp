#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "tokenizer/tokenizer.hpp"

namespace kvscope {

struct SamplingParams {
  float temperature = 0;  // 0: always the most likely token
  int top_k = 0;          // keep the k most likely; 0 = all
  float top_p = 1;        // keep the fewest whose probabilities sum to p; 1 = all
  float min_p = 0;        // keep those at least min_p times as likely as the most likely; 0 = all
  float repeat_penalty = 1;  // > 1 makes the last 64 tokens less likely; 1 = off
  std::uint32_t seed = 0;
};

/// Errors: bad_argument with the value and its range.
Status validate(const SamplingParams& params);

/// PCG32 (O'Neill 2014): 64 bits of state, the same numbers on every platform.
class Pcg32 {
 public:
  explicit Pcg32(std::uint64_t seed);
  std::uint32_t next();
  /// In [0, 1), all 32 bits used.
  double uniform() { return next() * 0x1p-32; }

 private:
  std::uint64_t state_;
};

struct ScoredToken {
  TokenId id;
  float logit;
};

/// Chooses the next token. The filters come in llama.cpp's order: repeat penalty, top_k, top_p,
/// min_p (each on what the one before left, at temperature 1), then temperature and the draw.
class Sampler {
 public:
  static constexpr std::size_t penalty_tokens = 64;

  /// params are valid.
  explicit Sampler(const SamplingParams& params);

  /// logits: (vocab_size). recent: the sequence so far, of which the last 64 tokens count. The same
  /// seed, logits and tokens give the same choices.
  TokenId sample(std::span<const float> logits, std::span<const TokenId> recent);

  /// Moves the random numbers on as n_choices calls of sample() do.
  void skip(int n_choices);

 private:
  void penalise(std::span<const TokenId> recent);
  void keep_by_rank();
  void keep_all();
  void keep_from(float least);
  void keep_mass(double wanted);
  double mass(std::span<const ScoredToken> tokens) const;
  void keep_by_min_p();
  TokenId draw();

  SamplingParams params_;
  Pcg32 random_;
  std::vector<float> logits_;      // penalised
  float largest_ = 0;              // of them
  std::vector<ScoredToken> kept_;  // what the filters left
};

struct Candidate {
  TokenId id;
  float p;
};

/// What softmax (temperature 1) has in common for all tokens of a vocabulary.
struct Normaliser {
  float largest = 0;  // logit
  float sum = 1;      // of e^(logit - largest)

  static Normaliser of(std::span<const float> logits);
  float probability(float logit) const;
};

/// The k most likely tokens, most likely first. normaliser: of these logits.
std::vector<Candidate> top_candidates(std::span<const float> logits, const Normaliser& normaliser,
                                      int k);

}  // namespace kvscope
