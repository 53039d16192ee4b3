#include "session/session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/format.hpp"

namespace kvscope {

namespace {

constexpr int recent_tokens = 64;  // what the repeat penalty looks back on
// A pass over less takes well under a millisecond, and its hundred barriers would cost as much.
constexpr std::size_t smallest_parallel_bytes = 8 << 20;
constexpr int passes_between_checks = 32;  // a check takes 0.3 ms
constexpr int slice_worth_a_check = 16;
constexpr int score_pass_tokens =
    32;  // rows of logits held at once: 6 MB for a vocabulary of 49152

class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void add_to(PhaseStats& stats, int tokens, double ms, const PassCost& cost) {
  stats.tokens += tokens;
  stats.ms += ms;
  stats.cost += cost;
}

float log_probability(std::span<const float> logits, TokenId id) {
  const float max = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float l : logits) sum += std::exp(static_cast<double>(l - max));
  return static_cast<float>(logits[static_cast<std::size_t>(id)] - max - std::log(sum));
}

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

}  // namespace

Result<std::unique_ptr<Session>> Session::create(const Model& model, ThreadPool& pool,
                                                 const SessionOptions& options) {
  const Hparams& h = model.hparams;
  if (options.context_length < 1 || options.context_length > h.context_length) {
    return Error{ErrorCode::bad_argument,
                 concat("a context of ", options.context_length,
                        " tokens was asked for; this model takes 1 to ", h.context_length)};
  }
  KvCache cache({.n_layers = h.n_layers,
                 .n_kv_heads = h.n_kv_heads,
                 .head_dim = h.head_dim,
                 .type = options.kv_type,
                 .capacity_tokens = options.context_length});
  std::unique_ptr<Session> session(new Session(model, pool, options, std::move(cache)));
  if (!session->workspace_.valid() || !session->logits_.valid()) {
    return Error{ErrorCode::out_of_memory,
                 concat("no memory for a session's workspace of ",
                        session->workspace_.bytes() + session->logits_.bytes(),
                        " bytes; close other sessions or models")};
  }
  return session;
}

Session::Session(const Model& model, ThreadPool& pool, const SessionOptions& options, KvCache cache)
    : model_(model),
      pool_(pool),
      options_(options),
      cache_(std::move(cache)),
      workspace_(model.hparams, std::min(max_pass_tokens, options.context_length),
                 options.context_length, pool.size()),
      logits_(size_of(model.vocab_size())) {}

std::span<const float> Session::logits() const {
  return logits_end_ > 0 ? std::span<const float>(logits_.data(), logits_.size())
                         : std::span<const float>();
}

// ---- prefill

Status Session::check_tokens(std::span<const TokenId> ids, std::size_t already) const {
  if (ids.empty())
    return Error{ErrorCode::bad_argument, "there are no tokens to read: the text is empty"};
  for (const TokenId id : ids) {
    if (id < 0 || id >= model_.vocab_size()) {
      return Error{ErrorCode::bad_token, concat("token ", id, " is outside the vocabulary of ",
                                                model_.vocab_size(), " tokens")};
    }
  }
  if (already + ids.size() > size_of(options_.context_length)) {
    return Error{
        ErrorCode::context_full,
        concat(already + ids.size(), " tokens do not fit this session's context of ",
               options_.context_length, " (the model's own limit is ",
               model_.hparams.context_length, "); shorten the text or ask for a longer context")};
  }
  return {};
}

Status Session::begin_prefill(std::span<const TokenId> ids) {
  if (Status checked = check_tokens(ids, 0); !checked) return checked;
  const std::size_t cached = std::min(size_of(cache_.tokens()), ids.size());
  std::size_t same = 0;
  while (same < cached && tokens_[same] == ids[same]) ++same;
  // The newest token is always computed: its logits are wanted.
  same = std::min(same, ids.size() - 1);
  prefill_target_.assign(ids.begin(), ids.end());
  start_computing(same);
  return {};
}

Status Session::begin_append(std::span<const TokenId> ids) {
  if (Status checked = check_tokens(ids, tokens_.size()); !checked) return checked;
  prefill_target_ = tokens_;
  prefill_target_.insert(prefill_target_.end(), ids.begin(), ids.end());
  start_computing(size_of(cache_.tokens()));
  return {};
}

