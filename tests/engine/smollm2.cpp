// SmolLM2-135M-Instruct, Q4_1, against llama.cpp on the same file: token ids, logits, greedy text
// and perplexity. The set-up fetches the model; without it these tests say that they did not run.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "../reference/smollm2_reference.hpp"
#include "support/model_run.hpp"

namespace kvscope::testing {

namespace {

const char* const model_path = KVSCOPE_MODELS_DIR "/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Under sanitizers these two would take ten minutes; the small models of the other tests cover the
/// code.
bool can_run() {
#ifdef KVSCOPE_SANITIZE
  return false;
#else
  return std::filesystem::exists(model_path);
#endif
}

std::string read_text(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Root of the mean square difference over the reference's own 20 largest.
double top_error(std::span<const float> logits, const ReferenceRun& reference) {
  double sum = 0;
  for (const auto& [id, value] : reference.top)
    sum += std::pow(logits[static_cast<std::size_t>(id)] - value, 2);
  return std::sqrt(sum / static_cast<double>(reference.top.size()));
}

/// The same for llama.cpp on the file, over the ids that both of its lists hold.
double llama_cpp_error(const ReferencePrompt& p) {
  const std::map<int, float> exact(p.f32.top.begin(), p.f32.top.end());
  double sum = 0;
  int n = 0;
  for (const auto& [id, value] : p.q4_1.top) {
    if (const auto found = exact.find(id); found != exact.end()) {
      sum += std::pow(value - found->second, 2);
      ++n;
    }
  }
  return std::sqrt(sum / n);
}

/// The first 8 tokens, or all when the answer is shorter.
bool begins_as(const std::vector<TokenId>& ids, const std::vector<int>& reference) {
  const std::size_t n = std::min<std::size_t>(8, reference.size());
  return ids.size() >= n &&
         std::equal(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n), reference.begin());
}

double perplexity_of(Session& session, const Model& model) {
  const std::vector<TokenId> ids =
      model.tokenizer.encode(read_text(KVSCOPE_TESTS_DIR "/reference/ppl-text.txt"));
  CHECK(ids.size() == smollm2_perplexity_tokens);
  const Result<std::vector<float>> log_p = session.score(ids);
  REQUIRE(log_p.ok());
  double sum = 0;
  for (const float l : *log_p) sum += l;
  return std::exp(-sum / static_cast<double>(log_p->size()));
}

void compare_with_llama_cpp(Precision precision) {
  const std::unique_ptr<Model> model = load_model(model_path, precision);
  ThreadPool pool(1);
  const auto session = open_session(*model, pool, {.context_length = 2048});

  int agreeing = 0;
  for (const ReferencePrompt& p : smollm2_prompts) {
    CAPTURE(p.name);
    const std::vector<TokenId> ids = model->tokenizer.encode(p.text, {.parse_special = true});
    CHECK(ids == p.ids);
    prefill(*session, p.ids);
    const double error = top_error(session->logits(), p.f32);
    const double theirs = llama_cpp_error(p);
    std::printf(
        "%s %-12s top-20 logits RMS error %.4f (llama.cpp: %.4f; over the vocabulary %.4f)\n",
        precision == Precision::high ? "high" : "fast", p.name, error, theirs,
        static_cast<double>(p.q4_1_rms));
    if (precision == Precision::high) {
      CHECK(error <= std::min(theirs, static_cast<double>(p.q4_1_rms)));
    }
    const std::vector<TokenId> text = ids_of(generate(*session, {.max_tokens = 8}));
    if (begins_as(text, p.q4_1.greedy) || begins_as(text, p.f32.greedy)) ++agreeing;
  }
  CHECK(agreeing >= 3);

  const double perplexity = perplexity_of(*session, *model);
  std::printf(
      "%s perplexity %.4f (llama.cpp: %.4f; in f32 %.4f), greedy as llama.cpp on %d of %zu "
      "prompts\n",
      precision == Precision::high ? "high" : "fast", perplexity, smollm2_perplexity_q4_1,
      smollm2_perplexity_f32, agreeing, smollm2_prompts.size());
  CHECK(perplexity <= 18.80);
}

}  // namespace

TEST_CASE("SmolLM2 at high precision agrees with llama.cpp's f32 run" * doctest::skip(!can_run())) {
  compare_with_llama_cpp(Precision::high);
}

TEST_CASE("SmolLM2 at fast precision keeps llama.cpp's perplexity" * doctest::skip(!can_run())) {
  compare_with_llama_cpp(Precision::fast);
}

TEST_CASE("SmolLM2's perplexity with a KV cache in q8_0 is within half a percent of f32" *
          doctest::skip(!can_run())) {
  // At fast precision any small change moves it by so much: f16 against f32 0.2 %.
  const std::unique_ptr<Model> model = load_model(model_path, Precision::high);
  ThreadPool pool(1);
  double perplexity[2];
  for (const KvType type : {KvType::f32, KvType::q8_0}) {
    const auto session = open_session(*model, pool, {.context_length = 2048, .kv_type = type});
    perplexity[type == KvType::q8_0] = perplexity_of(*session, *model);
  }
  std::printf("perplexity with KV in f32 %.4f, in q8_0 %.4f\n", perplexity[0], perplexity[1]);
  CHECK(std::abs(perplexity[1] / perplexity[0] - 1) < 0.005);
}

}  // namespace kvscope::testing
