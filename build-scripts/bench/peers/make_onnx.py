#!/usr/bin/env python3
"""Makes an 8-bit ONNX model of a GGUF's weights (architecture llama): the kind that transformers.js runs by default
on the CPU. MatMulInteger with int8 weights per channel, activations quantised in the graph; GroupQueryAttention
with past and present; logits of the last position only. usage: make_onnx.py MODEL.gguf OUT.onnx"""
import os
import sys

import numpy as np
import onnx
from gguf import GGUFReader, quants
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

MAX_POSITIONS = 2048
CONTRIB = 'com.microsoft'  # onnxruntime's own operators


class Graph:
    """Nodes and constants, in the order in which they are made."""

    def __init__(self):
        self.nodes = []
        self.constants = []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def op(self, kind, inputs, outputs, domain='', **attributes):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def matmul(self, x, name, weights, out):
        """out = x weights^T; weights: (rows, cols), as GGUF has them."""
        return self.op('MatMul', [x, self.constant(name, weights.T.astype(np.float32))], out)


class Llama:
    def __init__(self, path):
        reader = GGUFReader(path)
        self.weights = {}
        for t in reader.tensors:
            shape = [int(n) for n in reversed(t.shape)]
            self.weights[t.name] = quants.dequantize(t.data, t.tensor_type).reshape(shape)
        key = lambda name: reader.fields[f'llama.{name}'].contents()
        self.n_layers = key('block_count')
        self.dim = key('embedding_length')
        self.n_heads = key('attention.head_count')
        self.n_kv_heads = key('attention.head_count_kv')
        self.rms_eps = key('attention.layer_norm_rms_epsilon')
        self.rope_base = key('rope.freq_base')
        self.head_dim = self.dim // self.n_heads
        self.embedding = self.weights['token_embd.weight']
        self.lm_head = self.weights.get('output.weight', self.embedding)


def add_lengths(g):
    """GroupQueryAttention wants the length so far from the attention mask, as int32."""
    axis = g.constant('axis_1', np.array([1], np.int64))
    g.op('ReduceSum', ['attention_mask', axis], 'length', keepdims=0)
    g.op('Sub', ['length', axis], 'last_index')
    g.op('Cast', ['last_index'], 'seqlens_k', to=TensorProto.INT32)
    g.op('Shape', ['attention_mask'], 'mask_shape')
    one = g.constant('scalar_1', np.array(1, np.int64))
    g.op('Gather', ['mask_shape', one], 'total', axis=0)
    g.op('Cast', ['total'], 'total_length', to=TensorProto.INT32)


def add_embedding(g, m):
    """int8 rows, one scale each: as small as the rest."""
    scale = np.abs(m.embedding).max(axis=1, keepdims=True) / 127
    rows = np.round(m.embedding / np.where(scale == 0, 1, scale)).astype(np.int8)
    g.op('Gather', [g.constant('embedding', rows), 'input_ids'], 'embedded_int8', axis=0)
    g.op('Gather', [g.constant('embedding_scale', scale.astype(np.float32)), 'input_ids'], 'embedded_scale', axis=0)
    g.op('Cast', ['embedded_int8'], 'embedded_f32', to=TensorProto.FLOAT)
    return g.op('Mul', ['embedded_f32', 'embedded_scale'], 'embedded')


def add_norm(g, m, name, x, delta, weight):
    """(rms_norm(x + delta), x + delta)"""
    weight = g.constant(f'{name}_weight', weight)
    if delta is None:
        return g.op('SimplifiedLayerNormalization', [x, weight], name, axis=-1, epsilon=m.rms_eps, stash_type=1), x
    summed = f'{name}_sum'
    outputs = [name, '', '', summed]
    g.op('SkipSimplifiedLayerNormalization', [x, delta, weight], outputs, CONTRIB, epsilon=m.rms_eps)
    return name, summed


def add_layer(g, m, i, x, delta):
    w = lambda name: m.weights[f'blk.{i}.{name}.weight']
    p = f'layer{i}_'
    normed, x = add_norm(g, m, p + 'attn_norm', x, delta, w('attn_norm'))
    qkv = g.matmul(normed, p + 'w_qkv', np.concatenate([w('attn_q'), w('attn_k'), w('attn_v')]), p + 'qkv')
    past = [f'past_key_values.{i}.key', f'past_key_values.{i}.value']
    present = [f'present.{i}.key', f'present.{i}.value']
    # GGUF permutes Llama's Q and K for adjacent rotary pairs: rotary_interleaved.
    g.op('GroupQueryAttention', [qkv, '', '', *past, 'seqlens_k', 'total_length', 'cos', 'sin'],
         [p + 'mixed', *present], CONTRIB, num_heads=m.n_heads, kv_num_heads=m.n_kv_heads,
         scale=m.head_dim ** -0.5, do_rotary=1, rotary_interleaved=1)
    attended = g.matmul(p + 'mixed', p + 'w_o', w('attn_output'), p + 'attended')
    normed, x = add_norm(g, m, p + 'ffn_norm', x, attended, w('ffn_norm'))
    gate = g.matmul(normed, p + 'w_gate', w('ffn_gate'), p + 'gate')
    up = g.matmul(normed, p + 'w_up', w('ffn_up'), p + 'up')
    g.op('Sigmoid', [gate], p + 'sigmoid')
    g.op('Mul', [gate, p + 'sigmoid'], p + 'silu')
    g.op('Mul', [p + 'silu', up], p + 'gated')
    return x, g.matmul(p + 'gated', p + 'w_down', w('ffn_down'), p + 'down')


def build(m):
    g = Graph()
    add_lengths(g)
    frequencies = m.rope_base ** (-np.arange(0, m.head_dim, 2) / m.head_dim)
    angles = np.outer(np.arange(MAX_POSITIONS), frequencies)
    g.constant('cos', np.cos(angles).astype(np.float32))
    g.constant('sin', np.sin(angles).astype(np.float32))
    x, delta = add_embedding(g, m), None
    for i in range(m.n_layers):
        x, delta = add_layer(g, m, i, x, delta)
    normed, _ = add_norm(g, m, 'output_norm', x, delta, m.weights['output_norm.weight'])
    g.op('Gather', [normed, g.constant('last', np.array([-1], np.int64))], 'last_hidden', axis=1)
    g.matmul('last_hidden', 'w_lm_head', m.lm_head, 'logits')
    return g


def make_model(m):
    info = helper.make_tensor_value_info
    inputs = [info('input_ids', TensorProto.INT64, [1, 'S']), info('attention_mask', TensorProto.INT64, [1, 'T'])]
    outputs = [info('logits', TensorProto.FLOAT, [1, 1, len(m.lm_head)])]
    for i in range(m.n_layers):
        for kind in ('key', 'value'):
            heads, size = m.n_kv_heads, m.head_dim
            inputs.append(info(f'past_key_values.{i}.{kind}', TensorProto.FLOAT, [1, heads, 'P', size]))
            outputs.append(info(f'present.{i}.{kind}', TensorProto.FLOAT, [1, heads, 'T', size]))
    g = build(m)
    graph = helper.make_graph(g.nodes, 'llama', inputs, outputs, g.constants)
    opsets = [helper.make_opsetid('', 20), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def main(source, out):
    whole = out + '.f32'
    onnx.save(make_model(Llama(source)), whole)
    quantize_dynamic(whole, out, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=['MatMul'],
                     extra_options={'DefaultTensorType': TensorProto.FLOAT})
    os.remove(whole)


main(*sys.argv[1:3])
