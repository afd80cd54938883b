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
"""
import argparse
import dataclasses
import json
import random
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

import safetensors_io
from torch_model import ModelConfig, Transformer, pad

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
LENGTHS = (4, 1, 9, 6, 2)
STEPS = 10
ADAMW = {"lr": 1e-3, "betas": (0.9, 0.98), "eps": 1e-8, "weight_decay": 0.01}
TINY = {"layers": 2, "width": 16, "hidden": 24, "heads": 2, "vocabulary": 11, "classes": 5, "max_length": 12}
CASES = {
    "nope": {"encoding": "nope"},
    "sinusoidal": {"encoding": "sinusoidal"},
    "learned": {"encoding": "learned"},
    "alibi": {"encoding": "alibi"},
    "rope": {"encoding": "rope"},
    "rope_causal_gelu": {"encoding": "rope", "causal": True, "ffn": "gelu"},
    "alibi_rms": {"encoding": "alibi", "norm": "rms"},
    "rope_grouped": {"encoding": "rope", "heads": 4, "kv_heads": 2, "head_width": 6},
}


def draw_batch(config, source):
    """Leaves the last word out, so that one embedding row gets no gradient."""
    sequences = [[source.randrange(config.vocabulary - 1) for _ in range(n)] for n in LENGTHS]
    return sequences, [source.randrange(config.classes) for _ in LENGTHS]


def draw_parameters(model, source):
    """Norms away from 1 and 0, everything else of the size that PyTorch would draw."""
    for name, parameter in model.named_parameters():
        size = 1.0 if name.startswith("embedding") else 0.3 if parameter.dim() > 1 else 0.1
        centre = 1.0 if "norm.weight" in name else 0.0
        values = torch.tensor([source.gauss(centre, size) for _ in range(parameter.numel())], dtype=torch.float32)
        parameter.data.copy_(values.view_as(parameter))


def ragged_logits(model, sequences):
    return torch.cat([model(torch.tensor([s])) for s in sequences])


def compute(config, parameters, sequences, targets, dtype):
    """The results by name, in `dtype`."""
    torch.set_default_dtype(dtype)
    model = Transformer(config)
    model.load_state_dict(parameters)
    targets = torch.tensor(targets)
    optimizer = torch.optim.AdamW(model.parameters(), **ADAMW)
    results, losses = {}, []
    for step in range(STEPS + 1):
        optimizer.zero_grad()
        logits = ragged_logits(model, sequences)
        loss = F.cross_entropy(logits, targets)
        losses.append(loss.detach())
        loss.backward()
        if step == 0:
            results["logits"] = logits.detach().clone()
            results["loss"] = loss.detach().reshape(1)
            for name, parameter in model.named_parameters():
                results[f"gradient/{name}"] = parameter.grad.clone()
            check_padding(model, sequences, logits.detach())
        if step < STEPS:
            optimizer.step()
    results["losses"] = torch.stack(losses)
    for name, parameter in model.named_parameters():
        results[f"trained/{name}"] = parameter.detach().clone()
    torch.set_default_dtype(torch.float32)
    return results


def check_padding(model, sequences, logits):
    """The padded and masked batch must give what the sequences give alone."""
    with torch.no_grad():
        difference = (model(*pad(sequences, value=3)) - logits).abs().max().item()
    limit = 1e3 * torch.finfo(logits.dtype).eps
    if difference > limit:
        raise SystemExit(f"padding changes the logits by {difference:.1e}, more than {limit:.1e}")


def make_case(name):
    config = ModelConfig(**{**TINY, **CASES[name]})
    source = random.Random(f"phasor {name}")
    model = Transformer(config)
    draw_parameters(model, source)
    sequences, targets = draw_batch(config, source)
    parameters = {key: value.clone() for key, value in model.state_dict().items()}

    truth = compute(config, parameters, sequences, targets, torch.float64)
    single = compute(config, parameters, sequences, targets, torch.float32)
    errors = {key: float(f"{(single[key].double() - truth[key]).abs().max().item():.1e}") for key in truth}
    # An unused embedding row is an exact zero in a tensor that matters, so the whole tensor decides.
    still = [key for key in parameters if truth[f"gradient/{key}"].abs().max().item() < 1e-14]

    offsets = [0]
    for sequence in sequences:
        offsets.append(offsets[-1] + len(sequence))
    tensors = {f"parameter/{key}": value for key, value in parameters.items()}
    tensors["tokens"] = torch.tensor([t for s in sequences for t in s], dtype=torch.int32)
    tensors["offsets"] = torch.tensor(offsets, dtype=torch.int32)
    tensors["targets"] = torch.tensor(targets, dtype=torch.int32)
    tensors.update({key: value.float() for key, value in truth.items()})
    metadata = {
        "script": "tools/make_fixtures.py",
        "torch": torch.__version__,
        "computed_in": "float64, stored as float32",
        "config": json.dumps(dataclasses.asdict(config)),
        "adamw": json.dumps({**ADAMW, "steps": STEPS}),
        "float32_error": json.dumps(errors),
        "zero_gradient": json.dumps(still),
    }
    return tensors, metadata


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
    failed = False
    for name in CASES:
        tensors, metadata = make_case(name)
        path = arguments.out / f"{name}.safetensors"
        if arguments.check:
            worst = check_case(path, tensors)
            failed = failed or worst > 2.0
            print(f"{name:18} {worst:8.2f} roundings away{'' if worst <= 2.0 else ': DIFFERS'}")
        else:
            safetensors_io.save(path, tensors, metadata)
            print(f"{name:18} {path.stat().st_size:7d} bytes, {len(tensors)} tensors")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
