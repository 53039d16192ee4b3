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


def write_batches(path, world, seed, steps, ids, drill=None, again=False):
    """Packs `steps` batches into path; returns (documents, long documents, tokens)."""
    packers = {n: Packer(n) for n in BUCKETS}
    count = long_documents = tokens = 0
    for document, scored in corpus.write_documents(world, seed, steps * POSITIONS, corpus.Encoder(ids), drill, again):
        smallest = next(n for n in BUCKETS if len(document) <= n)
        longer = [packers[n] for n in BUCKETS if n > smallest]
        if not any(packer.fits(document, scored) for packer in longer):  # short ones fill the gaps of long rows
            packers[smallest].add(document, scored)
        count, tokens, long_documents = count + 1, tokens + len(document), long_documents + (len(document) >= 120)
    arrays, batches = {}, []
    for n, packer in packers.items():
        arrays[f"tokens{n}"], arrays[f"documents{n}"], arrays[f"scored{n}"] = packer.arrays()
        rows = list(range(len(arrays[f"tokens{n}"])))
        random.Random(f"rows {seed} {n}").shuffle(rows)
        per_step = POSITIONS // n
        batches += [(n, rows[i:i + per_step]) for i in range(0, len(rows) - per_step + 1, per_step)]
    random.Random(f"batches {seed}").shuffle(batches)
    assert len(batches) >= steps, f"{len(batches)} batches for {steps} steps"
    order = np.full((steps, 1 + POSITIONS // BUCKETS[0]), -1, np.int32)
    for i, (n, rows) in enumerate(batches[:steps]):
        order[i, 0] = n
        order[i, 1:1 + len(rows)] = rows
    np.savez(path, order=order, **arrays)
    return count, long_documents, tokens


def prepare(out, seed, drill, steps, again, share=1.0):
    """Writes vocab.json, drill2.npz and so on, data.npz, again.npz into out; returns what the checks counted.
    drill: {rows: steps}; again: steps of the second round"""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    world = corpus.make_world(seed, share)
    tok, types = vocabulary(world)
    report = checks.run(world, tok)
    (out / "vocab.json").write_text(json.dumps({"pieces": tok.pieces, "scores": tok.scores, "types": types}))
    for rows, count in drill.items():
        write_batches(out / f"drill{rows}.npz", world, seed, count, tok.ids, rows)
    counts = write_batches(out / "data.npz", world, seed, steps - sum(drill.values()), tok.ids)
    if again:
        more = write_batches(out / "again.npz", world, seed, again, tok.ids, again=True)
        counts = [a + b for a, b in zip(counts, more)]
    report |= dict(zip(("documents", "documents of 120 tokens or more", "tokens"), counts))
    report |= {"concepts": len(world.concepts), "pieces": len(tok.pieces),
               "facts per language": len(world.by_fact["ko"]), "held-out prompts": len(world.held)}
    (out / "corpus.json").write_text(json.dumps(report, indent=1))
    return report
