"""Korean surface forms: particles chosen by the final consonant.

Marked text: words separated by spaces, `|` at a morpheme border (`바다|는 파랗다.`).
"""

# particle: (after a final consonant, after a vowel)
PARTICLES = {
    "은": ("은", "는"), "이": ("이", "가"), "을": ("을", "를"), "과": ("과", "와"),
    "이에요": ("이에요", "예요"), "으로": ("으로", "로"), "의": ("의", "의"), "이다": ("이다", "이다"),
}
RIEUL = 8  # index of the final ㄹ, after which 으로 is 로


def final_consonant(word):
    """Index of the final consonant of the last syllable; 0 if it ends in a vowel."""
    code = ord(word[-1]) - 0xAC00
    assert 0 <= code < 11172, f"not a Hangul syllable at the end of {word!r}"
    return code % 28


def particle(word, name):
    final = final_consonant(word)
    if name == "으로" and final == RIEUL:
        return "로"
    return PARTICLES[name][0 if final else 1]


def with_particle(word, name):
    return f"{word}|{particle(word, name)}"


def all_particles():
    return sorted({form for pair in PARTICLES.values() for form in pair})
