// Session's decode: the newest token's pass, the choice of the next one, the rules that end it.
#include <algorithm>

#include "base/format.hpp"
#include "base/stopwatch.hpp"
#include "session/session.hpp"

namespace kvscope {

namespace {

constexpr int recent_tokens = 64;  // what the repeat penalty looks back on

}  // namespace

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
  output_.add(1, step.ms, cost);
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
  step.normaliser = Normaliser::of(logits());
  step.p = step.normaliser.probability(logits()[size_of(step.id)]);
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

}  // namespace kvscope
