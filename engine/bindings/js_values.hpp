#pragma once

// C++ results as JavaScript values. Everything handed out is a copy: a view would go stale when the
// memory grows.

#include <emscripten/val.h>

#include <span>
#include <string>

#include "base/result.hpp"
#include "model/model.hpp"
#include "probe/probe.hpp"
#include "session/session.hpp"

namespace kvscope::js {

using emscripten::val;

/// A JavaScript Error with a `code`. It is returned, not thrown: throwing through WebAssembly
/// frames would skip destructors and leave the stack pointer where it was.
val error(const Error& error);

inline val status(const Status& s) { return s ? val::undefined() : error(s.error()); }

val floats(std::span<const float> values);  // Float32Array, or null when empty
val doubles(std::span<const double> values);
val ints(std::span<const TokenId> values);  // Int32Array
val bytes(std::string_view values);         // Uint8Array
std::vector<TokenId> to_ids(const val& ids);

val model_info(const Model& model);
/// What a session's cache is, once and for all.
val kv_layout(const Session& session);
/// What its cache holds and its passes have cost by now.
val state(const Session& session);
val prefill(const Session& session);
val inspection(const Inspection& inspection);

}  // namespace kvscope::js
