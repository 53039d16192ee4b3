"""English surface forms: articles, capitals, plurals."""

PLURALS = {"foot": "feet", "tooth": "teeth"}


def article(word):
    return ("an " if word[0] in "aeiou" else "a ") + word


def noun_phrase(concept):
    """`the sea`, `a lion`, `an apple`, `water`, as it stands inside a sentence."""
    if concept.det == "-":
        return concept.en
    if concept.det == "the":
        return f"the {concept.en}"
    return article(concept.en)


def capital(text):
    return text[0].upper() + text[1:]


def plural(word):
    return PLURALS.get(word, word + "s")


def category(value):
    """The category as it follows `It is`: mass nouns take no article."""
    return value if value in MASS else article(value)


MASS = {"food", "weather", "jewelry", "furniture", "tableware"}
