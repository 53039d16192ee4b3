#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gguf/tensor_type.hpp"
#include "gguf/value_type.hpp"

namespace kvscope::testing {

/// Little-endian fields one after the other; enough to write any file, whole or broken.
struct ByteWriter {
  std::vector<std::byte> bytes;

  template <class T>
  ByteWriter& put(T value) {
    return raw(std::as_bytes(std::span(&value, 1)));
  }
  ByteWriter& u32(std::uint32_t value) { return put(value); }
  ByteWriter& u64(std::uint64_t value) { return put(value); }
  ByteWriter& raw(std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return *this;
  }
  ByteWriter& text(std::string_view s) { return raw(std::as_bytes(std::span(s.data(), s.size()))); }
  /// A GGUF string: 64-bit length, then the bytes.
  ByteWriter& string(std::string_view s) { return u64(s.size()).text(s); }
  ByteWriter& pad_to(std::size_t alignment) {
    while (bytes.size() % alignment != 0) bytes.push_back(std::byte{0});
    return *this;
  }
};

/// Writes small GGUF files for tests. Entries and tensors appear in the order of the calls; the
/// file ends with the last tensor's last byte.
///   const auto file = GgufWriter().string("general.architecture", "llama")
///                                 .tensor("token_embd.weight", {8, 4}, values).file();
class GgufWriter {
 public:
  std::uint32_t version = 3;
  std::uint32_t alignment = 32;  // set general.alignment too when it is another

  GgufWriter& u32(std::string_view key, std::uint32_t v) {
    return scalar(key, gguf::ValueType::u32, v);
  }
  GgufWriter& i32(std::string_view key, std::int32_t v) {
    return scalar(key, gguf::ValueType::i32, v);
  }
  GgufWriter& f32(std::string_view key, float v) { return scalar(key, gguf::ValueType::f32, v); }
  GgufWriter& boolean(std::string_view key, bool v) {
    return scalar(key, gguf::ValueType::boolean, static_cast<std::uint8_t>(v));
  }
  GgufWriter& string(std::string_view key, std::string_view v) {
    entry(key, gguf::ValueType::string).string(v);
    return *this;
  }
  GgufWriter& i32s(std::string_view key, std::span<const std::int32_t> v) {
    return array(key, gguf::ValueType::i32, v);
  }
  GgufWriter& f32s(std::string_view key, std::span<const float> v) {
    return array(key, gguf::ValueType::f32, v);
  }
  GgufWriter& strings(std::string_view key, std::span<const std::string> v) {
    ByteWriter& out = entry(key, gguf::ValueType::array);
    out.put(gguf::ValueType::string).u64(v.size());
    for (const std::string& s : v) out.string(s);
    return *this;
  }
  template <class T>
  GgufWriter& scalar(std::string_view key, gguf::ValueType type, T v) {
    entry(key, type).put(v);
    return *this;
  }
  template <class T>
  GgufWriter& array(std::string_view key, gguf::ValueType element, std::span<const T> v) {
    entry(key, gguf::ValueType::array).put(element).u64(v.size()).raw(std::as_bytes(v));
    return *this;
  }

  /// ne[0] is the length of a row; `data` are the blocks as they lie in the file.
  GgufWriter& tensor(std::string_view name, gguf::TensorType type, std::vector<std::uint64_t> ne,
                     std::span<const std::byte> data) {
    data_.pad_to(alignment);
    directory_.string(name).u32(static_cast<std::uint32_t>(ne.size()));
    for (const std::uint64_t n : ne) directory_.u64(n);
    directory_.put(type).u64(data_.bytes.size());
    data_.raw(data);
    ++n_tensors_;
    return *this;
  }
  GgufWriter& tensor(std::string_view name, std::vector<std::uint64_t> ne,
                     std::span<const float> values) {
    return tensor(name, gguf::TensorType::F32, std::move(ne), std::as_bytes(values));
  }

  /// The header alone, without the padding that follows it.
  std::vector<std::byte> header() const {
    ByteWriter out;
    out.text("GGUF").u32(version).u64(n_tensors_).u64(n_entries_);
    return std::move(out.raw(entries_.bytes).raw(directory_.bytes).bytes);
  }

  std::vector<std::byte> file() const {
    ByteWriter out{header()};
    if (n_tensors_ != 0) out.pad_to(alignment);
    return std::move(out.raw(data_.bytes).bytes);
  }

 private:
  ByteWriter& entry(std::string_view key, gguf::ValueType type) {
    ++n_entries_;
    return entries_.string(key).put(type);
  }

  ByteWriter entries_, directory_, data_;
  std::uint64_t n_entries_ = 0;
  std::uint64_t n_tensors_ = 0;
};

}  // namespace kvscope::testing
