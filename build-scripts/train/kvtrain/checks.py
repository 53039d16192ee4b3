"""What must hold before any training. Each check raises AssertionError with the first offender."""

import random
import unicodedata

from . import corpus, stories
from .segments import SPACE, plain, segments
from .story_check import Checker

SUFFIXES = ("은 는 이 가 을 를 과 와 으로 로 의 이다 이에요 예요 에 에서 에게 에는 에서는 에게는 이야 야 일까 부터 "
            "까지 도 만 처럼 보다 이나 나 하고 이고 이며 입니다").split()
SPECIAL_TEXTS = ("", " ", "  두 칸", "끝 ", "안녕", "뷁", "👨‍👩‍👧‍👦", "줄\n바꿈", "\t", "<s>", "</s>", "<0x41>", "a▁b", "▁",
                 "▁▁ ▁", "\ufeff", unicodedata.normalize("NFD", "바다"), "바다 색깔은", "日本語 ﷽ é ñ")


def whole(p):
    return segments(f"{p.prompt} {p.answer}")


def prompts_are_unambiguous(world):
    answers = {}
    for p in world.train + world.held:
        key = tuple(segments(p.prompt))
        assert answers.setdefault(key, p.answer) == p.answer, f"two answers: {p.prompt} {p.answer} / {answers[key]}"
    texts = [whole(p) for p in world.train + world.held]
    rng = random.Random(1)
    for lang in corpus.LANGS:
        for _ in range(2000):
            texts.append(segments(" ".join(stories.short_story(rng, world.types, world.cast, lang, 0)[0])))
            texts.append(segments(stories.long_story(rng, world.types, world.cast, lang, 1, 0)[0][0]))
        texts += [segments(t) for t in corpus.CHAIN_OPENERS[lang]] + [segments(corpus.ABOUT[lang].format("바다"))]
    for text in texts:
        for n in range(1, len(text)):
            answer = answers.get(tuple(text[:n]))
            if answer is not None:
                expected = segments(answer)
                assert text[n:n + len(expected)] == expected, f"a prompt is the head of another text: {text} at {n}"


def held_out_parts_are_known(world):
    known = {s for p in world.train for s in whole(p)}
    syllables = {c for s in known for c in s}
    for p in world.held:
        assert known.issuperset(whole(p)), f"piece only in the held-out part: {p}"
        assert syllables.issuperset("".join(whole(p))), f"syllable only in the held-out part: {p}"
    train = {tuple(whole(p)) for p in world.train}
    assert not any(tuple(whole(p)) in train for p in world.held), "a held-out text is also in training"


def marked_equals_tokens(world, tokenizer):
    """Every word of every possible line is cut exactly at its marks."""
    lines = {f"{p.prompt} {p.answer}" for p in world.train + world.held} | set(corpus.every_line(world))
    for lang in corpus.LANGS:
        lines |= set(corpus.CHAIN_OPENERS[lang])
    words = sorted({w for line in lines for w in line.split()})
    faults = []
    for word in words:
        got = [tokenizer.pieces[i] for i in tokenizer.encode(plain(word))]
        if got != segments(word):
            faults.append(f"{word}: {got}")
    assert not faults, f"{len(faults)} of {len(words)} words are cut otherwise: {faults[:20]}"
    return len(words)


def nouns_by_suffixes(world, tokenizer):
    nouns = {c.ko for c in world.concepts if "cause" not in c.facts} | {p.ko for p in world.cast.people["ko"]}
    nouns |= {v.s for c in world.concepts for v in c.facts.values() if v.p == v.y}
    nouns = sorted({w for n in nouns for w in plain(n).split()[-1:]})
    nouns = [n for n in nouns if SPACE + n in tokenizer.ids]
    suffixes = [s for s in SUFFIXES if s in tokenizer.ids]
    faults = []
    for noun in nouns:
        for suffix in suffixes:
            for end in ("", ".", "?"):
                want = [SPACE + noun, suffix] + [end] * bool(end)
                got = [tokenizer.pieces[i] for i in tokenizer.encode(noun + suffix + end)]
                if got != want and SPACE + noun + suffix not in tokenizer.ids:
                    faults.append((noun, suffix, got))
    assert not faults, f"{len(faults)} noun forms are cut otherwise: {faults[:20]}"
    return len(nouns) * len(suffixes) * 3


def any_text_comes_back(tokenizer, count=3000):
    rng = random.Random(2)
    ranges = ((32, 127), (0xAC00, 0xD7A4), (0x1100, 0x1200), (0x3040, 0x30FF), (0x1F300, 0x1F600), (0x2580, 0x2584))
    texts = list(SPECIAL_TEXTS)
    for _ in range(count):
        texts.append("".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(rng.randint(1, 12))))
    for text in texts:
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text, f"{text!r} comes back as {tokenizer.decode(ids)!r}"
    return len(texts)


def hero_is_three_tokens(tokenizer):
    got = [tokenizer.pieces[i].lstrip(SPACE) for i in tokenizer.encode("바다 색깔은")]
    assert got == ["바다", "색깔", "은"], got
    assert [tokenizer.pieces[i] for i in tokenizer.encode("파랗다.")] == [SPACE + "파랗다", "."]


def stories_pass_their_checker(world, count=1500):
    rng, checker = random.Random(3), Checker(world.types, world.cast)
    for i in range(count):
        lang = rng.choice(corpus.LANGS)
        if i % 4:
            told, asked, _ = stories.short_story(rng, world.types, world.cast, lang, rng.choice((0, 1, 2)))
        else:
            told, asked = stories.long_story(rng, world.types, world.cast, lang, rng.choice((3, 4, 5)), 3)
        text = plain(" ".join(told + [part for pair in asked for part in pair]))
        fault = checker.story(text, lang)
        assert fault is None, f"{text}: {fault}"
    return count


def checker_finds_faults():
    """The checker itself must reject what is wrong."""
    world = corpus.make_world(0)
    checker = Checker(world.types, world.cast)
    good = "어느 날 민수는 숲으로 갔다. 민수는 그곳에서 여우를 만났다. 여우는 민수에게 인사했다. 민수는 기분이 좋았다."
    assert checker.story(good, "ko") is None
    for old, new in (("민수에게", "지우에게"), ("여우를", "여우을"), ("숲으로", "바다로"), ("좋았다.", "좋았다"), ("인사했다", "인사했어요")):
        assert checker.story(good.replace(old, new), "ko"), f"not noticed: {old} -> {new}"


def run(world, tokenizer):
    prompts_are_unambiguous(world)
    held_out_parts_are_known(world)
    hero_is_three_tokens(tokenizer)
    checker_finds_faults()
    assert len(set(tokenizer.pieces)) == len(tokenizer.pieces), "a piece occurs twice"
    return {"words cut as marked": marked_equals_tokens(world, tokenizer),
            "noun forms cut as meant": nouns_by_suffixes(world, tokenizer),
            "texts that come back": any_text_comes_back(tokenizer),
            "stories that pass their checker": stories_pass_their_checker(world)}
