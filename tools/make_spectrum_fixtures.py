#!/usr/bin/python3
"""Writes what NumPy and SciPy make of some small matrices, or checks the stored file (--check).

    /usr/bin/python3 tools/make_spectrum_fixtures.py [--out FILE] [--check] [--trained FILE...]

needs python3-numpy and python3-scipy (apt); the tests need neither. It writes tests/fixtures/spectra.safetensors.

For each matrix NAME [n, n] in float64:
  NAME/matrix
  NAME/singular_values        falling; gesvd, where Phasor takes gesdd
  NAME/symmetric_eigenvalues  of (A + A^T) / 2, rising; syev, where Phasor takes syevd
  NAME/eigenvalues            [n, 2], real and imaginary parts, with NAME/conditions = |left| |right| / |left . right|
  NAME/numerical_radius       [1]: 720 angles, then a bounded search around each of the best
  NAME/relative               [2]: |S - row means|^2 and |S - c - t|^2, by least squares on the explicit design
  NAME/split                  [5]: residual sums of squares of 1, c, c+t, c+b, c+t+b
For NAME that starts with "causal", the matrix has numbers above its diagonal that must not be read; there are singular
values of the lower triangle, `relative` and `split` of its entries, and nothing else. For NAME that starts with "toeplitz"
there is also NAME/kernel [2 n - 1] and NAME/symbol [grid, 2], the sum over k of t_k e^{ikw} term by term.

20 matrices are made up here from a seed. trained_ENCODING_LAYER_HEAD are attention logits of trained models: fp32,
stored as the doubles they are, from the first head of the first layer and the last head of the last, on the first test
sample. For ENCODING in rope, alibi, sinusoidal they came from

    phasor train --preset quick --encoding ENCODING --seed 0 --set train.steps=800 \\
        --set data.test=2048 --set data.validation=256 --out runs/ENCODING
    phasor export runs/ENCODING --tensors logits --samples 1 --out ENCODING.safetensors

and --trained rope.safetensors alibi.safetensors sinusoidal.safetensors. Without --trained they are read back from
the stored file, so that the models are not needed again. The file's metadata says where each came from.
"""
import argparse
import json
import struct
import sys
from pathlib import Path

import numpy as np
import scipy
import scipy.linalg
import scipy.optimize

OUT = Path(__file__).resolve().parent.parent / "tests/fixtures/spectra.safetensors"
DTYPES = {"F64": "<f8", "F32": "<f4", "I32": "<i4"}
TRAINED = "trained_"


def save(path, tensors, metadata):
    header, chunks, end = {"__metadata__": metadata}, [], 0
    for name, array in tensors.items():
        chunk = np.ascontiguousarray(array, dtype="<f8").tobytes()
        header[name] = {"dtype": "F64", "shape": list(np.shape(array)), "data_offsets": [end, end + len(chunk)]}
        chunks.append(chunk)
        end += len(chunk)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def load(path):
    """Tensors and metadata."""
    data = path.read_bytes()
    start = 8 + struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:start])
    metadata = header.pop("__metadata__", {})
    return {name: np.frombuffer(data[start + e["data_offsets"][0]:start + e["data_offsets"][1]], DTYPES[e["dtype"]])
            .reshape(e["shape"]) for name, e in header.items()}, metadata


def numerical_radius(a):
    def support(angle):
        turned = np.exp(-1j * angle) * a
        return np.linalg.eigvalsh((turned + turned.conj().T) / 2)[-1]

    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    heights = np.array([support(angle) for angle in angles])
    best = heights.max()
    step = angles[1]
    for k in np.argsort(heights)[-8:]:
        found = scipy.optimize.minimize_scalar(lambda angle: -support(angle), method="bounded",
                                               bounds=(angles[k] - step, angles[k] + step), options={"xatol": 1e-9})
        best = max(best, -found.fun)
    return best


def residual(design, entries):
    solution = scipy.linalg.lstsq(design, entries, lapack_driver="gelsd", cond=1e-12)[0]
    return float(np.sum((entries - design @ solution) ** 2))


