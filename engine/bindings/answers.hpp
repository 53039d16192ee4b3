#pragma once

// C++ results as a call's answers, in the order in which engine.js names them.

#include "bindings/call.hpp"
#include "model/model.hpp"
#include "probe/probe.hpp"
#include "session/session.hpp"

namespace kvscope::js {

void give_info(Call& call, const Model& model, int n_threads);
/// What a session's cache is, once and for all.
void give_kv_layout(Call& call, const Session& session);
/// What its cache holds and its passes have cost by now.
void give_state(Call& call, const Session& session);
void give_prefill(Call& call, const Session& session);
void give_inspection(Call& call, const Inspection& inspection);

}  // namespace kvscope::js
