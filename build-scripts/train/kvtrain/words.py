"""The world of the corpus: concepts, values and names, read from the files in ../words."""

from dataclasses import dataclass, field
from pathlib import Path

WORDS = Path(__file__).resolve().parent.parent / "words"
NOUN_FILES = ("animals", "food", "nature", "things", "people")


@dataclass
class Concept:
    id: str
    ko: str
    en: str
    det: str  # "a"/"an" (countable), "the" (only one), "-" (no article)
    facts: dict = field(default_factory=dict)  # relation -> Value


@dataclass(frozen=True)
class Value:
    id: str
    p: str  # Korean plain form, or the noun itself
    y: str  # Korean polite form
    s: str  # Korean short form
    en: str


def rows(name):
    for line in (WORDS / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def load_values():
    values = {}
    for name in ("values", "verbs"):
        for relation, vid, ko, en in rows(name):
            forms = ko.split("/")
            forms = forms * 3 if len(forms) == 1 else forms
            p, y, s = forms if len(forms) == 3 else (forms[0], forms[1], forms[0])
            assert (relation, vid) not in values, f"value given twice: {relation} {vid}"
            values[relation, vid] = Value(vid, p, y, s, en)
    return values


def load_concepts():
    values, concepts = load_values(), []
    used = set()
    for name in NOUN_FILES:
        for ko, en, det, facts in rows(name):
            concept = Concept(en if ko != "눈" else f"{en}_ko_nun", ko, en.replace("_", " "), det)
            for fact in facts.split():
                relation, vid = fact.split("=")
                assert relation not in concept.facts, f"{en}: two values for {relation}"
                concept.facts[relation] = values[relation, vid]
                used.add((relation, vid))
            concepts.append(concept)
    unused = set(values) - used
    assert not unused, f"values that no concept uses: {sorted(unused)}"
    return concepts + load_opposites() + load_sequences() + load_causes()


def load_opposites():
    out = []
    for ko, en, ko2, en2 in rows("opposites"):
        for a, b, ea, eb in ((ko, ko2, en, en2), (ko2, ko, en2, en)):
            ea, eb = ea.replace("_", " "), eb.replace("_", " ")
            out.append(Concept(f"opp {ea}", a, ea, "-", {"opp": Value(eb, b, b, b, eb)}))
    return out


def load_sequences():
    out = []
    for name, kind, items in rows("sequences"):
        pairs = [item.split("=") for item in items.split()]
        for i, (ko, en) in enumerate(pairs):
            concept = Concept(f"seq {en}", ko, en, "-")
            for relation, j in (("next", i + 1), ("prev", i - 1)):
                if kind == "wrap" or 0 <= j < len(pairs):
                    k, e = pairs[j % len(pairs)]
                    concept.facts[relation] = Value(e, k, k, k, e)
            out.append(concept)
    return out


def load_causes():
    return [Concept(f"cause {en}", ko, en, "-", {"cause": Value(en, p, y, p, e)})
            for ko, en, p, y, e in rows("causes")]


def load_names():
    """{'ko': [name], 'en': [name]}"""
    out = {"ko": [], "en": []}
    for lang, name in rows("names"):
        out[lang].append(name)
    return out
