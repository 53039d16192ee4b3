"""The llama architecture: RMSNorm, RoPE on adjacent pairs, grouped-query attention, SwiGLU, tied output."""

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Shape:
    vocab: int
    dim: int = 128
    n_layers: int = 5
    n_heads: int = 4
    n_kv_heads: int = 2
    head_dim: int = 32
    ffn: int = 320
    context: int = 512
    rope_theta: float = 10000.0
    rms_eps: float = 1e-5

    def asdict(self):
        return asdict(self)


FULL = dict(dim=128, n_layers=5, n_heads=4, n_kv_heads=2, head_dim=32, ffn=320)
SMOKE = dict(dim=64, n_layers=4, n_heads=4, n_kv_heads=2, head_dim=16, ffn=128)


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        q, kv = s.n_heads * s.head_dim, s.n_kv_heads * s.head_dim
        linear = lambda n_in, n_out: nn.Linear(n_in, n_out, bias=False)
        self.attn_norm, self.ffn_norm = nn.RMSNorm(s.dim, s.rms_eps), nn.RMSNorm(s.dim, s.rms_eps)
        self.attn_q, self.attn_k, self.attn_v = linear(s.dim, q), linear(s.dim, kv), linear(s.dim, kv)
        self.attn_output = linear(q, s.dim)
        self.ffn_gate, self.ffn_up, self.ffn_down = linear(s.dim, s.ffn), linear(s.dim, s.ffn), linear(s.ffn, s.dim)


def rope(x, cos, sin):
    """x: [batch, heads, positions, head_dim]; pairs are neighbours, as GGUF's `llama` wants them."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


def log_attention(q, k, mask, row, at):
    """log of the attention weights seen from `at` in `row`: [places, heads, positions].
    q, k: [batch, heads, positions, head_dim]; mask: [batch, 1, positions, positions]; row, at: [places]"""
    scores = torch.einsum("phd,phnd->phn", q[row, :, at], k.index_select(0, row)) / q.shape[-1] ** 0.5
    return scores.masked_fill(~mask[row, 0, at][:, None], float("-inf")).log_softmax(-1)


class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocab, shape.dim)
        self.blk = nn.ModuleList([Layer(shape) for _ in range(shape.n_layers)])
        self.output_norm = nn.RMSNorm(shape.dim, shape.rms_eps)
        frequencies = shape.rope_theta ** (-torch.arange(0, shape.head_dim, 2).float() / shape.head_dim)
        angles = torch.outer(torch.arange(shape.context).float(), frequencies)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.quantize = None  # weight -> weight, during quantisation-aware training
        self.knocked_out = set()  # (layer, head) whose output is dropped
        self.watch = None  # a list that receives the attention weights of each layer
        self.guides = ()  # guide.Guide and binding.Binding, while a batch is trained
        for name, p in self.named_parameters():
            if p.dim() == 2:
                scale = 0.02 if not name.endswith(("attn_output.weight", "ffn_down.weight")) else 0.02 / (2 * shape.n_layers) ** 0.5
                nn.init.normal_(p, std=scale)

    def weight(self, module):
        return self.quantize(module.weight) if self.quantize else module.weight

    def attention(self, i, layer, x, mask):
        s, (batch, n, _) = self.shape, x.shape
        split = lambda module, heads: F.linear(x, self.weight(module)).view(batch, n, heads, s.head_dim).transpose(1, 2)
        q = rope(split(layer.attn_q, s.n_heads), self.cos[:n], self.sin[:n])
        k = rope(split(layer.attn_k, s.n_kv_heads), self.cos[:n], self.sin[:n])
        v = split(layer.attn_v, s.n_kv_heads)
        k, v = (t.repeat_interleave(s.n_heads // s.n_kv_heads, 1) for t in (k, v))
        for guide in self.guides:
            guide.look(i, q, k, mask)
        if self.watch is None:
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = (q @ k.transpose(-1, -2)) / s.head_dim ** 0.5
            weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
            self.watch.append(weights)
            out = weights @ v
        for head in (h for l, h in self.knocked_out if l == i):
            out = out.clone()
            out[:, head] = 0
        return F.linear(out.transpose(1, 2).reshape(batch, n, -1), self.weight(layer.attn_output))

    def forward(self, ids, mask, chosen=None):
        """ids: [batch, positions]; mask: [batch, 1, positions, positions], True where q may look at k.
        Logits of all positions, or of those where chosen [batch, positions] is true."""
        embedding = self.weight(self.token_embd)
        x = F.embedding(ids, embedding)
        for i, layer in enumerate(self.blk):
            x = x + self.attention(i, layer, layer.attn_norm(x), mask)
            h = layer.ffn_norm(x)
            gate, up = F.linear(h, self.weight(layer.ffn_gate)), F.linear(h, self.weight(layer.ffn_up))
            x = x + F.linear(F.silu(gate) * up, self.weight(layer.ffn_down))
        return F.linear(self.output_norm(x if chosen is None else x[chosen]), embedding)


def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()[None, None]


def document_mask(documents):
    """documents: [batch, positions] numbers; a position sees its own document only."""
    same = documents[:, None, :, None] == documents[:, None, None, :]
    return same & causal_mask(documents.shape[1])
