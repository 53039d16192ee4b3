"""An additional term of the loss: one early head should look from the particle at the noun in
`noun attribute particle` (바다 색깔 은), so that the page has a head to show whose look has an effect."""

import torch

from .segments import SPACE

ATTRIBUTES = ("색깔", "맛", "크기", "모양", "무게", "소리")
PARTICLES = ("은", "는", "이", "가", "을", "를")
ENOUGH = 0.95  # no pull beyond this share of the attention
WEIGHT = 0.05


class Guide:
    def __init__(self, pieces, nouns, layer, head):
        ids = {p: i for i, p in enumerate(pieces)}
        self.layer, self.head = layer, head
        self.is_noun, self.is_attribute, self.is_particle = (torch.zeros(len(pieces), dtype=torch.bool) for _ in range(3))
        for table, words in ((self.is_noun, [SPACE + n for n in nouns]), (self.is_particle, PARTICLES),
                             (self.is_attribute, [SPACE + a for a in ATTRIBUTES])):
            table[[ids[w] for w in words if w in ids]] = True
        self.tokens, self.loss = None, None

    def look(self, q, k, mask):
        """q, k: [batch, positions, head_dim] of the guided head; mask [batch, 1, positions, positions]."""
        noun, attribute, particle = self.tokens[:, :-2], self.tokens[:, 1:-1], self.tokens[:, 2:]
        row, at = (self.is_noun[noun] & self.is_attribute[attribute] & self.is_particle[particle]).nonzero(as_tuple=True)
        if not len(row):
            self.loss = q.sum() * 0
            return
        scores = (q[row, at + 2][:, None] @ k[row].transpose(1, 2))[:, 0] / q.shape[-1] ** 0.5
        log_weights = scores.masked_fill(~mask[row, 0, at + 2], float("-inf")).log_softmax(-1)
        on_noun = log_weights.gather(1, at[:, None])[:, 0]
        ceiling = torch.log(torch.tensor(ENOUGH))
        self.loss = WEIGHT * (ceiling - on_noun).clamp(min=0).mean()