void Session::start_computing(std::size_t cached) {
  generating_ = false;
  logits_end_ = 0;
  cache_.truncate(static_cast<int>(cached));
  tokens_.assign(prefill_target_.begin(),
                 prefill_target_.begin() + static_cast<std::ptrdiff_t>(cached));
  prefill_done_ = 0;
  prefill_total_ = static_cast<int>(prefill_target_.size() - cached);
  prefill_report_ = {.tokens = static_cast<int>(prefill_target_.size()),
                     .reused = static_cast<int>(cached)};
  prefilling_ = true;
}

Result<bool> Session::advance_prefill(int max_tokens) {
  if (!prefilling_) return Error{ErrorCode::bad_state, "no prefill is under way"};
  const Stopwatch watch;
  const std::size_t begin = tokens_.size();
  const int n =
      std::clamp(std::min(max_tokens, prefill_total_ - prefill_done_), 1, workspace_.max_tokens);
  const std::span<const TokenId> slice = std::span(prefill_target_).subspan(begin, size_of(n));
  const bool last = prefill_done_ + n == prefill_total_;

  Result<PassCost> cost = run_pass(slice, last ? 1 : 0, logits_.data());
  if (!cost) {
    abort_prefill();
    return cost.error();
  }
  tokens_.insert(tokens_.end(), slice.begin(), slice.end());
  prefill_done_ += n;
  prefill_report_.cost += *cost;
  prefill_report_.ms += watch.ms();
  add_to(input_, n, watch.ms(), *cost);
  if (last) {
    logits_end_ = tokens_.size();
    prefilling_ = false;
    forget_without_cache();
  }
  return last;
}

void Session::abort_prefill() {
  prefilling_ = false;
  prefill_target_.clear();
  forget_without_cache();
}

/// Threads help while no other process wants their cores and each pass is long against a barrier.
void Session::choose_threads(int n_tokens) {
  if (!options_.adapt_threads) {
    parallel_ = true;
  } else if (pool_.size() == 1 || model_.weight_bytes() < smallest_parallel_bytes) {
    parallel_ = false;
  } else if (n_tokens >= slice_worth_a_check || --passes_until_check_ <= 0) {
    parallel_ = pool_.threads_pay();
    passes_until_check_ = passes_between_checks;
  }
  pool_.set_parallel(parallel_);
}

Result<PassCost> Session::run_pass(std::span<const TokenId> tokens, int n_logits, float* logits) {
  const int first = cache_.tokens();
  const int end = first + static_cast<int>(tokens.size());
  if (Status reserved = cache_.reserve(end); !reserved) return reserved.error();
  const Hparams& h = model_.hparams;
  std::vector<KvPages> kv;
  kv.reserve(size_of(h.n_layers * h.n_kv_heads));
  for (int layer = 0; layer < h.n_layers; ++layer) {
    for (int head = 0; head < h.n_kv_heads; ++head) kv.push_back(cache_.pages(layer, head));
  }
  choose_threads(static_cast<int>(tokens.size()));
  const PassCost cost = forward(model_, workspace_, pool_,
                                {.tokens = tokens,
                                 .first_position = first,
                                 .kv = kv,
                                 .logits = logits,
                                 .n_logits = n_logits,
                                 .observer = observer_});
  cache_.set_tokens(end);
  return cost;
}

/// Without a cache nothing outlives the pass that made it.
void Session::forget_without_cache() {
  if (!options_.kv_cache) cache_.clear();
}

// ---- decode

Status Session::begin_generate(const GenerateOptions& options) {
  if (prefilling_)
    return Error{ErrorCode::bad_state, "a prefill is under way: finish or abort it first"};
  if (tokens_.empty())
    return Error{ErrorCode::bad_state, "there is nothing to continue: call prefill() first"};
  if (options.max_tokens < 1)
    return Error{ErrorCode::bad_argument,
                 concat("maxTokens is ", options.max_tokens, "; it must be 1 or more")};
  if (Status valid = validate(options.sampling); !valid) return valid;
  // After a truncate() the newest token is cached but its logits are gone: its pass runs again.
  if (!newest_is_computed() && size_of(cache_.tokens()) == tokens_.size())
    cache_.truncate(cache_.tokens() - 1);
  generate_ = options;
  sampler_ = std::make_unique<Sampler>(options.sampling);
  decoder_ = {};
  stop_matcher_ = StopMatcher(options.stop);
  n_generated_ = 0;
  generate_begin_ = tokens_.size();
  output_before_.assign(1, output_);
  generating_ = true;
  return {};
}

