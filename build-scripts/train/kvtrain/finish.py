"""From a trained model to everything that is committed: the GGUF file, its scores, its card data, the
prompts of the page and the expected values for the engine's tests."""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import torch

from . import card, corpus, engine, evaluate, export_gguf, heads, llama_check, qat, sample_prompts, story_scores, train
from .segments import plain

ROOT = Path(__file__).resolve().parents[3]
MODELS, TESTS = ROOT / "web" / "models", ROOT / "tests" / "reference"
OUTSIDE = ("자동차 바퀴 색깔은", "안녕", "한국의 수도는 어디일까?", "What is the capital of France?", "Hello, how are you?", "2 + 2 =")
REFERENCE = ("바다 색깔은", "The color of the sea is", "레몬 맛은", "사자가 사는 곳은", "비가 오면", "크다의 반대말은", "안녕 🙂",
             "Where does a lion live?", "The opposite of big is", "Question: How many legs does a rabbit have? Answer:",
             "어느 날 민수는 숲으로 갔다.", "One day Tom went to the forest.")
EVALUATION_LIMITS = {"facts": 400, "stories": 100, "pairs": 100, "long": 20, "chains": 20}
EXPECTED_STORIES = 40  # per language


def in_llama(llama, sets, count=60):
    """Greedy answers of the file in llama.cpp on part of each set, in per cent."""
    out = {}
    for name, items in sets.items():
        right = 0
        for prompt, answer, ends in items[:count]:
            expected = llama.tokens(plain(f"{prompt} {answer}"))[len(llama.tokens(plain(prompt))):] + [llama.eos] * ends
            right += llama.generate(llama.tokens(plain(prompt)), lambda l: int(np.argmax(l)), len(expected)) == expected
        out[name] = round(100 * right / len(items[:count]), 2)
    return out


def in_engine(path, sets, out):
    """Greedy answers of the file in this project's engine: all items, and those that the tests ask again."""
    (out / "held-out.json").write_text(evaluation(sets), encoding="utf-8")
    whole = engine.run(path, held_out=out / "held-out.json")
    part = engine.run(path, held_out=TESTS / "default-model-eval.json")
    scores = {name: round(100 * right / whole["asked"][name], 2) for name, right in whole["right"].items()}
    return {"build": whole["build"], "scores": scores, "right": part["right"], "asked": part["asked"], "wrong": whole["wrong"]}


def reference(llama):
    """Expected values for tests: ids, greedy continuation, the largest logits after the prompt. lead: how far, in
    logits, each greedy token is ahead of the next best; where it is hardly ahead, rounding may choose otherwise."""
    out = []
    for prompt in REFERENCE:
        ids, lead = llama.tokens(prompt), []

        def choose(logits):
            second, first = np.partition(logits, -2)[-2:]
            lead.append(round(float(first - second), 4))
            return int(np.argmax(logits))

        greedy = llama.generate(ids, choose, 48)
        logits = llama.logits(ids)[-1]
        top = np.argsort(-logits)[:8]
        out.append({"prompt": prompt, "ids": ids, "greedy": greedy, "lead": lead, "text": llama.text(greedy),
                    "p": round(float(llama_check.softmax(logits)[greedy[0]]), 6),
                    "top": [{"id": int(i), "logit": round(float(logits[i]), 4)} for i in top]})
    return out


def kept_by_engine(path, samples):
    """The samples that this project's engine too answers right; of stories, those that end when their seed is 1."""
    out = {}
    for lang, prompts in samples.items():
        texts = [{"prompt": s["prompt"], "temperature": s.get("temperature", 0), "minP": s.get("minP", 0), "seed": 1, "maxTokens": 500}
                 for s in prompts]
        results = engine.run(path, texts)["texts"]
        out[lang] = [s for s, r in zip(prompts, results)
                     if r["ended"] and (s.get("story") or r["text"] == f"{s['prompt']} {s['answer']}")]
    return out


