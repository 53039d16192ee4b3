"""Training by steps: constant learning rate, then a straight line to 0, its last part with Q4_0 weights (straight-through).
Then, with these, a shorter second round from a lower rate, and its documents once more at a low one."""

import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from . import model as m
from . import qat

WARM_UP = 100
DECAY_SHARE, QAT_SHARE = 0.4, 0.1  # of the first round, at its end
AGAIN_PEAK = 0.4  # learning rate at the start of the second round
CALM_PEAK, CALM_WARM_UP, CALM_DECAY = 0.06, 50, 500  # of the calm end: learning rate, and steps to reach and to leave it


def learning_rate(step, steps, again, calm):
    """Share of the peak. steps: of the first round; again: of the second; calm: of the end."""
    if step >= steps + again:
        step -= steps + again
        return CALM_PEAK * min((step + 1) / CALM_WARM_UP, 1, (calm - step) / CALM_DECAY)
    if step >= steps:
        return AGAIN_PEAK * (steps + again - step) / again
    return min((step + 1) / WARM_UP, 1, (steps - step) / (DECAY_SHARE * steps))


class Batches:
    """The prepared batches, in their order."""

    def __init__(self, path):
        with np.load(path) as data:
            self.data = {k: data[k] for k in data.files}

    def __len__(self):
        return len(self.data["order"])

    def __getitem__(self, step):
        n, *rows = self.data["order"][step]
        rows = [r for r in rows if r >= 0]
        tokens = torch.from_numpy(self.data[f"tokens{n}"][rows].astype(np.int64))
        documents = torch.from_numpy(self.data[f"documents{n}"][rows].astype(np.int64))
        scored = torch.from_numpy(self.data[f"scored{n}"][rows])
        return tokens, documents, scored


def loss_of(model, tokens, documents, scored):
    """Mean over the scored tokens, each predicted from the position before it in the same document."""
    wanted = scored[:, 1:] & (documents[:, 1:] == documents[:, :-1])
    chosen = F.pad(wanted, (0, 1))
    return F.cross_entropy(model(tokens, m.document_mask(documents), chosen), tokens[:, 1:][wanted])


def optimizers_of(model):
    """Muon (Jordan 2024, as torch has it) for the matrices of the layers, AdamW for embedding and norms."""
    matrices = [p for p in model.blk.parameters() if p.dim() == 2]
    norms = [p for p in model.parameters() if p.dim() != 2]
    groups = [{"params": [model.token_embd.weight], "weight_decay": 0.1}, {"params": norms, "weight_decay": 0.0}]
    return (torch.optim.Muon(matrices, lr=2e-2, weight_decay=0.1),
            torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95), fused=True))


def resume(path, model, optimizers):
    """(step, seconds) of the checkpoint, if there is one."""
    if not path.exists():
        return 0, 0.0
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for optimizer, saved in zip(optimizers, state["optimizers"]):
        optimizer.load_state_dict(saved)
    return state["step"], state["seconds"]


def stages(out, drill, steps, again, calm):
    """(batches, place of the batch) of each step: the drill, the mixture, the second round, the beginning of that once more."""
    parts = [(Batches(out / f"drill{rows}.npz"), count) for rows, count in drill.items()]
    parts.append((Batches(out / "data.npz"), steps - sum(drill.values())))
    if again:
        batches = Batches(out / "again.npz")
        parts += [(batches, again), (batches, calm)]
    return [(batches, i) for batches, count in parts for i in range(count)]


def train(out, shape, seed, drill, steps, again, calm, guide, binding, evaluate=None, log_every=100, save_every=250):
    """Trains on what prepare.prepare left in out, `steps` with the drill, then `again`, then `calm`; goes on from out/checkpoint.pt if it is there;
    leaves out/model.pt. guide: guide.Guide; binding: binding.Binding; evaluate: model -> scores for the log"""
    out = Path(out)
    plan = stages(out, drill, steps, again, calm)
    torch.manual_seed(seed)
    model = m.Model(shape)
    optimizers = optimizers_of(model)
    first, seconds = resume(out / "checkpoint.pt", model, optimizers)
    running, started = 0.0, time.time() - seconds
    with open(out / "log.jsonl", "a", encoding="utf-8") as log:
        for step in range(first, len(plan)):
            if step == steps + again:
                optimizers = optimizers_of(model)
            rate = learning_rate(step, steps, again, calm)
            for optimizer in optimizers:
                for group in optimizer.param_groups:
                    group["lr"] = optimizer.defaults["lr"] * rate
            batches, place = plan[step]
            tokens, documents, scored = batches[place]
            guide.batch(tokens)
            binding.batch(tokens, documents)
            model.quantize = qat.straight_through if step >= steps * (1 - QAT_SHARE) else None
            model.guides = guide, binding
            loss = loss_of(model, tokens, documents, scored)
            (loss + guide.loss() + rate * binding.loss()).backward()
            model.guides = ()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            running = loss.item() if step == first else 0.98 * running + 0.02 * loss.item()
            done = step + 1
            if done % log_every == 0 or done == len(plan):
                entry = {"step": done, "seconds": round(time.time() - started, 1), "loss": round(running, 4),
                         "guide": round(guide.loss().item(), 4), "binding": round(binding.loss().item(), 4)}
                if evaluate and (done % (steps // 10) < log_every or done == len(plan)):
                    entry |= evaluate(model)
                print(json.dumps(entry), file=log, flush=True)
                print(entry, flush=True)
            if done % save_every == 0:
                torch.save({"shape": shape.asdict(), "model": model.state_dict(), "optimizers": [o.state_dict() for o in optimizers],
                            "step": done, "seconds": time.time() - started}, out / "checkpoint.part")
                (out / "checkpoint.part").replace(out / "checkpoint.pt")
    torch.save({"shape": shape.asdict(), "model": model.state_dict(), "seconds": time.time() - started}, out / "model.pt")
    return model


def load(out, draft=False):
    """The finished model; draft: the last checkpoint of a run that is still going on."""
    out = Path(out)
    state = torch.load(out / ("checkpoint.pt" if draft else "model.pt"), weights_only=True)
    model = m.Model(m.Shape(**state["shape"]))
    model.load_state_dict(state["model"])
    return model.eval()
