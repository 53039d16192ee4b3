// Session::rewind_generate(): back to an earlier step of a generation.
#include "base/format.hpp"
#include "session/session.hpp"

namespace kvscope {

Status Session::rewind_generate(int n_steps) {
  if (n_steps >= n_generated_) return {};
  const std::size_t kept = static_cast<std::size_t>(n_steps < 0 ? 0 : n_steps);
  if (tokens_.size() != generate_begin_ + static_cast<std::size_t>(n_generated_)) {
    return Error{ErrorCode::bad_state,
                 concat("cannot go back to step ", kept, ": the sequence of ", tokens_.size(),
                        " tokens is no longer the one that was generated")};
  }
  // The newest token is chosen but not computed: its logits are those of the one before it. Before
  // the first step there is no such token.
  const std::size_t end = generate_begin_ + kept;
  const std::size_t computed = kept > 0 ? end - 1 : end;
  const TokenId newest = tokens_[end - 1];
  tokens_.resize(computed);
  if (static_cast<std::size_t>(cache_.tokens()) >= computed)
    cache_.truncate(static_cast<int>(computed - 1));
  logits_end_ = 0;
  const Result<PassCost> again = compute_newest();
  if (kept > 0) tokens_.push_back(newest);

  output_ = output_before_[kept];
  output_before_.resize(kept + 1);
  n_generated_ = static_cast<int>(kept);
  sampler_ = std::make_unique<Sampler>(generate_.sampling);
  sampler_->skip(n_generated_);
  decoder_ = {};
  stop_matcher_ = StopMatcher(generate_.stop);
  for (std::size_t i = generate_begin_; i < end; ++i)
    stop_matcher_.push(decoder_.push(model_.tokenizer.piece(tokens_[i])));
  generating_ = again.ok();
  return again ? Status() : Status(again.error());
}

}  // namespace kvscope
