"""Judges a story that the model wrote: every sentence must be a form of the grammar, with the right
particle, the same people and things from beginning to end, and true facts."""

import re
from types import SimpleNamespace

from . import lists, stories
from .segments import plain

PARTICLE_TEXT = {"은": "(?:은|는)", "이": "(?:이|가)", "을": "(?:을|를)", "과": "(?:과|와)", "으로": "(?:으로|로)", "의": "의"}


class Checker:
    def __init__(self, types, cast):
        self.types, self.cast = types, cast
        self.cache, self.lists = {}, lists.load()
        self.lexicon = {}
        for lang in ("ko", "en"):
            for slot in ("A", "B"):
                self.lexicon[lang, slot] = {p.ko: p for p in cast.people[lang]}
            for slot in ("O", "O2", "X", "F", "M"):
                for name in (slot, slot.lower()):
                    entries = {stories.word(lang, (name, None), {slot: c}): c for c in cast.pool(slot)}
                    self.lexicon[lang, name] = entries
            homes = {c.facts["home"] for c in cast.animals}
            self.lexicon[lang, "P"] = {stories.word(lang, ("P", None), {"P": h}): h for h in homes}

    def pattern(self, template, style):
        """(compiled pattern, slots that bind something)"""
        key = template, style
        if key not in self.cache:
            text, binders, end = "", [], 0
            template = plain(stories.STYLE.sub(lambda m: m[style + 1], template))
            for m in stories.SLOT.finditer(template):
                text += re.escape(template[end:m.start()])
                end = m.end()
                if m[2]:
                    text += "(?:.+?)" + PARTICLE_TEXT.get(m[3], "")
                else:
                    binders.append(m[1])
                    text += "(.+?)" + PARTICLE_TEXT.get(m[3], "")
            text += re.escape(template[end:])
            self.cache[key] = re.compile(text + r"(?= |$)"), binders
        return self.cache[key]

    def match(self, template, lang, style, bound, text, position):
        """New (bindings, position) if the template stands at this position, else None."""
        regex, binders = self.pattern(template, style)
        m = regex.match(text, position)
        if not m:
            return None
        new = dict(bound)
        for name, surface in zip(binders, m.groups()):
            entity = self.lexicon[lang, name].get(surface)
            if entity is None or new.setdefault(name.upper(), entity) is not entity:
                return None
        if len({id(v) for v in new.values()}) != len(new):
            return None
        if "X" in new and new["X"].facts["home"] is not new["P"]:
            return None
        try:
            expected = stories.render(template, lang, new, style)
        except KeyError:
            return None
        if expected is None or not text.startswith(plain(expected), position):
            return None
        position += len(plain(expected))
        return new, min(position + 1, len(text)) if position < len(text) else position

    def episodes(self, story_type, lang, style, opening, bound, text, position):
        """Every (bindings, position) at which this episode can end."""
        fronts = [r for t in story_type.openings[opening] if (r := self.match(t, lang, style, bound, text, position))]
        for _, optional, templates in story_type.beats:
            found = list(fronts) if optional else []
            for new, at in fronts:
                found += [r for t in templates if (r := self.match(t, lang, style, new, text, at))]
            fronts = found
        return fronts

    def questions(self, told, lang, style, text, position):
        """True if the rest of the text is questions about what was told, each with its answer."""
        while position < len(text):
            for story_type, bound in told:
                for _, q, a in story_type.questions:
                    try:
                        pair = [stories.render(t, lang, bound, 0) for t in (q, a)]
                    except KeyError:
                        continue
                    whole = plain(" ".join(pair)) if None not in pair else None
                    if whole and text.startswith(whole, position):
                        break
                else:
                    continue
                break
            else:
                return False
            position += len(whole) + 1
        return True

    def story(self, text, lang):
        """None if the story is right, else a short reason."""
        best = 0
        for style in (0, 1) if lang == "ko" else (0,):
            for name in stories.SHORT:
                story_type = self.types[name, lang]
                for bound, at in self.episodes(story_type, lang, style, "open", {}, text, 0):
                    best = max(best, at)
                    if self.questions([(story_type, bound)], lang, style, text, at):
                        return None
            if any(self.listing(block, lang, style, text) for (_, l), block in self.lists.items() if l == lang):
                return None
            frame = self.types["long", lang]
            for opening in frame.openings["open"]:
                start = self.match(opening, lang, style, {}, text, 0)
                if start and (reached := self.long(frame, lang, style, [], *start, text)) is True:
                    return None
                best = max(best, reached if start else 0)
        return f"goes wrong at or after: {text[best:best + 60]!r}"

    def listing(self, block, lang, style, text):
        """True if the text is a list of people and things (lists.txt) with right answers."""
        opening = self.match(block["open"][0], lang, style, {}, text, 0)
        if not opening:
            return False
        told, at, kind = [], opening[1], SimpleNamespace(questions=[("q", q, a) for q, a in block["q"]])
        while found := next((r for t in block["line"] if (r := self.match(t, lang, style, {}, text, at))), None):
            told.append((kind, found[0]))
            at = found[1]
        used = [id(v) for _, row in told for v in row.values()]
        return len(told) > 1 and len(set(used)) == len(used) and self.questions(told, lang, style, text, at)

    def long(self, frame, lang, style, told, hero, position, text):
        for closing in frame.beats[0][2]:
            end = self.match(closing, lang, style, hero, text, position)
            if told and end and self.questions(told, lang, style, text, end[1]):
                return True
        best = position
        for name in stories.SHORT:
            if any(t.name == name for t, _ in told):
                continue
            story_type = self.types[name, lang]
            for bound, at in self.episodes(story_type, lang, style, "again", hero, text, position):
                reached = self.long(frame, lang, style, told + [(story_type, bound)], hero, at, text)
                if reached is True:
                    return True
                best = max(best, reached)
        return best
