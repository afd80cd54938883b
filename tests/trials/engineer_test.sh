#!/usr/bin/env bash
# An engineer's trial: a scaling checked pair by pair against the published formula, and queries and keys of a model of his own
# under three bases.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/../scripts/harness.sh"

phasor=$repository/build/release/phasor
if [[ ! -x $phasor ]]; then
  echo "engineer_test.sh: skipped: there is no $phasor" >&2
  exit 0
fi
if ! command -v python3 >/dev/null; then
  echo "engineer_test.sh: skipped: there is no python3 to check with" >&2
  exit 0
fi
cd "$scratch"

# At once, at any length: nothing of 131,072 x 131,072 is computed.
run timeout 20 "$phasor" encodings 'rope(scaling=yarn,factor=4,original=32768,base=1000000)' --head-width 128 --length 131072
expect_status 0
for words in kept stretched ramped "Attention factor" turns; do expect_output "$words"; done
run "$phasor" encodings 'rope(scaling=yarn,factor=4,original=32768,base=1000000)' --head-width 128 --length 131072 --json
expect_status 0
printf '%s' "$output" >card.json

cat >check.py <<'PYTHON'
# YaRN (Peng et al., 2023, section 3.4; the ramp between whole pairs as in its released code), written from the paper.
import json, math

card = json.load(open("card.json"))
base, channels, original, factor = 1e6, 128, 32768, 4.0


def pair_that_turns(turns):
    return channels * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))


low, high = math.floor(pair_that_turns(32)), math.ceil(pair_that_turns(1))
(group,) = card["rotary_pairs"]
pairs = group["pairs"]
assert len(pairs) == channels // 2, len(pairs)
worst = 0.0
for c, pair in enumerate(pairs):
    plain = base ** (-2 * c / channels)
    stretched = min(1.0, max(0.0, (c - low) / (high - low)))
    expected = plain * (1 - stretched) + plain / factor * stretched
    worst = max(worst, abs(pair["frequency"] / expected - 1))
    assert abs(pair["turns"] / (expected * 131072 / (2 * math.pi)) - 1) < 1e-9, (c, pair)
    kind = "kept" if stretched == 0 else "stretched" if stretched == 1 else "ramped"
    assert pair["change"] == kind, (c, pair, kind)
assert worst < 1e-12, worst
assert abs(group["attention_factor"] - (0.1 * math.log(factor) + 1)) < 1e-12
print("64 pairs agree, worst", worst)
PYTHON
run python3 check.py
expect_status 0

# Queries and keys of a head, not rotated yet; and the same with the axes the other way round.
cat >make.py <<'PYTHON'
import json, random, struct

heads, n, width = 2, 20, 8
random.seed(4)
values = {name: [random.gauss(0, 1) for _ in range(heads * n * width)] for name in ("queries", "keys")}
values = {name: list(struct.unpack(f"<{len(v)}f", struct.pack(f"<{len(v)}f", *v))) for name, v in values.items()}


def write(path, shape, order):
    header, data = {}, b""
    for name, v in values.items():
        packed = struct.pack(f"<{len(v)}f", *(v[i] for i in order))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    write("plain.safetensors", [heads, n, width], range(heads * n * width))
    order = [(h * n + i) * width + c for i in range(n) for h in range(heads) for c in range(width)]
    write("turned.safetensors", [n, heads, width], order)
PYTHON
run python3 make.py
expect_status 0

# sigma_1 of the masked logits under another base, by power iteration on logits written out from the definition.
cat >sigma.py <<'PYTHON'
import cmath, json, math, sys

from make import heads, n, values, width

base, step = float(sys.argv[1]), int(sys.argv[2])
head = json.load(open("spectrum.json"))["heads"]
for h in range(heads):
    def pairs(name, i):
        row = values[name][(h * n + i) * width : (h * n + i + 1) * width]
        turn = [base ** (-2 * c / width) * i * step for c in range(width // 2)]
        return [complex(row[2 * c], row[2 * c + 1]) * cmath.exp(1j * turn[c]) for c in range(width // 2)]

    q, k = ([pairs(name, i) for i in range(n)] for name in ("queries", "keys"))
    logits = [[sum((a * b.conjugate()).real for a, b in zip(q[i], k[j])) / math.sqrt(width) if j <= i else 0.0
               for j in range(n)] for i in range(n)]
    x = [1.0] * n
    for _ in range(4000):
        y = [sum(row[j] * x[j] for j in range(n)) for row in logits]
        x = [sum(logits[i][j] * y[i] for i in range(n)) for j in range(n)]
        size = math.sqrt(sum(v * v for v in x))
        x = [v / size for v in x]
    sigma = math.sqrt(size)
    found = head[h]["spectral_norm"]["mean"]
    # Logits of fp32 queries and keys, turned in fp32.
    assert abs(found / sigma - 1) < 1e-5, (h, found, sigma)
    print(f"head {h}: {found:.6f}")
PYTHON
for base in 100 10000 500000; do
  run "$phasor" spectrum queries plain.safetensors --encoding "rope(base=$base)" --positions 0:3 --causal --json
  expect_status 0
  printf '%s' "$output" >spectrum.json
  run python3 sigma.py "$base" 3
  expect_status 0
  sigma[base]=$output
done
[[ ${sigma[100]} != "${sigma[500000]}" ]] || fail "expected the base to matter"

# The other order of the axes is pointed at, and read.
run "$phasor" spectrum queries turned.safetensors --causal
expect_output 'n,heads,width'
run "$phasor" spectrum queries turned.safetensors --layout n,heads,width --encoding 'rope(base=500000)' --positions 0:3 \
  --causal --json
expect_status 0
printf '%s' "$output" >spectrum.json
run python3 sigma.py 500000 3
expect_status 0
[[ $output == "${sigma[500000]}" ]] || fail "expected the same logits from either layout"

# What the model's own configuration calls these numbers leads to ours.
run "$phasor" encodings 'rope(rope_theta=500000)'
expect_status 2
expect_output 'base'
