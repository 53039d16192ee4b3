// The JavaScript face of the engine: what the page's worker calls. A call gives its result, or a
// JavaScript Error with a `code` (see js_values.hpp) which the worker throws.

#include <emscripten/bind.h>
#include <emscripten/heap.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/stopwatch.hpp"
#include "bindings/js_values.hpp"
#include "bindings/step_batch.hpp"
#include "model/loader.hpp"
#include "tokenizer/stream_decoder.hpp"

namespace kvscope::js {

namespace {

/// One pool for all models of this module: WebAssembly threads are prepared when the module starts,
/// and more than that cannot be had without returning to the event loop.
std::shared_ptr<ThreadPool> shared_pool(int n_threads) {
  static std::weak_ptr<ThreadPool> current;
  std::shared_ptr<ThreadPool> pool = current.lock();
  if (!pool) {
    pool = std::make_shared<ThreadPool>(n_threads);
    current = pool;
  }
  return pool;
}

BosMode bos_mode(const std::string& name) {
  return name == "always" ? BosMode::always : name == "never" ? BosMode::never : BosMode::automatic;
}

/// All of it, at once: bytes that are no whole character become U+FFFD.
std::string as_text(std::string_view bytes) {
  StreamDecoder decoder;
  std::string text = decoder.push(bytes);
  return text + decoder.flush();
}

GenerateOptions generate_options(const val& o) {
  GenerateOptions out;
  out.max_tokens = o["maxTokens"].as<int>();
  out.sampling.temperature = o["temperature"].as<float>();
  out.sampling.top_k = o["topK"].as<int>();
  out.sampling.top_p = o["topP"].as<float>();
  out.sampling.min_p = o["minP"].as<float>();
  out.sampling.repeat_penalty = o["repeatPenalty"].as<float>();
  out.sampling.seed = o["seed"].as<std::uint32_t>();
  out.stop = emscripten::vecFromJSArray<std::string>(o["stop"]);
  out.ignore_eos = o["ignoreEos"].as<bool>();
  return out;
}

}  // namespace

class JsSession {
 public:
  JsSession(std::shared_ptr<const Model> model, std::shared_ptr<ThreadPool> pool,
            std::unique_ptr<Session> session)
      : model_(std::move(model)),
        pool_(std::move(pool)),
        session_(std::move(session)),
        probe_(*model_) {
    session_->observe(&probe_);
  }

  val prefill_begin(const val& ids, bool append) {
    const std::vector<TokenId> tokens = to_ids(ids);
    const Status begun = append ? session_->begin_append(tokens) : session_->begin_prefill(tokens);
    if (!begun) return error(begun.error());
    val o = val::object();
    o.set("tokens", session_->prefill_report().tokens);
    o.set("reused", session_->prefill_report().reused);
    return o;
  }

  val prefill_step(int max_tokens) {
    const Result<bool> finished = session_->advance_prefill(max_tokens);
    if (!finished) return error(finished.error());
    val o = val::object();
    o.set("done", session_->prefill_done());
    o.set("total", session_->prefill_total());
    o.set("finished", *finished);
    return o;
  }

  val prefill_result() { return prefill(*session_); }
  void prefill_abort() { session_->abort_prefill(); }

  val generate_begin(const val& options) {
    late_error_.reset();
    return status(session_->begin_generate(generate_options(options)));
  }

  /// At least one step; more while fewer than max_steps are made and budget_ms is not used up.
  val generate_steps(int max_steps, double budget_ms) {
    if (late_error_) return error(*std::exchange(late_error_, std::nullopt));
    const Stopwatch watch;
    StepBatch batch;
    do {
      const Result<Step> step = session_->generate_step();
      if (!step && batch.size() == 0) return error(step.error());
      if (!step) {
        // The steps before it are good: the next call tells.
        late_error_ = step.error();
        break;
      }
      batch.add(*session_, *step);
      if (step->finish != Finish::none) break;
    } while (batch.size() < max_steps && watch.ms() < budget_ms);
    return batch.value();
  }

  val generate_rewind(int n_steps) {
    late_error_.reset();
    return status(session_->rewind_generate(n_steps));
  }

  std::string generate_end() { return session_->end_generate(); }

  val tokens() { return ints(session_->tokens()); }
  val kv_layout() { return js::kv_layout(*session_); }
  val state() { return js::state(*session_); }
  val logits() { return floats(session_->logits()); }

  val inspect(int layer, int head, int position) {
    const Result<Inspection> seen = probe_.inspect(*session_, layer, head, position);
    return seen ? inspection(*seen) : error(seen.error());
  }

  val score(const val& ids) {
    const Result<std::vector<float>> log_p = session_->score(to_ids(ids));
    return log_p ? floats(*log_p) : error(log_p.error());
  }

  val truncate(int n) { return status(session_->truncate(n)); }

  val save() {
    const std::vector<std::byte> snapshot = session_->save();
    return bytes({reinterpret_cast<const char*>(snapshot.data()), snapshot.size()});
  }

  val restore(const std::string& snapshot) {
    probe_.forget();
    return status(session_->restore(std::as_bytes(std::span(snapshot))));
  }

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<Session> session_;
  Probe probe_;
  std::optional<Error> late_error_;  // of a step after the first one of a batch
};

class JsModel {
 public:
  JsModel(std::shared_ptr<const Model> model, std::shared_ptr<ThreadPool> pool)
      : model_(std::move(model)), pool_(std::move(pool)) {}

