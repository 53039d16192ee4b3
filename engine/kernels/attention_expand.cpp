#include "kernels/attention_run.hpp"

namespace kvscope {
namespace {

using attention_tiles::group_tokens;

template <class Element>
KvRun<float> panels_for(const KvRun<Element>& run, float* k_panel, float* v_panel,
                        int panel_tokens) {
  return {.k = k_panel,
          .v = v_panel,
          .in_page = 0,
          .page_tokens = panel_tokens,
          .head_dim = run.head_dim,
          .first_position = run.first_position,
          .n_tokens = run.n_tokens};
}

void store_eight(const FloatBatch x[eight_batches], const FloatBatch scale[eight_batches],
                 float* out) {
  for (int i = 0; i < eight_batches; ++i) (x[i] * scale[i]).store_unaligned(out + i * float_lanes);
}

/// n halves, and on to a multiple of 8: runs begin at one and pages end at one.
[[gnu::noinline]] void to_floats(const std::uint16_t* in, std::size_t n, float* out) {
  const EightLoader<std::uint16_t> load;
  FloatBatch lift[eight_batches], eight[eight_batches];
  for (FloatBatch& l : lift) l = FloatBatch(half_lift);
  for (std::size_t i = 0; i < n; i += 8) {
    load(in + i, eight);
    store_eight(eight, lift, out + i);
  }
}

/// One group of K: blocks of { (32, 8) codes, 8 scales } to (head_dim, 8).
void expand_group(EightLoader<std::int8_t> load, const std::int8_t* k, int head_dim, float* out) {
  for (int first = 0; first < head_dim; first += kv_block_dims) {
    const int width = std::min(kv_block_dims, head_dim - first);
    FloatBatch scale[eight_batches], codes[eight_batches];
    load.scales(k + width * group_tokens, scale);
    for (int d = 0; d < width; ++d, k += group_tokens, out += group_tokens) {
      load(k, codes);
      store_eight(codes, scale, out);
    }
    k += group_tokens * kv_scale_bytes;
  }
}

/// One slice of V: (n, width) codes, each position with its scale.
void expand_slice(EightLoader<std::int8_t> load, const std::int8_t* v, const float* scales, int n,
                  int width, float* out) {
  if (width < kv_slice_dims) {
    for (int i = 0; i < n * width; ++i) out[i] = v[i] * scales[i / width];
    return;
  }
  for (int p = 0; p < n; ++p, v += kv_slice_dims, out += kv_slice_dims) {
    FloatBatch codes[eight_batches], scale[eight_batches];
    load(v, codes);
    for (FloatBatch& s : scale) s = FloatBatch(scales[p]);
    store_eight(codes, scale, out);
  }
}

}  // namespace

KvRun<float> expand(const KvRun<std::uint16_t>& run, float* k_panel, float* v_panel,
                    int panel_tokens) {
  const KvRun<float> out = panels_for(run, k_panel, v_panel, panel_tokens);
  const int n_padded = (run.n_tokens + group_tokens - 1) / group_tokens * group_tokens;
  to_floats(run.k, static_cast<std::size_t>(n_padded) * run.head_dim, k_panel);
  for (int d = 0; d < run.head_dim; d += kv_slice_dims) {
    const int width = std::min(kv_slice_dims, run.head_dim - d);
    to_floats(run.v_slice(d, width), static_cast<std::size_t>(run.n_tokens) * width,
              v_panel + (out.v_slice(d, width) - out.v));
  }
  return out;
}

KvRun<float> expand(const KvRun<std::int8_t>& run, float* k_panel, float* v_panel,
                    int panel_tokens) {
  const KvRun<float> out = panels_for(run, k_panel, v_panel, panel_tokens);
  const EightLoader<std::int8_t> load;
  for (int p = 0; p < run.n_tokens; p += group_tokens) {
    expand_group(load, run.k_group(p), run.head_dim,
                 k_panel + static_cast<std::size_t>(p) * run.head_dim);
  }
  float scales[max_run_tokens];
  for (int d = 0; d < run.head_dim; d += kv_slice_dims) {
    if (d % kv_block_dims == 0) {
      to_floats(reinterpret_cast<const std::uint16_t*>(run.v_scales(d)),
                static_cast<std::size_t>(run.n_tokens), scales);
    }
    const int width = std::min(kv_slice_dims, run.head_dim - d);
    expand_slice(load, run.v_slice(d, width), scales, run.n_tokens, width,
                 v_panel + (out.v_slice(d, width) - out.v));
  }
  return out;
}

}  // namespace kvscope
