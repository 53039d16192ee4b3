#include "gguf/tensor_directory.hpp"

#include <utility>

#include "base/format.hpp"
#include "gguf/quoted.hpp"
#include "gguf/value_type.hpp"

namespace kvscope::gguf {

TensorDirectory::TensorDirectory(std::uint64_t n_tensors, std::uint32_t alignment)
    : n_tensors_(n_tensors), alignment_(alignment) {
  want_tensor();
}

void TensorDirectory::want(Step step, std::uint64_t bytes) {
  step_ = step;
  field_bytes_ = bytes;
}

void TensorDirectory::want_tensor() {
  if (tensors_.size() < n_tensors_) {
    want(Step::name_length, sizeof(std::uint64_t));
  } else {
    want(Step::done, 0);
  }
}

Status TensorDirectory::take(Field field) {
  switch (step_) {
    case Step::name_length: return take_name_length(field);
    case Step::name: return take_name(field);
    case Step::n_dims: return take_n_dims(field);
    case Step::shape: return take_shape(field);
    case Step::type_and_offset: return take_type_and_offset(field);
    case Step::done: break;
  }
  return Error{ErrorCode::bad_gguf, "the tensor directory has one entry more than announced"};
}

Status TensorDirectory::take_name_length(Field field) {
  const auto length = load<std::uint64_t>(field.data());
  if (length == 0 || length > max_name_bytes) {
    return Error{ErrorCode::bad_gguf,
                 concat("tensor ", tensors_.size() + 1, " of ", n_tensors_, " has a name of ",
                        length, " bytes; 1 to ", max_name_bytes, " are allowed")};
  }
  want(Step::name, length);
  return {};
}

Status TensorDirectory::take_name(Field field) {
  tensor_ = TensorInfo{};
  tensor_.name.assign(reinterpret_cast<const char*>(field.data()), field.size());
  if (!names_.insert(tensor_.name).second) return bad_tensor("is listed twice");
  want(Step::n_dims, sizeof(std::uint32_t));
  return {};
}

Status TensorDirectory::take_n_dims(Field field) {
  const auto n_dims = load<std::uint32_t>(field.data());
  if (n_dims > tensor_.ne.size()) {
    return bad_tensor(concat("has ", n_dims, " dimensions; at most 4 are allowed"));
  }
  tensor_.n_dims = static_cast<int>(n_dims);
  want(Step::shape, n_dims * sizeof(std::uint64_t));
  return {};
}

Status TensorDirectory::take_shape(Field field) {
  tensor_.ne = {1, 1, 1, 1};
  std::uint64_t n_values = 1;
  for (std::size_t i = 0; i < field.size() / sizeof(std::uint64_t); ++i) {
    const auto length = load<std::uint64_t>(field.data() + i * sizeof(std::uint64_t));
    if (length == 0) return bad_tensor(concat("has length 0 in dimension ", i));
    if (n_values > max_values / length) {
      return bad_tensor(concat("has more than ", max_values, " values"));
    }
    n_values *= length;
    tensor_.ne[i] = length;
  }
  want(Step::type_and_offset, sizeof(std::uint32_t) + sizeof(std::uint64_t));
  return {};
}

Status TensorDirectory::take_type_and_offset(Field field) {
  const auto type_id = load<std::uint32_t>(field.data());
  const auto offset = load<std::uint64_t>(field.data() + sizeof(std::uint32_t));

  const std::optional<TypeTraits> traits = find_type(type_id);
  if (!traits) return unsupported_type(type_id);
  const auto block_values = static_cast<std::uint64_t>(traits->block_values);
  if (tensor_.ne[0] % block_values != 0) {
    return bad_tensor(concat("has rows of ", tensor_.ne[0], " values, which are not whole ",
                             traits->name, " blocks of ", block_values));
  }
  const std::uint64_t expected_offset = align_up(data_bytes_, alignment_);
  if (offset != expected_offset) {
    return bad_tensor(concat("has its data at offset ", offset, " in place of ", expected_offset));
  }
  tensor_.type = traits->type;
  tensor_.offset = offset;
  tensor_.bytes =
      tensor_.n_values() / block_values * static_cast<std::uint64_t>(traits->block_bytes);
  data_bytes_ = offset + tensor_.bytes;
  tensors_.push_back(std::move(tensor_));
  want_tensor();
  return {};
}

Error TensorDirectory::bad_tensor(std::string_view what) const {
  return {ErrorCode::bad_gguf, concat("tensor ", quoted(tensor_.name), " ", what)};
}

Error TensorDirectory::unsupported_type(std::uint32_t id) const {
  const std::string_view name = type_name(id);
  return {ErrorCode::unsupported_tensor_type,
          concat("Tensor ", quoted(tensor_.name), " is stored as ",
                 name.empty() ? "an unknown type" : name, " (type ", id,
                 "), which kvscope does not read. Take a file whose tensors are ",
                 readable_type_names(), ".")};
}

}  // namespace kvscope::gguf
