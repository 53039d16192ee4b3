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
DECAY_SHARE = 0.3
QAT_SHARE = 0.05
QAT_RATE = 5e-4


def learning_rate(step, steps, peak):
    quantized, decay = int(steps * (1 - QAT_SHARE)), int(steps * (1 - QAT_SHARE - DECAY_SHARE))
    if step >= quantized:
        return QAT_RATE * (1 - (step - quantized) / (steps - quantized))
    if step < WARM_UP:
        return peak * (step + 1) / WARM_UP
    part = max(0.0, (step - decay) / (quantized - decay))
    return peak * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * part)))


class Batches:
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


def train(out, shape, seed, steps, peak=3e-3, evaluate=None, log_every=100, save_every=250):
    """Trains on out/data.npz, resumes from out/checkpoint.pt if it is there, leaves out/model.pt."""
    out = Path(out)
    batches = Batches(out / "data.npz")
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
    assert steps <= len(batches), f"{steps} steps asked, data for {len(batches)} prepared"
    quantize_from = int(steps * (1 - QAT_SHARE))
    with open(out / "log.jsonl", "a", encoding="utf-8") as log:
        for step in range(first, steps):
            if step >= quantize_from:
                model.quantize = qat.straight_through
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, steps, peak)
            loss = loss_of(model, *batches[step])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            running = loss.item() if step == first else 0.98 * running + 0.02 * loss.item()
            done = step + 1
            if done % log_every == 0 or done == steps:
                entry = {"step": done, "seconds": round(time.time() - started, 1), "loss": round(running, 4)}
                if evaluate and (done % (steps // 8) < log_every or done == steps):
                    entry |= evaluate(model)
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
