// The JavaScript face of the engine: functions that Embind gives to classes.js, which makes classes
// of them for the page's worker. A call gives its result, or an error (see js_values.hpp).

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
  out.max_tokens = static_cast<int>(number_in(o, "maxTokens"));
  out.sampling.temperature = static_cast<float>(number_in(o, "temperature"));
  out.sampling.top_k = static_cast<int>(number_in(o, "topK"));
  out.sampling.top_p = static_cast<float>(number_in(o, "topP"));
  out.sampling.min_p = static_cast<float>(number_in(o, "minP"));
  out.sampling.repeat_penalty = static_cast<float>(number_in(o, "repeatPenalty"));
  // Of a number as large as Date.now() the low bits, which differ.
  out.sampling.seed = static_cast<std::uint32_t>(static_cast<std::int64_t>(number_in(o, "seed")));
  out.ignore_eos = number_in(o, "ignoreEos") != 0;
  const val stop = o["stop"];
  const double n_stop = number_in(stop, "length");
  for (double i = 0; i < n_stop; ++i) out.stop.push_back(to_text(stop[i]));
  return out;
}

/// An object's address, which JavaScript gives back with each call to it.
val address(const void* object) {
  return val(static_cast<double>(reinterpret_cast<std::uintptr_t>(object)));
}

