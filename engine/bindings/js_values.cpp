#include "bindings/js_values.hpp"

#include "bindings/step_batch.hpp"

namespace kvscope::js {

namespace {

/// The type's own array of JavaScript, with a copy of these.
template <class T>
val copied(const T* values, std::size_t n) {
  return val(emscripten::typed_memory_view(n, values)).template call<val>("slice");
}

val phase(const PhaseStats& s) {
  return object({{"tokens", s.tokens},
                 {"ms", s.ms},
                 {"macs", s.cost.macs},
                 {"weightBytesRead", s.cost.weight_bytes_read},
                 {"kvBytesRead", s.cost.kv_bytes_read},
                 {"kvBytesWritten", s.cost.kv_bytes_written}});
}

val projection(const ProjectionRows& p) {
  return object({{"rows", p.rows},
                 {"cols", p.cols},
                 {"firstRow", p.first_row},
                 {"values", floats(p.values)}});
}

}  // namespace

Field::Field(const char* name, double value) : name(name), value(value) {}
Field::Field(const char* name, std::string_view text) : name(name), value(js::text(text)) {}

val object(std::initializer_list<Field> fields) {
  val o = val::object();
  for (const Field& field : fields) o.set(field.name, field.value);
  return o;
}

val error(const Error& e) { return object({{"code", code_name(e.code)}, {"message", e.message}}); }

val floats(std::span<const float> values) {
  return values.empty() ? val::null() : copied(values.data(), values.size());
}

val doubles(std::span<const double> values) { return copied(values.data(), values.size()); }
val ints(std::span<const TokenId> values) { return copied(values.data(), values.size()); }

val bytes(std::string_view values) {
  return copied(reinterpret_cast<const unsigned char*>(values.data()), values.size());
}

// The decoder and the encoder are classes.js's.
val text(std::string_view utf8) {
  return val::module_property("decoder").call<val>("decode", bytes(utf8));
}

std::string to_text(const val& string) {
  std::vector<unsigned char> utf8;
  copy(val::module_property("encoder").call<val>("encode", string), utf8);
  return {utf8.begin(), utf8.end()};
}

double number_in(const val& object, const char* name) { return object[name].as<double>(); }

std::vector<TokenId> to_ids(const val& ids) {
  std::vector<TokenId> out;
  copy(ids, out);
  return out;
}

val model_info(const Model& model, int n_threads) {
  const Hparams& h = model.hparams;
  return object({{"name", model.card.name},
                 {"description", model.card.description},
                 {"architecture", h.architecture},
                 {"quantization", model.card.quantization},
                 {"parameters", model.card.n_parameters},
                 {"bytes", model.card.file_bytes},
                 {"weightBytes", model.weight_bytes()},
                 {"layers", h.n_layers},
                 {"heads", h.n_heads},
                 {"kvHeads", h.n_kv_heads},
                 {"headDim", h.head_dim},
                 {"dim", h.dim},
                 {"ffnDim", h.ffn_dim},
                 {"vocabSize", model.vocab_size()},
                 {"contextLength", h.context_length},
                 {"headLayer", model.card.telling_layer},
                 {"headIndex", model.card.telling_head},
                 {"threads", n_threads}});
}

val kv_layout(const Session& session) {
  const KvCache& cache = session.cache();
  const int n_layers = cache.shape().n_layers;
  const auto bytes_per_token = static_cast<double>(cache.bytes_per_token());
  const double half = bytes_per_token / 2 / n_layers;  // K and V take the same
  return object({{"capacity", session.options().context_length},
                 {"type", kv_type_name(session.options().kv_type)},
                 {"bytesPerToken", bytes_per_token},
                 {"layers", n_layers},
                 {"heads", cache.shape().n_kv_heads},
                 {"kBytesPerToken", half},
                 {"vBytesPerToken", half}});
}

val state(const Session& session) {
  const KvCache& cache = session.cache();
  const std::int64_t q_bytes = session.input().cost.q_bytes + session.output().cost.q_bytes;
  return object({{"kv", object({{"tokens", cache.tokens()},
                                {"bytes", cache.bytes()},
                                {"reservedBytes", cache.reserved_bytes()}})},
                 {"stats", object({{"input", phase(session.input())},
                                   {"output", phase(session.output())},
                                   {"qBytesDiscarded", q_bytes}})}});
}

val prefill(const Session& session) {
  const PrefillReport& report = session.prefill_report();
  std::vector<double> candidates;
  append_candidates(session.logits(), Normaliser::of(session.logits()), candidates);
  return object({{"tokens", report.tokens},
                 {"reused", report.reused},
                 {"ms", report.ms},
                 {"macs", report.cost.macs},
                 {"weightBytesRead", report.cost.weight_bytes_read},
                 {"kvBytesRead", report.cost.kv_bytes_read},
                 {"qBytes", report.cost.q_bytes},
                 {"candidates", doubles(candidates)}});
}

val inspection(const Inspection& i) {
  return object({{"layer", i.layer},
                 {"head", i.head},
                 {"kvHead", i.kv_head},
                 {"position", i.position},
                 {"x", floats(i.x)},
                 {"q", floats(i.q)},
                 {"qRotated", floats(i.q_rotated)},
                 {"k", floats(i.k)},
                 {"v", floats(i.v)},
                 {"kProjected", floats(i.k_projected)},
                 {"vProjected", floats(i.v_projected)},
                 {"scores", floats(i.scores)},
                 {"weights", floats(i.weights)},
                 {"mixed", floats(i.mixed)},
                 {"wq", projection(i.wq)},
                 {"wk", projection(i.wk)},
                 {"wv", projection(i.wv)}});
}

}  // namespace kvscope::js
