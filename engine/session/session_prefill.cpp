// Session's prefill: what of the prompt is cached stays, the rest is computed in slices.
#include <algorithm>
#include <iterator>

#include "base/format.hpp"
#include "base/stopwatch.hpp"
#include "session/session.hpp"

namespace kvscope {

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
  std::copy(ids.begin(), ids.end(), std::back_inserter(prefill_target_));
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
  std::copy(slice.begin(), slice.end(), std::back_inserter(tokens_));
  prefill_done_ += n;
  const double ms = watch.ms();
  prefill_report_.cost += *cost;
  prefill_report_.ms += ms;
  input_.add(n, ms, *cost);
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

}  // namespace kvscope
