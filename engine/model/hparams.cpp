#include "model/hparams.hpp"

#include <string_view>

#include "base/format.hpp"

namespace kvscope {

namespace {

/// Reads "<architecture>.<name>" keys and keeps the first failure, so that the list of keys reads
/// without an `if` after each line.
class KeyReader {
 public:
  KeyReader(const gguf::Metadata& metadata, std::string prefix)
      : metadata_(metadata), prefix_(std::move(prefix)) {}

  int required(std::string_view name, std::int64_t min, std::int64_t max) {
    const std::optional<std::int64_t> value = metadata_.integer(key(name));
    if (!value) {
      fail(ErrorCode::missing_key, concat("the file has no whole number under ", key(name),
                                          ", which its architecture needs"));
      return static_cast<int>(min);
    }
    return checked(name, *value, min, max);
  }

  int optional(std::string_view name, std::int64_t fallback, std::int64_t min, std::int64_t max) {
    return checked(name, metadata_.integer(key(name)).value_or(fallback), min, max);
  }

  float number(std::string_view name, double fallback) {
    return static_cast<float>(metadata_.number(key(name)).value_or(fallback));
  }

  std::string key(std::string_view name) const { return concat(prefix_, ".", name); }

  void fail(ErrorCode code, std::string message) {
    if (failure_.ok()) failure_ = Error{code, std::move(message)};
  }
  const Status& status() const { return failure_; }

 private:
  int checked(std::string_view name, std::int64_t value, std::int64_t min, std::int64_t max) {
    if (value >= min && value <= max) return static_cast<int>(value);
    fail(ErrorCode::bad_gguf,
         concat(key(name), " is ", value, "; it must be from ", min, " to ", max));
    return static_cast<int>(min);
  }

  const gguf::Metadata& metadata_;
  std::string prefix_;
  Status failure_;
};

}  // namespace

Result<Hparams> Hparams::read(const gguf::Metadata& metadata) {
  const std::optional<std::string_view> architecture = metadata.string("general.architecture");
  if (!architecture) {
    return Error{ErrorCode::missing_key, "the file does not say its general.architecture"};
  }
  if (*architecture != "llama") {
    return Error{
        ErrorCode::unsupported_architecture,
        concat("this model's architecture is \"", *architecture,
               "\"; kvscope runs \"llama\" (Llama, SmolLM2, TinyLlama, Mistral and their kin)")};
  }

  KeyReader keys(metadata, std::string(*architecture));
  Hparams h;
  h.architecture = *architecture;
  h.n_layers = keys.required("block_count", 1, 1024);
  h.dim = keys.required("embedding_length", 1, 1 << 17);
  h.n_heads = keys.required("attention.head_count", 1, 4096);
  h.n_kv_heads = keys.optional("attention.head_count_kv", h.n_heads, 1, 4096);
  h.head_dim = keys.optional("attention.key_length", h.dim / h.n_heads, 2, 1024);
  h.ffn_dim = keys.required("feed_forward_length", 1, 1 << 20);
  h.context_length = keys.required("context_length", 1, 1 << 27);
  h.n_rot = keys.optional("rope.dimension_count", h.head_dim, 2, h.head_dim);
  h.rope_base = keys.number("rope.freq_base", 10000.0);
  h.rms_eps = keys.number("attention.layer_norm_rms_epsilon", 1e-5);

  const int value_length = keys.optional("attention.value_length", h.head_dim, 1, 1024);
  if (value_length != h.head_dim || h.n_heads % h.n_kv_heads != 0 || h.head_dim % 2 != 0 ||
      h.n_rot % 2 != 0) {
    keys.fail(ErrorCode::bad_gguf,
              concat("the attention shapes do not fit together: ", h.n_heads, " heads, ",
                     h.n_kv_heads, " KV heads, head_dim ", h.head_dim, " for K and ", value_length,
                     " for V, ", h.n_rot, " of them rotated"));
  }
  const std::string_view scaling = metadata.string(keys.key("rope.scaling.type")).value_or("none");
  if (scaling == "linear") {
    h.rope_scale = 1.0f / keys.number("rope.scaling.factor", 1.0);
  } else if (scaling != "none") {
    keys.fail(ErrorCode::unsupported_architecture,
              concat("this model scales its rotary positions by \"", scaling,
                     "\"; kvscope knows none, linear, and factors in rope_freqs.weight"));
  }
  if (metadata.integer(keys.key("expert_count")).value_or(0) > 0) {
    keys.fail(ErrorCode::unsupported_architecture, "mixture-of-experts models are not supported");
  }
  if (!(h.rope_base > 0) || !(h.rms_eps > 0) || !(h.rope_scale > 0)) {
    keys.fail(ErrorCode::bad_gguf,
              "rope.freq_base, rope.scaling.factor and the RMSNorm epsilon must be above 0");
  }
  if (!keys.status().ok()) return keys.status().error();
  return h;
}

}  // namespace kvscope
