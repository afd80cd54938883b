#!/usr/bin/python3
"""Times `phasor spectrum RUN` and NumPy on the same attention logits, side by side in one invocation, one thread each.

  phasor    `phasor spectrum RUN --samples N --json`, less the same command with --samples 1 (start-up; what is done on
            the longest sample cancels only in part where the first is shorter). For every head and sample: singular
            values (from queries and keys where there is no bias), a second set with angles at zero or without the bias,
            fits by distance, shares of content and position; per head also the interaction. Eigenvalues and theorems on
            the longest sample only.
  numpy     on what `phasor export` wrote of the same samples, in double, one call for all heads of a sample: singular
            values; eigenvalues of the symmetric part; eigenvalues. Of causal models singular values only.

So `svd` is the row that both sides do for every matrix; the rows below it are what NumPy would have to do for all
spectra, which Phasor does not do for every sample. The first sample is left out on both sides, by the subtraction
above. Without RUN two quick models are trained for a few steps first. See bench/README.md.
"""
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is loaded, and for Phasor too

import argparse  # noqa: E402
import json  # noqa: E402
import platform  # noqa: E402
import resource  # noqa: E402
import statistics  # noqa: E402
import struct  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LEAST_LENGTH = 3        # `phasor spectrum` leaves shorter sequences out
MOST_DIFFERENCE = 1e-4  # of mean sigma_1: the exported logits are fp32


def stop(text):
    print(f"compare_numpy: {text}", file=sys.stderr)
    sys.exit(1)