def outside(llama):
    return [{"prompt": p, "answer": llama.text([i for i in llama.greedy(p, 30) if i != llama.eos]).strip()} for p in OUTSIDE]


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def evaluation(sets, limits=None):
    """The sets as JSON, one item a line."""
    lines = []
    for name, items in sets.items():
        rows = ",\n".join(json.dumps([plain(p), plain(a), bool(e)], ensure_ascii=False)
                          for p, a, e in (items[:limits[name.split()[0]]] if limits else items))
        lines.append(f"{json.dumps(name)}: [\n{rows}\n]")
    return '{"form": "[prompt, answer, whether END must follow]",\n' + ",\n".join(lines) + "}\n"


def sampled(world, llama, path, count, seen):
    """Stories and chains written by this project's engine, stories by llama.cpp; and what the tests expect of the former."""
    ours, theirs = story_scores.engine_writer(path), story_scores.llama_writer(llama)
    stories, rows = story_scores.judge(world, llama, ours, count, seen)
    data = {"stories": stories, "stories in llama.cpp": story_scores.judge(world, llama, theirs, count, seen)[0],
            "more stories": story_scores.judge_more(world, llama, ours, 6 * count),
            "chains": story_scores.judge_chains(world, llama, ours, 50)}
    return data, story_scores.expected_stories(rows, EXPECTED_STORIES)


def measured(args, out, path):
    """Exports the file to `path`; all that is known of it, and {test file: its content}."""
    world, vocabulary = corpus.make_world(args.seed), export_gguf.load_vocabulary(out)
    encode = corpus.Encoder({p: i for i, p in enumerate(vocabulary["pieces"])})
    model = train.load(out, draft=args.draft)
    data = {"seed": args.seed, "corpus": json.loads((out / "corpus.json").read_text()), "shape": model.shape.asdict(),
            "parameters": sum(p.numel() for p in model.parameters())}
    sets = evaluate.all_items(world, "test")
    if not args.draft:
        data["f32"] = evaluate.scores(model, encode, sets)
    model.quantize = qat.q4_0
    data["heads"] = heads.report(model, encode, world)
    head = {k: data["heads"]["proposed"][k] for k in ("layer", "head")}
    data["bytes"] = export_gguf.export(model, vocabulary, path, head)
    data["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    llama = llama_check.Llama(path)
    data["reference"] = reference(llama)
    print(json.dumps({k: data[k] for k in ("bytes", "reference")}, ensure_ascii=False)[:1500], flush=True)
    if args.draft:
        return data, {}
    data["q4_0"] = evaluate.scores(model, encode, sets)
    (TESTS / "default-model-eval.json").write_text(evaluation(sets, EVALUATION_LIMITS), encoding="utf-8")
    data["engine"] = in_engine(path, sets, out)
    data["llama.cpp"] = in_llama(llama, sets)
    seen = story_scores.training_texts(sorted(out.glob("*.npz")))
    more, expected = sampled(world, llama, path, args.stories, seen)
    samples, asked = sample_prompts.checked(world, llama)
    samples = kept_by_engine(path, samples)
    data |= more | {"outside": outside(llama), "samples asked": asked,
                    "samples right": {k: sum("answer" in s for s in v) for k, v in samples.items()},
                    "log": [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]}
    prompts = {"model_sha256": data["sha256"], "made_by": "llama.cpp (llama-cpp-python 0.3.36)", "prompts": data["reference"]}
    return data, {TESTS / "default-model.json": prompts, TESTS / "default-model-stories.json": expected,
                  MODELS / "samples.json": samples}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stories", type=int, default=200, help="per language")
    parser.add_argument("--draft", action="store_true", help="only the file, from the last checkpoint")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    out = Path(args.out)
    MODELS.mkdir(parents=True, exist_ok=True)
    data, files = measured(args, out, MODELS / "kvscope-tiny.gguf")
    if args.draft:
        return
    for path, value in files.items():
        write_json(path, value)
    write_json(MODELS / "kvscope-tiny.json", card.summary(data))
    (MODELS / "README.md").write_text(card.text(data), encoding="utf-8")
    write_json(out / "finish.json", data)


if __name__ == "__main__":
    main()
