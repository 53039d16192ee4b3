#pragma once

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kvscope::testing {

/// A JSON value of tests/reference or web/models. Wrong types and missing keys throw: a test that
/// reads them then fails.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json>;

  Json() = default;
  template <class T>
  explicit Json(T value) : value_(std::move(value)) {}

  static Json read(const std::string& path);
  static Json parse(const std::string& text);

  bool boolean() const { return get<bool>("a boolean"); }
  double number() const { return get<double>("a number"); }
  int integer() const { return static_cast<int>(number()); }
  const std::string& string() const { return get<std::string>("a string"); }
  const Array& array() const { return get<Array>("an array"); }
  const Object& object() const { return get<Object>("an object"); }

  bool has(const std::string& key) const { return object().count(key) > 0; }
  const Json& operator[](const std::string& key) const {
    const auto found = object().find(key);
    if (found == object().end()) throw std::runtime_error("no key \"" + key + "\"");
    return found->second;
  }
  const Json& operator[](std::size_t i) const { return array().at(i); }

 private:
  template <class T>
  const T& get(const char* what) const {
    if (const T* value = std::get_if<T>(&value_)) return *value;
    throw std::runtime_error(std::string("the JSON value is not ") + what);
  }

  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value_;
};

namespace detail {

/// Recursive descent (RFC 8259) over text that this project wrote itself.
class JsonParser {
 public:
  explicit JsonParser(const std::string& text) : text_(text) {}

  Json value() {
    switch (peek()) {
      case '{': return object();
      case '[': return array();
      case '"': return Json(string());
      case 't': return word("true", Json(true));
      case 'f': return word("false", Json(false));
      case 'n': return word("null", Json());
      default: return Json(number());
    }
  }

  void end() {
    skip_space();
    if (at_ != text_.size()) fail("the end");
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error("JSON: expected " + expected + " at byte " + std::to_string(at_));
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  char peek() {
    skip_space();
    if (at_ == text_.size()) fail("a value");
    return text_[at_];
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(std::string(1, c));
  }

  Json word(std::string_view name, Json value) {
    if (text_.compare(at_, name.size(), name) != 0) fail(std::string(name));
    at_ += name.size();
    return value;
  }

  double number() {
    const char* const begin = text_.c_str() + at_;
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    if (end == begin) fail("a value");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string string() {
    expect('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      const char escaped = text_.at(at_ + 1);
      const std::string_view names = "\"\\/nt", values = "\"\\/\n\t";
      const std::size_t i = names.find(escaped);
      if (i == names.npos) fail("one of the escapes \\\" \\\\ \\/ \\n \\t");
      out += values[i];
      at_ += 2;
    }
    expect('"');
    return out;
  }

  Json array() {
    expect('[');
    Json::Array items;
    if (take(']')) return Json(std::move(items));
    do items.push_back(value());
    while (take(','));
    expect(']');
    return Json(std::move(items));
  }

  Json object() {
    expect('{');
    Json::Object members;
    if (take('}')) return Json(std::move(members));
    do {
      if (peek() != '"') fail("a key");
      std::string key = string();
      expect(':');
      members.insert_or_assign(std::move(key), value());
    } while (take(','));
    expect('}');
    return Json(std::move(members));
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace detail

inline Json Json::parse(const std::string& text) {
  detail::JsonParser parser(text);
  Json value = parser.value();
  parser.end();
  return value;
}

inline Json Json::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace kvscope::testing
