"""python -m kvtrain prepare|train|all --preset full|smoke --out DIR [--steps N] [--seed N]"""

import argparse
import json
from pathlib import Path

import torch

from . import corpus, evaluate, prepare, train
from .binding import Binding
from .guide import Guide
from .model import FULL, SMOKE, Shape

DRILL = {"full": {2: 150, 3: 150, 4: 600}, "smoke": {2: 60}}  # rows at most of the lists at the beginning: steps
STEPS = {"full": 13200, "smoke": 1800}  # of the first round, with the drill
AGAIN = {"full": 3800, "smoke": 0}  # of the second
CALM = {"full": 1500, "smoke": 0}  # of the end
SHARE = {"full": 1.0, "smoke": 0.1}  # of the concepts


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
        print(json.dumps(prepare.prepare(args.out, args.seed, DRILL[args.preset], steps, AGAIN[args.preset], SHARE[args.preset]), indent=1))
    if args.command in ("train", "all"):
        world = corpus.make_world(args.seed, SHARE[args.preset])
        pieces = json.loads((Path(args.out) / "vocab.json").read_text())["pieces"]
        encode = corpus.Encoder({p: i for i, p in enumerate(pieces)})
        sets = evaluate.all_items(world, "validation", facts=150, others=60)
        shape = Shape(vocab=len(pieces), **(FULL if args.preset == "full" else SMOKE))
        print(f"{sum(p.numel() for p in train.m.Model(shape).parameters())} parameters", flush=True)
        train.train(args.out, shape, args.seed, DRILL[args.preset], steps, AGAIN[args.preset], CALM[args.preset],
                    Guide(pieces, {c.ko for c in world.concepts}), Binding(pieces, world),
                    evaluate=lambda model: evaluate.scores(model, encode, sets))


if __name__ == "__main__":
    main()
