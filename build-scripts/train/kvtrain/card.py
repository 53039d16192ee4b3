"""The model card, written from the figures of the finished file. What it says without a figure is what no
training changes: everything about the recipe is in the README, everything about this file is measured."""

from . import words

TARGETS = (("facts ko", 97), ("facts en", 98), ("stories ko", 98), ("stories en", 98), ("pairs ko", 90), ("pairs en", 90))
SETS = {"facts": "facts, in phrasings never seen with that thing", "stories": "stories, a person and a thing never seen together",
        "pairs": "stories with two people and two things, a question on either", "long": "last question after a long story",
        "chains": "a question after more than 150 tokens of questions"}
LANGUAGES = {"ko": "Korean", "en": "English"}
SAMPLED = {"ko": "Korean", "en": "English", "long ko": "Korean, long", "long en": "English, long"}
COUNTS = {"stories": "number", "chains": "number", "answers": "answers", "mean tokens": "tokens on average", "longest": "most tokens",
          "past 150 tokens": "past 150 tokens"}  # the other columns are shares
STORY_TARGETS = {"without error": 99.5, "ended": 100, "distinct": 98, "not in the training text": 80}
MOST_LOST_TO_Q4_0 = 0.5  # points
LEAST_P, LEAST_ON_NOUN, MOST_BYTES = 0.95, 0.8, 1_800_000


def summary(data):
    """What a program may want to know: web/models/kvscope-tiny.json"""
    keys = ("seed", "parameters", "shape", "bytes", "sha256", "corpus", "f32", "q4_0", "llama.cpp", "more stories", "chains")
    proposed = {k: data["heads"]["proposed"][k] for k in ("layer", "head", "weights", "on_noun", "p_without", "right_without")}
    out = {k: data[k] for k in keys}
    out["engine"] = {k: v for k, v in data["engine"].items() if k != "wrong"}
    for by in ("stories", "stories in llama.cpp"):
        out[by] = {k: {n: v for n, v in s.items() if n not in ("faults", "example")} for k, s in data[by].items()}
    return out | {"p(파랗다)": data["heads"]["p"], "head": proposed, "held out": [k for k, _ in TARGETS]}


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|---" * len(headings) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def score_table(data):
    targets, rows = dict(TARGETS), []
    for name in sorted(data["f32"], key=lambda n: (list(SETS).index(n.split()[0]), n.split()[1] == "en")):
        kind, lang = name.split()
        scores = (data[by][name] for by in ("f32", "q4_0"))
        rows.append((SETS[kind], LANGUAGES[lang], *scores, data["engine"]["scores"][name], data["llama.cpp"][name], targets.get(name, "")))
    return table(("held-out set", "language", "F32", "Q4_0", "in kvscope", "in llama.cpp (60 items)", "target"), rows)


def heading(key):
    return COUNTS.get(key, f"{key}, %")


def story_table(data):
    keys = ("stories", "without error", "ended", "distinct", "not in the training text", "mean tokens", "longest", "past 150 tokens")
    rows = [(SAMPLED[name], by, *(s[k] for k in keys))
            for by, stories in (("kvscope", data["stories"]), ("llama.cpp", data["stories in llama.cpp"])) for name, s in stories.items()]
    return table(("stories", "by", *map(heading, keys)), rows)


def of_both(stories, share):
    """Of the short ones of both languages together, in per cent: there are as many of each."""
    return round(sum(stories[lang][share] for lang in LANGUAGES) / len(LANGUAGES), 2)


def both_line(data):
    shares = ", ".join(f"{of_both(data['stories'], share)} % {share} (target {least})" for share, least in STORY_TARGETS.items())
    more = data["more stories"]
    return (f"The {sum(data['stories'][lang]['stories'] for lang in LANGUAGES)} short ones by kvscope together: {shares}. "
            f"Of {more['stories']:,} more, from other seeds, {more['with a fault']} have a fault.")