def fits(a, causal):
    n = len(a)
    places = [(i, j) for i in range(n) for j in range(n) if not causal or j <= i]
    entries = np.array([a[i, j] for i, j in places])
    one = np.ones((len(places), 1))
    rows, columns, lags = (np.zeros((len(places), size)) for size in (n, n, 2 * n - 1))
    for at, (i, j) in enumerate(places):
        rows[at, i] = columns[at, j] = lags[at, j - i + n - 1] = 1
    sums = [residual(np.hstack(parts), entries)
            for parts in ([one], [rows], [rows, lags], [rows, columns], [rows, lags, columns])]
    return np.array([sums[1], sums[2]]), np.array(sums)


def measures(name, a, kernel=None):
    causal = name.startswith("causal")
    n = len(a)
    result = {"matrix": a}
    seen = np.tril(a) if causal else a
    result["singular_values"] = scipy.linalg.svd(seen, compute_uv=False, lapack_driver="gesvd")
    if n <= 24:
        result["relative"], result["split"] = fits(seen, causal)
    if not causal:
        result["symmetric_eigenvalues"] = scipy.linalg.eigh((a + a.T) / 2, eigvals_only=True, driver="ev")
        values, left, right = scipy.linalg.eig(a, left=True, right=True)
        overlap = np.abs(np.sum(left.conj() * right, axis=0))
        lengths = np.linalg.norm(left, axis=0) * np.linalg.norm(right, axis=0)
        result["eigenvalues"] = np.stack([values.real, values.imag], axis=1)
        # A Jordan block's overlap may round to 0; the cap keeps the file free of infinities.
        result["conditions"] = lengths / np.maximum(overlap, 1e-30)
        result["numerical_radius"] = np.array([numerical_radius(a)])
    if kernel is not None:
        grid = 1 << (2 * n - 1).bit_length()
        lags = np.arange(-(n - 1), n)
        w = 2 * np.pi * np.arange(grid) / grid
        symbol = np.array([np.sum(kernel * np.exp(1j * lags * x)) for x in w])
        result["kernel"] = kernel
        result["symbol"] = np.stack([symbol.real, symbol.imag], axis=1)
    return {f"{name}/{key}": value for key, value in result.items()}


def toeplitz(kernel):
    n = (len(kernel) + 1) // 2
    return np.array([[kernel[j - i + n - 1] for j in range(n)] for i in range(n)])


def rotated(x, base):
    n, width = x.shape
    angles = np.arange(n)[:, None] * base ** (-np.arange(0, width, 2) / width)[None, :]
    result = np.empty_like(x)
    result[:, 0::2] = np.cos(angles) * x[:, 0::2] - np.sin(angles) * x[:, 1::2]
    result[:, 1::2] = np.sin(angles) * x[:, 0::2] + np.cos(angles) * x[:, 1::2]
    return result


