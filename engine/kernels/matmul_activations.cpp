#include <algorithm>

#include "kernels/activation_blocks.hpp"
#include "kernels/matmul.hpp"
#include "kernels/quantise_activations.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

namespace {

int groups_of(int tokens) { return (tokens + group_tokens - 1) / group_tokens; }
int blocks_of(int cols) { return (cols + block_cols - 1) / block_cols; }

/// Bytes of one group of group_tokens tokens; a single token takes less.
std::size_t group_bytes(DotFamily family, int cols) {
  const auto n_blocks = static_cast<std::size_t>(blocks_of(cols));
  switch (family) {
    case DotFamily::f32: return static_cast<std::size_t>(cols) * group_tokens * sizeof(float);
    case DotFamily::dot8: return n_blocks * sizeof(ActivationBlock8<group_tokens>);
    case DotFamily::dot16: return n_blocks * sizeof(ActivationBlock16<group_tokens>);
  }
  return 0;
}

}  // namespace

ActivationForms ActivationForms::of(std::span<const PackedMatrix* const> weights) {
  ActivationForms forms{false, false, false};
  for (const PackedMatrix* w : weights) {
    forms.f32 |= w->family() == DotFamily::f32;
    forms.dot8 |= w->family() == DotFamily::dot8;
    forms.dot16 |= w->family() == DotFamily::dot16;
  }
  return forms;
}

Activations::Activations(int max_tokens, int max_cols, ActivationForms forms) {
  const auto reserve = [&](DotFamily family, bool wanted) {
    const auto groups = static_cast<std::size_t>(groups_of(max_tokens));
    const std::size_t bytes = wanted ? groups * group_bytes(family, max_cols) : 0;
    return AlignedBuffer<std::byte>(bytes);
  };
  f32_ = reserve(DotFamily::f32, forms.f32);
  dot8_ = reserve(DotFamily::dot8, forms.dot8);
  dot16_ = reserve(DotFamily::dot16, forms.dot16);
}

bool Activations::valid() const { return f32_.valid() && dot8_.valid() && dot16_.valid(); }

std::size_t Activations::bytes() const { return f32_.bytes() + dot8_.bytes() + dot16_.bytes(); }

AlignedBuffer<std::byte>& Activations::buffer(DotFamily family) {
  return family == DotFamily::f32 ? f32_ : family == DotFamily::dot8 ? dot8_ : dot16_;
}

std::size_t Activations::group_stride_bytes(DotFamily family) const {
  return group_bytes(family, cols_);
}

const void* Activations::group(DotFamily family, int g) const {
  const std::size_t offset = static_cast<std::size_t>(g) * group_stride_bytes(family);
  return const_cast<Activations*>(this)->buffer(family).data() + offset;
}

void Activations::prepare_group(DotFamily family, const float* x, int g) {
  const auto stride = static_cast<std::size_t>(cols_);
  x += static_cast<std::size_t>(g * group_tokens) * stride;
  const int tokens = std::min(group_tokens, n_tokens_ - g * group_tokens);
  std::byte* out = buffer(family).data() + static_cast<std::size_t>(g) * group_stride_bytes(family);
  const int n_blocks = blocks_of(cols_);
  switch (family) {
    case DotFamily::f32: return lift_floats<group_tokens>(x, stride, tokens, cols_, out);
    case DotFamily::dot8:
      if constexpr (has_dot8) quantise_dot8<group_tokens>(x, stride, tokens, n_blocks, out);
      return;
    case DotFamily::dot16: return quantise_dot16<group_tokens>(x, stride, tokens, n_blocks, out);
  }
}

void Activations::prepare(ThreadPool& pool, const float* x, int n_tokens, int cols,
                          std::span<const PackedMatrix* const> weights) {
  n_tokens_ = n_tokens;
  cols_ = cols;
  const ActivationForms forms = ActivationForms::of(weights);
  if (n_tokens == 1) {  // shorter than waking a thread
    const int n_blocks = blocks_of(cols);
    if (forms.f32) lift_floats<1>(x, 0, 1, cols, f32_.data());
    if constexpr (has_dot8) {
      if (forms.dot8) quantise_dot8<1>(x, 0, 1, n_blocks, dot8_.data());
    }
    if (forms.dot16) quantise_dot16<1>(x, 0, 1, n_blocks, dot16_.data());
    return;
  }
  pool.deal(groups_of(n_tokens), [&](int g, int) {
    if (forms.f32) prepare_group(DotFamily::f32, x, g);
    if (forms.dot8) prepare_group(DotFamily::dot8, x, g);
    if (forms.dot16) prepare_group(DotFamily::dot16, x, g);
  });
}

}  // namespace kvscope
