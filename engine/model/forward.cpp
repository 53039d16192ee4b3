// The forward pass, top to bottom. Shapes: T tokens of this pass, D dim, H query heads, G KV heads,
// d head_dim, F ffn_dim. Prefill calls it with many tokens, decode with one; nothing else differs.
#include "model/forward.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/attention.hpp"
#include "kernels/elementwise.hpp"

namespace kvscope {

namespace {

constexpr int attention_block_tokens =
    32;  // rows of a prefill attention block: enough for the GEMM tile
// A barrier takes about a microsecond, in which one thread attends to 10 to 15 KB of K and V; two
// threads save half of the time.
constexpr std::int64_t bytes_worth_a_barrier = 32 << 10;

class ForwardPass {
 public:
  ForwardPass(const Model& model, Workspace& ws, ThreadPool& pool, const Pass& pass)
      : model_(model),
        h_(model.hparams),
        ws_(ws),
        pool_(pool),
        pass_(pass),
        n_tokens_(static_cast<int>(pass.tokens.size())) {}

  PassCost run() {
    embed();
    prepare_rotations();
    for (int i = 0; i < h_.n_layers; ++i) {
      const Layer& layer = model_.layers[static_cast<std::size_t>(i)];
      attention_block(i, layer);
      ffn_block(layer);
    }
    if (pass_.n_logits > 0) project_logits();
    return cost_;
  }

 private:
  /// x = token_embd[tokens]                                                        (T, D)
  void embed() {
    for_each_token(n_tokens_, [&](int t) {
      model_.token_embd.unpack_row(pass_.tokens[static_cast<std::size_t>(t)],
                                   row(ws_.x, t, h_.dim));
    });
  }

  /// cos and sin of each new position                                              (T, n_rot)
  void prepare_rotations() {
    for_each_token(n_tokens_, [&](int t) {
      rope_table(static_cast<float>(pass_.first_position + t) * h_.rope_scale, h_.n_rot,
                 h_.rope_base, model_.rope_factors, row(ws_.rope, t, h_.n_rot));
    });
  }

  /// x += W_O attention(rope(W_Q n), rope(W_K n), W_V n),   n = rms_norm(x)
  void attention_block(int layer_index, const Layer& layer) {
    norm_all(layer.attn_norm.data());
    const std::array projections{&layer.wq, &layer.wk, &layer.wv};
    ws_.activations.prepare(pool_, ws_.normed.data(), n_tokens_, h_.dim, projections);
    multiply(std::array{Product{&layer.wq, ws_.q.data(), stride(h_.q_dim())},
                        Product{&layer.wk, ws_.k.data(), stride(h_.kv_dim())},
                        Product{&layer.wv, ws_.v.data(), stride(h_.kv_dim())}});
    if (pass_.observer) {
      pass_.observer->on_projections({.layer = layer_index,
                                      .first_position = pass_.first_position,
                                      .n_tokens = n_tokens_,
                                      .x = ws_.normed.data(),
                                      .q = ws_.q.data(),
                                      .k = ws_.k.data(),
                                      .v = ws_.v.data()});
    }
    const std::span<const KvPages> kv =
        pass_.kv.subspan(static_cast<std::size_t>(layer_index * h_.n_kv_heads),
                         static_cast<std::size_t>(h_.n_kv_heads));
    rotate_and_cache(kv);
    attend(kv);
    const std::array output{&layer.wo};
    ws_.activations.prepare(pool_, ws_.mixed.data(), n_tokens_, h_.q_dim(), output);
    multiply(std::array{Product{&layer.wo, ws_.x.data(), stride(h_.dim), /*accumulate=*/true}});
  }