Result<Step> Session::generate_step() {
  if (!generating_) return Error{ErrorCode::bad_state, "no generation is under way"};
  const Stopwatch watch;
  PassCost cost;
  if (!newest_is_computed()) {
    Result<PassCost> pass = compute_newest();
    if (!pass) {
      generating_ = false;
      return pass.error();
    }
    cost = *pass;
  }
  Step step = sample_step();
  step.cost = cost;
  step.ms = watch.ms();
  add_to(output_, 1, step.ms, cost);
  output_before_.push_back(output_);
  if (step.finish != Finish::none) generating_ = false;
  return step;
}

/// The pass for the newest token: one token with a cache, the whole sequence without.
Result<PassCost> Session::compute_newest() {
  PassCost total;
  while (size_of(cache_.tokens()) < tokens_.size()) {
    const std::size_t begin = size_of(cache_.tokens());
    const std::size_t n = std::min(tokens_.size() - begin, size_of(workspace_.max_tokens));
    const bool last = begin + n == tokens_.size();
    Result<PassCost> cost =
        run_pass(std::span(tokens_).subspan(begin, n), last ? 1 : 0, logits_.data());
    if (!cost) return cost.error();
    total += *cost;
  }
  logits_end_ = tokens_.size();
  forget_without_cache();
  return total;
}

Step Session::sample_step() {
  const std::size_t look_back = std::min<std::size_t>(tokens_.size(), recent_tokens);
  Step step;
  step.id = sampler_->sample(logits(), std::span(tokens_).last(look_back));
  step.p = probability(logits(), step.id);
  step.index = n_generated_++;
  step.position = static_cast<int>(tokens_.size());
  const bool has_room = tokens_.size() < size_of(options_.context_length);
  tokens_.push_back(step.id);

  if (model_.tokenizer.is_end_of_generation(step.id) && !generate_.ignore_eos) {
    step.finish = Finish::stop;
  } else {
    step.text = stop_matcher_.push(decoder_.push(model_.tokenizer.piece(step.id)));
    if (stop_matcher_.stopped()) {
      step.finish = Finish::stop;
    } else if (n_generated_ >= generate_.max_tokens) {
      step.finish = Finish::length;
    } else if (!has_room) {
      step.finish = Finish::context;
    }
  }
  if (step.finish != Finish::none) step.text += end_generate();
  return step;
}

std::string Session::end_generate() {
  generating_ = false;
  if (stop_matcher_.stopped()) return {};
  std::string text = stop_matcher_.push(decoder_.flush());
  if (!stop_matcher_.stopped()) text += stop_matcher_.flush();
  return text;
}

// ---- the rest

Status Session::truncate(int n) {
  if (n < 0 || size_of(n) > tokens_.size()) {
    return Error{ErrorCode::bad_argument,
                 concat("cannot cut the sequence to ", n, " tokens: it has ", tokens_.size())};
  }
  if (prefilling_) abort_prefill();
  generating_ = false;
  if (logits_end_ > size_of(n)) logits_end_ = 0;
  tokens_.resize(size_of(n));
  if (n < cache_.tokens()) cache_.truncate(n);
  return {};
}

Result<std::vector<float>> Session::score(std::span<const TokenId> ids) {
  if (Status begun = begin_prefill(ids); !begun) return begun.error();
  start_computing(0);
  const std::size_t vocab = size_of(model_.vocab_size());
  const int rows = std::min(score_pass_tokens, workspace_.max_tokens);
  AlignedBuffer<float> logits(size_of(rows) * vocab);
  if (!logits.valid())
    return Error{ErrorCode::out_of_memory, concat("no memory for ", rows, " rows of logits")};

  std::vector<float> log_p;
  while (tokens_.size() < ids.size()) {
    const std::size_t begin = tokens_.size();
    const int n = static_cast<int>(std::min(ids.size() - begin, size_of(rows)));
    const std::span<const TokenId> slice = ids.subspan(begin, size_of(n));
    Result<PassCost> cost = run_pass(slice, n, logits.data());
    if (!cost) {
      abort_prefill();
      return cost.error();
    }
    tokens_.insert(tokens_.end(), slice.begin(), slice.end());
    for (std::size_t i = 0; i < slice.size() && begin + i + 1 < ids.size(); ++i) {
      log_p.push_back(log_probability({logits.data() + i * vocab, vocab}, ids[begin + i + 1]));
    }
    std::copy_n(logits.data() + size_of(n - 1) * vocab, vocab, logits_.data());
  }
  logits_end_ = tokens_.size();
  abort_prefill();
  return log_p;
}

}  // namespace kvscope
