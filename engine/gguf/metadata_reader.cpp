#include "gguf/metadata_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/format.hpp"
#include "gguf/quoted.hpp"

namespace kvscope::gguf {

namespace {

// Memory that is taken on the word of a length field, before the elements have come.
constexpr std::uint64_t max_reserved_elements = 1 << 20;

// A vocabulary has 10^5 elements, and they are read before the code is compiled for speed. So a
// field holds many numbers, or a string and the length of the next.
constexpr std::uint64_t max_field_elements = 1024;
constexpr std::size_t length_bytes = sizeof(std::uint64_t);

std::string_view text_of(Field field) {
  return {reinterpret_cast<const char*>(field.data()), field.size()};
}

// Calls visit(int64_t), visit(double) or visit(bool) with the value; false when it is out of range.
template <class Visit>
bool visit_scalar(ValueType type, const std::byte* bytes, Visit&& visit) {
  const auto integer = [&](auto value) { return visit(static_cast<std::int64_t>(value)); };
  switch (type) {
    case ValueType::u8: return integer(load<std::uint8_t>(bytes));
    case ValueType::i8: return integer(load<std::int8_t>(bytes));
    case ValueType::u16: return integer(load<std::uint16_t>(bytes));
    case ValueType::i16: return integer(load<std::int16_t>(bytes));
    case ValueType::u32: return integer(load<std::uint32_t>(bytes));
    case ValueType::i32: return integer(load<std::int32_t>(bytes));
    case ValueType::i64: return integer(load<std::int64_t>(bytes));
    case ValueType::f32: return visit(static_cast<double>(load<float>(bytes)));
    case ValueType::f64: return visit(load<double>(bytes));
    case ValueType::u64: {
      const auto value = load<std::uint64_t>(bytes);
      return value <= std::numeric_limits<std::int64_t>::max() && integer(value);
    }
    case ValueType::boolean: {
      const auto value = load<std::uint8_t>(bytes);
      return value <= 1 && visit(value == 1);
    }
    case ValueType::string:
    case ValueType::array: return false;
  }
  return false;
}

struct AppendTo {
  Value& array;

  bool operator()(std::int64_t value) { return append<std::vector<std::int64_t>>(value); }
  bool operator()(double value) { return append<std::vector<float>>(static_cast<float>(value)); }
  bool operator()(bool value) { return append<std::vector<std::byte>>(std::byte{value}); }

