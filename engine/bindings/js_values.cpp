#include "bindings/js_values.hpp"

#include "tokenizer/stream_decoder.hpp"

namespace kvscope::js {

namespace {

constexpr int n_top = 10;  // candidates shown with each step

val object() { return val::object(); }
double number(std::int64_t n) { return static_cast<double>(n); }

/// A single token as text: bytes that are no whole character become U+FFFD.
std::string piece_text(const Tokenizer& tokenizer, TokenId id) {
  StreamDecoder decoder;
  std::string text = decoder.push(tokenizer.piece(id, /*with_special=*/true));
  return text + decoder.flush();
}

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

void set_cost(val& o, const PassCost& cost) {
  o.set("macs", number(cost.macs));
  o.set("weightBytesRead", number(cost.weight_bytes_read));
  o.set("kvBytesRead", number(cost.kv_bytes_read));
  o.set("qBytes", number(cost.q_bytes));
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

val kv(const Session& session) {
  const KvCache& cache = session.cache();
  const Hparams& h = session.model().hparams;
  val o = object();
  o.set("tokens", cache.tokens());
  o.set("capacity", session.options().context_length);
  o.set("type", std::string(session.options().kv_type == KvType::f32 ? "f32" : "f16"));
  o.set("bytes", number(static_cast<std::int64_t>(cache.bytes())));
  o.set("bytesPerToken", number(static_cast<std::int64_t>(cache.bytes_per_token())));
  o.set("reservedBytes", number(static_cast<std::int64_t>(cache.reserved_bytes())));
  val layers = val::array();
  for (int i = 0; i < h.n_layers; ++i) {
    val layer = object();
    layer.set("kBytes", number(static_cast<std::int64_t>(cache.k_bytes_per_layer())));
    layer.set("vBytes", number(static_cast<std::int64_t>(cache.v_bytes_per_layer())));
    layer.set("heads", h.n_kv_heads);
    layers.set(i, layer);
  }
  o.set("layers", layers);
  return o;
}

val stats(const Session& session) {
  val o = object();
  o.set("input", phase(session.input()));
  o.set("output", phase(session.output()));
  o.set("qBytesDiscarded", number(session.input().cost.q_bytes + session.output().cost.q_bytes));
  return o;
}

val top(const Model& model, std::span<const float> logits) {
  val list = val::array();
  if (logits.empty()) return list;
  int i = 0;
  for (const Candidate& c : top_candidates(logits, n_top)) {
    val o = object();
    o.set("id", c.id);
    o.set("text", piece_text(model.tokenizer, c.id));
    o.set("p", c.p);
    list.set(i++, o);
  }
  return list;
}

val prefill(const Session& session) {
  const PrefillReport& report = session.prefill_report();
  val o = object();
  o.set("tokens", report.tokens);
  o.set("reused", report.reused);
  o.set("ms", report.ms);
  set_cost(o, report.cost);
  o.set("kv", kv(session));
  o.set("top", top(session.model(), session.logits()));
  return o;
}

val step(const Session& session, const Step& s) {
  constexpr const char* finish_names[] = {nullptr, "stop", "length", "context"};
  const char* finish = finish_names[static_cast<int>(s.finish)];
  val o = object();
  o.set("id", s.id);
  o.set("text", s.text);
  o.set("index", s.index);
  o.set("position", s.position);
  o.set("ms", s.ms);
  set_cost(o, s.cost);
  o.set("p", s.p);
  o.set("top", top(session.model(), session.logits()));
  o.set("kv", kv(session));
  o.set("finish", finish ? val(std::string(finish)) : val::null());
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
