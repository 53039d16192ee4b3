"""Documents in the proportions of the recipe, made from one seed."""

import random
from dataclasses import dataclass

import numpy as np

from . import facts, lists, stories, words
from .segments import segments
from .tokenizer import BOS, EOS

LONG_SHARE = 0.22  # documents of 120 to 500 tokens
ASKED_SHARE = 0.65  # of the short stories, how many end in a question
# Phase 1 learns facts; phase 2 shows more stories in which two people must be told apart; in phase 3
# half of the short stories are lists of people and things with many questions; phase 4 is like it.
STORY_SHARE = {1: 0.25, 2: 0.5, 3: 0.55, 4: 0.55}  # of the short documents; of the long ones: the same, at most 0.35
PAIR_SHARE = {1: 0.0, 2: 0.7, 3: 0.5, 4: 0.5}  # of the short stories: two people with a thing each, beyond the usual share
LIST_SHARE = {1: 0.0, 2: 0.0, 3: 0.5, 4: 0.5}  # of the short stories
PAIR_TYPES = ("two", "swap")
PROMPT_SCORED = 0.3  # share of the tokens of fact prompts that count in the loss: which fact is asked cannot be predicted
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
    return World(concepts, train, held, stories.load_types(), cast, by_fact)


class Writer:
    """Writes documents as lists of (marked text, share of its tokens that count in the loss)."""

    def __init__(self, world, rng, phase=1):
        self.world, self.rng, self.phase = world, rng, phase
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

    def story(self, lang):
        if LIST_SHARE[self.phase] and self.rng.random() < LIST_SHARE[self.phase]:
            return lists.write(self.rng, self.lists, self.world.cast, lang)
        questions = self.rng.choice((1, 1, 2)) if self.rng.random() < ASKED_SHARE else 0
        pair = self.phase > 1 and self.rng.random() < PAIR_SHARE[self.phase]
        name = self.rng.choice(PAIR_TYPES) if pair else None
        told, asked, _ = stories.short_story(self.rng, self.world.types, self.world.cast, lang, questions, name)
        return [(" ".join(told), 1.0)] + [(f"{q} {a}", 1.0) for q, a in asked]

    def long_story(self, lang):
        told, asked = stories.long_story(self.rng, self.world.types, self.world.cast, lang,
                                         self.rng.choice((3, 3, 4, 4, 5, 6)), self.rng.choice((0, 2, 3, 4)))
        return [(" ".join(told), 1.0)] + [(f"{q} {a}", 1.0) for q, a in asked]

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
        rng = self.rng
        lang = rng.choice(LANGS)
        kind, share = rng.random(), STORY_SHARE[self.phase]
        if rng.random() < LONG_SHARE:
            return self.long_story(lang) if kind < min(share, 0.35) else self.chain(lang)
        is_story = kind < share
        if rng.random() < HERO_SHARE:
            return self.hero()
        return self.story(lang) if is_story else self.fact(lang)


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


def write_documents(world, seed, count_tokens, encode, phase=1):
    """Yields (ids with BOS and EOS, whether each counts in the loss) until count_tokens are written."""
    rng, written = random.Random(f"documents {seed}" + (f" phase {phase}" if phase > 1 else "")), 0
    writer = Writer(world, rng, phase)
    while written < count_tokens:
        ids, scored = [BOS], [False]
        for text, share in writer.document():
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
    for text in every_story_line(world):
        add(text)
    return seen


def every_story_line(world):
    """Each line of each story type, filled with every person and thing once."""
    rng, types, cast = random.Random(0), world.types, world.cast
    for story_type in types.values():
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
