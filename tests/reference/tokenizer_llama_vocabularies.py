"""Compares our tokenizer with llama.cpp on real vocabularies, which are too large to keep here: those of
llama.cpp's source with their recorded ids, and by running llama.cpp on pseudo-random texts.

    pip download llama-cpp-python==0.3.36 --no-binary :all: --no-deps && tar xzf llama_cpp_python-*.tar.gz
    pip install llama-cpp-python==0.3.36
    python tests/reference/tokenizer_llama_vocabularies.py llama_cpp_python-0.3.36/vendor/llama.cpp/models \\
        .models/*.gguf

Needs g++. Not part of `npm test`: the recorded ids of tokenizer_ids.hpp are.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import llama_cpp

HERE = Path(__file__).parent
ENGINE = HERE.parent.parent / "engine"
# The vocabularies of llama.cpp whose pre-tokenizer we have.
NAMES = "gpt-2 llama-bpe qwen2 llama-spm phi-3 starcoder refact command-r mpt".split()
N_RANDOM = 4000

SNIPPETS = [
    *[" "] * 6, "  ", "   ", "\n", "\n\n", "\r\n", "\t", " \n", "\n ", "'s", "'T", "'re", "'LL", "'d", "'",
    "\u200d", "\ufe0f", "\u3000", "\xa0", "...", "</", "<s>", "<unk>", "<|im_end|>", "<|endoftext|>", "<0x41>",
    "<start_of_turn>", "<end_of_turn>", "123", "4567", "the", " of", "바다", "색깔은",
]  # fmt: skip
RANGES = [
    *[(0x20, 0x7F)] * 6, *[(0x61, 0x7B)] * 4, *[(0x30, 0x3A)] * 3, *[(0xAC00, 0xD7A4)] * 3, (0x1100, 0x1200),
    (0x3040, 0x3100), (0x4E00, 0x9FFF), (0x400, 0x500), (0x600, 0x700), (0x900, 0x980), (0xE00, 0xE80),
    (0x1F300, 0x1F700), (0x300, 0x370), (0x2000, 0x2070), (0xA0, 0x250), (0x660, 0x66A), (0x2150, 0x218C),
]  # fmt: skip


def random_text(rng):
    """Without U+2581, which llama.cpp's SentencePiece loses, and characters newer than its Unicode."""
    out = ""
    for _ in range(rng.randint(0, 40)):
        if rng.random() < 0.45:
            out += rng.choice(SNIPPETS)
        else:
            begin, end = rng.choice(RANGES)
            out += "".join(chr(rng.randrange(begin, end)) for _ in range(rng.randint(1, 4)))
    return out


def recorded(path):
    texts = path.with_name(path.name + ".inp").read_bytes().decode().split("\n__ggml_vocab_test__\n")
    lines = path.with_name(path.name + ".out").read_text().split("\n")
    return texts[:-1], [[int(i) for i in line.split()] for line in lines[: len(texts) - 1]]


def ours(program, path, texts, special):
    arguments = [program, str(path), *(["special"] if special else [])]
    run = subprocess.run(arguments, input="".join(t + "\0" for t in texts).encode(), capture_output=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{path.name}: {run.stderr.decode()}")
    ids = [[int(i) for i in line.split()] for line in run.stdout.decode().split("\n")[:-1]]
    return ids, run.returncode == 0, ", ".join(run.stderr.decode().split("\n")[:-1])


def compare(what, texts, expected, found):
    wrong = [(t, e, f) for t, e, f in zip(texts, expected, found, strict=True) if e != f]
    print(f"  {what}: {len(texts) - len(wrong)} of {len(texts)} as llama.cpp")
    for text, e, f in wrong[:3]:
        print(f"    {text!a}\n      llama.cpp {e}\n      ours      {f}")
    return not wrong


def main():
    models = Path(sys.argv[1])
    paths = [models / f"ggml-vocab-{name}.gguf" for name in NAMES] + [Path(p) for p in sys.argv[2:]]
    rng = random.Random(1)
    texts = [random_text(rng) for _ in range(N_RANDOM)]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "encode")
        sources = [HERE / "tokenizer_encode.cpp", *ENGINE.glob("gguf/*.cpp"), *ENGINE.glob("tokenizer/*.cpp")]
        subprocess.run(
            ["g++", "-std=c++20", "-O2", f"-I{ENGINE}", *map(str, sources), "-o", program], check=True
        )
        for path in paths:
            print(path.name)
            model = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
            if path.with_name(path.name + ".inp").exists():
                known, expected = recorded(path)
                n_bos = len(model.tokenize(b"", add_bos=True))
                found = [ids[n_bos:] for ids in ours(program, path, known, False)[0]]
                good &= compare("recorded texts", known, expected, found)
            for special in (False, True):
                expected = [model.tokenize(t.encode(), add_bos=True, special=special) for t in texts]
                found, came_back, times = ours(program, path, texts, special)
                name = "random texts, special tokens read" if special else "random texts"
                good &= compare(name, texts, expected, found)
                if not special:
                    print(f"  round trip: {'all' if came_back else 'NOT all'} ({times})")
                    good &= came_back
    sys.exit(0 if good else 1)


main()
