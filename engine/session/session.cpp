#include "session/session.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/stopwatch.hpp"
#include "session/read_order_choice.hpp"

namespace kvscope {

namespace {

// A pass over less takes well under a millisecond, and its hundred barriers would cost as much.
constexpr std::size_t smallest_parallel_bytes = 8 << 20;
// Passes over more are alike in their multiply-accumulates a second.
constexpr int usual_slice_tokens = 16;
// Weights that stay in the processor's caches are as near in one order as in the other.
constexpr std::size_t smallest_uncached_bytes = 16 << 20;

ReadOrderChoice read_order;  // the machine's, not a session's

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

int Session::threads_for(const Model& model, const ThreadPool& pool) {
  return model.weight_bytes() < smallest_parallel_bytes ? 1 : pool.size();
}

/// Decode and prefill have passes of their own length and gain from threads; null when there is
/// nothing to choose.
ThreadChoice* Session::choice_for(int n_tokens) {
  if (!options_.adapt_threads || threads_for(model_, pool_) == 1) return nullptr;
  return n_tokens < usual_slice_tokens ? &decode_threads_ : &prefill_threads_;
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
  ThreadChoice* choice = choice_for(static_cast<int>(tokens.size()));
  pool_.set_parallel(choice ? choice->parallel() : !options_.adapt_threads);
  const bool choose_order = has_read_orders && tokens.size() == 1 && n_logits == 1 &&
                            model_.weight_bytes() >= smallest_uncached_bytes;
  const double stalled_before_ms = pool_.stalled_ms();
  const Stopwatch watch;
  const PassCost cost = forward(model_, workspace_, pool_,
                                {.tokens = tokens,
                                 .first_position = first,
                                 .kv = kv,
                                 .logits = logits,
                                 .n_logits = n_logits,
                                 .observer = observer_,
                                 .order = choose_order ? read_order.next() : ReadOrder::straight});
  const double ms = watch.ms();
  const bool is_usual = tokens.size() == 1 || tokens.size() >= usual_slice_tokens;
  if (choice && is_usual) {
    choice->passed(static_cast<double>(cost.macs), ms, pool_.stalled_ms() - stalled_before_ms);
  }
  if (choose_order) read_order.passed(ms);
  cache_.set_tokens(end);
  return cost;
}

/// Without a cache nothing outlives the pass that made it.
void Session::forget_without_cache() {
  if (!options_.kv_cache) cache_.clear();
}

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

}  // namespace kvscope
