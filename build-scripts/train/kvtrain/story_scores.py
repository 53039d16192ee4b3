"""Stories that the exported file writes when it is sampled, judged by the grammar's own checker."""

import re

import numpy as np

from .corpus import ABOUT, CHAIN_OPENERS
from .grammar_en import noun_phrase
from .sample_prompts import STORY_STARTS, long_starts
from .segments import plain
from .story_check import Checker
from .tokenizer import BOS, EOS
from .train import Batches

TEMPERATURE, MIN_P = 0.8, 0.05


def training_texts(paths):
    """Every training document as bytes of its ids."""
    texts = set()
    for data in (Batches(path).data for path in paths):
        for key in [k for k in data if k.startswith("tokens")]:
            for tokens, numbers in zip(data[key], data[key.replace("tokens", "documents")]):
                starts = np.flatnonzero(np.diff(numbers.astype(int), prepend=-1)).tolist() + [len(tokens)]
                texts |= {tokens[a:b].astype(np.uint16).tobytes() for a, b in zip(starts, starts[1:])}
    return texts


def write(world, llama, lang, starts, seed):
    rng = np.random.default_rng(seed)
    return [(start, llama.sample(start, rng, TEMPERATURE, MIN_P)) for start in starts]


def judge(world, llama, count, data):
    """Scores of `count` short stories per language and of long ones."""
    checker, seen, out = Checker(world.types, world.cast), training_texts(data), {}
    for lang in ("ko", "en"):
        starts = [STORY_STARTS[lang][i % len(STORY_STARTS[lang])] for i in range(count)]
        short = write(world, llama, lang, starts, 1)
        long = write(world, llama, lang, long_starts(world, lang, count // 4), 2)
        out[lang], out[f"long {lang}"] = (summary(checker, llama, lang, part, seen) for part in (short, long))
    return out


def summary(checker, llama, lang, written, seen):
    faults, texts, new, ended, tokens = [], set(), 0, 0, []
    for start, ids in written:
        whole = llama.tokens(start) + ids
        text = llama.text([i for i in whole if i not in (BOS, EOS)]).strip()
        ended += ids[-1] == EOS
        texts.add(text)
        tokens.append(len(whole))
        new += np.array(whole, np.uint16).tobytes() not in seen
        fault = checker.story(text, lang)
        if fault:
            faults.append({"text": text, "fault": fault})
    n = len(written)
    return {"stories": n, "without error": round(100 * (n - len(faults)) / n, 2), "ended": round(100 * ended / n, 2),
            "distinct": round(100 * len(texts) / n, 2), "not in the training text": round(100 * new / n, 2),
            "longest": max(tokens), "mean tokens": round(sum(tokens) / n, 1),
            "past 150 tokens": sum(t > 150 for t in tokens), "faults": faults[:10], "example": sorted(texts)[0]}


def chain_answers(known, text):
    """(answers, right ones) of a chain; a question that is not in the word lists counts as a wrong answer."""
    sentences = [s for s in re.split(r"(?<=[.?:]) |(?<=,) ", text) if s]
    total = right = i = 0
    while i < len(sentences):
        length = next((n for n in range(1, 6) if " ".join(sentences[i:i + n]) in known), 0)
        total, right, i = total + 1, right + (length > 0), i + max(length, 1)
    return total, right


def judge_chains(world, llama, count):
    out = {}
    for lang in ("ko", "en"):
        known = {plain(f"{p.prompt} {p.answer}") for p in world.train + world.held if p.lang == lang}
        known |= {plain(ABOUT[lang].format(c.ko if lang == "ko" else noun_phrase(c))) for c in world.concepts}
        starts = [plain(CHAIN_OPENERS[lang][i % 3]) for i in range(count)]
        rows = []
        for start, ids in write(world, llama, lang, starts, 3):
            text = llama.text([i for i in ids if i != EOS]).strip()
            rows.append((*chain_answers(known, text), len(ids)))
        long = [r for r in rows if r[2] > 150]
        out[lang] = {"chains": count, "without error": round(100 * sum(t == r for t, r, _ in rows) / count, 1),
                     "answers": sum(t for t, _, _ in rows), "right answers": round(100 * sum(r for _, r, _ in rows) / sum(t for t, _, _ in rows), 2),
                     "mean tokens": round(sum(n for *_, n in rows) / count, 1), "past 150 tokens": len(long),
                     "of these without error": round(100 * sum(t == r for t, r, _ in long) / max(1, len(long)), 1)}
    return out
