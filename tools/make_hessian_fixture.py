#!/usr/bin/env python3
"""Writes tests/fixtures/hessian.json, or checks it (--check): the ends of a loss's Hessian spectrum by PyTorch.

Models and batches are those of the parity fixtures (make_fixtures.py). Products of the Hessian with vectors are exact
(autograd twice, float64); ARPACK finds the largest and the smallest eigenvalue from them to 1e-10. `residual` is the
norm of H v - lambda v for the unit vector v that it returned, so that an eigenvalue lies within it.

With relu, autograd's Hessian is that of the loss where no unit changes sides.
"""
import argparse
import json
import random
import sys
from pathlib import Path

import numpy
import torch
from scipy.sparse.linalg import LinearOperator, eigsh

import make_fixtures

PATH = make_fixtures.FOLDER / "hessian.json"
CASES = ("rope", "rope_causal_gelu", "alibi_rms")


def hessian_product(case, parameters):
    """(number of parameters, v -> H v) of the mean loss, in float64."""
    model = case.build()
    model.load_state_dict(parameters)
    weights = list(model.parameters())
    loss = case.loss(make_fixtures.ragged_logits(model, case.sequences))
    gradient = torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, weights, create_graph=True)])

    def product(vector):
        vector = torch.from_numpy(numpy.ascontiguousarray(vector, dtype=numpy.float64).reshape(-1))
        parts = torch.autograd.grad(gradient @ vector, weights, retain_graph=True)
        return torch.cat([p.reshape(-1) for p in parts]).numpy()

    return gradient.numel(), product


def make_case(name):
    case = make_fixtures.clean_case(name)
    source = random.Random(f"phasor {name}")
    model = case.build()
    make_fixtures.draw_parameters(model, source)
    make_fixtures.draw_batch(case, source)
    parameters = {key: value.clone() for key, value in model.state_dict().items()}
    torch.set_default_dtype(torch.float64)
    size, product = hessian_product(case, parameters)
    torch.set_default_dtype(torch.float32)
    operator = LinearOperator((size, size), matvec=product, dtype=numpy.float64)
    result = {}
    for key, which in (("largest", "LA"), ("smallest", "SA")):
        start = numpy.random.RandomState(1).standard_normal(size)
        values, vectors = eigsh(operator, k=2, which=which, v0=start, tol=1e-10)
        order = numpy.argsort(values)[::-1] if which == "LA" else numpy.argsort(values)
        value, vector = values[order[0]], vectors[:, order[0]]
        result[key] = value
        result[f"{key}_residual"] = float(f"{numpy.linalg.norm(product(vector) - value * vector):.1e}")
        result[f"next_{key}"] = values[order[1]]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    made = {name: make_case(name) for name in CASES}
    if not arguments.check:
        PATH.write_text(json.dumps({"script": "tools/make_hessian_fixture.py", "torch": torch.__version__,
                                    "cases": made}, indent=2) + "\n")
        return 0
    stored = json.loads(Path(PATH).read_text())["cases"]
    for name, numbers in made.items():
        for key in ("largest", "next_largest", "smallest", "next_smallest"):
            if abs(numbers[key] - stored[name][key]) > 1e-8 * abs(numbers[key]):
                print(f"{name}: {key} is {numbers[key]}, the file has {stored[name][key]}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
