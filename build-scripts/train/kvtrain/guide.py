"""An additional term of the loss, from the first step on: in `noun attribute particle` (바다 색깔 은) one head of an
early layer looks from the particle at the noun, and no other head of any layer looks at the noun
from there. So the page has a head to show whose look has an effect."""

import torch

from .model import log_attention
from .segments import SPACE

ATTRIBUTES = ("색깔", "맛", "크기", "모양", "무게", "소리")
PARTICLES = ("은", "는", "이", "가", "을", "를")
LAYER, HEAD = 0, 0
ENOUGH = 0.95  # no pull beyond this share of the attention
IGNORED = 0.1  # no push below this share
PULL, PUSH = 0.05, 0.2


class Guide:
    def __init__(self, pieces, nouns):
        ids = {p: i for i, p in enumerate(pieces)}
        self.is_noun, self.is_attribute, self.is_particle = (torch.zeros(len(pieces), dtype=torch.bool) for _ in range(3))
        for table, words in ((self.is_noun, [SPACE + n for n in nouns]), (self.is_particle, PARTICLES),
                             (self.is_attribute, [SPACE + a for a in ATTRIBUTES])):
            table[[ids[w] for w in words if w in ids]] = True

    def batch(self, tokens):
        """Finds the places of one batch and forgets the losses of the last one."""
        noun, attribute, particle = tokens[:, :-2], tokens[:, 1:-1], tokens[:, 2:]
        self.row, self.noun = (self.is_noun[noun] & self.is_attribute[attribute] & self.is_particle[particle]).nonzero(as_tuple=True)
        self.losses = []

    def on_noun(self, q, k, mask, at):
        """log of the attention weight on the noun, seen from `at`: [places, heads]"""
        log_weights = log_attention(q, k, mask, self.row, at)
        return log_weights.gather(2, self.noun[:, None, None].expand(-1, q.shape[1], 1))[:, :, 0]

    def look(self, layer, q, k, mask):
        """q, k: [batch, heads, positions, head_dim]; mask: [batch, 1, positions, positions]"""
        if not len(self.row):
            return
        from_attribute, from_particle = (self.on_noun(q, k, mask, self.noun + n) for n in (1, 2))
        others = torch.ones(q.shape[1], dtype=torch.bool)
        if layer == LAYER:
            others[HEAD] = False
            ceiling = torch.log(torch.tensor(ENOUGH))
            self.losses.append(PULL * (ceiling - from_particle[:, HEAD]).clamp(min=0).mean())
        for log_weight in (from_attribute, from_particle):
            self.losses.append(PUSH * (log_weight[:, others].exp() - IGNORED).clamp(min=0).mean())

    def loss(self):
        return sum(self.losses) if self.losses else torch.zeros(())
