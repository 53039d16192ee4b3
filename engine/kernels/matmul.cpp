#include "kernels/matmul.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/gemv_tile.hpp"
#include "kernels/matmul_kernels.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

namespace {

constexpr int tile_rows = PackedMatrix::tile_rows;

// Tokens that meet a tile before the next is unpacked. Unpacking costs as much as 2 tokens do; 64
// tokens' activations stay in the L2 cache while all tiles pass by.
constexpr int chunk_tokens = 128;

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

struct Tokens {
  int begin;
  int end;
  int groups() const { return (end - begin + group_tokens - 1) / group_tokens; }
};

/// sums: [group][4 tokens][16 rows] to the rows of Y.
void write_results(const Product& product, int tile, Tokens tokens, const float* sums) {
  const PackedMatrix& w = *product.w;
  const simd::Vec scale = simd::f32x4_splat(tile_scale(w, tile));
  const int n_rows = w.rows() - tile * tile_rows;
  const auto for_tokens = [&](auto finish) {
    float* y =
        product.y + static_cast<std::size_t>(tokens.begin) * product.y_stride + tile * tile_rows;
    for (int t = tokens.begin; t < tokens.end; ++t, sums += tile_rows, y += product.y_stride) {
      finish(y);
    }
  };
  if (n_rows < tile_rows) {
    for_tokens([&](float* y) { finish_part(y, sums, scale, n_rows, product.accumulate); });
  } else if (product.accumulate) {
    for_tokens([&](float* y) { finish_tile<true>(y, sums, scale); });
  } else {
    for_tokens([&](float* y) { finish_tile<false>(y, sums, scale); });
  }
}

void gemm_tile(const Product& product, int tile, const Activations& x, Tokens tokens,
               GemmKernel kernel) {
  const PackedMatrix& w = *product.w;
  const DotFamily family = w.family();
  alignas(64) float sums[chunk_tokens * tile_rows];
  kernel({&w, tile, x.group(family, tokens.begin / group_tokens), x.group_stride_bytes(family),
          tokens.groups(), sums});
  write_results(product, tile, tokens, sums);
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

void gemv(const Product& product, TileRange tiles, const Activations& x) {
  const PackedMatrix& w = *product.w;
  gemv_kernel(w)(
      {&w, tiles.begin, tiles.end, x.group(w.family(), 0), product.y, product.accumulate});
}

void matmul_of_one(ThreadPool& pool, const Activations& x, std::span<const Product> products) {
  if (pool.active() == 1) {
    for (const Product& p : products) gemv(p, {0, p.w->tiles()}, x);
    return;
  }
  pool.run([&](int thread, int n_threads) {
    for_share(products, thread, n_threads,
              [&](const Product& p, TileRange tiles) { gemv(p, tiles, x); });
  });
}

}  // namespace

void matmul(ThreadPool& pool, const Activations& x, std::span<const Product> products) {
  if (x.n_tokens() == 1) return matmul_of_one(pool, x, products);
  int n_tiles = 0;
  for (const Product& p : products) n_tiles += p.w->tiles();
  for (int t = 0; t < x.n_tokens(); t += chunk_tokens) {
    const Tokens tokens{t, std::min(t + chunk_tokens, x.n_tokens())};
    pool.deal(n_tiles, [&](int tile, int) {
      const Product* p = products.data();
      for (; tile >= p->w->tiles(); ++p) tile -= p->w->tiles();
      gemm_tile(*p, tile, x, tokens, gemm_kernel(*p->w));
    });
  }
}

}  // namespace kvscope
