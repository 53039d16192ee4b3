#include "session/sampler.hpp"

#include <algorithm>
#include <bit>

#include "base/elementary.hpp"
#include "base/format.hpp"
#include "kernels/elementwise.hpp"

namespace kvscope {
namespace {

// top_p of a real model's logits rarely needs more; then the whole vocabulary is not ranked.
constexpr int usual_nucleus = 256;
// Compared with the k-th largest so far by their maximum alone, which SIMD finds.
constexpr int logits_at_a_glance = 64;

int size_of(std::span<const float> logits) { return static_cast<int>(logits.size()); }

/// A strict order: the lower id first among equals, as argmax() has it.
bool more_likely(const ScoredToken& a, const ScoredToken& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/// The k largest, largest first. A heap of k passes over the vocabulary once, at little more than
/// the cost of reading it: almost no group of logits has one that fits into the heap.
void select_largest(std::span<const float> logits, int k, std::vector<ScoredToken>& heap) {
  heap.clear();
  if (k <= 0) return;
  heap.reserve(static_cast<std::size_t>(k));
  const int n = size_of(logits);
  int id = 0;
  for (; id < std::min(k, n); ++id) heap.push_back({id, logits[id]});
  std::make_heap(heap.begin(), heap.end(), more_likely);
  while (id < n) {
    const int end = std::min(n, id + logits_at_a_glance);
    if (!(max_of(&logits[id], end - id) > heap.front().logit)) id = end;
    for (; id < end; ++id) {
      if (!(logits[id] > heap.front().logit)) continue;
      std::pop_heap(heap.begin(), heap.end(), more_likely);
      heap.back() = {id, logits[id]};
      std::push_heap(heap.begin(), heap.end(), more_likely);
    }
  }
  std::sort_heap(heap.begin(), heap.end(), more_likely);
}

Error out_of_range(const char* name, double value, const char* range) {
  return {ErrorCode::bad_argument, concat(name, " is ", value, "; it must be ", range)};
}

}  // namespace

Status validate(const SamplingParams& p) {
  // Written so that a NaN fails too.
  if (!(p.temperature >= 0 && p.temperature <= 100)) {
    return out_of_range("temperature", p.temperature, "from 0 to 100");
  }
  if (p.top_k < 0) return out_of_range("topK", p.top_k, "0 (off) or more");
  if (!(p.top_p > 0 && p.top_p <= 1)) return out_of_range("topP", p.top_p, "above 0, at most 1");
  if (!(p.min_p >= 0 && p.min_p <= 1)) return out_of_range("minP", p.min_p, "from 0 to 1");
  if (!(p.repeat_penalty > 0 && p.repeat_penalty <= 100)) {
    return out_of_range("repeatPenalty", p.repeat_penalty, "above 0, at most 100");
  }
  return {};
}

constexpr std::uint64_t pcg_multiplier = 6364136223846793005u;
constexpr std::uint64_t pcg_increment = 1442695040888963407u;

Pcg32::Pcg32(std::uint64_t seed) : state_(seed + pcg_increment) { next(); }

std::uint32_t Pcg32::next() {
  const std::uint64_t old = state_;
  state_ = old * pcg_multiplier + pcg_increment;
  const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
  return std::rotr(shifted, static_cast<int>(old >> 59));
}

Sampler::Sampler(const SamplingParams& params) : params_(params), random_(params.seed) {}

TokenId Sampler::sample(std::span<const float> logits, std::span<const TokenId> recent) {
  const bool as_they_are = params_.temperature == 0 && params_.repeat_penalty == 1;
  if (as_they_are) return argmax(logits.data(), size_of(logits));
  logits_.assign(logits.begin(), logits.end());
  if (params_.repeat_penalty != 1) penalise(recent);
  if (params_.temperature == 0) return argmax(logits_.data(), size_of(logits_));
  largest_ = max_of(logits_.data(), size_of(logits_));
  keep_by_rank();
  keep_by_min_p();
  return draw();
}

void Sampler::skip(int n_choices) {
  if (params_.temperature == 0) return;
  for (int i = 0; i < n_choices; ++i) random_.next();
}

/// Each token that occurs once, however often it occurs.
void Sampler::penalise(std::span<const TokenId> recent) {
  const auto last = recent.last(std::min(recent.size(), penalty_tokens));
  for (auto at = last.begin(); at != last.end(); ++at) {
    const TokenId id = *at;
    const bool seen = std::find(last.begin(), at, id) != at;
    if (seen || id < 0 || id >= size_of(logits_)) continue;
    float& logit = logits_[static_cast<std::size_t>(id)];
    logit = logit > 0 ? logit / params_.repeat_penalty : logit * params_.repeat_penalty;
  }
}

/// top_k and top_p. The largest logit always stays.
void Sampler::keep_by_rank() {
  const int n = size_of(logits_);
  const bool by_k = params_.top_k > 0 && params_.top_k < n;
  if (by_k) {
    select_largest(logits_, params_.top_k, kept_);
  } else if (params_.top_p >= 1) {
    keep_all();
  }
  if (params_.top_p >= 1) return;

  const auto share = static_cast<double>(params_.top_p);
  if (by_k) {
    keep_mass(share * mass(kept_));
    return;
  }
  const float sum = sum_exp(logits_.data(), n, largest_);
  const double wanted = share * static_cast<double>(sum);
  select_largest(logits_, std::min(n, usual_nucleus), kept_);
  if (mass(kept_) < wanted) {
    // Tokens of less than (1 - p) / n each have less than 1 - p together: the others have p.
    keep_from(largest_ +
              static_cast<float>(log_of((1 - params_.top_p) * sum / static_cast<float>(n))));
  }
  keep_mass(wanted);
}

/// Those of at least this logit; all when there is none, as with logits that are no numbers.
void Sampler::keep_from(float least) {
  kept_.clear();
  for (int id = 0; id < size_of(logits_); ++id) {
    if (logits_[id] >= least) kept_.push_back({id, logits_[id]});
  }
  if (kept_.empty()) keep_all();
}

void Sampler::keep_all() {
  kept_.resize(logits_.size());
  for (int id = 0; id < size_of(logits_); ++id) kept_[id] = {id, logits_[id]};
}

double Sampler::mass(std::span<const ScoredToken> tokens) const {
  double sum = 0;
  for (const ScoredToken& t : tokens) sum += exp_of(t.logit - largest_);
  return sum;
}

/// Keeps the fewest of kept_ that have this mass together, at least one: as in quickselect, those
/// that are more likely than one of them go in front of it, and the search goes on before or behind
/// it. Sorting a flat vocabulary of 49152 would take 5 ms.
void Sampler::keep_mass(double wanted) {
  auto begin = kept_.begin(), end = kept_.end();
  while (end - begin > 1) {
    std::iter_swap(begin + (end - begin) / 2, end - 1);
    const ScoredToken pivot = end[-1];
    const auto middle = std::partition(
        begin, end - 1, [&](const ScoredToken& token) { return more_likely(token, pivot); });
    std::iter_swap(middle, end - 1);
    const double front = mass({begin, middle});
    if (front >= wanted) {
      end = middle;
    } else {
      wanted -= front + mass({middle, 1});
      begin = middle + 1;
      if (!(wanted > 0)) end = begin;  // NaN too
    }
  }
  kept_.erase(end, kept_.end());
}

void Sampler::keep_by_min_p() {
  if (params_.min_p <= 0) return;
  const float least = largest_ + static_cast<float>(log_of(params_.min_p));
  std::erase_if(kept_, [&](const ScoredToken& kept) { return kept.logit < least; });
}

TokenId Sampler::draw() {
  // The weights take the place of the logits, which are no longer needed. The largest is subtracted
  // first: at a very low temperature the quotient alone would overflow.
  logits_.resize(kept_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    logits_[i] = (kept_[i].logit - largest_) / params_.temperature;
  }
  softmax(logits_.data(), size_of(logits_));
  double left = random_.uniform();
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (logits_[i] == 0) continue;
    chosen = i;  // stays the last one with any weight when rounding leaves a rest
    left -= static_cast<double>(logits_[i]);
    if (left < 0) break;
  }
  return kept_[chosen].id;
}

Normaliser Normaliser::of(std::span<const float> logits) {
  const float largest = max_of(logits.data(), size_of(logits));
  return {largest, sum_exp(logits.data(), size_of(logits), largest)};
}

float Normaliser::probability(float logit) const {
  return static_cast<float>(exp_of(logit - largest)) / sum;
}

std::vector<Candidate> top_candidates(std::span<const float> logits, const Normaliser& normaliser,
                                      int k) {
  std::vector<ScoredToken> ranked;
  select_largest(logits, std::min(k, size_of(logits)), ranked);
  std::vector<Candidate> candidates;
  candidates.reserve(ranked.size());
  for (const ScoredToken& r : ranked) candidates.push_back({r.id, normaliser.probability(r.logit)});
  return candidates;
}

}  // namespace kvscope