def matrices():
    """(name, matrix, kernel or None)"""
    random = np.random.default_rng(20250519)
    normal = random.standard_normal
    for n in (8, 17, 32):
        yield f"gaussian_{n}", normal((n, n)), None
    for n, rank in ((12, 3), (24, 4), (32, 8)):
        yield f"low_rank_{n}", normal((n, rank)) @ normal((rank, n)) / np.sqrt(rank), None
    for n, width in ((24, 8), (32, 8)):
        mean = normal((1, width))
        yield f"rope_{n}", rotated(normal((n, width)) + mean, 100.0) @ rotated(normal((n, width)) + mean, 100.0).T, None
    for n in (9, 24):
        kernel = normal(2 * n - 1)
        yield f"toeplitz_random_{n}", toeplitz(kernel), kernel
    kernel = np.exp(-0.15 * np.abs(np.arange(-31, 32)))
    yield "toeplitz_decaying_32", toeplitz(kernel), kernel
    for n, slope in ((16, 0.25), (24, 0.5)):
        distance = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :])
        yield f"alibi_{n}", normal((n, 8)) @ normal((8, n)) / np.sqrt(8) - slope * distance, None
    for n in (12, 24, 48):
        yield f"causal_{n}", normal((n, n)) + 0.3 * np.arange(n)[None, :], None
    # Nearly normal: an orthogonal basis of planes turned and stretched, and a little noise.
    n = 20
    basis = scipy.linalg.qr(normal((n, n)))[0]
    blocks = scipy.linalg.block_diag(*[r * np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
                                       for r, t in zip(random.uniform(0.5, 2, n // 2), random.uniform(0, 3, n // 2))])
    yield "nearly_normal_20", basis @ blocks @ basis.T + 1e-8 * normal((n, n)), None
    # Jordan-like: a shift with graded diagonal; conditions in the thousands and beyond.
    yield "jordan_8", np.diag(np.ones(7), 1) + np.diag(0.3 * np.arange(8)), None
    yield "jordan_dense_10", np.diag(np.ones(9), 1) + 0.02 * normal((10, 10)), None
    yield "graded_16", normal((16, 16)) * 10.0 ** -np.arange(16)[:, None], None


def trained_in(path):
    """(name, matrix) of two heads of a model, and where they came from, out of what `phasor export` wrote."""
    tensors, metadata = load(path)
    config = dict(line.split("=", 1) for line in metadata["config"].splitlines())
    encoding, last = config["model.encoding"], int(config["model.layers"]) - 1
    found = [(f"{TRAINED}{encoding}_{layer}_{head}", tensors[f"layers.{layer}.logits.0"][head].astype(np.float64))
             for layer, head in ((0, 0), (last, int(config["model.heads"]) - 1))]
    shape = ", ".join(f"{key} {config['model.' + key]}" for key in ("layers", "heads", "width"))
    origin = (f"phasor train --preset quick --encoding {encoding} --seed {config['seed']} "
              f"--set train.steps={config['train.steps']} --set data.test={config['data.test']} "
              f"--set data.validation={config['data.validation']} ({shape}, task {config['task']}); "
              "phasor export --tensors logits --samples 1; fp32 logits stored as doubles")
    return found, {name: origin for name, _ in found}


def trained_matrices(files):
    """Those of the files, or without any those that are stored already; with their origins."""
    if not files:
        tensors, metadata = load(OUT)
        origins = {name: text for name, text in metadata.items() if name.startswith(TRAINED)}
        return [(name, tensors[f"{name}/matrix"]) for name in origins], origins
    matrices_of_all, origins = [], {}
    for path in files:
        found, own = trained_in(path)
        matrices_of_all += found
        origins.update(own)
    return matrices_of_all, origins


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--check", action="store_true", help="compare with the stored file, write nothing")
    parser.add_argument("--trained", type=Path, nargs="+", default=[], metavar="FILE",
                        help="what `phasor export` wrote of trained models (default: the matrices that are stored)")
    arguments = parser.parse_args()
    tensors = {}
    for name, a, kernel in matrices():
        tensors.update(measures(name, a, kernel))
    trained, origins = trained_matrices(arguments.trained)
    for name, a in trained:
        tensors.update(measures(name, a))
    if not arguments.check:
        save(arguments.out, tensors, {"numpy": np.__version__, "scipy": scipy.__version__, **origins})
        print(f"{arguments.out}: {len(tensors)} tensors, {arguments.out.stat().st_size} bytes")
        return 0
    stored, failed = load(arguments.out)[0], 0
    if stored.keys() != tensors.keys():
        print("other tensors:", sorted(stored.keys() ^ tensors.keys()))
        failed = 1
    for name in stored.keys() & tensors.keys():
        # Eigenvalues and conditions of defective matrices differ between machines; the tests know their conditions.
        if name.endswith(("/eigenvalues", "/conditions")):
            continue
        scale = max(1.0, np.abs(stored[name]).max())
        if stored[name].shape != tensors[name].shape or np.abs(stored[name] - tensors[name]).max() > 1e-9 * scale:
            print("differs:", name)
            failed = 1
    print("differs" if failed else "as stored")
    return failed


if __name__ == "__main__":
    sys.exit(main())
