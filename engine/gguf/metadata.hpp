#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kvscope::gguf {

/// Many strings in one allocation: vocabularies have 10^5 of them.
class StringArray {
 public:
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }
  void push_back(std::string_view s) {
    bytes_ += s;
    ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  }
  void reserve(std::size_t n_strings, std::size_t n_bytes) {
    ends_.reserve(n_strings);
    bytes_.reserve(n_bytes);
  }

 private:
  std::string bytes_;
  std::vector<std::uint32_t> ends_;
};

/// Integers of every width are kept as int64 (u64 above 2^63 is refused by the reader), floats as
/// double, so that a reader of a key need not know which width a converter chose. Booleans of an
/// array are bytes; no model has one that matters.
using Value = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>,
                           std::vector<float>, std::vector<std::byte>, StringArray>;

/// The key-value part of a GGUF header. Getters give nullopt (or nullptr) when the key is absent or
/// has another kind of value.
class Metadata {
 public:
  /// False, and nothing changes, when the key is there already.
  bool insert(std::string key, Value value);
  void erase(const std::string& key) { values_.erase(key); }

  bool contains(const std::string& key) const { return values_.count(key) != 0; }
  std::optional<std::int64_t> integer(const std::string& key) const;
  std::optional<double> number(const std::string& key) const;  // integers too
  std::optional<bool> boolean(const std::string& key) const;
  std::optional<std::string_view> string(const std::string& key) const;
  const std::vector<std::int64_t>* integers(const std::string& key) const;
  const std::vector<float>* floats(const std::string& key) const;
  const StringArray* strings(const std::string& key) const;

  std::size_t size() const { return values_.size(); }
  const std::map<std::string, Value>& all() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

}  // namespace kvscope::gguf
