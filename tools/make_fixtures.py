#!/usr/bin/env python3
"""Writes the PyTorch parity fixtures under tests/fixtures, or checks them (--check).

Per case one safetensors file: `parameter/<name>` (initial values), `tokens`, `offsets`, `targets` (a ragged
batch), `logits` [sequences, classes], `loss` [1], `gradient/<name>`, `losses` [11] (before, and after each of
10 AdamW steps on the same batch) and `trained/<name>` (after the tenth step).

Everything is computed in float64, one sequence at a time, from initial values that float32 holds exactly, and
rounded to float32 at the end: the fixture is the truth, not another float32 computation. The metadata's
`float32_error` says how far the same computation in float32 PyTorch is from it (largest absolute difference by
tensor), from which a test can take its tolerance.

`zero_gradient` names the parameters that have no influence on the loss: a key bias shifts all logits of a row
alike unless keys are rotated. Their gradient is pure rounding, which AdamW blows up to steps of up to the
learning rate in float32; after training they can only be compared to within steps * lr.

`released_*` are the networks of the code released with arXiv 2505.13027 (torch_released.py, torch_released_mla.py)
under its betas and weight decay. Pads are visible: they stand in `tokens` as ordinary words, and all sequences are
equally long. Targets equal to `ignored_label` of the config are not scored. Before anything is written, these networks
are held against what is known of them: numbers of parameters, and the clean network where both compute the same.
"""
import argparse
import dataclasses
import json
import math
import random
import sys
from pathlib import Path
from typing import Callable, Optional

import torch
import torch.nn.functional as F
from torch import nn

import safetensors_io
from torch_model import ModelConfig, Transformer, pad
from torch_released import PAD, ReleasedConfig, ReleasedTransformer
from torch_released_mla import ReleasedMla, ReleasedMlaConfig, mistaken_table

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
LENGTHS = (4, 1, 9, 6, 2)
STEPS = 10
ADAMW = {"lr": 1e-3, "betas": (0.9, 0.98), "eps": 1e-8, "weight_decay": 0.01}
RELEASED_ADAMW = {"lr": 1e-3, "betas": (0.98, 0.9), "eps": 1e-8, "weight_decay": 1e-5}
SIZES = {"layers": 2, "width": 16, "hidden": 24, "heads": 2, "vocabulary": 11, "max_length": 12}
CLEAN = {
    "nope": {"encoding": "nope"},
    "sinusoidal": {"encoding": "sinusoidal"},
    "learned": {"encoding": "learned"},
    "alibi": {"encoding": "alibi"},
    "rope": {"encoding": "rope"},
    "rope_causal_gelu": {"encoding": "rope", "causal": True, "ffn": "gelu"},
    "alibi_rms": {"encoding": "alibi", "norm": "rms"},
    "rope_grouped": {"encoding": "rope", "heads": 4, "kv_heads": 2, "head_width": 6},
}
RELEASED_LENGTHS = (7, 3, 12, 5, 10)  # without pads
RELEASED = {  # Phasor's expression, the released network
    "released_nope": ("nope", {"encoding": "nope"}),
    "released_sinusoidal": ("sinusoidal", {"encoding": "sinusoidal"}),
    "released_random": ("learned(init=1)", {"encoding": "learned"}),
    "released_relative": ("relative", {"encoding": "relative", "heads": 4}),
    "released_alibi": ("alibi(slopes=released)", {"encoding": "alibi", "heads": 4}),
    "released_rope": ("sinusoidal(layout=halves)+rope", {"encoding": "rope"}),
    "released_partial_rope": ("rope[heads=0-1]", {"encoding": "partial_rope", "heads": 4, "rope_heads": 2}),
}
RELEASED_MLA = "learned(init=0)+mla(kv=6,q=10,query=shared,table=released,norm=none)"


@dataclasses.dataclass
class Case:
    build: Callable  # () -> model, in the default dtype
    config: dict     # as Phasor has it
    adamw: dict
    ignored_label: Optional[int] = None
    masks_pads: bool = True
    sequences: list = dataclasses.field(default_factory=list)
    targets: list = dataclasses.field(default_factory=list)

    def loss(self, logits):
        ignored = {} if self.ignored_label is None else {"ignore_index": self.ignored_label}
        return F.cross_entropy(logits, torch.tensor(self.targets), **ignored)


def clean_case(name):
    config = ModelConfig(**{**SIZES, "classes": 5, **CLEAN[name]})
    return Case(lambda: Transformer(config), dataclasses.asdict(config), ADAMW)


