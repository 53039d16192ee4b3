#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.hpp"
#include "base/thread_pool.hpp"
#include "tensor/packed_layout.hpp"
#include "tensor/packed_matrix.hpp"

namespace kvscope {

/// The forms in which matrices read activations; each costs memory (bytes for each value:
/// 4, 1.7, 2.4).
struct ActivationForms {
  bool f32 = true;
  bool dot8 = true;
  bool dot16 = true;

  /// Those that `weights` need.
  static ActivationForms of(std::span<const PackedMatrix* const> weights);
};

/// Activations X of shape (n_tokens, cols), prepared once for every matrix that reads them (Q, K
/// and V together; gate and up together) in the forms that those matrices' formats need.
class Activations {
 public:
  /// Reserves for up to max_tokens x max_cols, in the forms that prepare() will be asked for.
  /// valid() is false when memory ran out.
  Activations(int max_tokens, int max_cols, ActivationForms forms = {});
  bool valid() const;
  std::size_t bytes() const;

  /// x: (n_tokens, cols), contiguous; not needed afterwards. Converts to each form that one of
  /// `weights` needs, several tokens on the pool's threads.
  void prepare(ThreadPool& pool, const float* x, int n_tokens, int cols,
               std::span<const PackedMatrix* const> weights);

  int n_tokens() const { return n_tokens_; }
  int cols() const { return cols_; }

  /// For the kernels: group g of group_tokens tokens (of the one token), in a family's form.
  const void* group(DotFamily family, int g) const;
  std::size_t group_stride_bytes(DotFamily family) const;

 private:
  void prepare_group(DotFamily family, const float* x, int g);
  AlignedBuffer<std::byte>& buffer(DotFamily family);

  int n_tokens_ = 0;
  int cols_ = 0;
  AlignedBuffer<std::byte> f32_, dot8_, dot16_;  // groups of 1 or 4 tokens; activation_blocks.hpp
};

/// One product of a group that shares its activations.
struct Product {
  const PackedMatrix* w;    // (rows, cols)
  float* y;                 // (n_tokens, y_stride); the first w->rows() of each row are written
  std::size_t y_stride;     // >= w->rows(); NOT required to be padded to a multiple of 16
  bool accumulate = false;  // y += instead of y =   (the residual connection)
};

/// How one token's products go through quantised weights: tile after tile, or at several places of
/// a matrix by turns. A core that waits long for memory has too few lines on their way when it
/// reads one place alone: a Xeon read 8.5 GB/s in order and 15 GB/s at four places, where an EPYC
/// reads 25 GB/s in order and loses by jumps.
enum class ReadOrder : std::uint8_t { straight, by_turns };

/// Plain SIMD's dots take longer than memory: that build always reads straight.
inline constexpr bool has_read_orders = has_dot8;

/// Y = X W^T for each product, split over the pool's threads by tiles of all products together. One
/// token takes the GEMV path, several the GEMM path; both add the same numbers in the same order,
/// so that a row of Y has the same bits whatever the number of tokens and threads, in either order.
void matmul(ThreadPool& pool, const Activations& x, std::span<const Product> products,
            ReadOrder order = ReadOrder::straight);

/// The oracle: plain loops over dequantised rows and f32 activations, in double.
void matmul_scalar(const PackedMatrix& w, const float* x, int n_tokens, float* y,
                   std::size_t y_stride);

}  // namespace kvscope
