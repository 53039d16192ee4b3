"""Records the token ids that llama.cpp gives for the texts of tokenizer_texts.py, for
tests/engine/tokenizer_*.cpp: on two small vocabularies made here, and on that of SmolLM2.

    pip install llama-cpp-python==0.3.36 gguf==0.19.0
    python tests/reference/tokenizer_ids.py .models/SmolLM2-135M-Instruct.Q4_1.gguf
"""

import collections
import random
import sys
import tempfile
from pathlib import Path

import gguf
import llama_cpp
from tokenizer_texts import TEXTS, literal

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = (1, 2, 3, 4, 6)
# Beyond TEXTS: special tokens in running text.
SPECIAL_TEXTS = [
    "<|im_start|>user\nthe sea<|im_end|>\n<|im_start|>assistant\n",
    "<|im_end|><|im_end|> <|im_end|",
    "see <tool>the</tool> and <tools>",
    "<s>the theme</s> <unk>the",
]


def byte_letters():
    """GPT-2's letter for each byte (encoder.py, bytes_to_unicode)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {b: chr(b) for b in printable} | {b: chr(0x100 + i) for i, b in enumerate(others)}


def small_bpe():
    """256 letters, 200 merges learnt from TEXTS (the most frequent pair first), special tokens; and a
    whole word that no merge makes, which ignore_merges must find."""
    letters = byte_letters()
    words = collections.Counter()
    for text in TEXTS:
        for i, part in enumerate(text.split(" ")):
            words[tuple(letters[b] for b in ((" " if i else "") + part).encode())] += 1
    merges = []
    for _ in range(200):
        pairs = collections.Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        merged_words = collections.Counter()
        for word, n in words.items():
            out = []
            for letter in word:
                if out and (out[-1], letter) == best:
                    out[-1] += letter
                else:
                    out.append(letter)
            merged_words[tuple(out)] += n
        words = merged_words
    tokens = [(letters[b], NORMAL) for b in range(256)]
    for left, right in merges:
        if (left + right, NORMAL) not in tokens:
            tokens.append((left + right, NORMAL))
    tokens += [("World", NORMAL), ("<|endoftext|>", CONTROL), ("<|im_start|>", CONTROL)]
    tokens += [("<|im_end|>", CONTROL), ("<tool>", USER_DEFINED), ("<tools>", USER_DEFINED)]
    return tokens, merges


def small_spm():
    """Control and byte tokens, some characters, and pieces of the words of TEXTS with scores that are
    random and often equal: only the order best first, then leftmost, gives llama.cpp's ids."""
    rng = random.Random(7)
    tokens = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    tokens += [(f"<0x{b:02X}>", 0.0, BYTE) for b in range(256)]
    tokens += [("<tool>", 0.0, USER_DEFINED), ("<|im_end|>", 0.0, CONTROL)]
    characters = sorted({c for text in TEXTS[:34] for c in text.replace(" ", "\u2581") if c >= " "})
    pieces = {c: -1000.0 for c in characters}
    candidates = set()
    for text in TEXTS[:34] + SPECIAL_TEXTS:
        for word in text.split(" "):
            word = "\u2581" + word
            for begin in range(len(word)):
                for end in range(begin + 2, min(begin + 7, len(word)) + 1):
                    candidates.add(word[begin:end])
    candidates = sorted(c for c in candidates if c not in {t for t, _, _ in tokens})
    for piece in [*rng.sample(candidates, 400), *("\u2581" * n for n in (2, 3, 4))]:
        pieces[piece] = -float(rng.randrange(60)) - len(piece) / 4
    tokens += [(piece, score, NORMAL) for piece, score in pieces.items()]
    return tokens


def write_gguf(path, model, tokens, scores, types, pre=None, merges=None, flags=()):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_head_count(1)
    writer.add_feed_forward_length(32)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(32)
    writer.add_tokenizer_model(model)
    writer.add_tokenizer_pre(pre or "default")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    if merges is not None:
        writer.add_token_merges([" ".join(pair) for pair in merges])
        writer.add_bos_token_id(tokens.index("<|endoftext|>"))
        writer.add_eos_token_id(tokens.index("<|endoftext|>"))
    for key, value in flags:
        writer.add_bool(key, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def encode(path, texts, special=False):
    model = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
    return [model.tokenize(text.encode(), add_bos=True, special=special) for text in texts]


def list_of(name, texts, token_ids):
    rows = "\n".join(
        f'    {{{literal(t)}, "{" ".join(map(str, i))}"sv}},' for t, i in zip(texts, token_ids)
    )
    return f"inline constexpr Ids {name}[] = {{\n{rows}\n}};\n"


def main():
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary.gguf"

        tokens, merges = small_bpe()
        texts, types = [t for t, _ in tokens], [t for _, t in tokens]
        rows = "\n".join(f"    {{{literal(t)}, 0, {kind}}}," for t, kind in tokens[256:])
        parts.append(
            "/// After the letters of the 256 bytes, in the order of the bytes.\n"
            f"inline constexpr SmallToken small_bpe_tokens[] = {{\n{rows}\n}};\n"
        )
        rows = "\n".join(f"    {literal(' '.join(pair))}," for pair in merges)
        parts.append(f"inline constexpr std::string_view small_bpe_merges[] = {{\n{rows}\n}};\n")
        for pre in ("gpt-2", "smollm", "qwen2", "llama-bpe"):
            write_gguf(path, "gpt2", texts, [0.0] * len(texts), types, pre, merges)
            name = pre.replace("-", "_")
            parts.append(list_of(f"small_{name}_ids", TEXTS, encode(path, TEXTS)))
        parts.append(
            list_of("small_bpe_special_ids", SPECIAL_TEXTS, encode(path, SPECIAL_TEXTS, special=True))
        )

        tokens = small_spm()
        texts, scores, types = zip(*tokens)
        rows = "\n".join(f"    {{{literal(t)}, {s}, {kind}}}," for t, s, kind in tokens[259:])
        parts.append(
            "/// After <unk>, <s>, </s> and the 256 byte tokens.\n"
            f"inline constexpr SmallToken small_spm_tokens[] = {{\n{rows}\n}};\n"
        )
        for prefix in (True, False):
            flags = [("tokenizer.ggml.add_space_prefix", prefix)]
            write_gguf(path, "llama", texts, scores, types, flags=flags)
            name = "small_spm" if prefix else "small_spm_no_prefix"
            parts.append(list_of(f"{name}_ids", TEXTS, encode(path, TEXTS)))
            special = encode(path, SPECIAL_TEXTS, special=True)
            parts.append(list_of(f"{name}_special_ids", SPECIAL_TEXTS, special))

    parts.append(list_of("smollm2_ids", TEXTS, encode(sys.argv[1], TEXTS)))
    parts.append(list_of("smollm2_special_ids", SPECIAL_TEXTS, encode(sys.argv[1], SPECIAL_TEXTS, True)))
    body = "\n".join(parts)
    (Path(__file__).parent / "tokenizer_ids.hpp").write_text(
        f"""// Written by tokenizer_ids.py with llama-cpp-python {llama_cpp.__version__}.
// clang-format off
#pragma once

#include <string_view>

namespace kvscope::reference {{

using namespace std::string_view_literals;

struct SmallToken {{
  std::string_view text;
  double score;
  int type;
}};

struct Ids {{
  std::string_view text;
  std::string_view ids;  // in decimal, a space between two: quicker to compile than lists of numbers
}};

{body}
}}  // namespace kvscope::reference
"""
    )


main()
