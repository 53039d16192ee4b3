// The JavaScript face of the engine: what the page's worker calls, through engine.js.

#include <emscripten/emscripten.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/stopwatch.hpp"
#include "bindings/answers.hpp"
#include "bindings/step_batch.hpp"
#include "model/loader.hpp"

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

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The numbers in engine.js's order, then the stop texts.
GenerateOptions generate_options(std::span<const std::vector<std::byte>> inputs) {
  const auto* n = reinterpret_cast<const double*>(inputs.front().data());
  GenerateOptions out;
  out.max_tokens = static_cast<int>(n[0]);
  out.sampling.temperature = static_cast<float>(n[1]);
  out.sampling.top_k = static_cast<int>(n[2]);
  out.sampling.top_p = static_cast<float>(n[3]);
  out.sampling.min_p = static_cast<float>(n[4]);
  out.sampling.repeat_penalty = static_cast<float>(n[5]);
  out.sampling.seed = static_cast<std::uint32_t>(n[6]);
  out.ignore_eos = n[7] != 0;
  for (const auto& stop : inputs.subspan(1)) out.stop.emplace_back(as_text(stop));
  return out;
}

/// An object's address, which JavaScript gives back with each call to it.
double address(const void* object) {
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(object));
}

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

  void prefill_begin(Call& call) {
    const bool append = call.flag(0);
    const Status begun =
        append ? session_->begin_append(call.ids()) : session_->begin_prefill(call.ids());
    if (!begun) return call.fail(begun.error());
    const PrefillReport& report = session_->prefill_report();
    call.give({static_cast<double>(report.tokens), static_cast<double>(report.reused)});
  }

  void prefill_step(Call& call) {
    const Result<bool> finished = session_->advance_prefill(call.integer(0));
    if (!finished) return call.fail(finished.error());
    call.give({static_cast<double>(session_->prefill_done()),
               static_cast<double>(session_->prefill_total()), static_cast<double>(*finished)});
  }

  void prefill_result(Call& call) { give_prefill(call, *session_); }
  void prefill_abort(Call&) { session_->abort_prefill(); }

  void generate_begin(Call& call) {
    late_error_.reset();
    call.finish(session_->begin_generate(generate_options(call.inputs())));
  }

  /// At least one step; more while fewer than max_steps are made and budget_ms is not used up.
  void generate_steps(Call& call) {
    if (late_error_) return call.fail(*std::exchange(late_error_, std::nullopt));
    const int max_steps = call.integer(0);
    const double budget_ms = call.number(1);
    const Stopwatch watch;
    StepBatch batch;
    do {
      const Result<Step> step = session_->generate_step();
      if (!step && batch.size() == 0) return call.fail(step.error());
      if (!step) {
        // The steps before it are good: the next call tells.
        late_error_ = step.error();
        break;
      }
      batch.add(*session_, *step);
      if (step->finish != Finish::none) break;
    } while (batch.size() < max_steps && watch.ms() < budget_ms);
    batch.give(call);
  }

  void generate_rewind(Call& call) {
    late_error_.reset();
    call.finish(session_->rewind_generate(call.integer(0)));
  }

  void generate_end(Call& call) { call.give(session_->end_generate()); }

  void tokens(Call& call) { call.give(session_->tokens()); }
  void kv_layout(Call& call) { give_kv_layout(call, *session_); }
  void state(Call& call) { give_state(call, *session_); }
  void logits(Call& call) { call.give(session_->logits()); }

  void inspect(Call& call) {
    const Result<Inspection> seen =
        probe_.inspect(*session_, call.integer(0), call.integer(1), call.integer(2));
    if (!seen) return call.fail(seen.error());
    give_inspection(call, *seen);
  }

  void score(Call& call) {
    const Result<std::vector<float>> log_p = session_->score(call.ids());
    if (!log_p) return call.fail(log_p.error());
    call.give(*log_p);
  }

  void truncate(Call& call) { call.finish(session_->truncate(call.integer(0))); }
  void save(Call& call) { call.give_bytes(session_->save()); }

  void restore(Call& call) {
    probe_.forget();
    call.finish(session_->restore(call.inputs().front()));
  }

  void remove(Call&) { delete this; }

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

  void info(Call& call) { give_info(call, *model_, Session::threads_for(*model_, *pool_)); }

  void tokenize(Call& call) {
    const EncodeOptions options{.parse_special = call.flag(0),
                                .bos = static_cast<BosMode>(call.integer(1))};
    call.give(std::span<const TokenId>(model_->tokenizer.encode(call.text(), options)));
  }

  void piece(Call& call) {
    const TokenId id = call.integer(0);
    if (const Status known = check_known(id); !known) return call.fail(known.error());
    const Tokenizer& tokenizer = model_->tokenizer;
    call.give({static_cast<double>(tokenizer.is_control(id)),
               static_cast<double>(tokenizer.is_end_of_generation(id))});
    const std::string text = tokenizer.piece(id, /*with_special=*/true);
    call.give(text);
    call.give_bytes(text);
  }

  void detokenize(Call& call) {
    const std::vector<TokenId> ids(call.ids().begin(), call.ids().end());
    for (const TokenId id : ids) {
      if (const Status known = check_known(id); !known) return call.fail(known.error());
    }
    call.give(model_->tokenizer.decode(ids));
  }

  void chat_template(Call& call) {
    const Tokenizer& t = model_->tokenizer;
    call.give(t.chat_template());
    for (const TokenId id : {t.bos(), t.eos()})
      call.give(id < 0 ? std::string() : t.piece(id, true));
  }

  void create_session(Call& call) {
    const std::optional<KvType> type = kv_type_named(call.text());
    if (!type) {
      return call.fail({ErrorCode::bad_argument, concat("kvType \"", call.text(),
                                                        "\" is not known; take f16, f32 or q8_0")});
    }
    const SessionOptions options{
        .context_length = call.integer(0), .kv_type = *type, .kv_cache = call.flag(1)};
    Result<std::unique_ptr<Session>> session = Session::create(*model_, *pool_, options);
    if (!session) return call.fail(session.error());
    call.give({address(new JsSession(model_, pool_, std::move(session).value()))});
  }

  void remove(Call&) { delete this; }

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
  JsModelLoader(Precision precision, int n_threads) : loader_(precision), n_threads_(n_threads) {}

  void push(Call& call) {
    const Status taken = loader_.push(call.inputs().front());
    if (!taken) return call.fail(taken.error());
    call.give(
        {static_cast<double>(loader_.loaded_bytes()), static_cast<double>(loader_.total_bytes())});
  }

  void finish(Call& call) {
    Result<std::unique_ptr<Model>> model = loader_.finish();
    if (!model) return call.fail(model.error());
    call.give({address(new JsModel(std::move(model).value(), shared_pool(n_threads_)))});
  }

  void remove(Call&) { delete this; }

 private:
  ModelLoader loader_;
  int n_threads_;
};