template <class T>
T* object_at(double address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

/// Numbers arrive as JavaScript has them.
template <class T>
using Passed = std::conditional_t<std::is_same_v<T, int>, double, T>;

/// A method as a function of the object's address and its arguments. Embind's own classes would be
/// 4 KB more to download.
template <auto method>
struct Call;
template <class T, class Result, class... Args, Result (T::*method)(Args...)>
struct Call<method> {
  static Result on(double object, Passed<Args>... args) {
    return (object_at<T>(object)->*method)(static_cast<Args>(args)...);
  }
};

template <class T>
void destroy(double object) {
  delete object_at<T>(object);
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
    const PrefillReport& report = session_->prefill_report();
    return object({{"tokens", report.tokens}, {"reused", report.reused}});
  }

  val prefill_step(int max_tokens) {
    const Result<bool> finished = session_->advance_prefill(max_tokens);
    if (!finished) return error(finished.error());
    return object({{"done", session_->prefill_done()},
                   {"total", session_->prefill_total()},
                   {"finished", *finished}});
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

  val generate_end() { return text(session_->end_generate()); }

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

  val restore(const val& snapshot) {
    probe_.forget();
    std::vector<unsigned char> bytes;
    copy(snapshot, bytes);
    return status(session_->restore(std::as_bytes(std::span(bytes))));
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

  val info() { return model_info(*model_, Session::threads_for(*model_, *pool_)); }

  val tokenize(const val& text, bool parse_special, const val& bos) {
    return ints(model_->tokenizer.encode(
        to_text(text), {.parse_special = parse_special, .bos = bos_mode(to_text(bos))}));
  }

  val piece(TokenId id) {
    if (const Status known = check_known(id); !known) return error(known.error());
    const Tokenizer& tokenizer = model_->tokenizer;
    const std::string raw = tokenizer.piece(id, /*with_special=*/true);
    return object({{"text", as_text(raw)},
                   {"bytes", bytes(raw)},
                   {"special", tokenizer.is_control(id)},
                   {"endOfGeneration", tokenizer.is_end_of_generation(id)}});
  }

  val detokenize(const val& js_ids) {
    const std::vector<TokenId> ids = to_ids(js_ids);
    for (const TokenId id : ids) {
      if (const Status known = check_known(id); !known) return error(known.error());
    }
    return text(as_text(model_->tokenizer.decode(ids)));
  }

  val chat_template() {
    const Tokenizer& t = model_->tokenizer;
    return object({{"template", t.chat_template()},
                   {"bosToken", t.bos() < 0 ? std::string() : t.piece(t.bos(), true)},
                   {"eosToken", t.eos() < 0 ? std::string() : t.piece(t.eos(), true)}});
  }

  val create_session(int context_length, const val& type_name, bool kv_cache) {
    const std::string kv_type = to_text(type_name);
    const std::optional<KvType> type = kv_type_named(kv_type);
    if (!type) {
      return error({ErrorCode::bad_argument,
                    concat("kvType \"", kv_type, "\" is not known; take f16, f32 or q8_0")});
    }
    SessionOptions options{
        .context_length = context_length, .kv_type = *type, .kv_cache = kv_cache};
    Result<std::unique_ptr<Session>> session = Session::create(*model_, *pool_, options);
    if (!session) return error(session.error());
    return address(new JsSession(model_, pool_, std::move(session).value()));
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
    const Status taken = loader_.push(std::as_bytes(copy_to_start(chunk, staging_)));
    if (!taken) return error(taken.error());
    return object({{"loaded", loader_.loaded_bytes()}, {"total", loader_.total_bytes()}});
  }

  val finish() {
    Result<std::unique_ptr<Model>> model = loader_.finish();
    if (!model) return error(model.error());
    return address(new JsModel(std::move(model).value(), shared_pool(n_threads_)));
  }

 private:
  ModelLoader loader_;
  int n_threads_;
  std::vector<unsigned char> staging_;
};

namespace {

double heap_bytes() { return static_cast<double>(emscripten_get_heap_size()); }

val new_loader(const val& precision, double n_threads) {
  return address(new JsModelLoader(to_text(precision), static_cast<int>(n_threads)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(kvscope) {
  using emscripten::function;
  function("heapBytes", &heap_bytes);
  function("newLoader", &new_loader);
  function("ModelLoader.push", &Call<&JsModelLoader::push>::on);
  function("ModelLoader.finish", &Call<&JsModelLoader::finish>::on);
  function("ModelLoader.delete", &destroy<JsModelLoader>);
  function("EngineModel.info", &Call<&JsModel::info>::on);
  function("EngineModel.tokenize", &Call<&JsModel::tokenize>::on);
  function("EngineModel.piece", &Call<&JsModel::piece>::on);
  function("EngineModel.detokenize", &Call<&JsModel::detokenize>::on);
  function("EngineModel.chatTemplate", &Call<&JsModel::chat_template>::on);
  function("EngineModel.createSession", &Call<&JsModel::create_session>::on);
  function("EngineModel.delete", &destroy<JsModel>);
  function("EngineSession.prefillBegin", &Call<&JsSession::prefill_begin>::on);
  function("EngineSession.prefillStep", &Call<&JsSession::prefill_step>::on);
  function("EngineSession.prefillResult", &Call<&JsSession::prefill_result>::on);
  function("EngineSession.prefillAbort", &Call<&JsSession::prefill_abort>::on);
  function("EngineSession.generateBegin", &Call<&JsSession::generate_begin>::on);
  function("EngineSession.generateSteps", &Call<&JsSession::generate_steps>::on);
  function("EngineSession.generateRewind", &Call<&JsSession::generate_rewind>::on);
  function("EngineSession.generateEnd", &Call<&JsSession::generate_end>::on);
  function("EngineSession.tokens", &Call<&JsSession::tokens>::on);
  function("EngineSession.kvLayout", &Call<&JsSession::kv_layout>::on);
  function("EngineSession.state", &Call<&JsSession::state>::on);
  function("EngineSession.inspect", &Call<&JsSession::inspect>::on);
  function("EngineSession.logits", &Call<&JsSession::logits>::on);
  function("EngineSession.score", &Call<&JsSession::score>::on);
  function("EngineSession.truncate", &Call<&JsSession::truncate>::on);
  function("EngineSession.save", &Call<&JsSession::save>::on);
  function("EngineSession.restore", &Call<&JsSession::restore>::on);
  function("EngineSession.delete", &destroy<JsSession>);
}

}  // namespace kvscope::js
