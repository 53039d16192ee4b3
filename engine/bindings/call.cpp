#include "bindings/call.hpp"

namespace kvscope::js {

std::byte* Call::add_input(std::size_t n) { return inputs_.emplace_back(n).data(); }

void Call::set_numbers(double a, double b, double c) {
  numbers_[0] = a;
  numbers_[1] = b;
  numbers_[2] = c;
}

void Call::clear() {
  inputs_.clear();
  kept_.clear();
  answers_.clear();
}

std::span<const TokenId> Call::ids() const {
  const std::vector<std::byte>& bytes = inputs_.front();
  return {reinterpret_cast<const TokenId*>(bytes.data()), bytes.size() / sizeof(TokenId)};
}

std::string_view Call::text() const {
  const std::vector<std::byte>& bytes = inputs_.front();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void Call::give(std::initializer_list<double> values) {
  copy(AnswerType::f64, std::span(values.begin(), values.size()));
}

void Call::give_bytes(std::vector<std::byte> bytes) {
  kept_.push_back(std::move(bytes));
  answers_.push_back(
      {kept_.back().data(), static_cast<std::uint32_t>(kept_.back().size()), AnswerType::u8});
}

void Call::fail(const Error& error) {
  give(code_name(error.code));
  add(AnswerType::error, error.message.size(), std::as_bytes(std::span(error.message)));
}

const Answer* Call::answers() {
  answers_.push_back({nullptr, 0, AnswerType::end});
  return answers_.data();
}

void Call::add(AnswerType type, std::size_t count, std::span<const std::byte> bytes) {
  give_bytes(std::vector<std::byte>(bytes.begin(), bytes.end()));
  answers_.back().count = static_cast<std::uint32_t>(count);
  answers_.back().type = type;
}

}  // namespace kvscope::js
