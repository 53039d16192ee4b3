"""Stories: templates from words/stories.txt, filled with people and things."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from . import grammar_en as en
from . import grammar_ko as ko

STORIES = Path(__file__).resolve().parent.parent / "words" / "stories.txt"
SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?(?::(\w+))?\}")
STYLE = re.compile(r"\[([^/\]]+)/([^\]]+)\]")
OWNABLE = {"toy", "stationery", "garment", "fruit", "instrument", "jewelry", "tableware"}
EDIBLE = {"food", "fruit", "dessert"}
VISITED = {"grassland", "forest", "river", "jungle", "mountain", "farm", "desert", "sea", "pond", "seaside",
           "garden", "lake", "field", "north_pole", "south_pole", "bamboo_forest", "cave"}
PLACES = ("park", "playground", "library", "school", "bakery", "zoo", "museum", "bookstore", "theater", "hospital")
HERD = 3, 6  # animals of a place: at least, and at most
PROPER = {"north pole": "North Pole", "south pole": "South Pole", "mountain": "mountains"}


@dataclass
class Type:
    name: str
    lang: str
    slots: list
    beats: list = field(default_factory=list)  # [(beat, optional, [templates])], without open/again
    openings: dict = field(default_factory=lambda: {"open": [], "again": []})
    questions: list = field(default_factory=list)  # [(kind, question, answer)]


@dataclass(frozen=True)
class Person:
    ko: str
    en: str


def load_types():
    types, current = {}, None
    for line in STORIES.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name, lang, *slots = line.strip("[]").split()
            current = types[name, lang] = Type(name, lang, slots)
        elif line and not line.startswith("#"):
            beat, text = line.split(" ", 1)
            if beat in ("q", "qc", "qs"):
                current.questions.append((beat, *[part.strip() for part in text.split("=>")]))
            elif beat in current.openings:
                current.openings[beat].append(text)
            else:
                name, optional = beat.rstrip("?"), beat.endswith("?")
                if not current.beats or current.beats[-1][0] != name:
                    current.beats.append((name, optional, []))
                current.beats[-1][2].append(text)
    return types


def one_of(rng, pool, favoured):
    """favoured: the earlier in the pool, the likelier. In a story that the model shall write itself no choice may be so
    wide that something wrong comes near to the likeliest word."""
    return rng.choices(pool, [1 / (rank + 3) for rank in range(len(pool))])[0] if favoured else rng.choice(pool)


class Cast:
    """Who and what may appear in stories, and which pairs of person and thing are held out."""

    def __init__(self, concepts, names, rng, held_share=0.12):
        nouns = [c for c in concepts if "cat" in c.facts and c.ko != "눈"]
        kind = lambda c: c.facts["cat"].id
        self.things = [c for c in nouns if kind(c) in OWNABLE and c.det in ("a", "an")
                       and not ("size" in c.facts and c.facts["size"].id == "big")]
        self.animals = [c for c in nouns if "home" in c.facts and c.facts["home"].id in VISITED
                        and kind(c) in ("animal", "bird", "insect", "fish")]
        easy = [c for c in self.animals if c.det == "a" and "color" in c.facts]  # nothing else follows from its article
        herds = [[c for c in easy if c.facts["home"] is home] for home in dict.fromkeys(c.facts["home"] for c in easy)]
        self.herds = [herd[:HERD[1]] for herd in herds if len(herd) >= HERD[0]]
        self.foods = [c for c in nouns if kind(c) in EDIBLE and "taste" in c.facts]
        self.places = [c for c in nouns if c.id in PLACES]
        self.people = {lang: [Person(n, n) for n in names[lang]] for lang in names}
        pairs = [(p.ko, c.id) for lang in ("ko", "en") for p in self.people[lang]
                 for c in self.things + self.animals + self.foods]
        pairs = sorted(set(pairs))
        self.held = set(rng.sample(pairs, int(len(pairs) * held_share)))

    def choices(self, rng, slot, lang, apart):
        """apart: A and B, O and O2 are of different halves of the lists, so that none can be taken for the other; and of an
        animal the place comes first, so that few follow from it."""
        if apart and slot == "X":
            return rng.choice(self.herds)
        pool = self.people[lang] if slot in ("A", "B") else self.pool(slot)
        if not apart or slot not in ("A", "B", "O", "O2"):
            return pool
        return pool[slot in ("B", "O2")::2]

    def pool(self, slot):
        return {"O": self.things, "O2": self.things, "X": self.animals, "F": self.foods, "M": self.places}[slot]

    def draw(self, rng, story_type, taken, person=None, want_held=None, favoured=False, apart=False):
        """Bindings for one episode, or None if the world is too small for them. want_held=slot: that slot and
        person A (O2: person B) are a held-out pair. favoured: as in one_of; apart: as in choices"""
        for _ in range(1000):
            bound = {"A": person} if person else {}
            for slot in story_type.slots:
                if slot != "P" and slot not in bound:
                    pool = self.choices(rng, slot, story_type.lang, apart)
                    bound[slot] = one_of(rng, [c for c in pool if c not in taken] or pool, favoured)
            if len({id(v) for v in bound.values()}) < len(bound):
                continue
            if self.allowed(bound, want_held):
                if "X" in bound:
                    bound["P"] = bound["X"].facts["home"]
                return bound
        return None

    def allowed(self, bound, want_held):
        people = [bound[s].ko for s in ("A", "B") if s in bound]
        if want_held:
            owner = bound["B" if want_held == "O2" else "A"]
            return (owner.ko, bound[want_held].id) in self.held
        return not any((p, bound[s].id) in self.held for p in people for s in ("O", "O2", "X", "F") if s in bound)


def word(lang, slot, bound):
    """The bare word that a slot stands for; None if the thing lacks that fact."""
    name, attribute = slot
    if name == "P":
        home = bound["P"]
        return home.p if lang == "ko" else "the " + PROPER.get(place := home.id.replace("_", " "), place)
    entity = bound[name.upper()]
    if attribute:
        relation = attribute.removesuffix("n")
        if relation not in entity.facts:
            return None
        value = entity.facts[relation]
        if lang == "en":
            return value.en
        return value.s if attribute.endswith("n") else value.p + "/" + value.y
    if lang == "ko":
        return entity.ko
    if isinstance(entity, Person) or name.islower() or name == "M":
        return entity.en
    return en.noun_phrase(entity)


def render(template, lang, bound, style):
    """Marked text, or None if a fact is missing. style: 0 plain, 1 polite (Korean)."""
    missing = False

    def fill(match):
        nonlocal missing
        text = word(lang, (match[1], match[2]), bound)
        if text is None:
            missing = True
            return ""
        text = text.split("/")[style] if "/" in text else text
        return ko.with_particle(text, match[3]) if match[3] else text

    out = STYLE.sub(lambda m: m[style + 1], SLOT.sub(fill, template))
    return None if missing else out


def tell(rng, story_type, bound, style, opening):
    """The sentences of one episode."""
    lang = story_type.lang
    out = [render(rng.choice(story_type.openings[opening]), lang, bound, style)]
    for _, optional, templates in story_type.beats:
        if optional and rng.random() < 0.5:
            continue
        text = render(rng.choice(templates), lang, bound, style)
        if text is not None:
            out.append(text)
    return out


def ask(rng, story_type, bound, short=True):
    """[(question, answer)] in random order."""
    lang, out = story_type.lang, []
    for kind, question, answer in story_type.questions:
        if kind == "qs" and not short:
            continue
        q, a = render(question, lang, bound, 0), render(answer, lang, bound, 0)
        if q and a:
            out.append((q, a))
    rng.shuffle(out)
    return out


SHORT = {"meet": 2, "give": 2, "two": 4, "swap": 4, "lost": 3, "eat": 2, "rain": 2}  # how often each is told
# The same in the second round: what the first one leaves least sure comes oftener.
TOLD_APART, ASKED_APART = SHORT | {"meet": 6}, SHORT | {"two": 8, "swap": 8}


def short_story(rng, types, cast, lang, questions, name=None, want_held=None, apart=False):
    """(sentences, [(question, answer)], bindings)"""
    shares = SHORT if not apart else ASKED_APART if questions else TOLD_APART
    apart = apart and not questions
    story_type = types[name or rng.choices(tuple(shares), shares.values())[0], lang]
    bound = cast.draw(rng, story_type, (), want_held=want_held, favoured=not questions, apart=apart)
    style = rng.randrange(2) if lang == "ko" else 0
    return tell(rng, story_type, bound, style, "open"), ask(rng, story_type, bound)[:questions], bound


def long_story(rng, types, cast, lang, episodes, questions, apart=False):
    frame = types["long", lang]
    style = rng.randrange(2) if lang == "ko" else 0
    apart = apart and not questions
    hero = one_of(rng, cast.choices(rng, "A", lang, apart), favoured=not questions)
    names = [n for n in SHORT if n != rng.choice(("give", "swap"))]
    taken, asked = [hero], []
    out = [render(rng.choice(frame.openings["open"]), lang, {"A": hero}, style)]
    for name in rng.sample(names, min(episodes, len(names))):
        bound = cast.draw(rng, types[name, lang], taken, person=hero, favoured=not questions, apart=apart)
        if bound is None:
            continue
        taken += [v for k, v in bound.items() if k not in ("M", "P")]
        out += tell(rng, types[name, lang], bound, style, "again")
        asked += ask(rng, types[name, lang], bound, short=False)[:3]
    out.append(render(rng.choice(frame.beats[0][2]), lang, {"A": hero}, style))
    rng.shuffle(asked)
    return out, asked[:questions]
