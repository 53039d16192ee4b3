"""Corpus and tokenizer: checked, tokenised and packed into rows of a training run."""

import json
import random
from pathlib import Path

import numpy as np

from . import checks, corpus, tokenizer

BUCKETS = (128, 256, 512)  # row lengths
POSITIONS = 2048  # of one step


class Packer:
    """Whole documents into rows of one length; first row that still has room."""

    def __init__(self, length, open_rows=24):
        self.length, self.limit = length, open_rows
        self.open, self.done = [], []

    def fits(self, ids, scored):
        """Adds the document to an open row if one has room for it."""
        for row in self.open:
            if row[0] + len(ids) <= self.length:
                row[0] += len(ids)
                row[1].append((ids, scored))
                return True
        return False

    def add(self, ids, scored):
        if not self.fits(ids, scored):
            if len(self.open) >= self.limit:
                fullest = max(range(len(self.open)), key=lambda i: self.open[i][0])
                self.done.append(self.open.pop(fullest)[1])
            self.open.insert(0, [0, []])
            self.fits(ids, scored)

    def arrays(self):
        """tokens, document numbers, whether a token counts in the loss: each [rows, length]"""
        rows = self.done + [row for _, row in self.open]
        tokens = np.zeros((len(rows), self.length), np.uint16)
        documents = np.full((len(rows), self.length), 255, np.uint8)
        scored = np.zeros((len(rows), self.length), bool)
        for r, row in enumerate(rows):
            at = 0
            for number, (ids, w) in enumerate(row):
                end = at + len(ids)
                tokens[r, at:end], documents[r, at:end], scored[r, at:end] = ids, number, w
                at = end
        return tokens, documents, scored


def vocabulary(world):
    pieces, scores, types = tokenizer.build(corpus.all_segments(world))
    return tokenizer.Tokenizer(pieces, scores), types


def prepare(out, seed, steps, share=1.0):
    """Writes out/vocab.json and out/data.npz; returns what the checks counted."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    world = corpus.make_world(seed, share)
    tok, types = vocabulary(world)
    report = checks.run(world, tok)
    (out / "vocab.json").write_text(json.dumps({"pieces": tok.pieces, "scores": tok.scores, "types": types}))
    packers = {n: Packer(n) for n in BUCKETS}
    count = long_documents = tokens = 0
    wanted = steps * POSITIONS
    for ids, scored in corpus.write_documents(world, seed, wanted, corpus.Encoder(tok.ids)):
        smallest = next(n for n in BUCKETS if len(ids) <= n)
        longer = [packers[n] for n in BUCKETS if n > smallest]
        if not any(packer.fits(ids, scored) for packer in longer):  # short ones fill the gaps of long rows
            packers[smallest].add(ids, scored)
        count, tokens, long_documents = count + 1, tokens + len(ids), long_documents + (len(ids) >= 120)
    arrays, batches = {}, []
    for n, packer in packers.items():
        arrays[f"tokens{n}"], arrays[f"documents{n}"], arrays[f"scored{n}"] = packer.arrays()
        rows = list(range(len(arrays[f"tokens{n}"])))
        random.Random(f"rows {seed} {n}").shuffle(rows)
        per_step = POSITIONS // n
        batches += [(n, rows[i:i + per_step]) for i in range(0, len(rows) - per_step + 1, per_step)]
    random.Random(f"batches {seed}").shuffle(batches)
    assert len(batches) >= steps, f"{len(batches)} batches for {steps} steps"
    batches = batches[:steps]
    order = np.full((steps, 1 + POSITIONS // BUCKETS[0]), -1, np.int32)
    for i, (n, rows) in enumerate(batches):
        order[i, 0] = n
        order[i, 1:1 + len(rows)] = rows
    np.savez(out / "data.npz", order=order, **arrays)
    report |= {"documents": count, "documents of 120 tokens or more": long_documents, "tokens": tokens,
               "concepts": len(world.concepts), "pieces": len(tok.pieces),
               "facts per language": len(world.by_fact["ko"]), "held-out prompts": len(world.held)}
    (out / "corpus.json").write_text(json.dumps(report, indent=1))
    return report
