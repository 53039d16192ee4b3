"""Held-out questions. Greedy decoding is right exactly if, with the right answer fed in, the most
probable token is the right one at every place; so one forward pass judges many answers at once."""

import random

import torch

from . import corpus, stories
from .model import document_mask
from .segments import segments
from .tokenizer import BOS, EOS


def fact_items(world, lang, split, count=None):
    """Phrasings that training never showed with this thing; END must follow the answer. A fifth is for validation."""
    held = [p for p in world.held if p.lang == lang]
    random.Random(f"split {lang}").shuffle(held)
    held = held[:len(held) // 5] if split == "validation" else held[len(held) // 5:]
    if count and count < len(held):
        held = random.Random(f"{split} fact items {lang}").sample(held, count)
    return [(p.prompt, p.answer, True) for p in held]


def story_items(world, lang, split, count):
    """One question about a person and a thing that never occur together in training."""
    rng, out = random.Random(f"{split} story items {lang}"), []
    kinds = (("meet", "X"), ("give", "O"), ("lost", "O"), ("eat", "F"))
    while len(out) < count:
        name, slot = rng.choice(kinds)
        told, asked, _ = stories.short_story(rng, world.types, world.cast, lang, 1, name, want_held=slot)
        out += [(" ".join(told + [q]), a, False) for q, a in asked]
    return out


def pair_items(world, lang, split, count):
    """Two people with a thing each, one of the pairs never seen; a question on either of them."""
    rng, out = random.Random(f"{split} pair items {lang}"), []
    while len(out) < count:
        name, slot = rng.choice(("two", "swap")), rng.choice(("O", "O2"))
        told, asked, _ = stories.short_story(rng, world.types, world.cast, lang, 1, name, want_held=slot)
        out += [(" ".join(told + [q]), a, False) for q, a in asked]
    return out


def long_items(world, lang, split, count):
    """The last question after a long story (past 150 tokens)."""
    rng, out = random.Random(f"{split} long items {lang}"), []
    while len(out) < count:
        told, asked = stories.long_story(rng, world.types, world.cast, lang, 6, 4)
        head = told + [part for pair in asked[:-1] for part in pair]
        if asked:
            out.append((" ".join(head + [asked[-1][0]]), asked[-1][1], False))
    return out


def chain_items(world, lang, split, count):
    """A question that comes after more than 150 tokens of other questions and answers."""
    rng, out = random.Random(f"{split} chain items {lang}"), []
    prompts = [p for p in world.train if p.lang == lang]
    while len(out) < count:
        parts = [rng.choice(corpus.CHAIN_OPENERS[lang])]
        while sum(len(segments(text)) for text in parts) < 150:
            p = rng.choice(prompts)
            parts += [p.prompt, p.answer]
        p = rng.choice(prompts)
        out.append((" ".join(parts + [p.prompt]), p.answer, False))
    return out


def all_items(world, split, facts=None, others=300):
    """split: "validation", to look at while a recipe is made, or "test", for the card."""
    sets = {}
    for lang in corpus.LANGS:
        sets[f"facts {lang}"] = fact_items(world, lang, split, facts)
        sets[f"stories {lang}"] = story_items(world, lang, split, others)
        sets[f"pairs {lang}"] = pair_items(world, lang, split, others)
        sets[f"long {lang}"] = long_items(world, lang, split, max(others // 4, 10))
        sets[f"chains {lang}"] = chain_items(world, lang, split, max(others // 4, 10))
    return sets


@torch.no_grad()
def judge(model, encode, items, rows=16):
    """[True/False] for (prompt, answer, END must follow)."""
    model.eval()
    todo = []
    for prompt, answer, ends in items:
        p, a = [BOS] + encode(prompt), encode(answer) + [EOS] * ends
        todo.append((p + a, len(p)))
    order = sorted(range(len(todo)), key=lambda i: len(todo[i][0]))
    right = [False] * len(todo)
    for start in range(0, len(order), rows):
        part = order[start:start + rows]
        length = max(len(todo[i][0]) for i in part)
        ids = torch.zeros(len(part), length, dtype=torch.long)
        documents = torch.full((len(part), length), 1)
        for r, i in enumerate(part):
            ids[r, :len(todo[i][0])] = torch.tensor(todo[i][0])
            documents[r, :len(todo[i][0])] = 0
        best = model(ids, document_mask(documents)).argmax(-1)
        for r, i in enumerate(part):
            sequence, at = todo[i]
            right[i] = best[r, at - 1:len(sequence) - 1].tolist() == sequence[at:]
    return right


def scores(model, encode, sets):
    out = {}
    for name, items in sets.items():
        right = judge(model, encode, items)
        out[name] = round(100 * sum(right) / len(right), 2)
    return out
