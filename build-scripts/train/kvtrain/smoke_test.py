"""The recipe in small: prepare, train, export, judge. Prints one line per test and a summary."""

import json
import sys
from pathlib import Path

import torch

from . import corpus, evaluate, export_gguf, prepare, qat, train
from .__main__ import AGAIN, CALM, DRILL, SHARE, STEPS
from .binding import Binding
from .guide import Guide
from .model import SMOKE, Shape

SEED = 1
LEAST = {"facts ko": 85.0, "facts en": 85.0}


def main(out):
    torch.set_num_threads(2)
    tests = [("the corpus passes its checks (checks.py)", lambda: prepare.prepare(out, SEED, DRILL["smoke"], STEPS["smoke"], AGAIN["smoke"], SHARE["smoke"]) and None)]
    world = corpus.make_world(SEED, SHARE["smoke"])
    state = {}

    def trains():
        pieces = json.loads((Path(out) / "vocab.json").read_text())["pieces"]
        state["encode"] = corpus.Encoder({p: i for i, p in enumerate(pieces)})
        shape = Shape(vocab=len(pieces), **SMOKE)
        model = train.train(out, shape, SEED, DRILL["smoke"], STEPS["smoke"], AGAIN["smoke"], CALM["smoke"],
                            Guide(pieces, {c.ko for c in world.concepts}), Binding(pieces, world), log_every=250)
        model.quantize = qat.q4_0
        state["model"] = model.eval()
        state["scores"] = evaluate.scores(model, state["encode"], evaluate.all_items(world, "test", others=200))
        print(json.dumps(state["scores"]))

    tests.append((f"{STEPS['smoke']} steps of training finish", trains))
    for name, least in LEAST.items():
        def reaches(name=name, least=least):
            assert state["scores"][name] >= least, f"{state['scores'][name]} %"
        tests.append((f"{name}: at least {least} % of the held-out questions, Q4_0 weights", reaches))

    def exports():
        size = export_gguf.export(state["model"], export_gguf.load_vocabulary(out), Path(out) / "smoke.gguf")
        assert 100_000 < size < 1_000_000, f"{size} bytes"

    tests.append(("the file holds exactly the Q4_0 weights that were judged", exports))
    passed = failed = 0
    for name, test in tests:
        try:
            test()
            passed += 1
            print(f"ok   {name}", flush=True)
        except Exception as error:  # a failed test must not hide the others
            failed += 1
            print(f"FAIL {name}: {type(error).__name__} {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
