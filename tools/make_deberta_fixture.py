#!/usr/bin/python3
"""Writes what PyTorch makes of DeBERTa-v2's disentangled attention scores, or checks the stored file (--check).

    /usr/bin/python3 tools/make_deberta_fixture.py [--check]

needs python3-torch (apt); the tests need neither. It writes tests/fixtures/deberta_v2.json.

The scores are those of arXiv 2006.03654 as its released code and Hugging Face's DebertaV2 compute them, written here with
torch.gather over the products of whole tables, which is how they do it and not how Phasor does:

  bucket(x) of x = i - j: x itself up to buckets / 2, beyond that half + ceil(log(|x| / half) / log((most - 1) / half) *
  (half - 1)) with the sign of x, in float32
  c2p_ij = <q_i, K[clamp(bucket(i - j) + span, 0, 2 span - 1)]>
  p2c_ij = <k_j, Q[clamp(-bucket(j - i) + span, 0, 2 span - 1)]>
  logits = (q k^T + c2p + p2c) / sqrt(terms * width), terms = 1 + number of the two that are there

The JSON file:
  versions   torch, python
  buckets    cases: buckets, most, first, rows: the clamped row of i - j = first, first + 1, ...
  scores     cases: which, buckets, most (buckets 0: no logarithmic ones), length, heads, width, and row by row queries and
             keys [heads, length, width], keys_table, queries_table [heads, 2 span, width], logits [heads, length, length]:
             float64
"""
import argparse
import json
import math
import platform
import sys
from pathlib import Path

import torch

OUT = Path(__file__).resolve().parent.parent / "tests/fixtures/deberta_v2.json"


def buckets_of(distances, buckets, most):
    """float32, as the library has it: integers divided by an integer are float32."""
    half = buckets // 2
    inside = distances.abs() < half
    size = torch.where(inside, torch.full_like(distances, half - 1), distances.abs())
    steps = torch.log(size / half) / torch.log(torch.tensor((most - 1) / half)) * (half - 1)
    far = torch.ceil(steps) + half
    return torch.where(size <= half, distances.to(far.dtype), far * torch.sign(distances)).long()


def rows_of(distances, buckets, most):
    span = buckets if buckets > 0 else most
    bucket = buckets_of(distances, buckets, most) if buckets > 0 else distances
    return bucket, span


def bucket_case(buckets, most, reach):
    distances = torch.arange(-reach, reach + 1)
    bucket, span = rows_of(distances, buckets, most)
    return {"buckets": buckets, "most": most, "first": -reach,
            "rows": torch.clamp(bucket + span, 0, 2 * span - 1).tolist()}


def score_case(which, buckets, most, length, heads, width, seed):
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float32).double()
    index = torch.arange(length)
    relative, span = rows_of(index[:, None] - index[None, :], buckets, most)
    queries, keys = draw(heads, length, width), draw(heads, length, width)
    keys_table, queries_table = draw(heads, 2 * span, width), draw(heads, 2 * span, width)
    terms = 1 + (which != "p2c") + (which != "c2p")
    scores = queries @ keys.transpose(1, 2)
    if which != "p2c":
        place = torch.clamp(relative + span, 0, 2 * span - 1)
        scores = scores + torch.gather(queries @ keys_table.transpose(1, 2), 2, place.expand(heads, -1, -1))
    if which != "c2p":
        place = torch.clamp(-relative + span, 0, 2 * span - 1)
        by_key = torch.gather(keys @ queries_table.transpose(1, 2), 2, place.expand(heads, -1, -1))
        scores = scores + by_key.transpose(1, 2)
    flat = lambda tensor: tensor.flatten().tolist()
    return {"which": which, "buckets": buckets, "most": most, "length": length, "heads": heads, "width": width,
            "queries": flat(queries), "keys": flat(keys), "keys_table": flat(keys_table),
            "queries_table": flat(queries_table), "logits": flat(scores / math.sqrt(terms * width))}


def make():
    cases = [(32, 128, 300), (256, 512, 700), (16, 64, 200), (8, 100, 150), (4, 8, 20), (2, 3, 10), (12, 1029, 1200),
             (64, 4096, 4500), (0, 5, 12)]
    return {"versions": {"torch": torch.__version__, "python": platform.python_version()},
            "buckets": [bucket_case(*case) for case in cases],
            "scores": [score_case("both", 4, 8, 14, 2, 4, 1), score_case("c2p", 8, 12, 11, 2, 3, 2),
                       score_case("p2c", 4, 6, 13, 1, 5, 3), score_case("both", 0, 3, 9, 2, 4, 4)]}


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float):
        return abs(a - b) <= 1e-13 * max(1.0, abs(b))
    return a == b


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored file instead of writing it")
    arguments = parser.parse_args()
    made = make()
    if not arguments.check:
        OUT.write_text(json.dumps(made, separators=(",", ":")) + "\n")
        return 0
    stored = json.loads(OUT.read_text())
    for part in ("buckets", "scores"):
        if not same(made[part], stored[part]):
            print(f"{OUT}: {part} differ", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
