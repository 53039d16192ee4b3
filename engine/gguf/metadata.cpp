#include "gguf/metadata.hpp"

#include <utility>

namespace kvscope::gguf {

namespace {

template <class T>
const T* find(const std::map<std::string, Value>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : std::get_if<T>(&found->second);
}

template <class T>
std::optional<T> copy_of(const T* value) {
  return value ? std::optional<T>(*value) : std::nullopt;
}

}  // namespace

bool Metadata::insert(std::string key, Value value) {
  return values_.try_emplace(std::move(key), std::move(value)).second;
}

std::optional<std::int64_t> Metadata::integer(const std::string& key) const {
  return copy_of(find<std::int64_t>(values_, key));
}

std::optional<double> Metadata::number(const std::string& key) const {
  if (const std::optional<std::int64_t> value = integer(key)) return static_cast<double>(*value);
  return copy_of(find<double>(values_, key));
}

std::optional<bool> Metadata::boolean(const std::string& key) const {
  return copy_of(find<bool>(values_, key));
}

std::optional<std::string_view> Metadata::string(const std::string& key) const {
  const std::string* value = find<std::string>(values_, key);
  return value ? std::optional<std::string_view>(*value) : std::nullopt;
}

const std::vector<std::int64_t>* Metadata::integers(const std::string& key) const {
  return find<std::vector<std::int64_t>>(values_, key);
}

const std::vector<float>* Metadata::floats(const std::string& key) const {
  return find<std::vector<float>>(values_, key);
}

const StringArray* Metadata::strings(const std::string& key) const {
  return find<StringArray>(values_, key);
}

}  // namespace kvscope::gguf
