#include "probe/probe.hpp"

#include <cmath>

#include "base/format.hpp"
#include "kernels/elementwise.hpp"

namespace kvscope {

namespace {

std::vector<float> slice(const std::vector<float>& all, int head, int head_dim) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(head) * head_dim;
  return {begin, begin + head_dim};
}

ProjectionRows rows_of_head(const PackedMatrix& w, int head, int head_dim) {
  ProjectionRows out{.rows = w.rows(), .cols = w.cols(), .first_row = head * head_dim};
  out.values.resize(static_cast<std::size_t>(head_dim) * static_cast<std::size_t>(w.cols()));
  for (int i = 0; i < head_dim; ++i) {
    w.unpack_row(out.first_row + i, out.values.data() + static_cast<std::size_t>(i) *
                                                            static_cast<std::size_t>(w.cols()));
  }
  return out;
}

Status check(const char* what, int value, int count) {
  if (value >= 0 && value < count) return {};
  return Error{ErrorCode::bad_argument,
               concat(what, " ", value, " is not there: they go from 0 to ", count - 1)};
}

/// scores, weights and their mix of V, from the rotated q and the cached K and V.
void attend(const KvPages& kv, Inspection& out) {
  const std::size_t n = static_cast<std::size_t>(out.position) + 1;
  const std::size_t d = out.q_rotated.size();
  std::vector<float> cached(d);
  out.scores.resize(n);
  for (std::size_t p = 0; p < n; ++p) {
    kv_load_k(kv, static_cast<int>(p), cached.data());
    double dot = 0;
    for (std::size_t i = 0; i < d; ++i) dot += static_cast<double>(out.q_rotated[i]) * cached[i];
    out.scores[p] = static_cast<float>(dot / std::sqrt(static_cast<double>(d)));
  }
  out.weights = out.scores;
  softmax(out.weights.data(), static_cast<int>(n));
  out.mixed.assign(d, 0.0f);
  for (std::size_t p = 0; p < n; ++p) {
    kv_load_v(kv, static_cast<int>(p), cached.data());
    for (std::size_t i = 0; i < d; ++i) out.mixed[i] += out.weights[p] * cached[i];
  }
}

}  // namespace

Probe::Probe(const Model& model) : layers_(static_cast<std::size_t>(model.hparams.n_layers)) {
  const Hparams& h = model.hparams;
  for (Kept& p : layers_) {
    p.x.reserve(static_cast<std::size_t>(h.dim));
    p.q.reserve(static_cast<std::size_t>(h.q_dim()));
    p.k.reserve(static_cast<std::size_t>(h.kv_dim()));
    p.v.reserve(static_cast<std::size_t>(h.kv_dim()));
  }
}

void Probe::on_projections(const Projections& made) {
  Kept& p = layers_[static_cast<std::size_t>(made.layer)];
  position_ = made.first_position + made.n_tokens - 1;
  const auto keep_last = [&](std::vector<float>& to, const float* from) {
    const std::size_t n = to.capacity();
    const float* last = from + static_cast<std::size_t>(made.n_tokens - 1) * n;
    to.assign(last, last + n);
  };
  keep_last(p.x, made.x);
  keep_last(p.q, made.q);
  keep_last(p.k, made.k);
  keep_last(p.v, made.v);
}

Result<Inspection> Probe::inspect(const Session& session, int layer, int head, int position) const {
  const Model& model = session.model();
  const Hparams& h = model.hparams;
  const int cached = session.cache().tokens();
  if (cached == 0)
    return Error{ErrorCode::bad_state, "the KV cache is empty: there is nothing to inspect"};
  if (Status s = check("layer", layer, h.n_layers); !s) return s.error();
  if (Status s = check("head", head, h.n_heads); !s) return s.error();
  if (Status s = check("position", position, cached); !s) return s.error();

  Inspection out{.layer = layer, .head = head, .kv_head = head / h.group(), .position = position};
  const KvPages kv = session.cache().pages(layer, out.kv_head);
  out.k.resize(static_cast<std::size_t>(h.head_dim));
  out.v.resize(static_cast<std::size_t>(h.head_dim));
  kv_load_k(kv, position, out.k.data());
  kv_load_v(kv, position, out.v.data());
  const Layer& weights = model.layers[static_cast<std::size_t>(layer)];
  out.wq = rows_of_head(weights.wq, head, h.head_dim);
  out.wk = rows_of_head(weights.wk, out.kv_head, h.head_dim);
  out.wv = rows_of_head(weights.wv, out.kv_head, h.head_dim);

  if (position != cached - 1 || position != position_) return out;
  const Kept& p = layers_[static_cast<std::size_t>(layer)];
  out.x = p.x;
  out.q = slice(p.q, head, h.head_dim);
  out.k_projected = slice(p.k, out.kv_head, h.head_dim);
  out.v_projected = slice(p.v, out.kv_head, h.head_dim);
  std::vector<float> table(static_cast<std::size_t>(h.n_rot));
  rope_table(static_cast<float>(position) * h.rope_scale, h.n_rot, h.rope_base, model.rope_factors,
             table.data());
  out.q_rotated = out.q;
  rope(out.q_rotated.data(), 1, h.head_dim, h.n_rot, h.rope_pairs, table.data());
  attend(kv, out);
  return out;
}

}  // namespace kvscope
