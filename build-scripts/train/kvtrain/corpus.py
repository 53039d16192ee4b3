"""Documents in the proportions of the recipe, made from one seed."""

import random
from dataclasses import dataclass

import numpy as np

from . import facts, lists, stories, words
from .segments import segments
from .tokenizer import BOS, EOS

LONG_SHARE = 0.21  # of the documents: 120 to 500 tokens
STORY_SHARE = 0.6  # of the short documents; the others are single facts
SMALL_STORY_SHARE = 0.35  # the same where only a part of the concepts is used: the smoke test judges facts
LONG_STORY_SHARE = 0.4  # of the long documents; the others are chains of facts
LIST_SHARE = 0.25  # of the short stories: many people with a thing each, then many questions
ASKED_SHARE = 0.45  # of the other short stories, how many end in questions; of these only the answers count in the loss
PROMPT_SCORED = 0.3  # share of the tokens of a fact's question that count in the loss: what is asked cannot be predicted
HERO_SHARE = 0.004  # documents about the two sentences that the page opens with
HEROES = (("ko", "sea", "color"), ("en", "sea", "color"))
CHAIN_OPENERS = {
    "ko": ("문제|를 풀|어 보|자.", "함께 공부해 보|자.", "하나씩 묻|고 답하|자."),
    "en": ("Let us study together.", "Here is a quiz.", "Let us ask and answer."),
}
ABOUT = {"ko": "이제 {} 이야기|를 하|자.", "en": "Now let us talk about {}."}
LANGS = ("ko", "en")


@dataclass
class World:
    """Everything the corpus is made of, with its held-out parts."""

    concepts: list
    train: list  # fact prompts
    held: list
    types: dict
    cast: stories.Cast
    by_fact: dict  # language -> list of prompt lists
    story_share: float


def make_world(seed, share=1.0):
    """share: part of the concepts that is used (the smoke run learns a smaller world)."""
    rng = random.Random(f"world {seed}")
    concepts = words.load_concepts()
    if share < 1:
        needed = set(stories.PLACES) | {"sea"}
        concepts = [c for c in concepts if c.id in needed or rng.random() < share]
    train, held = facts.hold_out(facts.all_prompts(concepts), rng)
    by_fact = {lang: {} for lang in LANGS}
    for p in train:
        by_fact[p.lang].setdefault((p.concept, p.relation), []).append(p)
    cast = stories.Cast(concepts, words.load_names(), rng)
    return World(concepts, train, held, stories.load_types(), cast, by_fact,
                 STORY_SHARE if share == 1 else SMALL_STORY_SHARE)


class Writer:
    """Writes documents as lists of (marked text, share of its tokens that count in the loss)."""

    def __init__(self, world, rng, apart=False):
        """apart: in stories to write, as in stories.Cast.choices"""
        self.world, self.rng, self.apart = world, rng, apart
        self.lists = lists.load()
        self.facts = {lang: list(world.by_fact[lang].values()) for lang in LANGS}
        self.by_concept = {lang: {} for lang in LANGS}
        for lang in LANGS:
            for (concept, _), prompts in world.by_fact[lang].items():
                self.by_concept[lang].setdefault(concept, []).append(prompts)
        self.rich = {lang: [v for v in self.by_concept[lang].values() if len(v) >= 3] for lang in LANGS}

    def fact(self, lang):
        p = self.rng.choice(self.rng.choice(self.facts[lang]))
        return [(p.prompt, PROMPT_SCORED), (p.answer, 1.0)]

    def hero(self):
        lang, concept, relation = self.rng.choice(HEROES)
        p = self.world.by_fact[lang][concept, relation][0]
        return [(p.prompt, PROMPT_SCORED), (p.answer, 1.0)]

    def list(self, lang, drill=None):
        """drill: rows at most"""
        return self.told(*lists.write(self.rng, self.lists, self.world.cast, lang, drill))

    def told(self, sentences, asked):
        """A story to write, in which every word counts; or, with questions, a story to understand: only the answers count."""
        return [(" ".join(sentences), 0.0 if asked else 1.0)] + [part for q, a in asked for part in ((q, 0.0), (a, 1.0))]

    def story(self, lang):
        rng, world = self.rng, self.world
        if rng.random() < LIST_SHARE:
            return self.list(lang)
        questions = rng.choice((1, 1, 2, 3)) if rng.random() < ASKED_SHARE else 0
        return self.told(*stories.short_story(rng, world.types, world.cast, lang, questions, apart=self.apart)[:2])

    def long_story(self, lang):
        return self.told(*stories.long_story(self.rng, self.world.types, self.world.cast, lang,
                                             self.rng.choice((3, 3, 4, 4, 5, 6)), self.rng.choice((0, 0, 3, 4)), self.apart))

    def chain(self, lang):
        """Questions about many things, or statements about a few things, one after another."""
        rng = self.rng
        budget = rng.randint(130, 260) if rng.random() < 0.85 else rng.randint(260, 480)
        about = rng.random() < 0.35
        out = [] if about else [(rng.choice(CHAIN_OPENERS[lang]), 1.0)]
        length = len(segments(out[0][0])) if out else 0
        while True:
            if about:
                group = rng.choice(self.rich[lang])
                concept = next(c for c in self.world.concepts if c.id == group[0][0].concept)
                name = concept.ko if lang == "ko" else facts.en.noun_phrase(concept)
                part = [(ABOUT[lang].format(name), PROMPT_SCORED)]
                for prompts in rng.sample(group, len(group)):
                    p = rng.choice(prompts)
                    part += [(p.prompt, PROMPT_SCORED), (p.answer, 1.0)]
            else:
                part = self.fact(lang)
            size = sum(len(segments(text)) for text, _ in part)
            if length + size > budget:
                return out
            out += part
            length += size

    def document(self):
        lang, kind = self.rng.choice(LANGS), self.rng.random()
        if self.rng.random() < LONG_SHARE:
            return self.long_story(lang) if kind < LONG_STORY_SHARE else self.chain(lang)
        if self.rng.random() < HERO_SHARE:
            return self.hero()
        return self.story(lang) if kind < self.world.story_share else self.fact(lang)