  /// x += W_down (silu(W_gate n) * W_up n),   n = rms_norm(x)
  void ffn_block(const Layer& layer) {
    norm_all(layer.ffn_norm.data());
    const std::array inputs{&layer.w_gate, &layer.w_up};
    ws_.activations.prepare(pool_, ws_.normed.data(), n_tokens_, h_.dim, inputs);
    multiply(std::array{Product{&layer.w_gate, ws_.gate.data(), stride(h_.ffn_dim)},
                        Product{&layer.w_up, ws_.up.data(), stride(h_.ffn_dim)}});
    for_each_token(n_tokens_, [&](int t) {
      float* gate = row(ws_.gate, t, h_.ffn_dim);
      swiglu(gate, row(ws_.up, t, h_.ffn_dim), h_.ffn_dim, gate);
    });
    const std::array output{&layer.w_down};
    ws_.activations.prepare(pool_, ws_.gate.data(), n_tokens_, h_.ffn_dim, output);
    multiply(std::array{Product{&layer.w_down, ws_.x.data(), stride(h_.dim), /*accumulate=*/true}});
  }

  /// logits = W_lm rms_norm(x) of the last n_logits tokens                         (n_logits,
  /// vocab)
  void project_logits() {
    const int first = n_tokens_ - pass_.n_logits;
    for_each_token(pass_.n_logits, [&](int i) {
      rms_norm(row(ws_.x, first + i, h_.dim), model_.output_norm.data(), h_.dim, h_.rms_eps,
               row(ws_.normed, i, h_.dim));
    });
    const std::array output{&model_.lm_head()};
    ws_.activations.prepare(pool_, ws_.normed.data(), pass_.n_logits, h_.dim, output);
    multiply(std::array{Product{&model_.lm_head(), pass_.logits, stride(model_.vocab_size())}});
  }

  void norm_all(const float* weight) {
    for_each_token(n_tokens_, [&](int t) {
      rms_norm(row(ws_.x, t, h_.dim), weight, h_.dim, h_.rms_eps, row(ws_.normed, t, h_.dim));
    });
  }

  void rotate_and_cache(std::span<const KvPages> kv) {
    for_each_token(n_tokens_, [&](int t) {
      const float* table = row(ws_.rope, t, h_.n_rot);
      float* k = row(ws_.k, t, h_.kv_dim());
      const float* v = row(ws_.v, t, h_.kv_dim());
      rope(row(ws_.q, t, h_.q_dim()), h_.n_heads, h_.head_dim, h_.n_rot, h_.rope_pairs, table);
      rope(k, h_.n_kv_heads, h_.head_dim, h_.n_rot, h_.rope_pairs, table);
      for (int g = 0; g < h_.n_kv_heads; ++g) {
        kv_store(kv[static_cast<std::size_t>(g)], pass_.first_position + t, k + g * h_.head_dim,
                 v + g * h_.head_dim);
      }
    });
    cost_.kv_bytes_written += kv_bytes(kv[0]) * n_tokens_;
    cost_.q_bytes += static_cast<std::int64_t>(n_tokens_) * h_.q_dim() *
                     static_cast<std::int64_t>(sizeof(float));
  }

  /// mixed = softmax(q K^T / sqrt(d)) V, each KV head shared by H / G query heads  (T, H, d)
  void attend(std::span<const KvPages> kv) {
    const std::int64_t kv_bytes_read = kv_bytes(kv[0]) * (pass_.first_position + n_tokens_);
    if (n_tokens_ > 1) {
      attend_blocks(kv);
    } else if (pool_.active() > 1 && kv_bytes_read >= bytes_worth_a_barrier) {
      attend_shares(kv);
    } else {
      for (int g = 0; g < h_.n_kv_heads; ++g) attention(attention_args(kv, g, 0, /*thread=*/0));
    }
    cost_.macs += 2 * h_.q_dim() * positions_attended();
    cost_.kv_bytes_read += kv_bytes_read;
  }

  /// Several tokens: blocks of them, each for one KV head, dealt out to the threads.
  void attend_blocks(std::span<const KvPages> kv) {
    const int blocks = (n_tokens_ + attention_block_tokens - 1) / attention_block_tokens;
    const int units = blocks * h_.n_kv_heads;
    pool_.deal(units, [&](int i, int thread) {
      const int unit = units - 1 - i;  // later blocks attend to more positions: they come first
      attention(attention_args(kv, unit % h_.n_kv_heads,
                               unit / h_.n_kv_heads * attention_block_tokens, thread));
    });
  }

