"""Training by steps: constant learning rate, a decay, then a last part with Q4_0 weights (straight-through).

The part before the decay does not depend on the number of steps, so a run can be cut short by resuming
it with fewer steps; the same number of steps from the start gives the same model."""

import json
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from . import model as m
from . import qat

WARM_UP = 100
DECAY_SHARE = 0.3  # of the first PLANNED steps
QAT_STEPS = 320


def learning_rate(step, planned, lines, peak):
    """Constant, then a cosine as in a run of `planned` steps, then the last of the straight `lines` that has begun."""
    for start, rate, end in reversed(lines):
        if step >= start:
            return rate * max(0, end - step) / (end - start)
    if step < WARM_UP:
        return peak * (step + 1) / WARM_UP
    decay, end = int(planned * (0.95 - DECAY_SHARE)), int(planned * 0.95)
    part = max(0.0, (step - decay) / (end - decay))
    return peak * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * part)))


class Batches:
    """The batches of one phase, in their order."""

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


def optimizer_of(model, peak):
    decayed = [p for p in model.parameters() if p.dim() == 2]
    rest = [p for p in model.parameters() if p.dim() != 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.95), fused=True)


def train(out, shape, seed, steps, starts, planned, lines, guide=None, binding=None, peak=3e-3, evaluate=None, log_every=100, save_every=250):
    """Trains on out/data1.npz to data4.npz, one after another from the steps `starts`; from starts[0] on with the
    guided head, from starts[2] on with the binding heads too; goes on from out/checkpoint.pt if it is there; leaves out/model.pt. guide: model -> guide.Guide"""
    out = Path(out)
    phases = [Batches(out / f"data{n}.npz") for n in (1, 2, 3, 4)]
    torch.manual_seed(seed)
    model = m.Model(shape)
    optimizer = optimizer_of(model, peak)
    first, seconds = 0, 0.0
    checkpoint = out / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first, seconds = state["step"], state["seconds"]
    running, started = 0.0, time.time() - seconds
    bounds = (0, *starts, steps)
    for part, a, b in zip(phases, bounds, bounds[1:]):
        assert b - a <= len(part), f"{len(part)} batches prepared for steps {a} to {b}"
    quantize_from = steps - QAT_STEPS
    with open(out / "log.jsonl", "a", encoding="utf-8") as log:
        for step in range(first, steps):
            if step >= quantize_from:
                model.quantize = qat.straight_through
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, planned, lines, peak)
            if step >= starts[0] and guide and not model.guide:
                model.guide = guide(model)
            phase = sum(step >= s for s in starts)
            tokens, documents, scored = phases[phase][step - bounds[phase]]
            if model.guide:
                model.guide.tokens = tokens
            if step >= starts[2] and binding:
                model.binding = binding
                binding.batch(tokens, documents)
            loss = loss_of(model, tokens, documents, scored)
            extra = (model.guide.loss if model.guide else 0) + (model.binding.loss() if model.binding else 0)
            (loss + extra).backward()
            model.binding = None
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            running = loss.item() if step == first else 0.98 * running + 0.02 * loss.item()
            done = step + 1
            if done % log_every == 0 or done == steps:
                entry = {"step": done, "seconds": round(time.time() - started, 1), "loss": round(running, 4)}
                running_guide, model.guide = model.guide, None
                if evaluate and (done % (steps // 8) < log_every or done == steps):
                    entry |= evaluate(model)
                model.guide = running_guide
                if model.guide:
                    entry |= {"binding": [round(x.item(), 3) for x in binding.losses]} if step >= starts[2] and binding else {}
                    entry |= {"guide": round(model.guide.loss.item(), 4), "guided": [model.guide.layer, model.guide.head]}
                print(json.dumps(entry), file=log, flush=True)
                print(entry, flush=True)
            if done % save_every == 0:
                torch.save({"shape": shape.asdict(), "model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": done,
                            "seconds": time.time() - started}, out / "checkpoint.part")
                (out / "checkpoint.part").replace(checkpoint)
    torch.save({"shape": shape.asdict(), "model": model.state_dict(), "seconds": time.time() - started}, out / "model.pt")
    return model


def load(out, draft=False):
    """The finished model; draft: the last checkpoint of a run that is still going on."""
    out = Path(out)
    state = torch.load(out / ("checkpoint.pt" if draft else "model.pt"), weights_only=True)
    model = m.Model(m.Shape(**state["shape"]))
    model.load_state_dict(state["model"])
    return model.eval()
