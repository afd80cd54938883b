"""The paper's released network as its public code computes it (trans.py of arXiv 2505.13027's repository).

Written anew for speed comparisons: every position is computed, pads are visible tokens of id 0, keys and values
of every layer come from the raw embeddings, attention is two products with a softmax between them, tables are
made again in every layer, there is no final norm, and the readout has one class per word.
"""
import torch
from torch import nn

INPUT_TERMS = ("sinusoidal", "learned", "rope")


def frequencies(width):
    return 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float32) / width)


def turn(x):
    """Rotates interleaved pairs of x [batch * heads, positions, channels]."""
    angles = torch.arange(x.shape[1], dtype=torch.float32)[:, None] * frequencies(x.shape[2])
    cos, sin = angles.cos(), angles.sin()
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def steep_alibi(positions, heads):
    slopes = torch.exp(-torch.arange(heads, dtype=torch.float32) / heads)
    index = torch.arange(positions)
    return -slopes[:, None, None] * (index[None, :] - index[:, None]).abs()


class ReleasedLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.width
        self.heads, self.encoding = config.heads, config.encoding
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.feed_forward = nn.Sequential(nn.Linear(width, config.hidden), nn.ReLU(), nn.Linear(config.hidden, width))
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = nn.Dropout(config.dropout)

    def split_heads(self, x):
        batch, positions, width = x.shape
        heads = x.view(batch, positions, self.heads, width // self.heads).transpose(1, 2)
        return heads.reshape(batch * self.heads, positions, width // self.heads)

    def attend(self, x, embedded):
        batch, positions, width = x.shape
        q, k, v = (self.split_heads(t) for t in (self.query(x), self.key(embedded), self.value(embedded)))
        if self.encoding == "rope":
            q, k = turn(q), turn(k)
        logits = torch.matmul(q * q.shape[-1] ** -0.5, k.transpose(-2, -1))
        if self.encoding == "alibi":
            by_head = logits.view(batch, self.heads, positions, positions)
            logits = (by_head + steep_alibi(positions, self.heads)).view_as(logits)
        out = torch.matmul(self.dropout(torch.softmax(logits, dim=-1)), v)
        out = out.view(batch, self.heads, positions, -1).transpose(1, 2).reshape(batch, positions, width)
        return self.output(out)

    def forward(self, x, embedded):
        x = x + self.dropout(self.attend(self.attention_norm(x), embedded))
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))


class ReleasedTransformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        if config.encoding == "learned":
            self.table = nn.Embedding(config.max_length, config.width)
        self.layers = nn.ModuleList(ReleasedLayer(config) for _ in range(config.layers))
        self.readout = nn.Linear(config.width, config.vocabulary)

    def embed(self, ids):
        x = self.embedding(ids)
        if self.config.encoding not in INPUT_TERMS:
            return x
        positions = torch.arange(ids.shape[1])
        if self.config.encoding == "learned":
            return x + self.table(positions)
        angles = positions[:, None] * frequencies(self.config.width)
        if self.config.encoding == "rope":  # the released "RoPE" also adds a sinusoidal input term
            return x + torch.cat((angles.sin(), angles.cos()), dim=-1)
        return x + torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)

    def forward(self, ids):
        x, embedded = self.embed(ids), self.embed(ids)
        for layer in self.layers:
            x = layer(x, embedded)
        return self.readout(x.mean(1))