def released_case(name):
    if name == "released_mla":
        config = ReleasedMlaConfig(**SIZES, query_latent=10, key_latent=6, dropout=0.0)
        phasor = {"encoding": RELEASED_MLA, "ffn": "gelu", "final_norm": True, "kv_source": "hidden"}
        case = Case(lambda: ReleasedMla(config), {}, RELEASED_ADAMW)
    else:
        expression, network = RELEASED[name]
        config = ReleasedConfig(**{**SIZES, "dropout": 0.0, **network})
        phasor = {"encoding": expression, "ffn": "relu", "final_norm": False, "kv_source": "input"}
        case = Case(lambda: ReleasedTransformer(config), {}, RELEASED_ADAMW, ignored_label=0, masks_pads=False)
    sizes = {key: getattr(config, key) for key in SIZES}
    case.config = {**sizes, "kv_heads": config.heads, "head_width": config.width // config.heads, "norm": "layer",
                   "causal": False, "dropout": 0.0, "classes": config.vocabulary, **phasor,
                   "ignored_label": case.ignored_label}
    return case


def draw_batch(case, source):
    """Leaves the last word out, so that one embedding row gets no gradient."""
    lengths = LENGTHS if case.masks_pads else RELEASED_LENGTHS
    case.sequences = [[source.randrange(case.config["vocabulary"] - 1) for _ in range(n)] for n in lengths]
    case.targets = [source.randrange(case.config["classes"]) for _ in lengths]
    if not case.masks_pads:
        case.sequences = [s + [PAD] * (case.config["max_length"] - len(s)) for s in case.sequences]
    if case.ignored_label is not None:
        case.targets[1] = case.ignored_label


def draw_parameters(model, source):
    """Norms away from 1 and 0, everything else of the size that PyTorch would draw."""
    for name, parameter in model.named_parameters():
        size = 1.0 if name.startswith("embedding") else 0.3 if parameter.dim() > 1 else 0.1
        centre = 1.0 if "norm.weight" in name else 0.0
        values = torch.tensor([source.gauss(centre, size) for _ in range(parameter.numel())], dtype=torch.float32)
        parameter.data.copy_(values.view_as(parameter))


def ragged_logits(model, sequences):
    return torch.cat([model(torch.tensor([s])) for s in sequences])


def compute(case, parameters, dtype):
    """The results by name, in `dtype`."""
    torch.set_default_dtype(dtype)
    model = case.build()
    model.load_state_dict(parameters)
    optimizer = torch.optim.AdamW(model.parameters(), **case.adamw)
    results, losses = {}, []
    for step in range(STEPS + 1):
        optimizer.zero_grad()
        logits = ragged_logits(model, case.sequences)
        loss = case.loss(logits)
        losses.append(loss.detach())
        loss.backward()
        if step == 0:
            results["logits"] = logits.detach().clone()
            results["loss"] = loss.detach().reshape(1)
            for name, parameter in model.named_parameters():
                results[f"gradient/{name}"] = parameter.grad.clone()
            check_batch(case, model, logits.detach())
        if step < STEPS:
            optimizer.step()
    results["losses"] = torch.stack(losses)
    for name, parameter in model.named_parameters():
        results[f"trained/{name}"] = parameter.detach().clone()
    torch.set_default_dtype(torch.float32)
    return results


def check_equal(what, first, second):
    difference = (first - second).abs().max().item()
    limit = 1e3 * torch.finfo(first.dtype).eps
    if difference > limit:
        raise SystemExit(f"{what} changes the logits by {difference:.1e}, more than {limit:.1e}")


def check_batch(case, model, logits):
    """All at once, padded and masked, sequences must give what they give alone."""
    with torch.no_grad():
        together = model(*pad(case.sequences, value=3)) if case.masks_pads else model(torch.tensor(case.sequences))
        check_equal("padding" if case.masks_pads else "the batch", together, logits)


