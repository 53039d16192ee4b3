"""Who has what: the places in a batch that belong together, and a term of the loss that makes two heads
look there. One head links a thing to the person in front of it (`시우는 장갑을`: 장갑 -> 시우); another links
the thing or person of a question to the sentence that it is about."""

import torch

from .model import log_attention
from .segments import SPACE

WEIGHT = 1.0  # at the peak of the learning rate; falls with it
LINK, MATCH = (1, 2), (2, 2)  # (layer, head)
VERBS = ("bought", "chose", "gave", "handed", "had", "found", "lost")


class Binding:
    def __init__(self, pieces, world):
        ids = {p: i for i, p in enumerate(pieces)}
        get = lambda *words: {ids[w] for w in words if w in ids}
        self.names = get(*[SPACE + p.ko for lang in ("ko", "en") for p in world.cast.people[lang]])
        self.topic, self.object, self.subject = get("은", "는"), get("을", "를"), get("이", "가")
        self.to, self.who, self.now_ko = get("에게"), get(SPACE + "누가"), get(SPACE + "이제")
        self.what_ko, self.verbs = get(SPACE + "무엇"), get(*[SPACE + v for v in VERBS])
        self.articles, self.stops = get(SPACE + "a", SPACE + "an", SPACE + "the"), get(".", "?", *[SPACE + w for w in ("to", "now", "back", "at", "as", "on")])
        self.place, self.where_ko = get("에서"), get(SPACE + "어디")
        self.who_en, self.what_en, self.did = get(SPACE + "Who", SPACE + "Where"), get(SPACE + "What"), get(SPACE + "did")

    def phrase_end(self, t, at):
        """Place of the last word of an English noun phrase that begins at `at`."""
        while at < len(t) and t[at] not in self.stops:
            at += 1
        return at - 1

    def thing_after(self, t, i):
        """Place of the thing that the person at i has, buys or gives; None if no such sentence begins here."""
        a, b, c, d, e = (t[i + k] if i + k < len(t) else -1 for k in range(1, 6))
        if a in self.topic and c in self.object:
            return i + 2
        if a in self.topic and (c in self.place or b in self.names and c in self.to) and e in self.object:
            return i + 4
        if a in self.to and b in self.topic and d in self.subject:
            return i + 3
        if a in self.verbs and b in self.articles:
            return self.phrase_end(t, i + 3)
        return None

    def document(self, t):
        """(links, matches): lists of (from, to) inside one document's ids."""
        links, matches, said = [], [], []
        for i, token in enumerate(t):
            following = t[i + 1] if i + 1 < len(t) else -1
            if token in self.names:
                if following in self.topic and i + 2 < len(t) and t[i + 2] in self.what_ko:
                    matches += [(i, place) for name, _, place in said[::-1] if name == token][:1]
                elif (place := self.thing_after(t, i)) is not None and place < len(t):
                    links.append((place, i))
                    said.append((token, t[place], place))
            place = None
            if token in self.who or token in self.now_ko:
                place = i + 1
            elif following in self.topic and i + 2 < len(t) and t[i + 2] in self.where_ko:
                place = i
            elif token in self.who_en and i + 3 < len(t) and t[i + 2] in self.articles:
                place = self.phrase_end(t, i + 3)
            elif token in self.what_en and following in self.did and i + 2 < len(t):
                matches += [(i + 2, at) for name, _, at in said[::-1] if name == t[i + 2]][:1]
            if place is not None and place < len(t):
                matches += [(place, at) for _, thing, at in said[::-1] if thing == t[place]][:1]
        return links, matches

    def batch(self, tokens, documents):
        """Fills self.places: {(layer, head): (rows, from, to)}"""
        found = {LINK: [], MATCH: []}
        for row, (ids, numbers) in enumerate(zip(tokens.tolist(), documents.tolist())):
            start = 0
            while start < len(ids) and numbers[start] != 255:
                end = start
                while end < len(ids) and numbers[end] == numbers[start]:
                    end += 1
                for key, pairs in zip((LINK, MATCH), self.document(ids[start:end])):
                    found[key] += [(row, start + a, start + b) for a, b in pairs]
                start = end
        self.places = {key: torch.tensor(v).T for key, v in found.items() if v}
        self.losses = []

    def look(self, layer, q, k, mask):
        """q, k: [batch, heads, positions, head_dim]"""
        for (at, head), (row, a, b) in self.places.items():
            if at != layer:
                continue
            log_weights = log_attention(q[:, head:head + 1], k[:, head:head + 1], mask, row, a)[:, 0]
            self.losses.append(-log_weights.gather(1, b[:, None]).mean())

    def loss(self):
        return WEIGHT * sum(self.losses) if self.losses else torch.zeros(())
