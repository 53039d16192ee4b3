"""The tokenizer: a SentencePiece-style vocabulary that llama.cpp reads as `llama`.

llama.cpp joins the best-scored neighbouring pair first. Korean words are therefore stored with all
their prefixes (a word is read as the longest known word from the left, then suffixes), suffixes
have lower scores so that they never steal a syllable, and English is byte-pair encoding run until
every word of the corpus is one piece.
"""

import heapq
from collections import Counter

from .segments import SPACE, is_korean

UNKNOWN, BOS, EOS = 0, 1, 2
TYPE_NORMAL, TYPE_UNKNOWN, TYPE_CONTROL, TYPE_BYTE = 1, 2, 3, 6
CHARACTER_SCORE = -1e4
SUFFIX_SCORE = -1000.0
ENGLISH_SCORE = -2000.0
TYPED_SPACE_SIGN = "\ufdd0"  # never a character of any text


def prefixes(segment):
    start = 2 if segment.startswith(SPACE) else 1
    return [segment[:n] for n in range(start, len(segment) + 1) if n > 1]


def bpe_pieces(words):
    """Byte-pair merges over `words` (word -> count) until each of them is one piece."""
    split = {w: list(w) for w in words}
    order = []
    while True:
        pairs = Counter()
        for word, parts in split.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] += words[word]
        if not pairs:
            return order
        best = max(pairs, key=lambda p: (pairs[p], p))
        merged = best[0] + best[1]
        if merged not in order:
            order.append(merged)
        for word, parts in split.items():
            i = 0
            while i < len(parts) - 1:
                if (parts[i], parts[i + 1]) == best:
                    parts[i:i + 2] = [merged]
                i += 1


def build(segment_counts):
    """segment -> count over the corpus; returns (pieces, scores, types)."""
    characters = sorted({c for s in segment_counts for c in s} | {SPACE})
    scored = {c: CHARACTER_SCORE - i for i, c in enumerate(characters)}
    for segment in sorted(segment_counts):
        if is_korean(segment):
            for p in prefixes(segment):
                base = 0.0 if p.startswith(SPACE) else SUFFIX_SCORE
                scored[p] = base - len(p)
    english = {s: 1 for s in segment_counts if not is_korean(s) and len(s) > 1}
    for i, piece in enumerate(bpe_pieces(english)):
        scored[piece] = ENGLISH_SCORE - i
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)] + list(scored)
    scores = [0.0] * 259 + list(scored.values())
    types = [TYPE_UNKNOWN, TYPE_CONTROL, TYPE_CONTROL] + [TYPE_BYTE] * 256 + [TYPE_NORMAL] * len(scored)
    assert len(set(pieces)) == len(pieces), "a piece occurs twice"
    return pieces, scores, types


class Tokenizer:
    def __init__(self, pieces, scores):
        self.pieces, self.scores = pieces, scores
        self.ids = {p: i for i, p in enumerate(pieces)}

    def encode(self, text):
        """What llama.cpp does with add_space_prefix: highest score first, leftmost on a tie."""
        if not text:
            return []
        typed = text.replace(SPACE, TYPED_SPACE_SIGN)  # a typed U+2581 must not become a space
        symbols = list((" " + typed).replace(" ", SPACE))
        following = list(range(1, len(symbols))) + [-1]
        previous = [-1] + list(range(len(symbols) - 1))
        queue = []

        def propose(left, right):
            if left >= 0 and right >= 0:
                piece = symbols[left] + symbols[right]
                if piece in self.ids:
                    heapq.heappush(queue, (-self.scores[self.ids[piece]], left, right, piece))

        for i in range(len(symbols) - 1):
            propose(i, i + 1)
        while queue:
            _, left, right, piece = heapq.heappop(queue)
            if symbols[left] + symbols[right] != piece or not symbols[left] or not symbols[right]:
                continue
            symbols[left], symbols[right] = piece, ""
            following[left] = following[right]
            if following[right] >= 0:
                previous[following[right]] = left
            propose(previous[left], left)
            propose(left, following[left])
        out = []
        for symbol in filter(None, symbols):
            if symbol in self.ids:
                out.append(self.ids[symbol])
            else:
                data = symbol.replace(TYPED_SPACE_SIGN, SPACE).encode()
                out += [self.ids[f"<0x{b:02X}>"] for b in data]
        return out

    def decode(self, ids):
        data = b""
        for i in ids:
            piece = self.pieces[i]
            if 3 <= i < 259:
                data += bytes([int(piece[3:5], 16)])
            elif i >= 259:
                data += piece.replace(SPACE, " ").encode()
        text = data.decode(errors="replace")
        return text[1:] if text.startswith(" ") else text
