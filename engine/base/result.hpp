#pragma once

#include <optional>
#include <utility>

#include "base/error.hpp"

namespace kvscope {

/// A value or the Error that stands in its place. The engine is built without exceptions.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  /// Only when ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Only when !ok().
  const Error& error() const { return error_; }

 private:
  // A variant of the two would be smaller, but each one 200 bytes of WebAssembly.
  std::optional<T> value_;
  Error error_{};
};

/// Success, or an Error: the Result of an action that has no value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace kvscope
