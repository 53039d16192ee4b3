"""Q4_0 as llama.cpp computes it, and its straight-through form for training."""

import torch

BLOCK = 32


def q4_0(weight):
    """Quantise and dequantise rows in blocks of 32: the values that the file will hold."""
    blocks = weight.detach().float().reshape(-1, BLOCK)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    d = largest / -8
    inverse = torch.where(d == 0, torch.zeros_like(d), 1 / d)
    codes = (blocks * inverse + 8.5).trunc().clamp(0, 15)
    return ((codes - 8) * d.half().float()).reshape(weight.shape)


def straight_through(weight):
    """Forward: the Q4_0 values. Backward: as if nothing had happened."""
    return weight + (q4_0(weight) - weight).detach()
