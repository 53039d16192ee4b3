#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gguf/field.hpp"
#include "gguf/tensor_type.hpp"

namespace kvscope::gguf {

/// One entry of the tensor directory. ne[0] is the length of a row (the fastest dimension), ne[1]
/// the number of rows; unused dimensions are 1.
struct TensorInfo {
  std::string name;
  TensorType type;
  int n_dims;
  std::array<std::uint64_t, 4> ne;
  std::uint64_t offset;  // from the start of the data section
  std::uint64_t bytes;

  std::uint64_t n_values() const { return ne[0] * ne[1] * ne[2] * ne[3]; }
  std::uint64_t n_rows() const { return ne[1] * ne[2] * ne[3]; }
};

/// `n` rounded up to a multiple of `alignment`, a power of two.
constexpr std::uint64_t align_up(std::uint64_t n, std::uint64_t alignment) {
  return (n + alignment - 1) & ~(alignment - 1);
}

/// Reads the tensor directory of a GGUF header, field by field (see field.hpp). Names must be
/// unique, rows whole blocks, and the data of each tensor follow that of the one before without gap
/// or overlap, so that a loader can stream them.
class TensorDirectory {
 public:
  static constexpr std::uint64_t max_tensors = 1 << 16;
  static constexpr std::uint64_t max_name_bytes = 63;  // ggml's names are char[64]
  // A hundred times the largest tensor known; it keeps all sums of sizes below 2^64.
  static constexpr std::uint64_t max_values = std::uint64_t{1} << 40;

  explicit TensorDirectory(std::uint64_t n_tensors = 0, std::uint32_t alignment = 32);

  bool done() const { return step_ == Step::done; }
  std::uint64_t field_bytes() const { return field_bytes_; }

  /// Errors: bad_gguf (the message is a clause without a full stop), unsupported_tensor_type.
  Status take(Field field);

  std::vector<TensorInfo>& tensors() { return tensors_; }

  /// From the start of the data section up to the end of the last tensor, without padding.
  std::uint64_t data_bytes() const { return data_bytes_; }

 private:
  enum class Step { name_length, name, n_dims, shape, type_and_offset, done };

  void want(Step step, std::uint64_t bytes);
  void want_tensor();
  Status take_name_length(Field field);
  Status take_name(Field field);
  Status take_n_dims(Field field);
  Status take_shape(Field field);
  Status take_type_and_offset(Field field);
  Error bad_tensor(std::string_view what) const;
  Error unsupported_type(std::uint32_t id) const;

  std::uint64_t n_tensors_;
  std::uint32_t alignment_;
  std::vector<TensorInfo> tensors_;
  std::set<std::string> names_;
  std::uint64_t data_bytes_ = 0;
  Step step_ = Step::done;
  std::uint64_t field_bytes_ = 0;
  TensorInfo tensor_{};  // the entry that is being read
};

}  // namespace kvscope::gguf
