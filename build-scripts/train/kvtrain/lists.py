"""Documents in which many people have a thing each, followed by many questions about them."""

from . import stories
from .stories import STORIES

LISTS = STORIES.with_name("lists.txt")


def load():
    """{(kind, language): {'open': [..], 'line': [..], 'q': [(question, answer)]}}"""
    out = {}
    for line in LISTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = out[tuple(line.strip("[]").split())] = {"open": [], "line": [], "q": []}
        elif line and not line.startswith("#"):
            key, text = line.split(" ", 1)
            current[key].append(tuple(p.strip() for p in text.split("=>")) if key == "q" else text)
    return out


def draw(rng, cast, lang, needs_b, count):
    """Bindings of the lines; nobody and nothing occurs twice, no held-out pair occurs."""
    people, out = rng.sample(cast.people[lang], count * (1 + needs_b)), []
    things = rng.sample(cast.things, min(len(cast.things), 6 * count))
    for i in range(count):
        group = people[i * (1 + needs_b):(i + 1) * (1 + needs_b)]
        thing = next((t for t in things if not any((p.ko, t.id) in cast.held for p in group)), None)
        if thing is None:
            break
        things.remove(thing)
        out.append(dict(zip("AB", group)) | {"O": thing})
    return out


def write(rng, kinds, cast, lang):
    """[(marked text, 1.0)]"""
    kind = rng.choice(("choose", "choose", "give"))
    block, style = kinds[kind, lang], rng.randrange(2) if lang == "ko" else 0
    rows = draw(rng, cast, lang, kind == "give", rng.randint(2, 4 if kind == "give" else 5))
    out = [stories.render(rng.choice(block["open"]), lang, {}, style)]
    out += [stories.render(rng.choice(block["line"]), lang, row, style) for row in rows]
    asked = [(q, a, row) for row in rows for q, a in block["q"]]
    for q, a, row in rng.sample(asked, min(len(asked), rng.randint(4, 8))):
        out.append(f"{stories.render(q, lang, row, 0)} {stories.render(a, lang, row, 0)}")
    return [(text, 1.0) for text in out]