  /// One token: each thread attends to its share of all heads' positions; a head that several
  /// threads shared is joined from their parts.
  void attend_shares(std::span<const KvPages> kv) {
    const int n_positions = pass_.first_position + 1, n_threads = pool_.active();
    const auto share = [&](int kv_head, int thread) {
      return attention_share(kv_head, h_.n_kv_heads, n_positions, thread, n_threads);
    };
    pool_.run([&](int thread, int) {
      for (int g = 0; g < h_.n_kv_heads; ++g) {
        const auto [begin, end] = share(g, thread);
        attention_part(attention_args(kv, g, 0, thread), begin, end, attention_part_of(g, thread));
      }
    });
    for (int g = 0; g < h_.n_kv_heads; ++g) {
      attention_join(attention_part_of(g, 0), n_threads, h_.group(), h_.head_dim,
                     ws_.mixed.data() + g * h_.group() * h_.head_dim);
    }
  }

  float* attention_part_of(int kv_head, int thread) {
    const int index = kv_head * pool_.active() + thread;
    return ws_.attention_parts.data() +
           stride(index) * attention_part_floats(h_.group(), h_.head_dim);
  }

  AttentionArgs attention_args(std::span<const KvPages> kv, int kv_head, int first_token,
                               int thread) {
    const int head_offset = kv_head * h_.group() * h_.head_dim;
    return {.kv = kv[static_cast<std::size_t>(kv_head)],
            .q = row(ws_.q, first_token, h_.q_dim()) + head_offset,
            .q_stride = stride(h_.q_dim()),
            .out = row(ws_.mixed, first_token, h_.q_dim()) + head_offset,
            .out_stride = stride(h_.q_dim()),
            .group = h_.group(),
            .first_position = pass_.first_position + first_token,
            .n_tokens = std::min(attention_block_tokens, n_tokens_ - first_token),
            .scale = 1.0f / std::sqrt(static_cast<float>(h_.head_dim)),
            .scratch = ws_.attention.data() + stride(thread) * ws_.attention_floats};
  }

  template <std::size_t N>
  void multiply(const std::array<Product, N>& products) {
    matmul(pool_, ws_.activations, products, pass_.order);
    for (const Product& p : products) {
      cost_.macs +=
          static_cast<std::int64_t>(p.w->rows()) * p.w->cols() * ws_.activations.n_tokens();
      cost_.weight_bytes_read += static_cast<std::int64_t>(p.w->bytes());
    }
  }

  /// Of one position in one layer: K and V of all KV heads.
  std::int64_t kv_bytes(const KvPages& kv) const {
    return 2 * h_.n_kv_heads * static_cast<std::int64_t>(kv_row_bytes(kv.type, h_.head_dim));
  }

  /// Token t sees positions 0 .. first_position + t; summed over the pass.
  std::int64_t positions_attended() const {
    const std::int64_t n = n_tokens_;
    return n * pass_.first_position + n * (n + 1) / 2;
  }

  template <class F>
  void for_each_token(int n, F&& f) {
    constexpr int piece = 4;
    pool_.deal((n + piece - 1) / piece, [&](int i, int) {
      for (int t = i * piece; t < std::min(n, (i + 1) * piece); ++t) f(t);
    });
  }

  static float* row(AlignedBuffer<float>& m, int t, int n) {
    return m.data() + static_cast<std::size_t>(t) * stride(n);
  }
  static std::size_t stride(int n) { return static_cast<std::size_t>(n); }

  const Model& model_;
  const Hparams& h_;
  Workspace& ws_;
  ThreadPool& pool_;
  const Pass& pass_;
  int n_tokens_;
  PassCost cost_;
};

}  // namespace

PassCost forward(const Model& model, Workspace& ws, ThreadPool& pool, const Pass& pass) {
  return ForwardPass(model, ws, pool, pass).run();
}

}  // namespace kvscope
