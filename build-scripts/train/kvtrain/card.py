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
    return {k: data[k] for k in keys} | {"stories": stories, "p(파랗다)": data["heads"]["p"], "head": proposed,
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
    text += ("\n\nThis head did not come by itself: until the second phase the only heads on 바다 were in the last layer (two of them, "
             "causal as well). `kvtrain/guide.py` adds a term to the loss that pulls one early head from the particle to the noun; "
             "what the network does with it is its own. Two more heads (layer 1 head 2, layer 2 head 2) were taught in the same way to link "
             "a thing to its owner and a question to its sentence (`kvtrain/binding.py`).")
    if pretty:
        text += (f"\n\nA head can look just as good and do nothing: layer {pretty['layer']}, head {pretty['head']} gives 바다 "
                 f"{pretty['on_noun']:.3f}, and without it p(파랗다) is still {pretty['p_without']:.4f}.")
    early = heads["all_early_lookers"]
    if early["heads"]:
        names = ", ".join(f"{layer}.{head}" for layer, head in early["heads"])
        text += (f"\n\nAll heads of layers 0 and 1 with half of their weight or more on 바다 ({names}) removed together: "
                 f"{100 * early['right_without']:.1f} % right.")
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

Faults found:
{fault_text}

{data['samples right']['ko']} Korean and {data['samples right']['en']} English prompts of `samples.json` were answered right, of {data['samples asked']} candidates.

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
