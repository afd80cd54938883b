"""Phasor's Transformer (clean protocol) in plain PyTorch, with Phasor's tensor names.

Runs with PyTorch 1.13 and newer. A batch is padded on the right; with `lengths` the pads are masked as keys
and left out of the pooled mean, so that the result is that of the sequences alone.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

ENCODINGS = ("nope", "sinusoidal", "learned", "alibi", "rope")
HAS_FUSED_ATTENTION = hasattr(F, "scaled_dot_product_attention")


@dataclass
class ModelConfig:
    """Field names and meanings are those of `model.<field>` in Phasor."""
    layers: int = 3
    width: int = 64
    hidden: int = 128
    heads: int = 4
    kv_heads: int = 0    # 0: as many as heads
    head_width: int = 0  # 0: width / heads
    ffn: str = "relu"    # relu, gelu
    norm: str = "layer"  # layer, rms
    causal: bool = False
    dropout: float = 0.0
    encoding: str = "rope"
    vocabulary: int = 64
    classes: int = 24
    max_length: int = 42

    def __post_init__(self):
        self.kv_heads = self.kv_heads or self.heads
        self.head_width = self.head_width or self.width // self.heads
        if self.encoding not in ENCODINGS:
            raise ValueError(f"unknown encoding '{self.encoding}', there are {', '.join(ENCODINGS)}")


def sinusoid_angles(positions, width, base=10000.0):
    """[positions, width / 2]: position times frequency base^(-2c / width)."""
    frequencies = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.arange(positions, dtype=torch.float64)[:, None] * frequencies


def sinusoidal_table(positions, width):
    angles = sinusoid_angles(positions, width)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


def alibi_bias(positions, heads):
    """[1, heads, positions, positions]: -2^(-8 (h + 1) / heads) |i - j|."""
    slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)
    index = torch.arange(positions, dtype=torch.float64)
    return -slopes[None, :, None, None] * (index[:, None] - index).abs()


def rotate_pairs(x, cos, sin, in_complex):
    """Turns the channel pairs (2c, 2c + 1) of x [..., positions, channels] by the tables' angles.

    Complex numbers are the faster way in eager mode, but neither bf16 nor torch.compile have them.
    """
    pairs = x.unflatten(-1, (-1, 2))
    if in_complex and x.dtype == cos.dtype:
        return torch.view_as_real(torch.view_as_complex(pairs) * torch.complex(cos, sin)).flatten(-2)
    a, b = pairs.unbind(-1)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


def dropout_of(rate):
    return nn.Dropout(rate) if rate > 0 else nn.Identity()


class RmsNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def norm_of(config):
    return RmsNorm(config.width) if config.norm == "rms" else nn.LayerNorm(config.width, eps=1e-5)


@dataclass(frozen=True)
class Style:
    """Ways to compute the same function."""
    packed: bool = False    # one product for query, key and value; other parameter names
    fused: bool = False     # PyTorch's own attention (2.0 and newer)
    compiled: bool = False  # the model will go through torch.compile


class Attention(nn.Module):
    def __init__(self, config, style):
        super().__init__()
        self.heads, self.kv_heads, self.head_width = config.heads, config.kv_heads, config.head_width
        self.rate, self.style = config.dropout, style
        inner, kv_inner = self.heads * self.head_width, self.kv_heads * self.head_width
        self.widths = (inner, kv_inner, kv_inner)
        if style.packed:
            self.input = nn.Linear(config.width, sum(self.widths))
        else:
            self.query = nn.Linear(config.width, inner)
            self.key = nn.Linear(config.width, kv_inner)
            self.value = nn.Linear(config.width, kv_inner)
        self.output = nn.Linear(inner, config.width)

    def forward(self, x, bias, rotation):
        batch, positions, _ = x.shape
        projected = (
            self.input(x).split(self.widths, -1) if self.style.packed else (self.query(x), self.key(x), self.value(x)))
        q, k, v = (t.view(batch, positions, -1, self.head_width).transpose(1, 2) for t in projected)
        if rotation is not None:
            q, k = (rotate_pairs(t, *rotation, in_complex=not self.style.compiled) for t in (q, k))
        if self.kv_heads != self.heads:
            k, v = (t.repeat_interleave(self.heads // self.kv_heads, dim=1) for t in (k, v))
        rate = self.rate if self.training else 0.0
        if self.style.fused:
            mask = None if bias is None else bias.to(q.dtype)
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=rate)
        else:
            out = self.plain_attention(q, k, v, bias, rate)
        return self.output(out.transpose(1, 2).reshape(batch, positions, -1))

    def plain_attention(self, q, k, v, bias, rate):
        batch, heads, positions, width = q.shape
        q, k, v = (t.reshape(batch * heads, positions, width) for t in (q, k, v))
        scale = 1.0 / math.sqrt(width)
        if bias is None:
            logits = torch.bmm(q * scale, k.transpose(1, 2))
        else:
            bias = bias.to(q.dtype).expand(batch, heads, -1, -1).reshape(batch * heads, -1, positions)
            logits = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=scale)
        weights = logits.softmax(-1)
        if rate > 0:
            weights = F.dropout(weights, rate)
        return torch.bmm(weights, v).view(batch, heads, positions, width)


class FeedForward(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up = nn.Linear(config.width, config.hidden)
        self.down = nn.Linear(config.hidden, config.width)
        self.activation = F.gelu if config.ffn == "gelu" else F.relu

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


class Layer(nn.Module):
    def __init__(self, config, style):
        super().__init__()
        self.attention_norm = norm_of(config)
        self.attention = Attention(config, style)
        self.ffn_norm = norm_of(config)
        self.ffn = FeedForward(config)
        self.dropout = dropout_of(config.dropout)

    def forward(self, x, bias, rotation):
        x = x + self.dropout(self.attention(self.attention_norm(x), bias, rotation))
        return x + self.dropout(self.ffn(self.ffn_norm(x)))


class LearnedTable(nn.Module):
    def __init__(self, positions, width):
        super().__init__()
        self.learned = nn.Parameter(torch.randn(positions, width) * 0.02)


class Transformer(nn.Module):
    def __init__(self, config, style=Style()):
        super().__init__()
        self.config, self.style = config, style
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        if config.encoding == "learned":
            self.encoding = LearnedTable(config.max_length, config.width)
        self.layers = nn.ModuleList(Layer(config, style) for _ in range(config.layers))
        self.final_norm = norm_of(config)
        self.readout = nn.Linear(config.width, config.classes)
        self.add_tables()

    def add_tables(self):
        config, dtype = self.config, torch.get_default_dtype()

        def keep(name, table):
            self.register_buffer(name, table.to(dtype), persistent=False)

        if config.encoding == "sinusoidal":
            keep("sinusoidal", sinusoidal_table(config.max_length, config.width))
        if config.encoding == "alibi":
            keep("alibi", alibi_bias(config.max_length, config.heads))
        if config.encoding == "rope":
            angles = sinusoid_angles(config.max_length, config.head_width)
            keep("cos", angles.cos())
            keep("sin", angles.sin())
        if config.causal:
            keep("future", torch.full((config.max_length, config.max_length), -math.inf).triu(1))

    def logit_bias(self, positions, lengths, like):
        """What is added to the logits, outside the scale: [batch or 1, heads or 1, positions or 1, positions]."""
        terms = []
        if self.config.encoding == "alibi":
            terms.append(self.alibi[:, :, :positions, :positions])
        if self.config.causal:
            terms.append(self.future[None, None, :positions, :positions])
        if lengths is not None:
            pad = torch.arange(positions)[None, :] >= lengths[:, None]
            terms.append(torch.zeros(pad.shape, dtype=like.dtype).masked_fill(pad, -math.inf)[:, None, None, :])
        if not terms:
            return None
        bias = terms[0]
        for term in terms[1:]:
            bias = bias + term
        return bias

    def forward(self, ids, lengths=None):
        """ids [batch, positions], lengths [batch] or None where nothing is padded -> [batch, classes]."""
        positions = ids.shape[1]
        x = self.embedding(ids)
        if self.config.encoding == "sinusoidal":
            x = x + self.sinusoidal[:positions]
        if self.config.encoding == "learned":
            x = x + self.encoding.learned[:positions]
        rotation = (self.cos[:positions], self.sin[:positions]) if self.config.encoding == "rope" else None
        bias = self.logit_bias(positions, lengths, x)
        for layer in self.layers:
            x = layer(x, bias, rotation)
        return self.readout(self.pool(self.final_norm(x), lengths))

    @staticmethod
    def pool(x, lengths):
        if lengths is None:
            return x.mean(1)
        real = torch.arange(x.shape[1])[None, :] < lengths[:, None]
        share = real.to(x.dtype) / lengths[:, None].to(x.dtype)
        return torch.bmm(share[:, None, :], x).squeeze(1)


def pad(sequences, positions=0, value=0):
    """Lists of ids -> (ids [batch, positions or longest], lengths)."""
    lengths = torch.tensor([len(s) for s in sequences])
    ids = torch.full((len(sequences), positions or int(lengths.max())), value, dtype=torch.long)
    for row, sequence in zip(ids, sequences):
        row[:len(sequence)] = torch.tensor(sequence)
    return ids, lengths
