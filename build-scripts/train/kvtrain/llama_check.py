"""The exported file in llama.cpp, unchanged: tokens, greedy answers, stories."""

import ctypes

import llama_cpp
import numpy as np


class Llama:
    def __init__(self, path, threads=1):
        self.llm = llama_cpp.Llama(str(path), n_ctx=512, n_threads=threads, n_threads_batch=threads,
                                   logits_all=True, verbose=False)
        self.eos = self.llm.token_eos()

    def tokens(self, text, bos=True):
        return self.llm.tokenize(text.encode(), add_bos=bos, special=False)

    def text(self, ids):
        """Detokenised without touching control tokens; the space that was prefixed is dropped."""
        out = ctypes.create_string_buffer(8192)
        array = (llama_cpp.llama_token * len(ids))(*ids)
        vocab = llama_cpp.llama_model_get_vocab(self.llm._model.model)
        n = llama_cpp.llama_detokenize(vocab, array, len(ids), out, len(out), False, False)
        return out.raw[:n].decode(errors="replace")

    def logits(self, ids):
        """[len(ids), vocab]"""
        self.llm.reset()
        self.llm.eval(ids)
        return np.array(self.llm.scores[:len(ids)])

    def generate(self, ids, choose, limit):
        self.llm.reset()
        self.llm.eval(ids)
        out = []
        while len(out) < limit and len(ids) + len(out) < 511:
            token = choose(self.llm.scores[self.llm.n_tokens - 1])
            out.append(token)
            if token == self.eos:
                break
            self.llm.eval([token])
        return out

    def greedy(self, prompt, limit=40):
        return self.generate(self.tokens(prompt), lambda logits: int(np.argmax(logits)), limit)

    def sample(self, prompt, rng, temperature=0.8, min_p=0.05, limit=500):
        def choose(logits):
            p = np.exp((logits - logits.max()).astype(np.float64))
            p[p < min_p] = 0  # p is relative to the most probable token here
            p = p ** (1 / temperature)
            return int(rng.choice(len(p), p=p / p.sum()))

        return self.generate(self.tokens(prompt), choose, limit)


def softmax(logits):
    p = np.exp((logits - logits.max()).astype(np.float64))
    return p / p.sum()
