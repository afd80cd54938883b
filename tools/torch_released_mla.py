"""The released latent attention network (mla.py of arXiv 2505.13027's repository), with Phasor's tensor names.

Written anew from a description. It differs from the other released networks (torch_released.py) in far more than its
encoding: a learned input term, keys and values from the hidden state, pads masked and left out of the mean, GELU, a
final norm, dropout on the feed-forward output alone. Projections have no bias, latents no norm; one rotary query and
one rotary key serve all heads, and they are multiplied with a table that is no rotation.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from torch_released import FeedForward, PositionTable, frequencies, index


@dataclass
class ReleasedMlaConfig:
    layers: int = 6
    width: int = 256
    hidden: int = 512
    heads: int = 16
    query_latent: int = 128
    key_latent: int = 128
    dropout: float = 0.1
    vocabulary: int = 574
    max_length: int = 128


def mistaken_table(positions, width):
    """A row of all sines, then all cosines, whose every other entry is then taken for a sine and the rest for cosines:
    ("cos", "sin"), each [positions, width / 2]."""
    angles = index(positions)[:, None] * frequencies(width)
    row = torch.cat((angles.sin(), angles.cos()), dim=-1)
    return row[:, 1::2], row[:, ::2]


def turn_by(x, cos, sin):
    """What would rotate interleaved pairs of x [batch, positions, channels] if the table held cosines and sines."""
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


class LatentAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.head_width = config.heads, config.width // config.heads
        rotary = self.head_width

        def linear(inputs, outputs):
            return nn.Linear(inputs, outputs, bias=False)

        self.query_down = linear(config.width, config.query_latent)
        self.key_value_down = linear(config.width, config.key_latent)
        self.key_rotary = linear(config.width, rotary)
        self.query_up = linear(config.query_latent, config.width)
        self.query_rotary = linear(config.query_latent, rotary)
        self.key_up = linear(config.key_latent, config.width)
        self.value_up = linear(config.key_latent, config.width)
        self.output = linear(config.width, config.width)

    def split_heads(self, x):
        return x.unflatten(-1, (self.heads, self.head_width)).transpose(1, 2)

    def forward(self, x, pad):
        """x [batch, positions, width]; pad [batch, positions] or None."""
        query_latent, key_latent = self.query_down(x), self.key_value_down(x)
        q, k, v = (self.split_heads(t) for t in (self.query_up(query_latent), self.key_up(key_latent),
                                                 self.value_up(key_latent)))
        table = mistaken_table(x.shape[1], self.head_width)
        rotary_query = turn_by(self.query_rotary(query_latent), *table)
        rotary_key = turn_by(self.key_rotary(x), *table)
        # The same for all heads.
        positional = torch.matmul(rotary_query, rotary_key.transpose(1, 2))[:, None]
        logits = (torch.matmul(q, k.transpose(2, 3)) + positional) / math.sqrt(2 * self.head_width)
        if pad is not None:
            logits = logits.masked_fill(pad[:, None, None, :], -math.inf)
        out = torch.matmul(logits.softmax(-1), v)
        return self.output(out.transpose(1, 2).flatten(2))


class ReleasedMlaLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.LayerNorm(config.width), nn.LayerNorm(config.width)
        self.attention = LatentAttention(config)
        self.ffn = FeedForward(config, F.gelu)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x, pad):
        x = x + self.attention(self.attention_norm(x), pad)
        return x + self.dropout(self.ffn(self.ffn_norm(x)))


class ReleasedMla(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.encoding = PositionTable(config.max_length, config.width, 0.0)
        self.layers = nn.ModuleList(ReleasedMlaLayer(config) for _ in range(config.layers))
        self.final_norm = nn.LayerNorm(config.width)
        self.readout = nn.Linear(config.width, config.vocabulary)

    def forward(self, ids, lengths=None):
        """ids [batch, positions], lengths [batch] or None where nothing is padded -> [batch, vocabulary]."""
        positions = ids.shape[1]
        pad = None if lengths is None else torch.arange(positions)[None, :] >= lengths[:, None]
        x = self.embedding(ids) + self.encoding(positions)
        for layer in self.layers:
            x = layer(x, pad)
        x = self.final_norm(x)
        if pad is None:
            return self.readout(x.mean(1))
        real = (~pad)[..., None].to(x.dtype)
        return self.readout((x * real).sum(1) / real.sum(1))
