"""Marked text -> segments (each of them one token) and plain text."""

import re

PUNCTUATION = re.compile(r"([.,?!:])")
SPACE = "\u2581"  # how SentencePiece writes the space before a word


def segments(marked):
    """`바다|는 파랗다.` -> ['▁바다', '는', '▁파랗다', '.']"""
    out = []
    for word in marked.split():
        parts = [p for chunk in word.split("|") for p in PUNCTUATION.split(chunk) if p]
        out.append(SPACE + parts[0])
        out += parts[1:]
    return out


def plain(marked):
    return marked.replace("|", "")


def is_korean(segment):
    return any("\uac00" <= c <= "\ud7a3" for c in segment)
