// Going back within a generation: a session that was rewound cannot be told from one that never
// went further.
#include <doctest/doctest.h>

#include "probe/probe.hpp"
#include "session/session.hpp"
#include "support/tiny_llama.hpp"

namespace kvscope::testing {

namespace {

const std::vector<TokenId> prompt{1, 70, 80, 90, 100};

GenerateOptions random_choices(int max_tokens) {
  GenerateOptions options{.max_tokens = max_tokens, .ignore_eos = true};
  options.sampling.temperature = 1.5f;
  options.sampling.repeat_penalty = 1.2f;
  options.sampling.seed = 11;
  return options;
}

struct Fixture {
  std::unique_ptr<Model> model = tiny_llama({});
  ThreadPool pool{1};

  /// A session that holds the prompt and stands at the beginning of a generation.
  std::unique_ptr<Session> begun(const GenerateOptions& options, bool kv_cache = true) {
    Result<std::unique_ptr<Session>> made =
        Session::create(*model, pool, {.context_length = 64, .kv_cache = kv_cache});
    REQUIRE(made.ok());
    std::unique_ptr<Session> session = std::move(made).value();
    REQUIRE(session->begin_prefill(prompt).ok());
    // One by one, as a rewind computes too.
    for (std::size_t i = 0; i < prompt.size(); ++i) REQUIRE(session->advance_prefill(1).ok());
    REQUIRE(session->begin_generate(options).ok());
    return session;
  }
};

std::vector<Step> make(Session& session, int n_steps) {
  std::vector<Step> steps;
  for (int i = 0; i < n_steps; ++i) {
    const Result<Step> step = session.generate_step();
    REQUIRE_MESSAGE(step.ok(), (step.ok() ? std::string() : step.error().message));
    steps.push_back(*step);
  }
  return steps;
}

void check_same(const Step& a, const Step& b) {
  CHECK(a.id == b.id);
  CHECK(a.text == b.text);
  CHECK(a.index == b.index);
  CHECK(a.position == b.position);
  CHECK(a.p == b.p);
  CHECK(a.finish == b.finish);
  CHECK(a.cost.macs == b.cost.macs);
}

}  // namespace

TEST_CASE("after going back a session is as one that never went further") {
  Fixture f;
  for (const bool kv_cache : {true, false}) {
    for (const int n : {0, 1, 7, 19}) {
      CAPTURE(n);
      const auto rewound = f.begun(random_choices(20), kv_cache);
      make(*rewound, 20);  // to its end
      REQUIRE(rewound->rewind_generate(n).ok());
      const auto other = f.begun(random_choices(20), kv_cache);
      make(*other, n);

      CHECK(rewound->save() == other->save());  // tokens, K and V, logits
      CHECK(rewound->output().tokens == n);
      CHECK(rewound->output().cost.macs == other->output().cost.macs);
      CHECK(rewound->output().cost.kv_bytes_read == other->output().cost.kv_bytes_read);
      CHECK(rewound->cache().reserved_bytes() == other->cache().reserved_bytes());
    }
  }
}

TEST_CASE("going on after going back makes the same steps again") {
  Fixture f;
  const auto session = f.begun(random_choices(20));
  const std::vector<Step> once = make(*session, 20);
  for (const int n : {12, 3, 0}) {
    REQUIRE(session->rewind_generate(n).ok());
    const std::vector<Step> again = make(*session, 20 - n);
    for (std::size_t i = 0; i < again.size(); ++i)
      check_same(again[i], once[i + static_cast<std::size_t>(n)]);
  }
}

TEST_CASE("text that was held back at a step is held back again") {
  Fixture f;
  const auto plain = f.begun(random_choices(20));
  std::string text;
  for (const Step& step : make(*plain, 8)) text += step.text;
  REQUIRE(text.size() > 4);
  GenerateOptions options = random_choices(20);
  // Begins with the end of what step 8 has, and never comes.
  const std::string held = text.substr(text.size() - 2);
  options.stop = {held + "\x01\x02\x03"};

  const auto session = f.begun(options);
  make(*session, 16);
  REQUIRE(session->rewind_generate(8).ok());
  CHECK(session->end_generate() == held);
}

TEST_CASE("after going back q is there for the newest position, as after its own step") {
  Fixture f;
  const auto session = f.begun(random_choices(20));
  Probe probe(*f.model);
  session->observe(&probe);
  make(*session, 6);
  const int newest = session->cache().tokens() - 1;
  const Result<Inspection> before = probe.inspect(*session, 1, 0, newest);
  make(*session, 5);
  REQUIRE(session->rewind_generate(6).ok());
  const Result<Inspection> after = probe.inspect(*session, 1, 0, newest);
  REQUIRE((before.ok() && after.ok()));
  REQUIRE(!before->q.empty());
  CHECK(after->q == before->q);
  CHECK(after->weights == before->weights);
}

TEST_CASE("a generation whose sequence was changed cannot be gone back in") {
  Fixture f;
  const auto session = f.begun(random_choices(20));
  make(*session, 6);
  REQUIRE(session->truncate(3).ok());
  const Status refused = session->rewind_generate(2);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::bad_state);
  CHECK(session->tokens().size() == 3);
}

}  // namespace kvscope::testing
