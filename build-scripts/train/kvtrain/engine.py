"""The exported file in this project's own engine: engine.mjs runs its `simd` build under Node."""

import json
import subprocess
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "engine.mjs"


def run(model, texts=(), held_out=None):
    """engine.mjs's RESULTS for these tasks; held_out is a file like default-model-eval.json."""
    with tempfile.TemporaryDirectory() as folder:
        tasks, results = Path(folder) / "tasks.json", Path(folder) / "results.json"
        tasks.write_text(json.dumps({"model": str(model), "heldOut": held_out and str(held_out), "texts": list(texts)}))
        subprocess.run(["node", str(SCRIPT), str(tasks), str(results)], check=True)
        return json.loads(results.read_text())


def seed_of(seed, number):
    """Every text has a seed of its own, so that each can be written again alone."""
    return 10_000 * seed + number


def writer(model, temperature, min_p):
    """write(starts, seed) -> [(start, ids)], END included"""
    def write(starts, seed):
        texts = [{"prompt": start, "temperature": temperature, "minP": min_p, "seed": seed_of(seed, i), "maxTokens": 500}
                 for i, start in enumerate(starts)]
        return list(zip(starts, (text["ids"] for text in run(model, texts)["texts"])))
    return write
