#!/usr/bin/env python3
"""Native llama.cpp behind lines of JSON: one request a line on stdin, one answer a line on stdout.
usage: native.py MODEL.gguf THREADS CONTEXT_LENGTH
requests: {"prefill": ids} | {"context": ids, "decode": n_tokens}; answers: {"tokens": n, "ms": milliseconds}"""
import ctypes
import json
import sys
import time

import llama_cpp
import numpy as np


@llama_cpp.llama_log_callback
def no_log(level, text, data):
    pass


class Engine:
    def __init__(self, path, threads, context_length):
        llama_cpp.llama_log_set(no_log, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = 0
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), params)
        if not self.model:
            raise RuntimeError(f'llama.cpp cannot load {path}')
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context_length
        params.n_batch = context_length
        params.n_ubatch = 512
        params.n_threads = params.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        self.memory = llama_cpp.llama_get_memory(self.context)
        vocab = llama_cpp.llama_model_get_vocab(self.model)
        self.vocab_size = llama_cpp.llama_vocab_n_tokens(vocab)
        self.cached = []  # the ids whose K and V are in the cache
        self.views = {}  # address of logits → numpy view, so that a step does not make one anew

    def run(self, ids):
        array = (llama_cpp.llama_token * len(ids))(*ids)
        status = llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(array, len(ids)))
        if status != 0:
            raise RuntimeError(f'llama_decode gave {status}')
        self.cached += ids

    def best_token(self):
        pointer = llama_cpp.llama_get_logits_ith(self.context, -1)
        address = ctypes.cast(pointer, ctypes.c_void_p).value
        if address not in self.views:
            self.views[address] = np.ctypeslib.as_array(pointer, shape=(self.vocab_size,))
        return int(self.views[address].argmax())

    def keep(self, n):
        llama_cpp.llama_memory_seq_rm(self.memory, 0, n, -1)
        del self.cached[n:]

    def prefill(self, ids):
        self.keep(0)
        started = time.perf_counter()
        self.run(ids)
        self.best_token()
        return len(ids), time.perf_counter() - started

    def decode(self, context, n_tokens):
        """Greedy steps from a context, which is computed only when it is not cached."""
        if self.cached[:len(context)] == context:
            self.keep(len(context) - 1)
        else:
            self.keep(0)
        self.run(context[len(self.cached):])
        token = self.best_token()
        started = time.perf_counter()
        for _ in range(n_tokens):
            self.run([token])
            token = self.best_token()
        return n_tokens, time.perf_counter() - started


def main(path, threads, context_length):
    engine = Engine(path, int(threads), int(context_length))
    info = llama_cpp.llama_print_system_info().decode()
    print(json.dumps({'version': llama_cpp.__version__, 'system': info}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if 'prefill' in request:
            tokens, seconds = engine.prefill(request['prefill'])
        else:
            tokens, seconds = engine.decode(request['context'], request['decode'])
        print(json.dumps({'tokens': tokens, 'ms': seconds * 1000}), flush=True)


main(*sys.argv[1:4])
