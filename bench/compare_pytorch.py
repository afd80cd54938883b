#!/usr/bin/env python3
"""Times one training step of Phasor and of PyTorch on the CPU, side by side in one invocation.

  phasor    `phasor bench step`: ragged batch, no padding.
  plain     the same model and task in well-written PyTorch: batch padded to its longest sequence, pads masked,
            one product for query, key and value, PyTorch's own attention and torch.compile where the version has
            them (the fastest variant counts), AdamW fused or by lists.
  released  the way of the paper's public code: every sequence padded to a fixed length, pads computed and pooled.

The contenders take turns, round by round, so that all see the same state of the machine. See bench/README.md.
"""
import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch_model import ENCODINGS, HAS_FUSED_ATTENTION, ModelConfig, Style, Transformer, pad  # noqa: E402
from torch_released import ReleasedTransformer  # noqa: E402

PHASOR_KEYS = ("ms_per_step", "tokens_per_second", "gflops", "peak_gflops", "share_of_peak", "tokens_per_step")
POOL = 8          # different batches, used in turn
WARM_FIRST = 3    # untimed steps of a contender in its first round
WARM_AGAIN = 1    # and in the later ones
LEARNING_RATE = 1e-4


@dataclass(frozen=True)
class Preset:
    vocabulary: int
    gap: int
    sides: int
    width: int
    hidden: int
    heads: int
    layers: int
    dropout: float
    batch: int
    released_positions: int
    released_cut: int  # the released data set cuts sequences here

    def longest(self):
        return 2 * self.sides + self.gap + 2

    def model(self, encoding, **changes):
        config = ModelConfig(layers=self.layers, width=self.width, hidden=self.hidden, heads=self.heads,
                             dropout=self.dropout, encoding=encoding, vocabulary=self.vocabulary, classes=self.gap,
                             max_length=self.longest())
        return replace(config, **changes)


PRESETS = {
    "quick": Preset(64, 24, 8, 64, 128, 4, 3, 0.0, 128, 48, 48),
    "paper": Preset(574, 70, 25, 256, 512, 16, 6, 0.1, 32, 128, 120),
}


def draw_sample(preset, source, clean):
    """The distance task: left fillers, word 0, gap fillers, word 1, right fillers; no word twice in a segment.

    The released task draws fillers from all words, triggers included, and its label is gap + 1.
    """
    gap, left, right = (source.randint(1, most) for most in (preset.gap, preset.sides, preset.sides))
    words = range(2 if clean else 0, preset.vocabulary)
    before, between, after = (source.sample(words, n) for n in (left, gap, right))
    return before + [0] + between + [1] + after, gap - 1 if clean else gap + 1


def draw_batches(preset, batch, seed, clean):
    source = random.Random(seed)
    return [list(zip(*(draw_sample(preset, source, clean) for _ in range(batch)))) for _ in range(POOL)]


def make_optimizer(parameters, **options):
    """AdamW in the fastest form that this version has for the CPU, and that form's name."""
    parameters = list(parameters)
    for form in ("fused", "foreach"):
        try:
            return torch.optim.AdamW(parameters, **{form: True}, **options), form
        except (TypeError, RuntimeError):
            continue
    return torch.optim.AdamW(parameters, **options), "loop"


class Contender:
    """A PyTorch training step with its own model, optimiser and batches."""

    def __init__(self, name, model, optimizer, batches, precision, compiled):
        self.name, self.model, self.optimizer, self.batches = name, model, optimizer, batches
        self.precision = precision
        if compiled:  # layer by layer: all layers share one compilation
            torch.compiler.reset()  # a process may only hold a few compilations of one function
            for layer in model.layers:
                layer.compile(dynamic=False)
        self.rounds, self.turn = [], 0

    def step(self):
        *inputs, targets = self.batches[self.turn % len(self.batches)]
        self.turn += 1
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.precision == "bf16"):
            logits = self.model(*inputs)
            loss = F.cross_entropy(logits.float(), targets)
        loss.backward()
        self.optimizer.step()

    def run_round(self, steps):
        """Times `steps` steps; every round sees the same batches."""
        self.turn = 0
        for _ in range(WARM_AGAIN if self.rounds else WARM_FIRST):
            self.step()
        self.turn = 0
        times = []
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            times.append(1e3 * (time.perf_counter() - start))
        self.rounds.append(times)

    def milliseconds(self):
        return statistics.median([t for times in self.rounds for t in times])


