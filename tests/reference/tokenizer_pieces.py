"""Records how the Python package regex cuts texts by each pre-tokenizer's expressions, for
tests/engine/tokenizer_pretokenizer.cpp, and which code points it counts as letters, numbers and spaces.

    pip install regex==2026.5.9 && python tests/reference/tokenizer_pieces.py
"""

from pathlib import Path

import regex
from tokenizer_texts import TEXTS, literal

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
QWEN2 = (
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# As llama-vocab.cpp of llama.cpp has them: each expression cuts what the one before has left.
EXPRESSIONS = {
    "gpt2": [GPT2],
    "smollm": [r"\p{N}", GPT2],
    "qwen2": [QWEN2],
    "llama3": [QWEN2.replace(r"|\p{N}|", r"|\p{N}{1,3}|")],
}


def cut(text, expressions):
    pieces = [text]
    for expression in expressions:
        parts = []
        for piece in pieces:
            end = 0
            for match in regex.finditer(expression, piece):
                parts += [piece[end : match.start()], match.group()]
                end = match.end()
            parts.append(piece[end:])
        pieces = [part for part in parts if part]
    return pieces


def class_sums():
    """Per class the number of code points and their sum."""
    out = []
    for expression in (r"\p{L}", r"\p{N}", r"\s"):
        matcher = regex.compile(expression)
        members = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000 and matcher.match(chr(c))]
        out.append(f"{{{len(members)}, {sum(members)}}}")
    return out


def main():
    cases = []
    for text in filter(None, TEXTS):
        lists = ",\n".join(
            "     {" + ", ".join(map(literal, cut(text, expressions))) + "}"
            for expressions in EXPRESSIONS.values()
        )
        cases.append(f"    {{{literal(text)},\n{lists}}},")
    letters, numbers, spaces = class_sums()
    body = "\n".join(cases)
    (Path(__file__).parent / "tokenizer_pieces.hpp").write_text(
        f"""// Written by tokenizer_pieces.py with regex {regex.__version__}.
// clang-format off
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kvscope::reference {{

using namespace std::string_view_literals;

/// A class of characters: how many code points it has, and what they add up to.
struct ClassSum {{
  std::int64_t count, sum;
}};
inline constexpr ClassSum letters{letters}, numbers{numbers}, spaces{spaces};

struct Pieces {{
  std::string_view text;
  std::vector<std::string_view> gpt2, smollm, qwen2, llama3;
}};

inline const std::vector<Pieces> pieces = {{
{body}
}};

}}  // namespace kvscope::reference
"""
    )


main()
