#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace kvscope {

/// Success, or an Error: the Result of an action that has no value. The Error is on the heap and
/// what handles it is not inline: every return of one would carry 60 bytes of WebAssembly more.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(const Error& error);
  Status(Error&& error);
  Status(Status&&) = default;
  Status& operator=(Status&&) = default;
  ~Status();

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  /// Only when !ok().
  const Error& error() const { return *error_; }

 private:
  std::unique_ptr<Error> error_;
};

/// A value or the Error that stands in its place. The engine is built without exceptions.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(const Error& error) : status_(error) {}
  Result(Error&& error) : status_(std::move(error)) {}

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
  const Error& error() const { return status_.error(); }

 private:
  // A variant of the two would be smaller, but each one 200 bytes of WebAssembly.
  std::optional<T> value_;
  Status status_;
};

}  // namespace kvscope