def chain_table(data):
    keys = ("chains", "without error", "answers", "right answers", "mean tokens", "past 150 tokens", "of these without error")
    return table(("chains", *map(heading, keys)), [(SAMPLED[name], *(s[k] for k in keys)) for name, s in data["chains"].items()])


def missed(data):
    """Targets that the file does not reach, in one line each."""
    heads, named = data["heads"], {k: f"{SETS[k.split()[0]]}, {LANGUAGES[k.split()[1]]}" for k in data["f32"]}
    out = [f"{named[k]}: {data['engine']['scores'][k]} % of {t} %" for k, t in TARGETS if data["engine"]["scores"][k] < t]
    out += [f"{named[k]}: Q4_0 loses {data['f32'][k] - data['q4_0'][k]:.2f} points, of at most {MOST_LOST_TO_Q4_0}"
            for k, _ in TARGETS if data["f32"][k] - data["q4_0"][k] > MOST_LOST_TO_Q4_0]
    out += [f"sampled stories: {what} {share} % of {least} %"
            for what, least in STORY_TARGETS.items() if (share := of_both(data["stories"], what)) < least]
    if heads["p"] < LEAST_P:
        out.append(f"p(파랗다) is {heads['p']:.4f}, of {LEAST_P}")
    if heads["proposed"]["on_noun"] < LEAST_ON_NOUN:
        out.append(f"the proposed head gives 바다 {heads['proposed']['on_noun']:.3f} of its weight, of {LEAST_ON_NOUN}")
    if heads["proposed"]["layer"] > 1:
        out.append(f"the head that looks at 바다 with effect is in layer {heads['proposed']['layer']}, not in 0 or 1")
    if data["bytes"] > MOST_BYTES:
        out.append(f"the file has {data['bytes']:,} bytes, of {MOST_BYTES:,}")
    return "\n".join(f"- {line}" for line in out) or "- nothing of what was set as a target"


def mistakes(data, most=10):
    """Held-out questions with the answer that should come and the one that came: the weakest sets first."""
    scores, wrong = data["engine"]["scores"], data["engine"]["wrong"]
    worst = sorted((name for name in wrong if wrong[name]), key=lambda name: scores[name])
    lines = [f"- {shortened(prompt)} → {got} (should be: {answer})" for name in worst for prompt, answer, got in wrong[name][:2]]
    return "\n".join(lines[:most]) or "- none"


def shortened(text, most=160):
    """The end of a long text, from a word on."""
    return text if len(text) <= most else "… " + text[-most:].split(" ", 1)[1]


def faults(data, most=4):
    found = [f for stories in data["stories"].values() for f in stories["faults"][:2]]
    return "\n".join(f"- {shortened(f['text'], 300)} ({f['fault']})" for f in found[:most]) or "- none in these samples"


def head_table(data):
    rows = [(h["layer"], h["head"], " · ".join(f"{w:.3f}" for w in h["weights"]), f"{h['p_without']:.4f}")
            for h in sorted(data["heads"]["heads"], key=lambda h: -h["on_noun"])[:8]]
    return table(("layer", "head", "weights on `<s>` 바다 색깔 은", "p(파랗다) without it"), rows)


def head_text(data):
    heads, h, pretty = data["heads"], data["heads"]["proposed"], data["heads"]["pretty_without_effect"]
    text = (f"p(파랗다) = {heads['p']:.4f} with all heads. **Layer {h['layer']}, head {h['head']}** gives {h['on_noun']:.3f} of its "
            f"weight to 바다; without it p(파랗다) is {h['p_without']:.4f}, and over {heads['nouns']} prompts `N 색깔은` the right "
            f"answers go from {100 * heads['right']:.1f} % to {100 * h['right_without']:.1f} %. It is in the file as "
            "`kvscope.head.layer` and `kvscope.head.head`. Layers and heads count from 0.")
    together = heads["all_lookers"]
    names = ", ".join(f"{layer}.{head}" for layer, head in together["heads"])
    text += (f"\n\nAll heads with 0.8 or more on 바다 ({names or 'there is none'}) removed together: p(파랗다) = "
             f"{together['p_without']:.4f}, {100 * together['right_without']:.1f} % right.")
    if pretty and pretty["on_noun"] >= LEAST_ON_NOUN:
        text += (f"\n\nA head can look just as good and do nothing: layer {pretty['layer']}, head {pretty['head']} gives 바다 "
                 f"{pretty['on_noun']:.3f}, and without it p(파랗다) is {pretty['p_without']:.4f}.")
    return (text + "\n\nThat layer 0, head 0 looks from the particle at the noun, and that it is the only one, was a term of the "
                   "loss (`kvtrain/guide.py`), as was who looks at what in questions about people (layer 1 head 2 and layer 2 head 2, `kvtrain/binding.py`). The other heads found their places by themselves.")


