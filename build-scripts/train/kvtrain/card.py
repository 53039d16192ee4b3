"""The model card, written from the figures of the finished file."""

from . import words

TARGETS = (("facts ko", 97), ("facts en", 98), ("stories ko", 98), ("stories en", 98), ("pairs ko", 90), ("pairs en", 90))
SETS = {"facts": "facts, in phrasings never seen with that thing", "stories": "stories, a person and a thing never seen together",
        "pairs": "stories with two people and two things, a question on either", "long": "last question after a long story",
        "chains": "a question after more than 150 tokens of questions"}


def summary(data):
    """What a program may want to know: web/models/kvscope-tiny.json"""
    keys = ("seed", "parameters", "shape", "bytes", "sha256", "corpus", "f32", "q4_0", "llama.cpp")
    stories = {k: {n: v for n, v in s.items() if n not in ("faults", "example")} for k, s in data["stories"].items()}
    proposed = {k: data["heads"]["proposed"][k] for k in ("layer", "head", "weights", "on_noun", "p_without", "right_without")}
    return {k: data[k] for k in keys} | {"stories": stories, "chains": data["chains"], "p(파랗다)": data["heads"]["p"], "head": proposed,
                                         "held out": [k for k, _ in TARGETS]}


def score_table(data):
    lines = ["| held-out set | language | F32 | Q4_0 | in llama.cpp (60 items) | target |", "|---|---|---|---|---|---|"]
    targets = dict(TARGETS)
    for name, value in data["f32"].items():
        kind, lang = name.split()
        lines.append(f"| {SETS[kind]} | {lang} | {value} | {data['q4_0'][name]} | {data['llama.cpp'][name]} | {targets.get(name, '')} |")
    return "\n".join(lines)


def story_table(data):
    keys = ("stories", "without error", "ended", "distinct", "not in the training text", "mean tokens", "longest", "past 150 tokens")
    lines = ["| sampled | " + " | ".join(keys) + " |", "|---" * (len(keys) + 1) + "|"]
    for name, s in data["stories"].items():
        lines.append(f"| {name} | " + " | ".join(str(s[k]) for k in keys) + " |")
    return "\n".join(lines)


def chain_table(data):
    keys = ("chains", "without error", "answers", "right answers", "mean tokens", "past 150 tokens", "of these without error")
    lines = ["| sampled | " + " | ".join(keys) + " |", "|---" * (len(keys) + 1) + "|"]
    for name, s in data["chains"].items():
        lines.append(f"| {name} | " + " | ".join(str(s[k]) for k in keys) + " |")
    return "\n".join(lines)


def missed(data):
    """Targets that the file does not reach, in one line each."""
    out = [f"- {SETS[k.split()[0]]}, {k.split()[1]}: {data['q4_0'][k]} % of {t} %" for k, t in TARGETS if data["q4_0"][k] < t]
    out += [f"- sampled stories without error, {k}: {data['stories'][k]['without error']} % of 99.5 %"
            for k in ("ko", "en") if data["stories"][k]["without error"] < 99.5]
    if data["heads"]["proposed"]["layer"] > 1:
        out.append(f"- the head that looks at 바다 with effect is in layer {data['heads']['proposed']['layer']}, not in 0 or 1")
    return "\n".join(out) or "- none"


def head_table(data):
    lines = ["| layer | head | weights on `<s>` 바다 색깔 은 | p(파랗다) without it |", "|---|---|---|---|"]
    for h in sorted(data["heads"]["heads"], key=lambda h: -h["on_noun"])[:8]:
        lines.append(f"| {h['layer']} | {h['head']} | {' · '.join(f'{w:.3f}' for w in h['weights'])} | {h['p_without']:.4f} |")
    return "\n".join(lines)


