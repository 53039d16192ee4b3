#include "bindings/answers.hpp"

#include "bindings/step_batch.hpp"

namespace kvscope::js {

namespace {

template <class T>
double number(T n) {
  return static_cast<double>(n);
}

}  // namespace

void give_info(Call& call, const Model& model, int n_threads) {
  const Hparams& h = model.hparams;
  const ModelCard& card = model.card;
  call.give({number(card.n_parameters), number(card.file_bytes), number(model.weight_bytes()),
             number(h.n_layers), number(h.n_heads), number(h.n_kv_heads), number(h.head_dim),
             number(h.dim), number(h.ffn_dim), number(model.vocab_size()), number(h.context_length),
             number(card.telling_layer), number(card.telling_head), number(n_threads)});
  for (const std::string* text :
       {&card.name, &card.description, &h.architecture, &card.quantization}) {
    call.give(*text);
  }
}

void give_kv_layout(Call& call, const Session& session) {
  const KvCache& cache = session.cache();
  call.give({number(session.options().context_length), number(cache.bytes_per_token()),
             number(cache.shape().n_layers), number(cache.shape().n_kv_heads)});
  call.give(kv_type_name(session.options().kv_type));
}

void give_state(Call& call, const Session& session) {
  const KvCache& cache = session.cache();
  const PassCost &in = session.input().cost, &out = session.output().cost;
  call.give({number(cache.tokens()), number(cache.bytes()), number(cache.reserved_bytes()),
             number(in.q_bytes + out.q_bytes)});
  for (const PhaseStats* s : {&session.input(), &session.output()}) {
    call.give({number(s->tokens), s->ms, number(s->cost.macs), number(s->cost.weight_bytes_read),
               number(s->cost.kv_bytes_read), number(s->cost.kv_bytes_written)});
  }
}

void give_prefill(Call& call, const Session& session) {
  const PrefillReport& report = session.prefill_report();
  call.give({number(report.tokens), number(report.reused), report.ms, number(report.cost.macs),
             number(report.cost.weight_bytes_read), number(report.cost.kv_bytes_read),
             number(report.cost.q_bytes)});
  std::vector<double> candidates;
  append_candidates(session.logits(), candidates);
  call.give(candidates);
}

void give_inspection(Call& call, const Inspection& i) {
  call.give({number(i.layer), number(i.head), number(i.kv_head), number(i.position)});
  for (const std::vector<float>* values : {&i.x, &i.q, &i.q_rotated, &i.k, &i.v, &i.k_projected,
                                           &i.v_projected, &i.scores, &i.weights, &i.mixed}) {
    call.give(*values);
  }
  for (const ProjectionRows* p : {&i.wq, &i.wk, &i.wv}) {
    call.give({number(p->rows), number(p->cols), number(p->first_row)});
    call.give(p->values);
  }
}

}  // namespace kvscope::js
