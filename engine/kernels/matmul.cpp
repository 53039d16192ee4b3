#include "kernels/matmul.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/matmul_kernels.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

namespace {

GemvKernel gemv_kernel(const PackedMatrix& w) {
  switch (w.family()) {
    case DotFamily::f32: return gemv_float(w.format());
    case DotFamily::dot8: return gemv_dot8(w.format(), fast_dot_form());
    case DotFamily::dot16: return gemv_dot16(w.format());
  }
  return nullptr;
}

GemmKernel gemm_kernel(const PackedMatrix& w) {
  switch (w.family()) {
    case DotFamily::f32: return gemm_float(w.format());
    case DotFamily::dot8: return gemm_dot8(w.format(), fast_dot_form());
    case DotFamily::dot16: return gemm_dot16(w.format());
  }
  return nullptr;
}

struct TileRange {
  int begin;
  int end;
};

/// Calls f(product, tiles) for the tiles of each product that fall to a thread. All tiles in a row,
/// weighed by their bytes, are cut into n_threads equal parts.
template <class F>
void for_share(std::span<const Product> products, int thread, int n_threads, F&& f) {
  std::uint64_t total = 0;
  for (const Product& p : products) total += std::uint64_t{p.w->tile_bytes()} * p.w->tiles();
  const std::uint64_t begin = total * thread / n_threads, end = total * (thread + 1) / n_threads;
  std::uint64_t start = 0;  // of this product
  for (const Product& p : products) {
    const std::uint64_t tile = p.w->tile_bytes();
    const auto index = [&](std::uint64_t position) {  // the first tile that starts there or later
      if (position <= start) return 0;
      const std::uint64_t i = (position - start + tile - 1) / tile;
      return static_cast<int>(std::min(i, std::uint64_t(p.w->tiles())));
    };
    const TileRange tiles{index(begin), index(end)};
    if (tiles.begin < tiles.end) f(p, tiles);
    start += tile * p.w->tiles();
  }
}

void gemv(const Product& product, TileRange tiles, const Activations& x, ReadOrder order) {
  const PackedMatrix& w = *product.w;
  gemv_kernel(w)(
      {&w, tiles.begin, tiles.end, x.group(w.family(), 0), product.y, product.accumulate, order});
}

void matmul_of_one(ThreadPool& pool, const Activations& x, std::span<const Product> products,
                   ReadOrder order) {
  if (pool.active() == 1) {
    for (const Product& p : products) gemv(p, {0, p.w->tiles()}, x, order);
    return;
  }
  pool.run([&](int thread, int n_threads) {
    for_share(products, thread, n_threads,
              [&](const Product& p, TileRange tiles) { gemv(p, tiles, x, order); });
  });
}

}  // namespace

void matmul(ThreadPool& pool, const Activations& x, std::span<const Product> products,
            ReadOrder order) {
  if (x.n_tokens() == 1) return matmul_of_one(pool, x, products, order);
  int n_tiles = 0;
  for (const Product& p : products) n_tiles += p.w->tiles();
  // Unpacking costs as much as 2 tokens do, and so many tokens' activations stay in the L2 cache
  // while all tiles pass by.
  for (int t = 0; t < x.n_tokens(); t += most_gemm_tokens) {
    pool.deal(n_tiles, [&](int tile, int) {
      const Product* p = products.data();
      for (; tile >= p->w->tiles(); ++p) tile -= p->w->tiles();
      const DotFamily family = p->w->family();
      gemm_kernel (*p->w)(
          {p->w, tile, x.group(family, t / group_tokens), x.group_stride_bytes(family),
           std::min(most_gemm_tokens, x.n_tokens() - t),
           p->y + static_cast<std::size_t>(t) * p->y_stride, p->y_stride, p->accumulate});
    });
  }
}

}  // namespace kvscope
