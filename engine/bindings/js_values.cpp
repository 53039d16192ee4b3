#include "bindings/js_values.hpp"

#include "bindings/step_batch.hpp"

namespace kvscope::js {

namespace {

val object() { return val::object(); }
double number(std::int64_t n) { return static_cast<double>(n); }

val phase(const PhaseStats& s) {
  val o = object();
  o.set("tokens", number(s.tokens));
  o.set("ms", s.ms);
  o.set("macs", number(s.cost.macs));
  o.set("weightBytesRead", number(s.cost.weight_bytes_read));
  o.set("kvBytesRead", number(s.cost.kv_bytes_read));
  o.set("kvBytesWritten", number(s.cost.kv_bytes_written));
  return o;
}

val projection(const ProjectionRows& p) {
  val o = object();
  o.set("rows", p.rows);
  o.set("cols", p.cols);
  o.set("firstRow", p.first_row);
  o.set("values", floats(p.values));
  return o;
}

}  // namespace

val error(const Error& e) {
  val out = val::global("Error").new_(e.message);
  out.set("code", std::string(code_name(e.code)));
  return out;
}

val floats(std::span<const float> values) {
  if (values.empty()) return val::null();
  return val::global("Float32Array")
      .new_(emscripten::typed_memory_view(values.size(), values.data()));
}

val doubles(std::span<const double> values) {
  return val::global("Float64Array")
      .new_(emscripten::typed_memory_view(values.size(), values.data()));
}

val ints(std::span<const TokenId> values) {
  return val::global("Int32Array")
      .new_(emscripten::typed_memory_view(values.size(), values.data()));
}

val bytes(std::string_view values) {
  const auto* data = reinterpret_cast<const unsigned char*>(values.data());
  return val::global("Uint8Array").new_(emscripten::typed_memory_view(values.size(), data));
}

std::vector<TokenId> to_ids(const val& ids) {
  return emscripten::convertJSArrayToNumberVector<TokenId>(ids);
}

val model_info(const Model& model) {
  const Hparams& h = model.hparams;
  val o = object();
  o.set("name", model.card.name);
  o.set("description", model.card.description);
  o.set("architecture", h.architecture);
  o.set("quantization", model.card.quantization);
  o.set("parameters", number(model.card.n_parameters));
  o.set("bytes", number(model.card.file_bytes));
  o.set("weightBytes", number(static_cast<std::int64_t>(model.weight_bytes())));
  o.set("layers", h.n_layers);
  o.set("heads", h.n_heads);
  o.set("kvHeads", h.n_kv_heads);
  o.set("headDim", h.head_dim);
  o.set("dim", h.dim);
  o.set("ffnDim", h.ffn_dim);
  o.set("vocabSize", model.vocab_size());
  o.set("contextLength", h.context_length);
  o.set("headLayer", model.card.telling_layer);
  o.set("headIndex", model.card.telling_head);
  return o;
}

val kv_layout(const Session& session) {
  const KvCache& cache = session.cache();
  const int n_layers = cache.shape().n_layers;
  const auto bytes_per_token = static_cast<double>(cache.bytes_per_token());
  val o = object();
  o.set("capacity", session.options().context_length);
  o.set("type", std::string(kv_type_name(session.options().kv_type)));
  o.set("bytesPerToken", bytes_per_token);
  o.set("layers", n_layers);
  o.set("heads", cache.shape().n_kv_heads);
  // K and V take the same.
  o.set("kBytesPerToken", bytes_per_token / 2 / n_layers);
  o.set("vBytesPerToken", bytes_per_token / 2 / n_layers);
  return o;
}

val state(const Session& session) {
  const KvCache& cache = session.cache();
  val fill = object();
  fill.set("tokens", cache.tokens());
  fill.set("bytes", static_cast<double>(cache.bytes()));
  fill.set("reservedBytes", static_cast<double>(cache.reserved_bytes()));
  val stats = object();
  stats.set("input", phase(session.input()));
  stats.set("output", phase(session.output()));
  stats.set("qBytesDiscarded",
            number(session.input().cost.q_bytes + session.output().cost.q_bytes));
  val o = object();
  o.set("kv", fill);
  o.set("stats", stats);
  return o;
}

val prefill(const Session& session) {
  const PrefillReport& report = session.prefill_report();
  std::vector<double> candidates;
  append_candidates(session.logits(), Normaliser::of(session.logits()), candidates);
  val o = object();
  o.set("tokens", report.tokens);
  o.set("reused", report.reused);
  o.set("ms", report.ms);
  o.set("macs", number(report.cost.macs));
  o.set("weightBytesRead", number(report.cost.weight_bytes_read));
  o.set("kvBytesRead", number(report.cost.kv_bytes_read));
  o.set("qBytes", number(report.cost.q_bytes));
  o.set("candidates", doubles(candidates));
  return o;
}

val inspection(const Inspection& i) {
  val o = object();
  o.set("layer", i.layer);
  o.set("head", i.head);
  o.set("kvHead", i.kv_head);
  o.set("position", i.position);
  o.set("x", floats(i.x));
  o.set("q", floats(i.q));
  o.set("qRotated", floats(i.q_rotated));
  o.set("k", floats(i.k));
  o.set("v", floats(i.v));
  o.set("kProjected", floats(i.k_projected));
  o.set("vProjected", floats(i.v_projected));
  o.set("scores", floats(i.scores));
  o.set("weights", floats(i.weights));
  o.set("mixed", floats(i.mixed));
  o.set("wq", projection(i.wq));
  o.set("wk", projection(i.wk));
  o.set("wv", projection(i.wv));
  return o;
}

}  // namespace kvscope::js
