"""Stories that the exported file writes when it is sampled, judged by the grammar's own checker."""

import re

import numpy as np

from . import engine
from .corpus import ABOUT, CHAIN_OPENERS
from .grammar_en import noun_phrase
from .sample_prompts import STORY_STARTS, long_starts
from .segments import plain
from .story_check import Checker
from .tokenizer import BOS, EOS
from .train import Batches

TEMPERATURE, MIN_P = 0.8, 0.05
SHORT, LONG, CHAIN, MORE = 1, 2, 3, 4  # seeds


def training_texts(paths):
    """Every training document as bytes of its ids."""
    texts = set()
    for data in (Batches(path).data for path in paths):
        for key in [k for k in data if k.startswith("tokens")]:
            for tokens, numbers in zip(data[key], data[key.replace("tokens", "documents")]):
                starts = np.flatnonzero(np.diff(numbers.astype(int), prepend=-1)).tolist() + [len(tokens)]
                texts |= {tokens[a:b].astype(np.uint16).tobytes() for a, b in zip(starts, starts[1:])}
    return texts


def llama_writer(llama):
    """write(starts, seed) -> [(start, ids)] by llama.cpp; engine.writer is the same by this project's engine."""
    def write(starts, seed):
        rng = np.random.default_rng(seed)
        return [(start, llama.sample(start, rng, TEMPERATURE, MIN_P)) for start in starts]
    return write


def engine_writer(path):
    return engine.writer(path, TEMPERATURE, MIN_P)


def short_starts(lang, count):
    return [STORY_STARTS[lang][i % len(STORY_STARTS[lang])] for i in range(count)]


def judge(world, llama, write, count, seen):
    """(scores of `count` short stories per language and of long ones, the short ones themselves).

    llama only counts and spells tokens; seen: training_texts()."""
    checker, scores, rows = Checker(world.types, world.cast), {}, {}
    for lang in ("ko", "en"):
        rows[lang] = judged(checker, llama, lang, write(short_starts(lang, count), SHORT))
        scores[lang] = summary(rows[lang], seen)
        long = judged(checker, llama, lang, write(long_starts(world, lang, count // 4), LONG))
        scores[f"long {lang}"] = summary(long, seen)
    return scores, rows


def judge_more(world, llama, write, count):
    """The same short stories from other seeds, `count` per language: so many that the rate of faults is hardly chance."""
    checker = Checker(world.types, world.cast)
    rows = [row for lang in ("ko", "en") for row in judged(checker, llama, lang, write(short_starts(lang, count), MORE))]
    return {"stories": len(rows), "with a fault": sum(bool(row["fault"]) for row in rows)}


def judged(checker, llama, lang, written):
    rows = []
    for start, ids in written:
        whole = llama.tokens(start) + ids
        text = llama.text([i for i in whole if i not in (BOS, EOS)]).strip()
        rows.append({"prompt": start, "ids": whole, "text": text, "ended": ids[-1] == EOS, "fault": checker.story(text, lang)})
    return rows


def summary(rows, seen):
    n, tokens, faults = len(rows), [len(r["ids"]) for r in rows], [r for r in rows if r["fault"]]
    new = sum(np.array(r["ids"], np.uint16).tobytes() not in seen for r in rows)
    return {"stories": n, "without error": round(100 * (n - len(faults)) / n, 2),
            "ended": round(100 * sum(r["ended"] for r in rows) / n, 2),
            "distinct": round(100 * len({r["text"] for r in rows}) / n, 2), "not in the training text": round(100 * new / n, 2),
            "longest": max(tokens), "mean tokens": round(sum(tokens) / n, 1), "past 150 tokens": sum(t > 150 for t in tokens),
            "faults": [{k: r[k] for k in ("text", "fault")} for r in faults[:10]], "example": min(r["text"] for r in rows)}


def expected_stories(rows, count):
    """The first `count` of each language, as the engine's tests want them: the same seed must write the same text."""
    return {"temperature": TEMPERATURE, "minP": MIN_P,
            "stories": [{"lang": lang, "prompt": r["prompt"], "seed": engine.seed_of(SHORT, i), "text": r["text"], "fault": r["fault"]}
                        for lang in rows for i, r in enumerate(rows[lang][:count])]}


def chain_answers(known, text):
    """(answers, right ones) of a chain; a question that is not in the word lists counts as a wrong answer."""
    sentences = [s for s in re.split(r"(?<=[.?:]) |(?<=,) ", text) if s]
    total = right = i = 0
    while i < len(sentences):
        length = next((n for n in range(1, 6) if " ".join(sentences[i:i + n]) in known), 0)
        total, right, i = total + 1, right + (length > 0), i + max(length, 1)
    return total, right


def judge_chains(world, llama, write, count):
    out = {}
    for lang in ("ko", "en"):
        known = {plain(f"{p.prompt} {p.answer}") for p in world.train + world.held if p.lang == lang}
        known |= {plain(ABOUT[lang].format(c.ko if lang == "ko" else noun_phrase(c))) for c in world.concepts}
        starts = [plain(CHAIN_OPENERS[lang][i % len(CHAIN_OPENERS[lang])]) for i in range(count)]
        rows = []
        for _, ids in write(starts, CHAIN):
            text = llama.text([i for i in ids if i != EOS]).strip()
            rows.append((*chain_answers(known, text), len(ids)))
        long = [r for r in rows if r[2] > 150]
        answers = sum(t for t, _, _ in rows)
        out[lang] = {"chains": count, "without error": round(100 * sum(t == r for t, r, _ in rows) / count, 1),
                     "answers": answers, "right answers": round(100 * sum(r for _, r, _ in rows) / max(1, answers), 2),
                     "mean tokens": round(sum(n for *_, n in rows) / count, 1), "past 150 tokens": len(long),
                     "of these without error": round(100 * sum(t == r for t, r, _ in long) / max(1, len(long)), 1)}
    return out