class Group:
    """The variants of one way to take the step; the fastest counts."""

    def __init__(self, make, styles, tokens, compile_too):
        self.make, self.tokens, self.compile_too = make, tokens, compile_too
        self.contenders = [make(style) for style in styles]

    def run_round(self, steps):
        for contender in self.contenders:
            contender.run_round(steps)
        if self.compile_too:
            self.compile_too = False
            self.add_compiled(steps)

    def add_compiled(self, steps):
        """The faster eager variant, compiled; left out where this machine cannot (no C++ compiler, say)."""
        try:
            contender = self.make(replace(self.best().model.style, compiled=True))
            contender.run_round(steps)
            self.contenders.append(contender)
        except Exception as error:  # torch.compile has no narrow type for its failures
            first_line = (str(error).strip().splitlines() or [type(error).__name__])[0]
            print(f"compare_pytorch: torch.compile left out: {first_line}", file=sys.stderr)

    def best(self):
        return min(self.contenders, key=Contender.milliseconds)

    def summary(self, phasor):
        best = self.best()
        result = {
            "ms_per_step": best.milliseconds(),
            "tokens_per_second": 1e3 * self.tokens / best.milliseconds(),
            "tokens_per_step": self.tokens,
            "positions_per_step": statistics.mean(batch[0].numel() for batch in best.batches),
            "variant": best.name,
            "variants": {c.name: c.milliseconds() for c in self.contenders},
            "rounds": [statistics.median(times) for times in best.rounds],
        }
        if phasor:
            ratios = [ours / report["ms_per_step"] for ours, report in zip(result["rounds"], phasor.rounds)]
            result["ratio"] = statistics.median(ratios)
            result["ratio_range"] = [min(ratios), max(ratios)]
        return result


def mean_tokens(drawn):
    return statistics.mean(sum(map(len, sequences)) for sequences, _ in drawn)


def plain_group(preset, encoding, drawn, arguments):
    def make(style):
        torch.manual_seed(0)
        model = Transformer(preset.model(encoding), style).train()
        optimizer, form = make_optimizer(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.01)
        # One shape for a compiled model, because every shape is another compilation of half a minute.
        positions = max(len(s) for sequences, _ in drawn for s in sequences) if style.compiled else 0
        batches = [(*pad(sequences, positions), torch.tensor(targets)) for sequences, targets in drawn]
        name = f"{'compiled' if style.compiled else 'eager'}, {'sdpa' if style.fused else 'bmm'}, adamw {form}"
        return Contender(name, model, optimizer, batches, arguments.precision, style.compiled)

    styles = [Style(packed=True, fused=fused) for fused in ((False, True) if HAS_FUSED_ATTENTION else (False,))]
    return Group(make, styles, mean_tokens(drawn), arguments.compile)


def released_group(preset, encoding, drawn, arguments):
    def make(_):
        torch.manual_seed(0)
        model = ReleasedTransformer(preset.model(encoding, max_length=preset.released_positions)).train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.98, 0.9), weight_decay=1e-5)
        batches = [(pad([s[:preset.released_cut] for s in sequences], preset.released_positions)[0],
                    torch.tensor(targets)) for sequences, targets in drawn]
        return Contender("eager", model, optimizer, batches, arguments.precision, compiled=False)

    return Group(make, [Style()], mean_tokens(drawn), False)