def make_case(name):
    case = clean_case(name) if name in CLEAN else released_case(name)
    source = random.Random(f"phasor {name}")
    model = case.build()
    draw_parameters(model, source)
    draw_batch(case, source)
    parameters = {key: value.clone() for key, value in model.state_dict().items()}

    truth = compute(case, parameters, torch.float64)
    single = compute(case, parameters, torch.float32)
    errors = {key: float(f"{(single[key].double() - truth[key]).abs().max().item():.1e}") for key in truth}
    # An unused embedding row is an exact zero in a tensor that matters, so the whole tensor decides.
    still = [key for key in parameters if truth[f"gradient/{key}"].abs().max().item() < 1e-14]

    offsets = [0]
    for sequence in case.sequences:
        offsets.append(offsets[-1] + len(sequence))
    tensors = {f"parameter/{key}": value for key, value in parameters.items()}
    tensors["tokens"] = torch.tensor([t for s in case.sequences for t in s], dtype=torch.int32)
    tensors["offsets"] = torch.tensor(offsets, dtype=torch.int32)
    tensors["targets"] = torch.tensor(case.targets, dtype=torch.int32)
    tensors.update({key: value.float() for key, value in truth.items()})
    metadata = {
        "script": "tools/make_fixtures.py",
        "torch": torch.__version__,
        "computed_in": "float64, stored as float32",
        "config": json.dumps(case.config),
        "adamw": json.dumps({**case.adamw, "steps": STEPS}),
        "float32_error": json.dumps(errors),
        "zero_gradient": json.dumps(still),
    }
    return tensors, metadata


def check_parameter_counts():
    """What the released networks have at the paper's sizes."""
    released = 3_457_086
    counts = {"relative": released + 24_480, "learned": released + 32_768, "mla": 3_324_478}
    for encoding in ("nope", "sinusoidal", "alibi", "relative", "learned", "rope", "partial_rope", "mla"):
        model = ReleasedMla(ReleasedMlaConfig()) if encoding == "mla" else \
            ReleasedTransformer(ReleasedConfig(encoding=encoding))
        count = sum(parameter.numel() for parameter in model.parameters())
        expected = counts.get(encoding, released)
        if count != expected:
            raise SystemExit(f"the released {encoding} has {expected:,} parameters, not {count:,}")


def check_against_clean():
    """With keys and values from the hidden state, the released network is the clean one without its final norm."""
    torch.set_default_dtype(torch.float64)
    ids = torch.randint(SIZES["vocabulary"], (3, SIZES["max_length"]))
    for encoding in ("nope", "sinusoidal"):
        released = ReleasedTransformer(ReleasedConfig(**{**SIZES, "dropout": 0.0, "encoding": encoding}), True)
        clean = Transformer(ModelConfig(**{**SIZES, "encoding": encoding, "classes": SIZES["vocabulary"]}))
        clean.final_norm = nn.Identity()
        clean.load_state_dict(released.state_dict())
        with torch.no_grad():
            check_equal(f"the released network's way of {encoding}", clean(ids), released(ids))
    torch.set_default_dtype(torch.float32)


def check_mistaken_table():
    """By item 5 of the description: the pairs' "sines" and "cosines" at the paper's width of 16."""
    cos, sin = mistaken_table(3, 16)
    for position in range(3):
        angles = [position * 10000.0 ** (-2 * m / 16) for m in range(8)]
        for m in range(4):
            wanted = (math.sin(angles[2 * m + 1]), math.sin(angles[2 * m]),
                      math.cos(angles[2 * m + 1]), math.cos(angles[2 * m]))
            got = (cos[position, m], sin[position, m], cos[position, m + 4], sin[position, m + 4])
            if max(abs(a - b) for a, b in zip(wanted, got)) > 1e-6:
                raise SystemExit(f"position {position}, pair {m} of the released table: {got}, not {wanted}")


def check_case(path, tensors):
    """Largest difference to the stored file in units of the float32 rounding of each tensor's largest entry."""
    stored, _ = safetensors_io.load(path)
    if stored.keys() != tensors.keys():
        raise SystemExit(f"{path}: other tensors than the script makes: {sorted(stored.keys() ^ tensors.keys())}")
    worst = 0.0
    for name, tensor in tensors.items():
        scale = max(tensor.abs().max().item(), 1e-6) * torch.finfo(torch.float32).eps
        worst = max(worst, (stored[name].double() - tensor.double()).abs().max().item() / scale)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the stored files instead of writing them")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the fixtures")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    check_parameter_counts()
    check_against_clean()
    check_mistaken_table()
    failed = False
    for name in (*CLEAN, *RELEASED, "released_mla"):
        tensors, metadata = make_case(name)
        path = arguments.out / f"{name}.safetensors"
        if arguments.check:
            worst = check_case(path, tensors)
            failed = failed or worst > 2.0
            print(f"{name:22} {worst:8.2f} roundings away{'' if worst <= 2.0 else ': DIFFERS'}")
        else:
            safetensors_io.save(path, tensors, metadata)
            print(f"{name:22} {path.stat().st_size:7d} bytes, {len(tensors)} tensors")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
