#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenizer/tokenizer.hpp"

namespace kvscope::js {

/// What engine.js makes of an answer: by number, as in its read().
enum class AnswerType : std::uint32_t { f64, f32, i32, u8, text, error, end };

/// As engine.js reads it: three words.
struct Answer {
  const std::byte* data;
  std::uint32_t count;  // of elements
  AnswerType type;
};

/// One call from JavaScript: its arguments, then its answers. They are copies, but for spans that
/// the engine keeps anyway, and live until the next clear().
class Call {
 public:
  static constexpr int n_numbers = 3;

  /// Room for n bytes of the next argument that is no number.
  std::byte* add_input(std::size_t n);
  void set_numbers(double a, double b, double c);
  void clear();

  // The arguments. What is no number in JavaScript arrives as NaN, which WebAssembly's conversion
  // makes 0.
  double number(int i) const { return numbers_[i]; }
  int integer(int i) const { return static_cast<int>(numbers_[i]); }
  bool flag(int i) const { return numbers_[i] != 0; }
  std::span<const std::vector<std::byte>> inputs() const { return inputs_; }
  std::span<const TokenId> ids() const;
  std::string_view text() const;

  // The answers, in the order in which engine.js takes them.
  void give(std::initializer_list<double> values);
  void give(std::span<const double> values) { copy(AnswerType::f64, values); }
  void give(std::span<const float> values) { copy(AnswerType::f32, values); }
  void give(std::span<const TokenId> values) { copy(AnswerType::i32, values); }
  void give(std::string_view text) { copy(AnswerType::text, std::span(text)); }
  void give_bytes(std::string_view bytes) { copy(AnswerType::u8, std::span(bytes)); }
  void give_bytes(std::vector<std::byte> bytes);
  /// A JavaScript Error with a `code`, in place of any answer. It is returned, not thrown: throwing
  /// through WebAssembly frames would skip destructors and leave the stack pointer where it was.
  void fail(const Error& error);
  void finish(const Status& status) {
    if (!status) fail(status.error());
  }

  const Answer* answers();

 private:
  template <class T>
  void copy(AnswerType type, std::span<T> values) {
    add(type, values.size(), std::as_bytes(values));
  }
  void add(AnswerType type, std::size_t count, std::span<const std::byte> bytes);

  double numbers_[n_numbers] = {};
  std::vector<std::vector<std::byte>> inputs_;
  std::vector<std::vector<std::byte>> kept_;
  std::vector<Answer> answers_;
};

}  // namespace kvscope::js