  val info() {
    val o = model_info(*model_);
    o.set("threads", Session::threads_for(*model_, *pool_));
    return o;
  }

  val tokenize(const std::string& text, bool parse_special, const std::string& bos) {
    return ints(
        model_->tokenizer.encode(text, {.parse_special = parse_special, .bos = bos_mode(bos)}));
  }

  val piece(TokenId id) {
    if (const Status known = check_known(id); !known) return error(known.error());
    const Tokenizer& tokenizer = model_->tokenizer;
    const std::string raw = tokenizer.piece(id, /*with_special=*/true);
    val o = val::object();
    o.set("text", as_text(raw));
    o.set("bytes", bytes(raw));
    o.set("special", tokenizer.is_control(id));
    o.set("endOfGeneration", tokenizer.is_end_of_generation(id));
    return o;
  }

  val detokenize(const val& js_ids) {
    const std::vector<TokenId> ids = to_ids(js_ids);
    for (const TokenId id : ids) {
      if (const Status known = check_known(id); !known) return error(known.error());
    }
    return val(as_text(model_->tokenizer.decode(ids)));
  }

  val chat_template() {
    const Tokenizer& t = model_->tokenizer;
    val o = val::object();
    o.set("template", std::string(t.chat_template()));
    o.set("bosToken", t.bos() < 0 ? std::string() : t.piece(t.bos(), true));
    o.set("eosToken", t.eos() < 0 ? std::string() : t.piece(t.eos(), true));
    return o;
  }

  val create_session(int context_length, const std::string& kv_type, bool kv_cache) {
    const std::optional<KvType> type = kv_type_named(kv_type);
    if (!type) {
      return error({ErrorCode::bad_argument,
                    concat("kvType \"", kv_type, "\" is not known; take f16, f32 or q8_0")});
    }
    SessionOptions options{
        .context_length = context_length, .kv_type = *type, .kv_cache = kv_cache};
    Result<std::unique_ptr<Session>> session = Session::create(*model_, *pool_, options);
    if (!session) return error(session.error());
    return val(std::make_shared<JsSession>(model_, pool_, std::move(session).value()));
  }

 private:
  Status check_known(TokenId id) const {
    if (id >= 0 && id < model_->vocab_size()) return {};
    return Error{ErrorCode::bad_token, concat("token ", id, " is outside the vocabulary of ",
                                              model_->vocab_size(), " tokens")};
  }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<ThreadPool> pool_;
};

class JsModelLoader {
 public:
  JsModelLoader(const std::string& precision, int n_threads)
      : loader_(precision == "high" ? Precision::high : Precision::fast), n_threads_(n_threads) {}

  val push(const val& chunk) {
    const std::size_t n = chunk["length"].as<std::size_t>();
    staging_.resize(n);
    val(emscripten::typed_memory_view(n, staging_.data())).call<void>("set", chunk);
    const Status taken = loader_.push(std::as_bytes(std::span(staging_)));
    if (!taken) return error(taken.error());
    val o = val::object();
    o.set("loaded", static_cast<double>(loader_.loaded_bytes()));
    o.set("total", static_cast<double>(loader_.total_bytes()));
    return o;
  }

  val finish() {
    Result<std::unique_ptr<Model>> model = loader_.finish();
    if (!model) return error(model.error());
    return val(std::make_shared<JsModel>(std::move(model).value(), shared_pool(n_threads_)));
  }

 private:
  ModelLoader loader_;
  int n_threads_;
  std::vector<unsigned char> staging_;
};

double heap_bytes() { return static_cast<double>(emscripten_get_heap_size()); }

EMSCRIPTEN_BINDINGS(kvscope) {
  using emscripten::class_;
  emscripten::function("heapBytes()", &heap_bytes);
  class_<JsModelLoader>("ModelLoader")
      .constructor<const std::string&, int>()
      .function("push", &JsModelLoader::push)
      .function("finish", &JsModelLoader::finish);
  class_<JsModel>("EngineModel")
      .smart_ptr<std::shared_ptr<JsModel>>("EngineModelPtr")
      .function("info", &JsModel::info)
      .function("tokenize", &JsModel::tokenize)
      .function("piece", &JsModel::piece)
      .function("detokenize", &JsModel::detokenize)
      .function("chatTemplate", &JsModel::chat_template)
      .function("createSession", &JsModel::create_session);
  class_<JsSession>("EngineSession")
      .smart_ptr<std::shared_ptr<JsSession>>("EngineSessionPtr")
      .function("prefillBegin", &JsSession::prefill_begin)
      .function("prefillStep", &JsSession::prefill_step)
      .function("prefillResult", &JsSession::prefill_result)
      .function("prefillAbort", &JsSession::prefill_abort)
      .function("generateBegin", &JsSession::generate_begin)
      .function("generateSteps", &JsSession::generate_steps)
      .function("generateRewind", &JsSession::generate_rewind)
      .function("generateEnd", &JsSession::generate_end)
      .function("tokens", &JsSession::tokens)
      .function("kvLayout", &JsSession::kv_layout)
      .function("state", &JsSession::state)
      .function("inspect", &JsSession::inspect)
      .function("logits", &JsSession::logits)
      .function("score", &JsSession::score)
      .function("truncate", &JsSession::truncate)
      .function("save", &JsSession::save)
      .function("restore", &JsSession::restore);
}

}  // namespace kvscope::js
