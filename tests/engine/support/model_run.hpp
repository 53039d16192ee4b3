#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/loader.hpp"
#include "session/session.hpp"

namespace kvscope::testing {

/// A model from a file, in the slices in which a download would bring it.
inline std::unique_ptr<Model> load_model(const char* path, Precision precision) {
  std::ifstream file(path, std::ios::binary);
  ModelLoader loader(precision);
  std::vector<char> chunk(1 << 16);
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    const Status taken =
        loader.push(std::as_bytes(std::span(chunk).first(static_cast<std::size_t>(file.gcount()))));
    REQUIRE_MESSAGE(taken.ok(), (taken.ok() ? "" : taken.error().message));
  }
  Result<std::unique_ptr<Model>> model = loader.finish();
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  return std::move(model).value();
}

inline std::unique_ptr<Session> open_session(const Model& model, ThreadPool& pool,
                                             const SessionOptions& options) {
  Result<std::unique_ptr<Session>> session = Session::create(model, pool, options);
  REQUIRE_MESSAGE(session.ok(), (session.ok() ? "" : session.error().message));
  return std::move(session).value();
}

inline void finish_prefill(Session& session) {
  for (;;) {
    const Result<bool> finished = session.advance_prefill(Session::max_pass_tokens);
    REQUIRE(finished.ok());
    if (*finished) return;
  }
}

inline void prefill(Session& session, std::span<const TokenId> ids) {
  REQUIRE(session.begin_prefill(ids).ok());
  finish_prefill(session);
}

inline std::vector<Step> generate(Session& session, const GenerateOptions& options) {
  REQUIRE(session.begin_generate(options).ok());
  std::vector<Step> steps;
  do {
    const Result<Step> step = session.generate_step();
    REQUIRE_MESSAGE(step.ok(), (step.ok() ? "" : step.error().message));
    steps.push_back(*step);
  } while (steps.back().finish == Finish::none);
  return steps;
}

inline std::vector<TokenId> ids_of(const std::vector<Step>& steps) {
  std::vector<TokenId> ids;
  for (const Step& s : steps) ids.push_back(s.id);
  return ids;
}

inline std::string text_of(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& s : steps) text += s.text;
  return text;
}

}  // namespace kvscope::testing