def run(*command):
    """What it printed, and its seconds (wall, CPU)."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        stop(f"`{' '.join(map(str, command))}` ended with {done.returncode}: {done.stderr.strip()}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, np.array([wall, cpu])


def read_logits(path):
    """Per sample [layers * heads, n, n] in double, and whether a mask was there (its entries become 0)."""
    data = path.read_bytes()
    start = 8 + struct.unpack_from("<Q", data)[0]
    layers = {}
    for name, entry in json.loads(data[8:start]).items():
        if ".logits." not in name:
            continue
        _, layer, _, sample = name.split(".")
        begin, end = (start + offset for offset in entry["data_offsets"])
        layers.setdefault(int(sample), {})[int(layer)] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    samples = [np.concatenate([own[layer] for layer in sorted(own)]).astype(np.float64)
               for _, own in sorted(layers.items())]
    causal = any(np.isneginf(sample).any() for sample in samples)
    return [np.where(np.isneginf(sample), 0.0, sample) for sample in samples], causal


def singular_values(a):
    return np.linalg.svd(a, compute_uv=False)


def symmetric_eigenvalues(a):
    return np.linalg.eigvalsh((a + a.transpose(0, 2, 1)) / 2)


WAYS = {"svd": singular_values, "eigvalsh": symmetric_eigenvalues, "eigvals": np.linalg.eigvals}


def timed(way, samples):
    cpu, start = time.process_time(), time.perf_counter()
    for sample in samples:
        way(sample)
    return np.array([time.perf_counter() - start, time.process_time() - cpu])


def check_same(report, samples, folder):
    """Both sides looked at the same matrices: sigma_1 of every head, mean over the samples."""
    ours = np.array([head["spectral_norm"] for head in report["measures"]])
    theirs = np.mean([singular_values(sample)[:, 0] for sample in samples if sample.shape[1] >= LEAST_LENGTH], axis=0)
    difference = float(np.max(np.abs(ours - theirs) / theirs))
    if not difference < MOST_DIFFERENCE:
        stop(f"{folder}: mean sigma_1 differs by {difference:.1e} of itself; these are not the same matrices")
    return difference


def measure(arguments, folder, scratch):
    exported = scratch / "logits.safetensors"
    run(arguments.phasor, "export", folder, "--tensors", "logits", "--samples", arguments.samples, "--threads", 1,
        "--out", exported)
    samples, causal = read_logits(exported)
    counted = [sample for sample in samples[1:] if sample.shape[1] >= LEAST_LENGTH]
    ways = {"svd": WAYS["svd"]} if causal else WAYS

    def spectrum(count):
        return run(arguments.phasor, "spectrum", folder, "--samples", count, "--json", "--threads", 1, "--out", scratch)

    for way in ways.values():  # warm
        way(samples[0])
    report = json.loads(spectrum(arguments.samples)[0])
    difference = check_same(report, samples, folder)
    rounds = []
    for _ in range(arguments.repeats):
        whole, one = spectrum(arguments.samples)[1], spectrum(1)[1]
        theirs = {name: timed(way, counted) for name, way in ways.items()}
        rounds.append({"phasor": whole - one, "start": one, **theirs})
    rows = {name: [float(statistics.median(r[name][kind] for r in rounds)) for kind in (0, 1)] for name in rounds[0]}
    if not causal:
        rows["all three"] = [sum(rows[name][kind] for name in ways) for kind in (0, 1)]
        for r in rounds:
            r["all three"] = sum(r[name] for name in ways)
    contenders = [name for name in rows if name not in ("phasor", "start")]
    return {
        "run": str(folder), "encoding": report["source"]["encoding"], "causal": causal, "samples": len(samples),
        "matrices": sum(len(sample) for sample in counted),
        "mean_n": statistics.mean(sample.shape[1] for sample in counted), "sigma_difference": difference,
        "seconds": {name: {"wall": wall, "cpu": cpu} for name, (wall, cpu) in rows.items()},
        "ratio": {name: {kind: statistics.median(float(r[name][k] / r["phasor"][k]) for r in rounds)
                         for k, kind in enumerate(("wall", "cpu"))} for name in contenders},
        "ratio_range": {name: [float(edge(r[name][0] / r["phasor"][0] for r in rounds)) for edge in (min, max)]
                        for name in contenders},
    }


def print_table(report):
    print(f"{report['cpu']}, 1 thread each; NumPy {report['numpy']}, Python {report['python']}; "
          f"medians of {report['repeats']} rounds; load before {report['load_before']:.1f}")
    for result in report["results"]:
        print(f"\n{result['encoding']}, {result['run']}: {result['samples']} samples, all but the first count: "
              f"{result['matrices']} matrices, mean n {result['mean_n']:.0f}; "
              f"mean sigma_1 agrees to {result['sigma_difference']:.0e}")
        print(f"  {'':18}{'wall ms':>9}{'CPU ms':>9}{'ratio':>8}{'CPU ratio':>11}  range")
        for name, seconds in result["seconds"].items():
            shown = {"phasor": "phasor", "start": "(--samples 1)"}.get(name, f"numpy {name}")
            line = f"  {shown:18}{1e3 * seconds['wall']:9.1f}{1e3 * seconds['cpu']:9.1f}"
            if name in result["ratio"]:
                ratio, (least, most) = result["ratio"][name], result["ratio_range"][name]
                line += f"{ratio['wall']:8.2f}{ratio['cpu']:11.2f}  {least:.2f}..{most:.2f}"
            print(line)
    print("\nratio: NumPy's time over Phasor's. Phasor: singular values of every matrix (once more without positions),"
          "\nfits by distance, shares and interaction; eigenvalues on the longest sample only. Like for like is `svd`.")


def cpu_name():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="run folders of `phasor train`")
    parser.add_argument("--encoding", nargs="+", default=["rope", "alibi"], metavar="E",
                        help="what to train without RUN (default: rope alibi)")
    parser.add_argument("--phasor", type=Path, default=ROOT / "build" / "release" / "phasor", help="the binary")
    parser.add_argument("--samples", type=int, default=16, metavar="N", help="test samples, at least 2 (default 16)")
    parser.add_argument("--repeats", type=int, default=7, help="rounds in which both take turns (default 7)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    arguments = parser.parse_args()
    if arguments.samples < 2:
        parser.error(f"--samples must be at least 2, because the first is subtracted, not {arguments.samples}")
    if arguments.repeats < 1:
        parser.error(f"--repeats must be at least 1, not {arguments.repeats}")
    return arguments


def main():
    arguments = parse_arguments()
    if not os.access(arguments.phasor, os.X_OK):
        stop(f"there is no program at {arguments.phasor}; build it (cmake --preset release && "
             "cmake --build --preset release) or name another with --phasor")
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"compare_numpy: the machine is not idle (load {load:.1f}); trust the CPU columns more than the wall",
              file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for encoding in [] if arguments.runs else arguments.encoding:
            folder = scratch / f"run{len(arguments.runs)}"
            run(arguments.phasor, "train", "--preset", "quick", "--encoding", encoding, "--set", "train.steps=20",
                "--out", folder)
            arguments.runs.append(folder)
        report = {"cpu": cpu_name(), "numpy": np.__version__, "python": platform.python_version(),
                  "load_before": load, "repeats": arguments.repeats,
                  "results": [measure(arguments, folder, scratch) for folder in arguments.runs]}
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        print_table(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
