#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "cache/kv_cache.hpp"
#include "model/forward.hpp"
#include "session/sampler.hpp"
#include "session/stop_matcher.hpp"
#include "session/thread_choice.hpp"
#include "tokenizer/stream_decoder.hpp"

namespace kvscope {

struct SessionOptions {
  int context_length = 2048;
  KvType kv_type = KvType::f16;
  bool kv_cache = true;       // false: each step recomputes the whole sequence
  bool adapt_threads = true;  // false: the whole pool for every pass, worth it or not
};

struct GenerateOptions {
  int max_tokens = 256;
  SamplingParams sampling;
  std::vector<std::string> stop;  // generation ends before the first of these texts
  bool ignore_eos = false;
};

enum class Finish { none, stop, length, context };

/// Work of one phase, summed.
struct PhaseStats {
  std::int64_t tokens = 0;
  double ms = 0;
  PassCost cost;

  void add(int more_tokens, double more_ms, const PassCost& more_cost) {
    tokens += more_tokens;
    ms += more_ms;
    cost += more_cost;
  }
};

struct PrefillReport {
  int tokens = 0;  // in the sequence now
  int reused = 0;  // of them cached before this prefill
  double ms = 0;
  PassCost cost;
};

struct Step {
  TokenId id = 0;
  std::string text;       // whole characters only; may trail the token
  int index = 0;          // of this generation, from 0
  int position = 0;       // of the token in the sequence
  double ms = 0;          // the pass and the choice of the token
  float p = 0;            // the model's probability of it, temperature 1
  Normaliser normaliser;  // of the logits that it was chosen from
  Finish finish = Finish::none;
  PassCost cost;  // zero in the first step: its logits come from the prefill
};

/// One sequence of tokens and its KV cache. Prefill runs in slices and decode one token a call, so
/// that the caller can stop between them; after any error or abort the session goes on from what is
/// cached.
class Session {
 public:
  /// Tokens that one pass takes at most; the workspace is sized for it.
  static constexpr int max_pass_tokens = 128;

  /// model and pool must outlive the session. Errors: bad_argument, out_of_memory.
  static Result<std::unique_ptr<Session>> create(const Model& model, ThreadPool& pool,
                                                 const SessionOptions& options);

  /// How many of the pool's threads this model's passes use while no other process holds their
  /// cores: 1 when the model is too small for their barriers to pay.
  static int threads_for(const Model& model, const ThreadPool& pool);

  /// Makes the sequence exactly `ids`: what is cached of its beginning is kept, the rest is to be
  /// computed by advance_prefill(). Errors: bad_argument (no ids), bad_token, context_full; the
  /// session is then as before.
  Status begin_prefill(std::span<const TokenId> ids);

  /// The same, for `ids` after what the sequence holds.
  Status begin_append(std::span<const TokenId> ids);

  /// Computes up to max_tokens of what is outstanding. True when the prefill is complete.
  /// Errors: out_of_memory, bad_state.
  Result<bool> advance_prefill(int max_tokens);
  int prefill_done() const { return prefill_done_; }    // tokens computed so far
  int prefill_total() const { return prefill_total_; }  // … and in all
  const PrefillReport& prefill_report() const { return prefill_report_; }

  /// Gives up an unfinished prefill; what is computed stays cached.
  void abort_prefill();

  /// Errors: bad_state when there is nothing to continue (prefill first), bad_argument.
  Status begin_generate(const GenerateOptions& options);

  /// One token: the pass for the one before it (unless its logits are there already), then
  /// sampling. Errors: bad_state after a finish, out_of_memory.
  Result<Step> generate_step();

  /// Ends the generation; gives the text that was held back.
  std::string end_generate();

  /// Goes back to where the generation stood after its first n_steps steps, for a caller who let it
  /// run ahead: sequence, cache, logits, random numbers, held-back text and output() are as if no
  /// later step had been made. Computes one position again unless there is nothing to drop.
  /// Errors: bad_state when the sequence was changed by something else since, out_of_memory.
  Status rewind_generate(int n_steps);

  /// Shortens the sequence to n tokens. Errors: bad_argument.
  Status truncate(int n);

  /// Everything in the sequence, a sampled token that is not yet in the cache included.
  std::span<const TokenId> tokens() const { return tokens_; }
  /// Logits of the newest position that was computed, (vocab_size); empty when there are none.
  /// After a generate_step() they are those that its token was chosen from.
  std::span<const float> logits() const;
  const KvCache& cache() const { return cache_; }
  const Model& model() const { return model_; }
  const SessionOptions& options() const { return options_; }
  const PhaseStats& input() const { return input_; }
  const PhaseStats& output() const { return output_; }
  std::size_t workspace_bytes() const { return workspace_.bytes(); }

  /// Sees the passes from now on; null to stop.
  void observe(ForwardObserver* observer) { observer_ = observer; }

  /// log p(ids[i + 1] | ids[0 .. i]) for each i, by natural logarithm: ids.size() - 1 numbers, for
  /// perplexity. Leaves the sequence as after a prefill of ids. Errors: as begin_prefill().
  Result<std::vector<float>> score(std::span<const TokenId> ids);

  /// The sequence, its cached K and V and its logits as bytes. Restoring needs a session of the
  /// same model shape, KV type and enough capacity. Errors: bad_snapshot.
  std::vector<std::byte> save() const;
  Status restore(std::span<const std::byte> bytes);

 private:
  Session(const Model& model, ThreadPool& pool, const SessionOptions& options, KvCache cache);

  static std::size_t size_of(int n) { return static_cast<std::size_t>(n); }
  Status check_tokens(std::span<const TokenId> ids, std::size_t already) const;
  void start_computing(std::size_t cached);
  bool newest_is_computed() const { return logits_end_ == tokens_.size(); }
  ThreadChoice* choice_for(int n_tokens);
  Result<PassCost> run_pass(std::span<const TokenId> tokens, int n_logits, float* logits);
  Result<PassCost> compute_newest();
  Step sample_step();
  void forget_without_cache();

  const Model& model_;
  ThreadPool& pool_;
  SessionOptions options_;
  KvCache cache_;
  Workspace workspace_;
  AlignedBuffer<float> logits_;
  std::size_t logits_end_ = 0;  // logits_ continue the first so many tokens; 0 when there are none
  std::vector<TokenId> tokens_;
  ForwardObserver* observer_ = nullptr;

  ThreadChoice decode_threads_;
  ThreadChoice prefill_threads_;

  std::vector<TokenId> prefill_target_;
  int prefill_done_ = 0;
  int prefill_total_ = 0;
  bool prefilling_ = false;
  PrefillReport prefill_report_;

  bool generating_ = false;
  GenerateOptions generate_;
  std::unique_ptr<Sampler> sampler_;
  StreamDecoder decoder_;
  StopMatcher stop_matcher_;
  int n_generated_ = 0;
  std::size_t generate_begin_ = 0;         // tokens before the first generated one
  std::vector<PhaseStats> output_before_;  // output_ before each of its steps, and the next one

  PhaseStats input_;
  PhaseStats output_;
};

}  // namespace kvscope
