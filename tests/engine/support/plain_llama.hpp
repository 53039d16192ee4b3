#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "model/model.hpp"

namespace kvscope::testing {

/// The llama transformer written down a second time: double precision, plain loops, the whole
/// sequence at once, no cache, no kernels. Shares with the engine only PackedMatrix::unpack_row().
class PlainLlama {
 public:
  using Vector = std::vector<double>;

  explicit PlainLlama(const Model& model) : m_(model), h_(model.hparams) {}

  /// Logits of the last token.
  Vector logits(const std::vector<TokenId>& tokens) const {
    std::vector<Vector> xs;
    for (const TokenId id : tokens) xs.push_back(row(m_.token_embd, id));
    for (const Layer& layer : m_.layers) {
      attend(layer, xs);
      for (Vector& x : xs) feed_forward(layer, x);
    }
    return times(m_.lm_head(), norm(xs.back(), m_.output_norm));
  }

 private:
  static Vector row(const PackedMatrix& w, int r) {
    std::vector<float> values(static_cast<std::size_t>(w.cols()));
    w.unpack_row(r, values.data());
    return {values.begin(), values.end()};
  }

  static Vector times(const PackedMatrix& w, const Vector& x) {
    Vector y;
    for (int r = 0; r < w.rows(); ++r) {
      const Vector values = row(w, r);
      y.push_back(std::inner_product(values.begin(), values.end(), x.begin(), 0.0));
    }
    return y;
  }

  Vector norm(const Vector& x, const AlignedBuffer<float>& weight) const {
    const double mean =
        std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / static_cast<double>(x.size());
    Vector y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] =
          x[i] / std::sqrt(mean + static_cast<double>(h_.rms_eps)) * static_cast<double>(weight[i]);
    }
    return y;
  }

  /// Turns each adjacent pair of a head by position * base^(-2i / n_rot) / factor.
  void rotate(Vector& x, int n_heads, int position) const {
    for (int head = 0; head < n_heads; ++head) {
      for (int i = 0; i < h_.n_rot / 2; ++i) {
        const double factor =
            m_.rope_factors.empty()
                ? 1.0
                : static_cast<double>(m_.rope_factors[static_cast<std::size_t>(i)]);
        const double angle = position * static_cast<double>(h_.rope_scale) *
                             std::pow(static_cast<double>(h_.rope_base), -2.0 * i / h_.n_rot) /
                             factor;
        double& a = x[static_cast<std::size_t>(head * h_.head_dim + 2 * i)];
        double& b = x[static_cast<std::size_t>(head * h_.head_dim + 2 * i + 1)];
        const double turned = a * std::cos(angle) - b * std::sin(angle);
        b = a * std::sin(angle) + b * std::cos(angle);
        a = turned;
      }
    }
  }

  void attend(const Layer& layer, std::vector<Vector>& xs) const {
    std::vector<Vector> qs, ks, vs;
    for (std::size_t t = 0; t < xs.size(); ++t) {
      const Vector n = norm(xs[t], layer.attn_norm);
      qs.push_back(times(layer.wq, n));
      ks.push_back(times(layer.wk, n));
      vs.push_back(times(layer.wv, n));
      rotate(qs[t], h_.n_heads, static_cast<int>(t));
      rotate(ks[t], h_.n_kv_heads, static_cast<int>(t));
    }
    for (std::size_t t = 0; t < xs.size(); ++t) {
      Vector mixed(static_cast<std::size_t>(h_.q_dim()));
      for (int head = 0; head < h_.n_heads; ++head) mix(head, t, qs[t], ks, vs, mixed);
      const Vector out = times(layer.wo, mixed);
      for (std::size_t i = 0; i < out.size(); ++i) xs[t][i] += out[i];
    }
  }

  void mix(int head, std::size_t t, const Vector& q, const std::vector<Vector>& ks,
           const std::vector<Vector>& vs, Vector& mixed) const {
    const std::size_t q0 = static_cast<std::size_t>(head * h_.head_dim);
    const std::size_t k0 = static_cast<std::size_t>(head / h_.group() * h_.head_dim);
    const std::size_t d = static_cast<std::size_t>(h_.head_dim);
    Vector weights;
    double sum = 0;
    for (std::size_t p = 0; p <= t; ++p) {
      double dot = 0;
      for (std::size_t i = 0; i < d; ++i) dot += q[q0 + i] * ks[p][k0 + i];
      weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(d))));
      sum += weights.back();
    }
    for (std::size_t p = 0; p <= t; ++p) {
      for (std::size_t i = 0; i < d; ++i) mixed[q0 + i] += weights[p] / sum * vs[p][k0 + i];
    }
  }

  void feed_forward(const Layer& layer, Vector& x) const {
    const Vector n = norm(x, layer.ffn_norm);
    const Vector gate = times(layer.w_gate, n);
    Vector hidden = times(layer.w_up, n);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] *= gate[i] / (1 + std::exp(-gate[i]));
    const Vector out = times(layer.w_down, hidden);
    for (std::size_t i = 0; i < out.size(); ++i) x[i] += out[i];
  }

  const Model& m_;
  const Hparams& h_;
};

}  // namespace kvscope::testing
