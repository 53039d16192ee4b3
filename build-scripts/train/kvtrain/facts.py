"""Facts and the phrasings that ask for them."""

import re
from dataclasses import dataclass
from pathlib import Path

from . import grammar_en as en
from . import grammar_ko as ko
from .segments import segments

RELATIONS = Path(__file__).resolve().parent.parent / "words" / "relations.txt"
SLOT = re.compile(r"\{(\w+)(?:\.(\w))?(?::(\w+))?\}")
KO_GENERIC = ("{w:은} => {P}.", "질문: {w:은}? 답: => {S}.", "{w:을} 말해 줘. => {S}.",
              "{w:이} 궁금해|요. => {Y}.", "{w:을} 알려 주|세요. => {Y}.")
KO_GROUPS = ((0, 5), (1, 2), (3, 4, 6))  # phrasings whose answers have the same form
EN_GROUPS = ((0, 1), (2, 3, 4, 5, 6))


@dataclass(frozen=True)
class Prompt:
    lang: str
    concept: str
    relation: str
    phrasing: int
    prompt: str  # marked text up to the answer
    answer: str  # marked text of the answer, with its full stop


def load_relations():
    blocks, block = {}, None
    for line in RELATIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            block = blocks.setdefault(line.strip("[]"), {"ko_all": []})
        elif line and not line.startswith("#"):
            key, text = line.split(" ", 1)
            if key == "ko_all":
                block[key].append(text)
            else:
                block[key] = text
    return blocks


def fill_ko(template, concept, value):
    def slot(match):
        name, form, particle = match.groups()
        word = concept.ko if name == "n" else getattr(value, form or "p")
        if not particle:
            return word
        return ko.with_particle(word, particle)
    return SLOT.sub(slot, template)


def korean(rel, concept, value):
    """[(prompt, answer)], in a fixed order of phrasings."""
    if rel["ko_all"]:
        texts = rel["ko_all"]
    else:
        is_noun = value.p == value.y
        slots = {"P": rel.get("ko_p", "{v:이다}" if is_noun else "{v.p}"),
                 "Y": rel.get("ko_y", "{v:이에요}" if is_noun else "{v.y}"),
                 "S": rel.get("ko_s", "{v.s}")}
        noun_phrase = fill_ko(rel["ko_w"], concept, value)
        texts = []
        for generic in KO_GENERIC:
            text = re.sub(r"\{w:(\w+)\}", lambda m: ko.with_particle(noun_phrase, m[1]), generic)
            texts.append(re.sub(r"\{([PYS])\}", lambda m: slots[m[1]], text))
        texts += [rel["ko_q"], rel["ko_qy"]]
        texts[0] = rel.get("ko_1", texts[0])
    return [tuple(part.strip() for part in fill_ko(t, concept, value).split("=>")) for t in texts]


def english(rel, concept, value):
    phrase = en.noun_phrase(concept)
    person = "cat" in concept.facts and concept.facts["cat"].id in ("person", "family")
    names = {"n": phrase, "N": en.capital(phrase), "bare": concept.en, "ns": en.plural(concept.en),
             "v": value.en, "a": en.category(value.en), "It": "This" if person else "It"}

    def fill(text):
        return re.sub(r"\{(\w+)\}", lambda m: names[m[1]], text)

    starts_small = rel["en_1"].startswith("{N}") and concept.det == "-"
    statement = rel["en_1"].replace("{N}", "We know that {n}") if starts_small else rel["en_1"]
    state, answer = fill(statement).split(" => ")
    question, indirect, full = fill(rel["en_q"]), fill(rel["en_i"]), fill(rel["en_f"])
    short = fill(rel.get("en_s", "{v}."))
    return [(state, answer), (f"Question: {question} Answer:", short), (question, full),
            (f"Please tell me {indirect}.", full), (f"Do you know {indirect}?", f"Yes. {full}"),
            (f"I want to know {indirect}.", full), (f"Can you tell me {indirect}?", full)]


def all_prompts(concepts):
    """Every phrasing of every fact in both languages."""
    relations, out = load_relations(), []
    for concept in concepts:
        for relation, value in concept.facts.items():
            rel = relations[relation]
            for lang, pairs in (("ko", korean(rel, concept, value)), ("en", english(rel, concept, value))):
                for i, (prompt, answer) in enumerate(pairs):
                    out.append(Prompt(lang, concept.id, relation, i, prompt, answer))
    return out


def hold_out(prompts, rng, share=0.4, exempt=(("sea", "color"),)):
    """Split by fact: for `share` of the facts two phrasings (of different answer forms) are hidden."""
    by_fact = {}
    for p in prompts:
        by_fact.setdefault((p.lang, p.concept, p.relation), []).append(p)
    train, held = [], []
    for (lang, concept, relation), group in sorted(by_fact.items()):
        hidden = set()
        if (concept, relation) not in exempt and rng.random() < share:
            forms = KO_GROUPS if lang == "ko" else EN_GROUPS
            hidden = {rng.choice(form) for form in rng.sample(forms, 2)}
        for p in group:
            (held if p.phrasing in hidden else train).append(p)
    return give_back(train, held)


def give_back(train, held):
    """A hidden phrasing whose answer has a piece that training would never show returns to training."""
    while True:
        known = {s for p in train for s in segments(f"{p.prompt} {p.answer}")}
        unseen = [p for p in held if not known.issuperset(segments(f"{p.prompt} {p.answer}"))]
        if not unseen:
            return train, held
        train = train + unseen[:1]
        held = [p for p in held if p is not unseen[0]]