def text(data):
    s, c = data["shape"], data["corpus"]
    names = words.load_names()
    outside = "\n".join(f"- `{o['prompt']}` → {o['answer'] or '(END at once)'}" for o in data["outside"])
    examples = "\n\n".join(f"> {data['stories'][k]['example']}" for k in LANGUAGES)
    minutes = data["log"][-1]["seconds"] / 60
    return f"""# kvscope-tiny

A model of {data['parameters']:,} parameters that finishes sentences about a small everyday world, in Korean and English. It exists so
that the inside of a language model can be shown on real numbers; it is no assistant and knows nothing outside its word lists.

| | |
|---|---|
| file | `kvscope-tiny.gguf`, {data['bytes']:,} bytes, Q4_0 (norms F32), runs in llama.cpp unchanged |
| architecture | `llama`: dim {s['dim']}, {s['n_layers']} layers, {s['n_heads']} heads on {s['n_kv_heads']} KV heads of {s['head_dim']}, SwiGLU {s['ffn']}, RoPE {s['rope_theta']:.0f} on neighbouring pairs, tied output, context {s['context']} |
| tokenizer | `llama` (SentencePiece form), {s['vocab']:,} pieces: Korean words by their prefixes, English by BPE, 256 bytes |
| data | generated by `build-scripts/train` from its own word lists: {c['concepts']} concepts, {c['facts per language']:,} facts in each language, {len(names['ko'])} + {len(names['en'])} names; {c['documents']:,} documents ({c['documents of 120 tokens or more']:,} of 120 to 500 tokens), {c['tokens']:,} tokens prepared. No text of others |
| training | {data['log'][-1]['step']:,} steps, seed {data['seed']}, the last of them with Q4_0 weights (straight-through), {minutes:.0f} minutes on this project's 2-core machine; the recipe is in `build-scripts/train/README.md` |
| licence | MIT, as all of this project; the words, grammar and weights are ours |
| sha256 | `{data['sha256']}` |

## Scores
Per cent right: the greedy answer equals the expected one in every token (facts: END included). Nothing of these sets was trained.
F32 and Q4_0 are the network in PyTorch before and after rounding; the other two columns are the exported file. The engine's
tests ask {sum(data['engine']['asked'].values()):,} of these questions again (`tests/reference/default-model-eval.json`) and compare with `kvscope-tiny.json`.

The recipe was chosen by a validation part, which is not in these sets (`evaluate.py`).

{score_table(data)}

Stories sampled from the exported file at temperature 0.8 with min-p 0.05, judged by the grammar's own checker (sentence forms,
particles, one set of people and things, true facts):

{story_table(data)}

{both_line(data)}

Chains of questions, sampled in kvscope in the same way after an opening such as `문제를 풀어 보자.`, every answer compared with the
word lists:

{chain_table(data)}

{data['samples right']['ko']} Korean and {data['samples right']['en']} English prompts of `samples.json` were answered right, of {data['samples asked']} candidates; the wrong ones were left out.

### Targets it does not reach
{missed(data)}

### Mistakes in the held-out sets, the weakest sets first
{mistakes(data)}

### Faults in the sampled stories
{faults(data)}

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
