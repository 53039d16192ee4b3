"""Which head looks from 은 at 바다, and does the answer depend on it?"""

import torch

from .model import causal_mask
from .tokenizer import BOS

HERO = {"ko": ("바다 색깔|은", "파랗다", 1), "en": ("The color of the sea is", "blue", 5)}  # noun = position after BOS


@torch.no_grad()
def probability(model, ids, answer):
    logits = model(torch.tensor([ids]), causal_mask(len(ids)))[0, -1]
    return logits.softmax(-1)[answer].item()


@torch.no_grad()
def attention(model, ids):
    """[layers, heads, positions]: weights of the last position"""
    model.watch = []
    model(torch.tensor([ids]), causal_mask(len(ids)))
    out = torch.stack([w[0, :, -1] for w in model.watch])
    model.watch = None
    return out


def survey(model, encode, lang="ko"):
    """One row per head: its weights on the hero prompt and p(answer) with this head removed."""
    prompt, answer, noun = HERO[lang]
    ids, answer = [BOS] + encode(prompt), encode(answer)[0]
    weights, full = attention(model, ids), probability(model, ids, answer)
    rows = []
    for layer in range(model.shape.n_layers):
        for head in range(model.shape.n_heads):
            model.knocked_out = {(layer, head)}
            rows.append({"layer": layer, "head": head, "weights": [round(w, 3) for w in weights[layer, head].tolist()],
                         "on_noun": weights[layer, head, noun].item(), "p_without": probability(model, ids, answer)})
    model.knocked_out = set()
    return full, rows


@torch.no_grad()
def right_without(model, encode, prompts, knocked_out):
    """Share of first answer tokens that stay right when heads are removed, over `N 색깔은` prompts."""
    model.knocked_out = set(knocked_out)
    right = 0
    for p in prompts:
        ids = [BOS] + encode(p.prompt)
        logits = model(torch.tensor([ids]), causal_mask(len(ids)))[0, -1]
        right += logits.argmax().item() == encode(p.answer)[0]
    model.knocked_out = set()
    return right / len(prompts)


def report(model, encode, world):
    """The survey of both languages, the proposed head, and a pretty one without effect."""
    model.eval()
    full, rows = survey(model, encode)
    color = [p for p in world.train if p.lang == "ko" and p.relation == "color" and p.phrasing == 0]
    lookers = [r for r in rows if r["on_noun"] >= 0.8]
    causal = max(lookers or rows, key=lambda r: full - r["p_without"])
    pretty = max((r for r in rows if r is not causal and full - r["p_without"] < 0.002), key=lambda r: r["on_noun"], default=None)
    for r in filter(None, (causal, pretty)):
        r["right_without"] = right_without(model, encode, color, {(r["layer"], r["head"])})
    together = {(r["layer"], r["head"]) for r in lookers}
    prompt, answer, _ = HERO["ko"]
    model.knocked_out = together
    p_without_all = probability(model, [BOS] + encode(prompt), encode(answer)[0])
    model.knocked_out = set()
    english, english_rows = survey(model, encode, "en")
    return {"p": full, "right": right_without(model, encode, color, ()), "nouns": len(color), "heads": rows,
            "proposed": causal, "pretty_without_effect": pretty,
            "all_lookers": {"heads": sorted(together), "p_without": p_without_all,
                            "right_without": right_without(model, encode, color, together)},
            "english": {"p": english, "heads": english_rows}}