class Encoder:
    """Marked text to ids; every segment is one piece of the vocabulary."""

    def __init__(self, ids):
        self.ids, self.cache = ids, {}

    def __call__(self, marked):
        if marked not in self.cache:
            encoded = [self.ids[s] for s in segments(marked)]
            if len(self.cache) > 200_000:
                self.cache.clear()
            self.cache[marked] = encoded
        return self.cache[marked]


def write_documents(world, seed, count_tokens, encode, drill=None, again=False):
    """Yields (ids with BOS and EOS, whether each counts in the loss) until count_tokens are written.
    drill: only lists, of so many rows at most, and only their answers count. again: other documents, people and things apart."""
    name = f"drill {seed} {drill}" if drill else f"{'more ' if again else ''}documents {seed}"
    rng, written = random.Random(name), 0
    writer = Writer(world, rng, apart=again)
    while written < count_tokens:
        ids, scored = [BOS], [False]
        for text, share in (writer.list(rng.choice(LANGS), drill) if drill else writer.document()):
            part = encode(text)
            ids += part
            scored += [share == 1 or rng.random() < share for _ in part]
        ids.append(EOS)
        scored.append(True)
        if len(ids) > 512:
            continue
        written += len(ids)
        yield np.array(ids, np.uint16), np.array(scored, bool)


def all_segments(world):
    """Every segment that can occur, from the templates themselves (not from a sample)."""
    seen = {}

    def add(text):
        for s in segments(text):
            seen[s] = seen.get(s, 0) + 1

    for p in world.train + world.held:
        add(f"{p.prompt} {p.answer}")
    for lang in LANGS:
        for opener in CHAIN_OPENERS[lang]:
            add(opener)
        for c in world.concepts:
            add(ABOUT[lang].format(c.ko if lang == "ko" else facts.en.noun_phrase(c)))
    for text in every_line(world):
        add(text)
    return seen


def every_line(world):
    """Each line of stories and lists, filled with every person and thing once."""
    blocks = {(kind, lang): stories.Type(kind, lang, block["slots"], [("line", False, block["line"])],
                                         {"open": block["open"], "again": []}, [("q", *qa) for qa in block["q"]])
              for (kind, lang), block in lists.load().items()}
    for story_type in (*world.types.values(), *blocks.values()):
        yield from every_story_line(world.cast, story_type)


def every_story_line(cast, story_type):
    lang = story_type.lang
    lines = [t for ts in story_type.openings.values() for t in ts]
    lines += [t for _, _, ts in story_type.beats for t in ts] + [t for _, *qa in story_type.questions for t in qa]
    people = cast.people[lang]
    size = max([len(people)] + [len(cast.pool(s)) for s in story_type.slots if s not in ("A", "B", "P")])
    for i in range(size):
        bound = {"A": people[i % len(people)], "B": people[(i + 1) % len(people)]}
        for slot in story_type.slots:
            if slot not in ("A", "B", "P"):
                bound[slot] = cast.pool(slot)[(i + (slot == "O2")) % len(cast.pool(slot))]
        if "X" in bound:
            bound["P"] = bound["X"].facts["home"]
        for style in (0, 1):
            for line in lines:
                text = stories.render(line, lang, bound, style)
                if text:
                    yield text