template <class Object, void (Object::*method)(Call&)>
void on(void* object, Call& call) {
  (static_cast<Object*>(object)->*method)(call);
}

void create_loader(void*, Call& call) {
  const Precision precision = call.flag(0) ? Precision::high : Precision::fast;
  call.give({address(new JsModelLoader(precision, call.integer(1)))});
}

using Operation = void (*)(void* object, Call& call);

/// In the order of engine.js.
constexpr Operation operations[] = {
    create_loader,
    on<JsModelLoader, &JsModelLoader::push>,
    on<JsModelLoader, &JsModelLoader::finish>,
    on<JsModelLoader, &JsModelLoader::remove>,
    on<JsModel, &JsModel::info>,
    on<JsModel, &JsModel::tokenize>,
    on<JsModel, &JsModel::piece>,
    on<JsModel, &JsModel::detokenize>,
    on<JsModel, &JsModel::chat_template>,
    on<JsModel, &JsModel::create_session>,
    on<JsModel, &JsModel::remove>,
    on<JsSession, &JsSession::prefill_begin>,
    on<JsSession, &JsSession::prefill_step>,
    on<JsSession, &JsSession::prefill_result>,
    on<JsSession, &JsSession::prefill_abort>,
    on<JsSession, &JsSession::generate_begin>,
    on<JsSession, &JsSession::generate_steps>,
    on<JsSession, &JsSession::generate_rewind>,
    on<JsSession, &JsSession::generate_end>,
    on<JsSession, &JsSession::tokens>,
    on<JsSession, &JsSession::kv_layout>,
    on<JsSession, &JsSession::state>,
    on<JsSession, &JsSession::inspect>,
    on<JsSession, &JsSession::logits>,
    on<JsSession, &JsSession::score>,
    on<JsSession, &JsSession::truncate>,
    on<JsSession, &JsSession::save>,
    on<JsSession, &JsSession::restore>,
    on<JsSession, &JsSession::remove>,
};

}  // namespace

}  // namespace kvscope::js

// What engine.js calls. The Call is its own, made once.
extern "C" {

using kvscope::js::Call;

EMSCRIPTEN_KEEPALIVE Call* kv_new_call() { return new Call; }

EMSCRIPTEN_KEEPALIVE std::byte* kv_input(Call* call, std::size_t n_bytes) {
  return call->add_input(n_bytes);
}

EMSCRIPTEN_KEEPALIVE const kvscope::js::Answer* kv_call(Call* call, int operation, void* object,
                                                        double a, double b, double c) {
  call->set_numbers(a, b, c);
  kvscope::js::operations[operation](object, *call);
  return call->answers();
}

/// Arguments and answers are read.
EMSCRIPTEN_KEEPALIVE void kv_done(Call* call) { call->clear(); }
}
