"""The paper's released network as its public code computes it (trans.py and partialrope.py of arXiv 2505.13027's
repository), with Phasor's tensor names.

Written anew from a description, for speed comparisons and as the truth of the `released_*` fixtures: every position
is computed, pads are visible tokens of id 0, keys and values of every layer come from the raw embeddings, attention
is two products with a softmax between them, tables are made again in every layer, there is no final norm, and the
readout has one class per word.
"""
from dataclasses import dataclass

import torch
from torch import nn

INPUT_TERMS = ("sinusoidal", "learned", "rope")
ENCODINGS = ("nope", "alibi", "relative", "partial_rope") + INPUT_TERMS
PAD = 0


@dataclass
class ReleasedConfig:
    """The paper's sizes. ReleasedTransformer takes anything with these fields."""
    encoding: str = "rope"
    layers: int = 6
    width: int = 256
    hidden: int = 512
    heads: int = 16
    dropout: float = 0.1
    vocabulary: int = 574
    max_length: int = 128
    rope_heads: int = 16  # of partial_rope: so many of the first heads of every layer


def index(positions):
    return torch.arange(positions, dtype=torch.get_default_dtype())


def frequencies(width):
    return 10000.0 ** (-index(width)[::2] / width)


def turn(x):
    """Rotates interleaved pairs of x [..., positions, channels]."""
    angles = index(x.shape[-2])[:, None] * frequencies(x.shape[-1])
    cos, sin = angles.cos(), angles.sin()
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def steep_alibi(positions, heads):
    slopes = torch.exp(-index(heads) / heads)
    return -slopes[:, None, None] * (index(positions)[None, :] - index(positions)[:, None]).abs()


class DistanceTable(nn.Module):
    """A number per head and distance j - i from query to key, the smallest distance first."""

    def __init__(self, heads, max_length):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(heads, 2 * max_length - 1) * 0.02)

    def forward(self, positions):
        place = torch.arange(positions)
        return self.bias[:, place[None, :] - place[:, None] + self.bias.shape[1] // 2]


class PositionTable(nn.Module):
    def __init__(self, max_length, width, deviation):
        super().__init__()
        self.learned = nn.Parameter(torch.randn(max_length, width) * deviation)

    def forward(self, positions):
        return self.learned[:positions]


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.encoding = config.heads, config.encoding
        self.rope_heads = config.rope_heads if config.encoding == "partial_rope" else 0
        self.query, self.key, self.value, self.output = (nn.Linear(config.width, config.width) for _ in range(4))
        self.dropout = nn.Dropout(config.dropout)

    def split_heads(self, x):
        batch, positions, width = x.shape
        heads = x.view(batch, positions, self.heads, width // self.heads).transpose(1, 2)
        return heads.reshape(batch * self.heads, positions, width // self.heads)

    def turn_first(self, x):
        """Rotates the first heads of x [batch * heads, positions, channels]."""
        by_head = x.view(-1, self.heads, *x.shape[1:])
        first, rest = by_head[:, :self.rope_heads], by_head[:, self.rope_heads:]
        return torch.cat((turn(first), rest), dim=1).view_as(x)

    def forward(self, x, source, table):
        batch, positions, width = x.shape
        q, k, v = (self.split_heads(t) for t in (self.query(x), self.key(source), self.value(source)))
        if self.encoding == "rope":
            q, k = turn(q), turn(k)
        if self.encoding == "partial_rope":
            q, k = self.turn_first(q), self.turn_first(k)
        logits = torch.matmul(q * q.shape[-1] ** -0.5, k.transpose(-2, -1))
        if self.encoding in ("alibi", "relative"):
            bias = steep_alibi(positions, self.heads) if self.encoding == "alibi" else table(positions)
            logits = (logits.view(batch, self.heads, positions, positions) + bias).view_as(logits)
        out = torch.matmul(self.dropout(torch.softmax(logits, dim=-1)), v)
        out = out.view(batch, self.heads, positions, -1).transpose(1, 2).reshape(batch, positions, width)
        return self.output(out)


class FeedForward(nn.Module):
    def __init__(self, config, activation):
        super().__init__()
        self.up, self.down = nn.Linear(config.width, config.hidden), nn.Linear(config.hidden, config.width)
        self.activation = activation

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


class ReleasedLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoding = nn.ModuleDict()
        if config.encoding == "relative":  # one of its own in every layer
            self.encoding["relative"] = DistanceTable(config.heads, config.max_length)
        self.attention_norm, self.ffn_norm = nn.LayerNorm(config.width), nn.LayerNorm(config.width)
        self.attention = Attention(config)
        self.ffn = FeedForward(config, torch.relu)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x, embedded):
        """Keys and values come from `embedded`, or, where that is None, from the hidden state as the queries do."""
        normed = self.attention_norm(x)
        table = self.encoding["relative"] if "relative" in self.encoding else None
        x = x + self.dropout(self.attention(normed, normed if embedded is None else embedded, table))
        return x + self.dropout(self.ffn(self.ffn_norm(x)))


class ReleasedTransformer(nn.Module):
    def __init__(self, config, hidden_keys=False):
        """With `hidden_keys` keys and values come from the hidden state: not what was released, but what can be held
        against another implementation."""
        super().__init__()
        if config.encoding not in ENCODINGS:
            raise ValueError(f"unknown encoding '{config.encoding}', there are {', '.join(ENCODINGS)}")
        self.config, self.hidden_keys = config, hidden_keys
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        if config.encoding == "learned":
            self.encoding = PositionTable(config.max_length, config.width, 1.0)
        self.layers = nn.ModuleList(ReleasedLayer(config) for _ in range(config.layers))
        self.readout = nn.Linear(config.width, config.vocabulary)

    def embed(self, ids):
        x = self.embedding(ids)
        positions = ids.shape[1]
        if self.config.encoding not in INPUT_TERMS:
            return x
        if self.config.encoding == "learned":
            return x + self.encoding(positions)
        angles = index(positions)[:, None] * frequencies(self.config.width)
        if self.config.encoding == "rope":  # the released "RoPE" also adds a sinusoidal input term
            return x + torch.cat((angles.sin(), angles.cos()), dim=-1)
        return x + torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)

    def forward(self, ids):
        """ids [batch, positions], filled up with PAD -> [batch, vocabulary]."""
        x = self.embed(ids)
        embedded = None if self.hidden_keys else self.embed(ids)
        for layer in self.layers:
            x = layer(x, embedded)
        return self.readout(x.mean(1))