def head_text(data):
    heads, h, pretty = data["heads"], data["heads"]["proposed"], data["heads"]["pretty_without_effect"]
    text = (f"p(파랗다) = {heads['p']:.4f} with all heads. **Layer {h['layer']}, head {h['head']}** gives {h['on_noun']:.3f} of its "
            f"weight to 바다; without it p(파랗다) is {h['p_without']:.4f}, and over {heads['nouns']} prompts `N 색깔은` the right "
            f"answers fall from {100 * heads['right']:.1f} % to {100 * h['right_without']:.1f} %. It is in the file as "
            "`kvscope.head.layer` and `kvscope.head.head`.")
    together = heads["all_lookers"]
    names = ", ".join(f"{layer}.{head}" for layer, head in together["heads"])
    text += (f"\n\nAll heads with 0.8 or more on 바다 ({names}) removed together: p(파랗다) = {together['p_without']:.4f}, "
             f"{100 * together['right_without']:.1f} % right.")
    if pretty:
        text += (f"\n\nA head can look just as good and do nothing: layer {pretty['layer']}, head {pretty['head']} gives 바다 "
                 f"{pretty['on_noun']:.3f}, and without it p(파랗다) is {pretty['p_without']:.4f}.")
    text += ("\n\nLayer 0, head 0 was taught to look at the noun (`kvtrain/guide.py` adds a term to the loss from phase 2 on), layer 1 "
             "head 2 to link a thing to its owner and layer 2 head 2 a question to its sentence (`kvtrain/binding.py`). The heads of "
             "the last layer came by themselves.")
    return text


def text(data):
    s, c = data["shape"], data["corpus"]
    names = words.load_names()
    outside = "\n".join(f"- `{o['prompt']}` → {o['answer'] or '(END at once)'}" for o in data["outside"])
    faults = [f for v in data["stories"].values() for f in v["faults"]]
    fault_text = "\n".join(f"- {f['text']} ({f['fault']})" for f in faults[:3]) or "- none in these samples"
    examples = "\n\n".join(f"> {data['stories'][k]['example']}" for k in ("ko", "en"))
    hours = data["log"][-1]["seconds"] / 60
    return f"""# kvscope-tiny

A model of {data['parameters']:,} parameters that finishes sentences about a small everyday world, in Korean and English. It exists so
that the inside of a language model can be shown on real numbers; it is no assistant and knows nothing outside its word lists.

| | |
|---|---|
| file | `kvscope-tiny.gguf`, {data['bytes']:,} bytes, Q4_0 (norms F32), runs in llama.cpp unchanged |
| architecture | `llama`: dim {s['dim']}, {s['n_layers']} layers, {s['n_heads']} heads on {s['n_kv_heads']} KV heads of {s['head_dim']}, SwiGLU {s['ffn']}, RoPE {s['rope_theta']:.0f} on neighbouring pairs, tied output, context {s['context']} |
| tokenizer | `llama` (SentencePiece form), {s['vocab']:,} pieces: Korean words by their prefixes, English by BPE, 256 bytes |
| data | generated by `build-scripts/train` from its own word lists: {c['concepts']} concepts, {c['facts per language']:,} facts in each language, {len(names['ko'])} + {len(names['en'])} names; {c['documents']:,} documents ({c['documents of 120 tokens or more']:,} of 120 to 500 tokens), {c['tokens']:,} tokens prepared. No text of others |
| training | {data['log'][-1]['step']:,} steps of 2,048 positions, seed {data['seed']}, AdamW, the last 5 % with Q4_0 weights (straight-through); in four phases (`build-scripts/train/README.md`): facts first, then two people to tell apart, with attention of three heads as an extra term of the loss; {hours:.0f} minutes on 2 cores shared with other work |
| licence | the project's own (see the front page); the words, grammar and weights are ours |
| sha256 | `{data['sha256']}` |

## Scores
Per cent right: the greedy answer equals the expected one in every token (facts: END included). Nothing of these sets was trained.

{score_table(data)}

Stories sampled from the exported file in llama.cpp at temperature 0.8 with min-p 0.05, judged by the grammar's own checker
(sentence forms, particles, one set of people and things, true facts):

{story_table(data)}

Chains of questions, sampled in the same way after an opening such as `문제를 풀어 보자.`, every answer compared with the word lists:

{chain_table(data)}

Faults found:
{fault_text}

{data['samples right']['ko']} Korean and {data['samples right']['en']} English prompts of `samples.json` were answered right, of {data['samples asked']} candidates.

### What it does not reach
{missed(data)}

It answers "what did A choose or give" about two people, but "who" by chance; and in Korean it does not remember where a lost
thing was found.

## Examples
{examples}

## Where it looks
Weights of the last position (은) in `바다 색깔은`, and what happens to the answer when the head is switched off:

{head_table(data)}

{head_text(data)}

## Outside its world
It has never seen these and answers anyway:
{outside}

## How it was made
`build-scripts/train/README.md`: one command from the seed to this folder.
"""
