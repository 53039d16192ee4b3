#include "bindings/step_batch.hpp"

namespace kvscope::js {

namespace {

constexpr int n_candidates = 10;  // shown with each step

double number(std::int64_t n) { return static_cast<double>(n); }

/// Length of a JavaScript string of this UTF-8.
int utf16_length(std::string_view utf8) {
  int n = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0) == 0x80;
    n += continues ? 0 : byte >= 0xF0 ? 2 : 1;
  }
  return n;
}

}  // namespace

void append_candidates(std::span<const float> logits, const Normaliser& normaliser,
                       std::vector<double>& out) {
  for (const Candidate& c : top_candidates(logits, normaliser, n_candidates)) {
    out.push_back(c.id);
    out.push_back(static_cast<double>(c.p));
  }
}

void StepBatch::add(const Session& session, const Step& step) {
  const KvCache& cache = session.cache();
  // In the order of STEP in web/src/worker/engine.ts.
  const double fields[] = {
      static_cast<double>(step.id),
      static_cast<double>(step.index),
      static_cast<double>(step.position),
      step.ms,
      number(step.cost.macs),
      number(step.cost.weight_bytes_read),
      number(step.cost.kv_bytes_read),
      number(step.cost.kv_bytes_written),
      number(step.cost.q_bytes),
      static_cast<double>(step.p),
      static_cast<double>(step.finish),
      static_cast<double>(cache.tokens()),
      static_cast<double>(cache.bytes()),
      static_cast<double>(cache.reserved_bytes()),
      static_cast<double>(utf16_length(step.text)),
  };
  numbers_.insert(numbers_.end(), std::begin(fields), std::end(fields));
  append_candidates(session.logits(), step.normaliser, numbers_);
  text_ += step.text;
  ++size_;
}

val StepBatch::value() const {
  return object({{"count", size_}, {"numbers", doubles(numbers_)}, {"text", text_}});
}

}  // namespace kvscope::js
