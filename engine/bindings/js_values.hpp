#pragma once

// C++ results as JavaScript values. Everything handed out is a copy: a view would go stale when the
// memory grows.

#include <emscripten/val.h>

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/model.hpp"
#include "probe/probe.hpp"
#include "session/session.hpp"

namespace kvscope::js {

using emscripten::val;

struct Field {
  const char* name;
  val value;

  Field(const char* name, val value) : name(name), value(std::move(value)) {}
  Field(const char* name, std::string_view text);
  Field(const char* name, double value);
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>)
  Field(const char* name, T value) : Field(name, static_cast<double>(value)) {}
  template <std::same_as<bool> T>
  Field(const char* name, T value) : Field(name, val(value)) {}
};

/// { name: value, … }
val object(std::initializer_list<Field> fields);

/// { code, message }, of which classes.js makes a JavaScript Error. It is returned, not thrown:
/// throwing through WebAssembly frames would skip destructors and leave the stack pointer where it
/// was.
val error(const Error& error);

inline val status(const Status& s) { return s ? val::undefined() : error(s.error()); }

val floats(std::span<const float> values);  // Float32Array, or null when empty
val doubles(std::span<const double> values);
val ints(std::span<const TokenId> values);  // Int32Array
val bytes(std::string_view values);         // Uint8Array
val text(std::string_view utf8);            // a string

double number_in(const val& object, const char* name);
std::string to_text(const val& string);  // in UTF-8
/// array: of numbers, of any JavaScript type. Returns where they are now: at the start of `buffer`,
/// which only grows, because a vector fills what it grows by with zeros first.
template <class T>
std::span<const T> copy_to_start(const val& array, std::vector<T>& buffer) {
  const auto n = static_cast<std::size_t>(number_in(array, "length"));
  if (buffer.size() < n) buffer.resize(n);
  val(emscripten::typed_memory_view(n, buffer.data())).template call<void>("set", array);
  return std::span(buffer).first(n);
}
/// The same, and nothing else is left in `out`.
template <class T>
void copy(const val& array, std::vector<T>& out) {
  out.resize(copy_to_start(array, out).size());
}
std::vector<TokenId> to_ids(const val& ids);

val model_info(const Model& model, int n_threads);
/// What a session's cache is, once and for all.
val kv_layout(const Session& session);
/// What its cache holds and its passes have cost by now.
val state(const Session& session);
val prefill(const Session& session);
val inspection(const Inspection& inspection);

}  // namespace kvscope::js
