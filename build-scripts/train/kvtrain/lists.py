"""Documents in which many people have a thing each, followed by many questions about them."""

from . import stories
from .stories import STORIES

KINDS = {"choose": 2, "give": 2, "find": 1}  # how often each is written
ROWS = {"choose": 5, "give": 4, "find": 5}  # at most
DRILLED = ("choose", "give")
LISTS = STORIES.with_name("lists.txt")


def load():
    """{(kind, language): {'slots': [..], 'open': [..], 'line': [..], 'q': [(question, answer)]}}"""
    out = {}
    for line in LISTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind, lang, *slots = line.strip("[]").split()
            current = out[kind, lang] = {"slots": slots, "open": [], "line": [], "q": []}
        elif line and not line.startswith("#"):
            key, text = line.split(" ", 1)
            current[key].append(tuple(p.strip() for p in text.split("=>")) if key == "q" else text)
    return out


def draw(rng, cast, lang, slots, count):
    """Bindings of the lines; nobody, nothing and no place occurs twice, no held-out pair occurs."""
    people, places = rng.sample(cast.people[lang], count * ("B" in slots) + count), rng.sample(cast.places, count)
    things = rng.sample(cast.things, min(len(cast.things), 6 * count))
    out = []
    for place in places:
        row = {slot: people.pop() for slot in slots if slot in "AB"}
        thing = next((t for t in things if not any((p.ko, t.id) in cast.held for p in row.values())), None)
        if thing is None:
            break
        things.remove(thing)
        out.append(row | {"O": thing} | ({"M": place} if "M" in slots else {}))
    return out


def write(rng, kinds, cast, lang, drill=None):
    """(sentences, [(question, answer)]); drill: rows at most, of the kinds that are drilled"""
    kind = rng.choice(DRILLED) if drill else rng.choices(tuple(KINDS), KINDS.values())[0]
    block, style = kinds[kind, lang], rng.randrange(2) if lang == "ko" else 0
    rows = draw(rng, cast, lang, block["slots"], rng.randint(2, drill or ROWS[kind]))
    told = [stories.render(rng.choice(block["open"]), lang, {}, style)]
    told += [stories.render(rng.choice(block["line"]), lang, row, style) for row in rows]
    asked = [(stories.render(q, lang, row, 0), stories.render(a, lang, row, 0)) for row in rows for q, a in block["q"]]
    return told, rng.sample(asked, min(len(asked), rng.randint(4, 8)))