  template <class Vector, class T>
  bool append(T value) {
    std::get_if<Vector>(&array)->push_back(value);
    return true;
  }
};

template <class Vector>
Value reserved(std::uint64_t n) {
  Vector vector;
  vector.reserve(static_cast<std::size_t>(n));
  return vector;
}

Value empty_array(ValueType element, std::uint64_t n_elements) {
  const std::uint64_t n = std::min(n_elements, max_reserved_elements);
  switch (element) {
    case ValueType::f32:
    case ValueType::f64: return reserved<std::vector<float>>(n);
    case ValueType::boolean: return reserved<std::vector<std::byte>>(n);
    case ValueType::string: return StringArray();
    default: return reserved<std::vector<std::int64_t>>(n);
  }
}

constexpr std::string_view out_of_range =
    "is out of range: a boolean must be 0 or 1, a whole number below 2^63";

}  // namespace

MetadataReader::MetadataReader(std::uint64_t n_entries) : n_entries_(n_entries) { want_entry(); }

void MetadataReader::want(Step step, std::uint64_t bytes) {
  step_ = step;
  field_bytes_ = bytes;
}

void MetadataReader::want_entry() {
  if (metadata_.size() < n_entries_) {
    want(Step::key_length, sizeof(std::uint64_t));
  } else {
    want(Step::done, 0);
  }
}

Status MetadataReader::take(Field field) {
  switch (step_) {
    case Step::key_length: return take_key_length(field);
    case Step::key: return take_key(field);
    case Step::value_type: return take_value_type(field);
    case Step::scalar: return take_scalar(field);
    case Step::string_length: return take_string_length(field, Step::string);
    case Step::string: return take_string(field);
    case Step::array_head: return take_array_head(field);
    case Step::array_scalars: return take_array_scalars(field);
    case Step::array_string_length: return take_string_length(field, Step::array_string);
    case Step::array_string: return take_array_string(field);
    case Step::done: break;
  }
  return bad_entry("is one more than announced");
}

Status MetadataReader::take_key_length(Field field) {
  const auto length = load<std::uint64_t>(field.data());
  if (length == 0) return bad_entry("has an empty key");
  if (length > max_key_bytes) {
    return bad_entry(concat("has a key of ", length, " bytes; the limit is ", max_key_bytes));
  }
  want(Step::key, length);
  return {};
}

Status MetadataReader::take_key(Field field) {
  key_ = text_of(field);
  if (metadata_.contains(key_)) return bad_entry(concat("repeats the key ", quoted(key_)));
  want(Step::value_type, sizeof(std::uint32_t));
  return {};
}

Status MetadataReader::take_value_type(Field field) {
  const auto id = load<std::uint32_t>(field.data());
  if (id >= n_value_types) return bad_value(concat("has the unknown type ", id));
  type_ = static_cast<ValueType>(id);
  if (type_ == ValueType::string) {
    want(Step::string_length, sizeof(std::uint64_t));
  } else if (type_ == ValueType::array) {
    want(Step::array_head, sizeof(std::uint32_t) + sizeof(std::uint64_t));
  } else {
    want(Step::scalar, value_bytes(type_));
  }
  return {};
}

Status MetadataReader::take_scalar(Field field) {
  Value value;
  const bool valid = visit_scalar(type_, field.data(), [&](auto v) {
    value = v;
    return true;
  });
  if (!valid) return bad_value(out_of_range);
  return store(std::move(value));
}

Status MetadataReader::take_string_length(Field field, Step string_step) {
  const auto length = load<std::uint64_t>(field.data());
  if (length > max_string_bytes) {
    return bad_value(concat("has a string of ", length, " bytes; the limit is ", max_string_bytes));
  }
  const bool has_next = string_step == Step::array_string && elements_left_ > 1;
  want(string_step, length + (has_next ? length_bytes : 0));
  return {};
}

Status MetadataReader::take_string(Field field) { return store(std::string(text_of(field))); }

Status MetadataReader::take_array_head(Field field) {
  const auto id = load<std::uint32_t>(field.data());
  const auto n_elements = load<std::uint64_t>(field.data() + sizeof(std::uint32_t));
  if (id == static_cast<std::uint32_t>(ValueType::array)) {
    return bad_value("is an array of arrays, which no model needs and kvscope does not read");
  }
  if (id >= n_value_types) return bad_value(concat("is an array of the unknown type ", id));
  if (n_elements > max_array_elements) {
    return bad_value(
        concat("is an array of ", n_elements, " elements; the limit is ", max_array_elements));
  }
  type_ = static_cast<ValueType>(id);
  array_ = empty_array(type_, n_elements);
  elements_left_ = n_elements;
  if (elements_left_ == 0) return store(std::move(array_));
  want_element();
  return {};
}

void MetadataReader::want_element() {
  if (type_ == ValueType::string) {
    want(Step::array_string_length, length_bytes);
  } else {
    want(Step::array_scalars, value_bytes(type_) * std::min(elements_left_, max_field_elements));
  }
}

Status MetadataReader::take_array_scalars(Field field) {
  const auto bytes = static_cast<std::size_t>(value_bytes(type_));
  for (; !field.empty(); field = field.subspan(bytes)) {
    if (!visit_scalar(type_, field.data(), AppendTo{array_})) return bad_value(out_of_range);
    --elements_left_;
  }
  if (elements_left_ == 0) return store(std::move(array_));
  want_element();
  return {};
}

Status MetadataReader::take_array_string(Field field) {
  StringArray& strings = *std::get_if<StringArray>(&array_);
  if (--elements_left_ == 0) {
    strings.push_back(text_of(field));
    return store(std::move(array_));
  }
  strings.push_back(text_of(field.first(field.size() - length_bytes)));
  return take_string_length(field.last(length_bytes), Step::array_string);
}

Status MetadataReader::store(Value value) {
  metadata_.insert(std::move(key_), std::move(value));
  want_entry();
  return {};
}

Error MetadataReader::bad_entry(std::string_view what) const {
  return {ErrorCode::bad_gguf,
          concat("metadata entry ", metadata_.size() + 1, " of ", n_entries_, " ", what)};
}

Error MetadataReader::bad_value(std::string_view what) const {
  return {ErrorCode::bad_gguf, concat("the value of ", quoted(key_), " ", what)};
}

}  // namespace kvscope::gguf
