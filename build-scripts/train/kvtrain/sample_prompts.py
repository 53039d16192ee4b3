"""The prompts that the page offers. Each is answered greedily by the exported file in llama.cpp and
kept only if the answer is the one that the word lists give."""

import random

from .evaluate import pair_items, story_items
from .segments import plain

KOREAN = """바다 색깔은|하늘 색깔은|눈 색깔은|레몬 맛은|고추 맛은|사자가 사는 곳은|펭귄이 사는 곳은|고양이 소리는|개의 새끼는|개구리의 새끼는
거북이 가진 것은|사과는 무슨 색일까?|수박은 어느 계절에 어울릴까?|의사는 어디에서 일해요?|크다의 반대말은|월요일 다음은|봄 다음은|비가 오면
얼음이 녹으면|질문: 토끼 다리 개수는? 답:|공 모양은|피아노는 무엇으로 연주해요?|모자는 어디에 착용해요?|연필은 언제 쓸까?|벌은 무엇을 할 수 있을까?
돌고래는 무엇을 먹을까?|눈으로 무엇을 할까?|도서관에서 무엇을 할까?|얼음을 만지면 어떨까?|치즈는 무엇으로 만들까?|장미가 속하는 무리는|할머니는 누구일까?"""
ENGLISH = """The color of the sea is|The color of the sky is|What color is snow?|How does a lemon taste?|Where does a lion live?|A penguin lives
The sound of a cat is|The young of a dog is|What do we call the young of a frog?|A turtle has|What color is an apple?|Which season goes with a watermelon?
Where does a doctor work?|The opposite of big is|After Monday comes|What comes after spring?|When it rains,|What happens when ice melts?
Question: How many legs does a rabbit have? Answer:|How do we play a piano?|Where do we wear a hat?|What is a pencil for?|What can a bee do?
What does a dolphin eat?|What do we do with an eye?|What do people do in a library?|How does ice feel?|What is cheese made of?|A rose is a kind of|Who is a grandmother?"""
STORY_STARTS = {"ko": ("어느 날", "지우는 아침 일찍", "아침에 비가", "저녁이 되자"), "en": ("One day", "Today", "It rained", "Early in the morning")}
LONG_STARTS = {"ko": "{}의 하루 이야기를 들려주겠다.", "en": "This is the story of a long day of {}."}


def candidates(world):
    """{'ko': [(prompt, answer)], 'en': …} in plain text"""
    known = {plain(p.prompt): plain(p.answer) for p in world.train + world.held}
    out = {"ko": [], "en": []}
    for lang, text in (("ko", KOREAN), ("en", ENGLISH)):
        prompts = [p for line in text.splitlines() for p in line.split("|")]
        out[lang] += [(p, known[p]) for p in prompts if p in known]
        for items in (story_items(world, lang, "validation", 3), pair_items(world, lang, "validation", 3)):
            out[lang] += [(plain(p), plain(a)) for p, a, _ in items]
    return out


def checked(world, llama):
    """Those that the file answers right; and how many of all."""
    out, asked = {"ko": [], "en": []}, 0
    for lang, pairs in candidates(world).items():
        for prompt, answer in pairs:
            asked += 1
            ids = llama.greedy(prompt)
            text = llama.text([i for i in ids if i != llama.eos]).strip()
            if text == answer and ids[-1] == llama.eos:
                out[lang].append({"prompt": prompt, "answer": answer})
        out[lang] += [{"prompt": start, "story": True, "temperature": 0.8, "minP": 0.05} for start in STORY_STARTS[lang]]
        name = world.cast.people[lang][0].ko
        out[lang].append({"prompt": LONG_STARTS[lang].format(name), "story": True, "long": True, "temperature": 0.8, "minP": 0.05})
    return out, asked


def long_starts(world, lang, count):
    rng = random.Random(f"long starts {lang}")
    return [LONG_STARTS[lang].format(rng.choice(world.cast.people[lang]).ko) for _ in range(count)]