class Phasor:
    """`phasor bench step` as a process; it warms up and takes its median itself."""

    def __init__(self, arguments, encoding, batch):
        self.command = [str(arguments.phasor), "bench", "step", "--preset", arguments.preset, "--encoding", encoding,
                        "--batch", str(batch), "--precision", arguments.precision, "--json"]
        self.environment = {**os.environ, "OMP_NUM_THREADS": str(arguments.threads)}
        self.threads = arguments.threads
        self.rounds = []

    def run_round(self, _):
        time.sleep(0.3)  # until PyTorch's idle threads have stopped spinning
        done = subprocess.run(self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        shown = " ".join(self.command)
        if done.returncode != 0:
            stop(f"`{shown}` ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        try:
            report = json.loads(done.stdout)
            missing = [key for key in PHASOR_KEYS if key not in report]
        except ValueError:
            stop(f"`{shown}` did not print JSON but: {done.stdout[:200]!r}")
        if missing:
            stop(f"`{shown}` printed no {', '.join(missing)}")
        if report.get("threads", self.threads) != self.threads:
            stop(f"`{shown}` ran with {report['threads']} threads, PyTorch with {self.threads}")
        self.rounds.append(report)

    def summary(self):
        return {key: statistics.median(report[key] for report in self.rounds) for key in PHASOR_KEYS}


def stop(text):
    print(f"compare_pytorch: {text}", file=sys.stderr)
    sys.exit(1)


def measure(arguments, encoding, batch):
    preset = PRESETS[arguments.preset]
    phasor = None if arguments.skip_phasor else Phasor(arguments, encoding, batch)
    groups = {"plain": plain_group(preset, encoding, draw_batches(preset, batch, arguments.seed, True), arguments)}
    if not arguments.skip_released:
        drawn = draw_batches(preset, batch, arguments.seed, False)
        groups["released"] = released_group(preset, encoding, drawn, arguments)
    for turn in range(arguments.repeats):
        for runner in ([phasor] if phasor else []) + list(groups.values()):
            runner.run_round(arguments.steps)
        print(f"compare_pytorch: {encoding}, batch {batch}: round {turn + 1} of {arguments.repeats}", file=sys.stderr)
    result = {"encoding": encoding, "batch": batch}
    if phasor:
        result["phasor"] = {**phasor.summary(), "rounds": [report["ms_per_step"] for report in phasor.rounds]}
        drift = result["phasor"]["tokens_per_step"] / groups["plain"].tokens - 1
        if abs(drift) > 0.05:
            print(f"compare_pytorch: {encoding}, batch {batch}: Phasor's batches have {100 * drift:+.0f} % tokens, "
                  "so the steps are not the same work", file=sys.stderr)
    result.update({name: group.summary(phasor) for name, group in groups.items()})
    return result


def cpu_name():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def print_table(report):
    setting = report["setting"]
    print(f"{report['cpu']}, {setting['threads']} threads; PyTorch {report['torch']}, Python {report['python']}; "
          f"preset {setting['preset']}, {setting['precision']}; "
          f"{setting['repeats']} rounds of {setting['steps']} PyTorch steps")
    columns = ("encoding", "batch", "contender", "ms/step", "real tokens/s", "tokens", "positions", "ratio",
               "range", "note")
    rows = []
    for result in report["results"]:
        for name in ("phasor", "plain", "released"):
            if name not in result:
                continue
            row = result[name]
            ratio = f"{row['ratio']:.2f}" if "ratio" in row else "1" if name == "phasor" else "-"
            spread = "{:.2f}..{:.2f}".format(*row["ratio_range"]) if "ratio_range" in row else "-"
            note = row["variant"] if name != "phasor" else (
                f"{row['gflops']:.0f} GFLOP/s, {100 * row['share_of_peak']:.0f} % of {row['peak_gflops']:.0f}")
            rows.append((result["encoding"], str(result["batch"]), name, f"{row['ms_per_step']:.2f}",
                         f"{row['tokens_per_second']:.0f}", f"{row['tokens_per_step']:.0f}",
                         f"{row.get('positions_per_step', row['tokens_per_step']):.0f}", ratio, spread, note))
    widths = [max(len(row[c]) for row in [columns, *rows]) for c in range(len(columns))]
    for row in [columns, *rows]:
        print("  ".join(text.ljust(w) if c in (0, 2, 9) else text.rjust(w)
                        for c, (text, w) in enumerate(zip(row, widths))).rstrip())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", type=Path, default=ROOT / "build" / "release" / "phasor", help="the binary")
    parser.add_argument("--preset", choices=PRESETS, default="paper")
    parser.add_argument("--encoding", nargs="+", choices=ENCODINGS, default=["rope"], metavar="E",
                        help=f"any of {', '.join(ENCODINGS)} (default: rope)")
    parser.add_argument("--batch", nargs="+", type=int, metavar="N", help="sequences (default: 32 paper, 128 quick)")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="of Phasor and of PyTorch (default: all cores)")
    parser.add_argument("--repeats", type=int, default=3, help="rounds in which all contenders take turns")
    parser.add_argument("--steps", type=int, default=8, help="timed PyTorch steps a round")
    parser.add_argument("--seed", type=int, default=0, help="of PyTorch's batches")
    parser.add_argument("--skip-phasor", action="store_true", help="PyTorch alone")
    parser.add_argument("--skip-released", action="store_true", help="without the released code's way")
    parser.add_argument("--skip-compile", action="store_true", help="without torch.compile")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    arguments = parser.parse_args()
    arguments.batch = arguments.batch or [PRESETS[arguments.preset].batch]
    arguments.compile = hasattr(torch.nn.Module, "compile") and not arguments.skip_compile
    for name, values in (("batch", arguments.batch), ("threads", [arguments.threads]),
                         ("repeats", [arguments.repeats]), ("steps", [arguments.steps])):
        if min(values) < 1:
            parser.error(f"--{name} must be at least 1, not {min(values)}")
    return arguments


def main():
    arguments = parse_arguments()
    if not arguments.skip_phasor and not os.access(arguments.phasor, os.X_OK):
        stop(f"there is no program at {arguments.phasor}; build it (cmake --preset release && "
             "cmake --build --preset release), name another with --phasor, or time PyTorch alone with --skip-phasor")
    if arguments.repeats * arguments.steps < 10:
        print("compare_pytorch: fewer than 10 timed steps: a check that it runs, no measurement", file=sys.stderr)
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"compare_pytorch: the machine is not idle (load {load:.1f}); barriers wait for threads that others "
              "push aside, so the times will be wrong", file=sys.stderr)
    torch.set_num_threads(arguments.threads)
    report = {
        "cpu": cpu_name(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "load_before": load,
        "setting": {"preset": arguments.preset, "precision": arguments.precision, "threads": arguments.threads,
                    "repeats": arguments.repeats, "steps": arguments.steps},
        "results": [measure(arguments, e, n) for e in arguments.encoding for n in arguments.batch],
    }
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        print_table(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
