"""python -m kvtrain prepare|train|all --preset full|smoke --out DIR [--steps N] [--seed N]"""

import argparse
import json
from pathlib import Path

import torch

from . import corpus, evaluate, heads, prepare, train
from .binding import Binding
from .guide import Guide
from .model import FULL, SMOKE, Shape

STEPS = {"full": 7250, "smoke": 1750}
PLANNED = {"full": 6400, "smoke": 2200}  # steps for which the first decay of the learning rate is drawn
STARTS = {"full": (3750, 4750, 5750), "smoke": (1000, 1100, 1200)}  # the steps at which phases 2, 3 and 4 begin
PREPARED = {"full": (6000, 2300, 1700, 1500), "smoke": (1050, 130, 130, 600)}  # fixed: it decides which documents are made
# then straight lines to 0: (from step, learning rate there, step at which it would be 0)
LINES = {"full": ((5750, 2e-3, 7000), (6500, 1.2e-3, 7250)), "smoke": ((1200, 2e-3, 1750),)}
SHARE = {"full": 1.0, "smoke": 0.15}  # of the concepts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("prepare", "train", "all"))
    parser.add_argument("--preset", choices=tuple(STEPS), default="full")
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    steps = args.steps or STEPS[args.preset]
    if args.command in ("prepare", "all"):
        print(json.dumps(prepare.prepare(args.out, args.seed, PREPARED[args.preset], SHARE[args.preset]), indent=1))
    if args.command in ("train", "all"):
        world = corpus.make_world(args.seed, SHARE[args.preset])
        pieces = json.loads((Path(args.out) / "vocab.json").read_text())["pieces"]
        encode = corpus.Encoder({p: i for i, p in enumerate(pieces)})
        sets = evaluate.all_items(world, facts=150, others=60)
        shape = Shape(vocab=len(pieces), **(FULL if args.preset == "full" else SMOKE))
        print(f"{sum(p.numel() for p in train.m.Model(shape).parameters())} parameters", flush=True)
        nouns = {c.ko for c in world.concepts}
        train.train(args.out, shape, args.seed, steps, STARTS[args.preset], PLANNED[args.preset], LINES[args.preset],
                    guide=lambda model: Guide(pieces, nouns, *heads.earliest_looker(model, encode)),
                    binding=Binding(pieces, world),
                    evaluate=lambda model: evaluate.scores(model, encode, sets))


if __name__ == "__main__":
    main()
