#!/usr/bin/python3
"""Writes what SciPy, NumPy and R make of some small samples, or checks the stored file (--check).

    /usr/bin/python3 tools/make_statistics_fixtures.py [--out FILE] [--check]

needs python3-scipy and r-base-core (apt); the tests need neither. It writes tests/fixtures/statistics.json, whose
"versions" are those of the packages that made it. R answers through tools/make_statistics_fixtures.R. A list per
section, an object per case:

  two_samples        p of scipy.stats.permutation_test(permutation_type="independent", n_resamples=inf)
  pairs              the same with permutation_type="samples": x and y change places within pairs
  orders             the same with permutation_type="pairings", the statistic being a correlation
      greater, less  of its alternatives; doubled: of "two-sided", which doubles the smaller of the two;
      by_size        the share of its null distribution that is at least as large in size
  max_t              step-down max-T over all signs, from the definition and not from a package
  holm               R, p.adjust
  proportions        binomtest(...).proportion_ci: exact_scipy and wilson; R, binom.test: exact_r. Exact is
                     [low, high, one-sided lower, one-sided upper]
  mcnemar            scipy.stats.binomtest(lost, lost + won).pvalue
  correlations       scipy.stats.pearsonr, spearmanr
  means              R, t.test: [low, high, degrees of freedom]; SciPy, ttest_1samp().confidence_interval()
  mean_differences   R, t.test: Welch; SciPy by the formula, as 1.10 has no interval for two samples
  effects            Cohen's d and Hedges' g with SciPy's gamma function, Cliff's delta by two loops
  summaries          NumPy: mean, var(ddof=1), quantile; scipy.stats.median_abs_deviation
  bootstraps         where the ends of an interval from RESAMPLES resamples may lie, see Ends
  coverage           how often nominal 95 % intervals cover, simulated in NumPy, see coverage_cases

Where two packages answer one question this script fails unless they agree as well as they are accurate. p-values of
permutations are also counted in exact rational numbers.

--check finds the same random numbers with NumPy of the same generators only.
"""
import argparse
import itertools
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import scipy
from scipy import integrate, special, stats

OUT = Path(__file__).resolve().parent.parent / "tests/fixtures/statistics.json"
RESAMPLES = 200_000  # of the interval under test
COVERAGE_RESAMPLES = 1000
SIMULATIONS = 20_000


def require_close(a, b, relative, what):
    if not np.allclose(a, b, rtol=relative, atol=0.0, equal_nan=True):
        raise SystemExit(f"{what}: {a} and {b} differ by more than {relative}")


class R:
    """Collects questions, then asks them all in one process."""

    def __init__(self):
        self.questions, self.receivers = [], []

    def ask(self, receiver, name, *numbers):
        """receiver(list of numbers) gets the answer once answer() runs."""
        self.questions.append(" ".join([name, *(repr(float(number)) for number in numbers)]))
        self.receivers.append(receiver)

    def answer(self):
        """Returns R's version."""
        script = Path(__file__).with_suffix(".R")
        done = subprocess.run(["Rscript", "--vanilla", script], input="\n".join(self.questions) + "\n", text=True,
                              capture_output=True, check=False)
        lines = done.stdout.splitlines()
        if done.returncode or len(lines) != len(self.questions) + 1:
            raise SystemExit(f"Rscript failed: {done.stderr}")
        for receiver, line in zip(self.receivers, lines[1:]):
            receiver([float(word) for word in line.split()])
        return lines[0].split()[1]


def store(case, key):
    return lambda numbers: case.__setitem__(key, numbers)


# ---- permutations -------------------------------------------------------------------------------------------------

def p_values(data, statistic, kind):
    """Of all arrangements, as SciPy counts them."""
    run = lambda alternative: stats.permutation_test(data, statistic, permutation_type=kind, vectorized=False,
                                                     n_resamples=np.inf, alternative=alternative)
    result = run("greater")
    null = result.null_distribution
    rounding = 1e-12 * np.abs(null).max()
    return {"statistic": float(result.statistic), "arrangements": int(null.size),
            "greater": float(result.pvalue), "less": float(run("less").pvalue),
            "doubled": float(run("two-sided").pvalue),
            "by_size": float(np.mean(np.abs(null) >= np.abs(result.statistic) - rounding))}


def require_rational(case, null, observed):
    """SciPy's shares are those of exact arithmetic. null: Fractions of all arrangements."""
    share = lambda extreme: float(Fraction(sum(map(extreme, null)), len(null)))
    exact = {"greater": share(lambda t: t >= observed), "less": share(lambda t: t <= observed),
             "by_size": share(lambda t: abs(t) >= abs(observed))}
    for key, value in exact.items():
        require_close(case[key], value, 1e-15, f"{key} of {case}")


def rational(values):
    return [Fraction(str(value)) for value in values]


def difference_of_means(x, y):
    return np.mean(x) - np.mean(y)


def two_samples_case(x, y):
    case = {"x": x, "y": y, **p_values((x, y), difference_of_means, "independent")}
    pooled = rational(x + y)
    split = lambda chosen: (sum(pooled[i] for i in chosen) / len(x)
                            - sum(pooled[i] for i in range(len(pooled)) if i not in chosen) / len(y))
    null = [split(set(chosen)) for chosen in itertools.combinations(range(len(pooled)), len(x))]
    require_rational(case, null, split(set(range(len(x)))))
    return case


def pairs_case(x, y):
    case = {"x": x, "y": y, **p_values((x, y), difference_of_means, "samples")}
    differences = [a - b for a, b in zip(rational(x), rational(y))]
    null = [sum(s * d for s, d in zip(signs, differences))
            for signs in itertools.product((1, -1), repeat=len(differences))]
    require_rational(case, null, sum(differences))
    return case


def orders_case(kind, x, y):
    measure = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[kind]
    case = {"kind": kind, "x": x, "y": y, **p_values((x,), lambda a: measure(a, y)[0], "pairings")}
    # With one of the two centred the order of y decides through sum x_i y_i alone.
    values = [rational(values if kind == "pearson" else stats.rankdata(values)) for values in (x, y)]
    a, b = ([value - sum(list_) / len(list_) for value in list_] for list_ in values)
    product = lambda order: sum(u * b[i] for u, i in zip(a, order))
    require_rational(case, [product(order) for order in itertools.permutations(range(len(x)))],
                     product(range(len(x))))
    return case


def permutation_cases(random):
    accuracy = lambda n, centre: [round(float(v), 4) for v in random.normal(centre, 0.02, n)]
    tied = lambda n: [round(float(v), 2) for v in random.choice([0.90, 0.91, 0.92, 0.93], n)]
    whole = lambda n: [float(v) for v in random.integers(0, 4, n)]
    sizes = ((3, 3), (4, 4), (5, 5), (5, 3), (3, 5))
    two = []
    for m, n in sizes:
        two += [two_samples_case(accuracy(m, 0.95), accuracy(n, 0.93)), two_samples_case(tied(m), tied(n)),
                two_samples_case(whole(m), whole(n))]
    two += [two_samples_case([0.97, 0.96, 0.98, 0.95, 0.99], [0.91, 0.9, 0.92, 0.94, 0.93]),
            two_samples_case([0.97, 0.96, 0.98, 0.95, 0.99], [0.91, 0.9, 0.94]),  # no mirror image
            # Equal means, but for rounding.
            two_samples_case([0.1, 0.5, 0.3], [0.2, 0.3, 0.4]),
            two_samples_case([0.2, 0.2, 0.1, 0.4], [0.4, 0.1, 0.2, 0.2]),
            two_samples_case([1e6 + 0.25, 1e6 + 0.5, 1e6 + 2.0], [1e6, 1e6 + 0.25, 1e6 + 0.75])]
    pairs = []
    for n in (2, 3, 4, 5, 8):
        pairs += [pairs_case(accuracy(n, 0.95), accuracy(n, 0.93)), pairs_case(tied(n), tied(n))]
    orders = []
    for n in (3, 5, 6):
        orders += [orders_case("pearson", accuracy(n, 0.95), accuracy(n, 0.9)),
                   orders_case("spearman", accuracy(n, 0.95), accuracy(n, 0.9)),
                   orders_case("spearman", [0.0, 1.0] + whole(n - 2), [1.0, 0.0] + whole(n - 2))]
    orders += [orders_case(kind, [1.0, 2.0, 3.0, 4.0, 9.0], [1.0, 3.0, 4.0, 8.0, 20.0])
               for kind in ("pearson", "spearman")]
    return {"two_samples": two, "pairs": pairs, "orders": orders}


# ---- several hypotheses -------------------------------------------------------------------------------------------

def max_t_case(columns):
    """Adjusted p of hypothesis (j), by falling |t|: max over k <= j of P(max over l >= k of |T_l| >= |t_(k)|).

    `lifted`: whether some of them is that of an earlier k."""
    d = np.array(columns)
    signs = np.array(list(itertools.product((1, -1), repeat=d.shape[1])))
    null = np.abs(signs @ d.T / d.shape[1] / np.sqrt(np.mean(d**2, axis=1)))
    observed = null[0]
    order = np.argsort(-observed)
    steps = [np.mean(null[:, order[k:]].max(axis=1) >= observed[order[k]] - 1e-12) for k in range(len(order))]
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(steps)
    return {"columns": columns, "adjusted": adjusted.tolist(), "lifted": bool(np.any(np.diff(steps) < 0))}


def multiplicity_cases(random, r):
    lists = [[0.2], [0.03, 0.01, 0.02], [0.01, 0.04, 0.03, 0.005], [0.02, 0.02, 0.02], [1.0, 1.0], [0.5, 1.0, 0.001],
             [0.0, 0.3, 0.0, 1.0], [2 / 252, 4 / 252, 0.1, 2 / 252, 0.6, 1.0], [0.3, 0.4, 0.5, 0.9],
             [float(v) for v in random.random(12).round(4) ** 3]]
    holm = [{"p": p} for p in lists]
    for case in holm:
        r.ask(store(case, "adjusted"), "holm", *case["p"])
    shared = random.normal(0, 1, 7)
    columns = [(shared + random.normal(shift, 1, 7)).round(3).tolist() for shift in (0.0, 0.5, 1.5, 3.0)]
    max_t = [max_t_case(columns), max_t_case([columns[3], columns[0], columns[3]])]
    while not max_t[-1]["lifted"] or max(max_t[-1]["adjusted"]) > 0.5:
        max_t[2:] = [max_t_case(random.normal(0.8, 1, (4, 6)).round(2).tolist())]
    return {"holm": holm, "max_t": max_t}


# ---- counts -------------------------------------------------------------------------------------------------------

def proportion_case(successes, trials, level, r):
    end = lambda alternative, method: stats.binomtest(successes, trials, alternative=alternative).proportion_ci(
        level, method)
    case = {"successes": successes, "trials": trials, "level": level,
            "exact_scipy": [*end("two-sided", "exact"), end("greater", "exact")[0], end("less", "exact")[1]],
            "wilson": [float(value) for value in end("two-sided", "wilson")]}

    def received(numbers):
        case["exact_r"] = numbers
        difference = np.abs(np.subtract(numbers, case["exact_scipy"])).max()
        if difference > 4e-12:  # SciPy stops its search at 2e-12
            raise SystemExit(f"R and SciPy differ by {difference}: {case}")

    r.ask(received, "proportion", successes, trials, level)
    return case


def count_cases(r):
    counts = [(k, n) for n in (1, 2, 5, 10, 64, 333, 2000) for k in sorted({0, 1, n // 3, n // 2, n - 1, n})]
    proportions = [proportion_case(k, n, 0.95, r) for k, n in counts]
    proportions += [proportion_case(k, n, level, r)
                    for k, n in ((0, 5), (4, 5), (19, 20), (1893, 2000)) for level in (0.5, 0.9, 0.99)]
    mcnemar = []
    for lost, won in ((0, 0), (1, 0), (3, 3), (4, 3), (0, 7), (9, 2), (40, 61), (512, 610), (1000, 1000), (5, 700)):
        p = stats.binomtest(lost, lost + won).pvalue if lost + won else 1.0
        mcnemar.append({"lost": lost, "won": won, "p": float(p)})
        r.ask(lambda numbers, p=p: require_close(numbers, p, 1e-11, "McNemar"), "mcnemar", lost, won)
    return {"proportions": proportions, "mcnemar": mcnemar}


# ---- samples ------------------------------------------------------------------------------------------------------

def mean_case(x, level, r):
    low, high = stats.ttest_1samp(x, 0.0).confidence_interval(level)
    case = {"x": x, "level": level, "scipy": [float(low), float(high)]}
    r.ask(store(case, "r"), "mean", level, *x)
    return case


def mean_difference_case(x, y, level, r):
    squares = [np.var(v, ddof=1) / len(v) for v in (x, y)]
    freedom = sum(squares) ** 2 / sum(s**2 / (len(v) - 1) for s, v in zip(squares, (x, y)))
    half = stats.t.ppf(0.5 + 0.5 * level, freedom) * math.sqrt(sum(squares))
    centre = difference_of_means(x, y)
    case = {"x": x, "y": y, "level": level, "scipy": [float(centre - half), float(centre + half)]}
    r.ask(store(case, "r"), "difference", level, len(x), *x, *y)
    return case


def correlation_case(x, y, r):
    case = {"x": x, "y": y, "pearson": float(stats.pearsonr(x, y)[0]), "spearman": float(stats.spearmanr(x, y)[0])}
    r.ask(lambda numbers: np.testing.assert_allclose(numbers, [case["pearson"], case["spearman"]], rtol=0, atol=1e-13),
          "correlation", *x, *y)
    return case


def effect_case(x, y):
    freedom = len(x) + len(y) - 2
    pooled = math.sqrt((np.var(x, ddof=1) * (len(x) - 1) + np.var(y, ddof=1) * (len(y) - 1)) / freedom)
    d = difference_of_means(x, y) / pooled
    # Gamma(m / 2) / (sqrt(m / 2) Gamma((m - 1) / 2)), by Pochhammer's symbol: no logarithms of large numbers.
    factor = special.poch((freedom - 1) / 2, 0.5) / math.sqrt(freedom / 2)
    wins = sum((a > b) - (a < b) for a in x for b in y)
    return {"x": x, "y": y, "cohens_d": float(d), "hedges_g": float(d * factor),
            "cliffs_delta": wins / (len(x) * len(y))}


def summary_case(x, r):
    probabilities = [0.0, 0.025, 0.25, 1 / 3, 0.5, 0.77, 0.999, 1.0]
    values = np.quantile(x, probabilities).tolist()
    for p, value in zip(probabilities, values):
        r.ask(lambda numbers, value=value: require_close(numbers, value, 1e-14, "quantile"), "quantile", p, *x)
    return {"x": x, "mean": float(np.mean(x)), "variance": float(np.var(x, ddof=1)),
            "median_absolute_deviation": float(stats.median_abs_deviation(x)), "probabilities": probabilities,
            "quantiles": values}


def sample_cases(random, r):
    normal = lambda n, centre=0.0, spread=1.0: random.normal(centre, spread, n).round(4).tolist()
    skewed = lambda n: random.exponential(1.0, n).round(4).tolist()
    far = lambda n: [1e6 + value for value in normal(n)]
    means = [mean_case(x, level, r)
             for x, level in ((normal(2), 0.95), (normal(3, 0.95, 0.01), 0.95), (skewed(5), 0.9), (normal(5), 0.99),
                              (normal(10, 40.0), 0.95), (far(6), 0.95), (normal(40), 0.999), (normal(7), 0.3))]
    differences = [mean_difference_case(x, y, level, r)
                   for x, y, level in ((normal(2), normal(2), 0.95),
                                       (normal(3, 0.95, 0.01), normal(3, 0.9, 0.03), 0.95),
                                       (normal(5), normal(5), 0.95), (normal(5, 1.0, 0.1), skewed(3), 0.99),
                                       (normal(2, 0.0, 9.0), normal(30), 0.9), (far(4), far(6), 0.95),
                                       ([0.9, 0.92, 0.97, 0.93], [0.5, 0.5, 0.5], 0.95))]
    whole = lambda n: [0.0, 1.0] + [float(v) for v in random.integers(0, 4, n - 2)]
    correlations = [correlation_case(x, y, r)
                    for x, y in ((normal(3), normal(3)), (normal(8), skewed(8)), (whole(12), whole(12)),
                                 (far(9), normal(9)), (skewed(25), skewed(25)),
                                 ([1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 6.0, 10.0]))]
    effects = [effect_case(x, y) for x, y in ((normal(2), normal(2)), (normal(3, 1.0), normal(3)), (whole(5), whole(5)),
                                              (normal(5, 0.9), normal(3, 0.8)), (skewed(8), whole(6)),
                                              (normal(60), normal(45, 0.3)))]
    summaries = [summary_case(x, r) for x in (normal(2), normal(5), whole(9), skewed(30), far(8))]
    return {"means": means, "mean_differences": differences, "correlations": correlations, "effects": effects,
            "summaries": summaries}


# ---- bootstrap ----------------------------------------------------------------------------------------------------

class Ends:
    """Where the ends of a bootstrap interval from RESAMPLES resamples may lie, from its distribution.

    The distribution is known from enumeration (exactly: `known` infinite) or from `known` resamples of SciPy. An end
    stands at some level u of it. Its estimate from B resamples stands at a random level with deviation
    sqrt(u (1 - u) / B); BCa's level moves besides with z0, which is itself estimated with deviation
    sqrt(p (1 - p) / B) / phi(z0) from the share p below the estimate. [low, high] are the quantiles at five such
    deviations, both kinds of error and both numbers of resamples added up, on either side.
    """

    def __init__(self, values, weights, known, estimate):
        order = np.argsort(values)
        self.values, self.cumulative = values[order], np.cumsum(weights[order])
        self.errors = math.sqrt(1 / RESAMPLES + 1 / known)
        rounding = 1e-12 * np.ptp(values)
        below, above = weights[values < estimate - rounding].sum(), weights[values > estimate + rounding].sum()
        self.share = below + 0.5 * (1.0 - below - above)
        self.bias = special.ndtri(self.share)

    def at(self, level):
        place = np.searchsorted(self.cumulative, level * (1.0 - 1e-12))
        return float(self.values[min(place, len(self.values) - 1)])

    def around(self, level, extra=0.0):
        reach = 5.0 * self.errors * (math.sqrt(level * (1.0 - level)) + extra)
        return [self.at(max(0.0, level - reach)), self.at(min(1.0, level + reach))]

    def around_bca(self, skew, tail):
        z = self.bias + special.ndtri(tail)
        moved = self.bias + z / (1.0 - skew * z)
        slope = stats.norm.pdf(moved) * (1.0 + 1.0 / (1.0 - skew * z) ** 2)
        return self.around(special.ndtr(moved),
                           slope * math.sqrt(self.share * (1.0 - self.share)) / stats.norm.pdf(self.bias))


def skewness_of_influences(samples, statistic, paired):
    """BCa's acceleration, by leaving one out of each sample apart, or of all together."""
    cubes = squares = 0.0
    for s in range(1 if paired else len(samples)):
        n = len(samples[s])
        without = []
        for i in range(n):
            rest = [np.delete(x, i) if paired or j == s else x for j, x in enumerate(samples)]
            without.append(statistic(*rest, axis=-1))
        influences = (n - 1) / n * (np.mean(without) - np.array(without))
        cubes, squares = cubes + np.sum(influences**3), squares + np.sum(influences**2)
    return cubes / (6.0 * squares**1.5)


def bootstrap_ends(ends, samples, statistic, paired, level=0.95):
    units = sum(len(x) for x in (samples[:1] if paired else samples))
    freedom = units - (1 if paired else len(samples))
    skew = skewness_of_influences(samples, statistic, paired)
    tails = (0.5 - 0.5 * level, 0.5 + 0.5 * level)
    widen = math.sqrt(units / freedom)
    expanded = [special.ndtr(widen * special.stdtrit(freedom, tail)) for tail in tails]
    return {"percentile": [ends.around(tail) for tail in tails], "expanded": [ends.around(tail) for tail in expanded],
            "bca": [ends.around_bca(skew, tail) for tail in tails]}


def multisets(x):
    """All resamples [ways, n] and their probabilities."""
    n = len(x)
    rows = np.array(list(itertools.combinations_with_replacement(range(n), n)))
    ways = [math.factorial(n) / math.prod(math.factorial(c) for c in np.bincount(row)) / n**n for row in rows]
    return np.array(x)[rows], np.array(ways)


def enumerated_case(name, samples, statistic):
    """One sample or two, every resample counted."""
    parts = [multisets(x) for x in samples]
    if len(parts) == 1:
        values, weights = statistic(parts[0][0], axis=-1), parts[0][1]
    else:
        first, second = (np.arange(len(ways)) for _, ways in parts)
        a, b = (index.ravel() for index in np.meshgrid(first, second, indexing="ij"))
        values, weights = statistic(parts[0][0][a], parts[1][0][b], axis=-1), parts[0][1][a] * parts[1][1][b]
    estimate = float(statistic(*map(np.array, samples), axis=-1))
    ends = Ends(values, weights, math.inf, estimate)
    return {"statistic": name, "samples": samples, "paired": False, "by": "enumeration", "estimate": estimate,
            **bootstrap_ends(ends, [np.array(x) for x in samples], statistic, False)}


def scipy_case(name, samples, statistic, paired=False):
    known = 1_000_000
    result = stats.bootstrap(samples, statistic, n_resamples=known, batch=50_000, method="percentile", paired=paired,
                             random_state=np.random.default_rng(7))
    values = result.bootstrap_distribution
    estimate = float(statistic(*map(np.array, samples), axis=-1))
    ends = Ends(values, np.full(known, 1.0 / known), known, estimate)
    case = {"statistic": name, "samples": samples, "paired": paired, "by": "scipy.stats.bootstrap",
            "estimate": estimate, **bootstrap_ends(ends, [np.array(x) for x in samples], statistic, paired)}
    # SciPy's own ends stand in the middle of these ranges.
    bca = stats.bootstrap(samples, statistic, n_resamples=0, method="BCa", paired=paired, bootstrap_result=result)
    for method, interval in (("percentile", result.confidence_interval), ("bca", bca.confidence_interval)):
        for (low, high), end in zip(case[method], interval):
            if not low <= end <= high:
                raise SystemExit(f"SciPy's end {end} is not within {low} and {high}: {method} of {case}")
    return case


def pearson(x, y, axis):
    x, y = (v - np.mean(v, axis=axis, keepdims=True) for v in (x, y))
    return np.sum(x * y, axis=axis) / np.sqrt(np.sum(x * x, axis=axis) * np.sum(y * y, axis=axis))


def bootstrap_cases(random):
    mean = lambda x, axis: np.mean(x, axis=axis)
    deviation = lambda x, axis: np.std(x, axis=axis, ddof=1)
    median = lambda x, axis: np.median(x, axis=axis)
    difference = lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis)
    accuracy = lambda n, centre: random.normal(centre, 0.02, n).round(4).tolist()
    skewed = lambda n: random.exponential(1.0, n).round(4).tolist()
    related = random.normal(0, 1, (2, 15))
    related[1] += related[0]
    return {"bootstraps": [
        enumerated_case("mean", [accuracy(5, 0.95)], mean), enumerated_case("mean", [skewed(6)], mean),
        enumerated_case("median", [skewed(7)], median),
        enumerated_case("mean_difference", [accuracy(5, 0.95), accuracy(5, 0.93)], difference),
        enumerated_case("mean_difference", [skewed(6), accuracy(3, 0.9)], difference),
        scipy_case("mean", [skewed(12)], mean), scipy_case("deviation", [accuracy(14, 0.9)], deviation),
        scipy_case("mean_difference", [skewed(10), skewed(8)], difference),
        scipy_case("pearson", related.round(4).tolist(), pearson, paired=True)]}


# ---- coverage -----------------------------------------------------------------------------------------------------

def simulated(kind, random, shape):
    """(draws, true mean)."""
    if kind == "normal":
        return random.normal(0, 1, shape), 0.0
    if kind == "exponential":
        return random.exponential(1, shape), 1.0
    if kind == "accuracy":  # 4096 answers, models of different quality
        chance = np.clip(random.normal(0.95, 0.01, shape), 0, 1)
        return random.binomial(4096, chance) / 4096, 0.95
    if kind == "skewed_accuracy":  # log-odds are normal: some models are much worse than most
        logit = random.normal(3.0, 1.5, shape)
        truth = integrate.quad(lambda z: special.expit(3.0 + 1.5 * z) * stats.norm.pdf(z), -12, 12, epsabs=1e-13)[0]
        return random.binomial(4096, special.expit(logit)) / 4096, truth
    chance = np.where(random.random(shape) < 0.2, 0.5, 0.95)  # "failing": one model in five never learns
    return random.binomial(4096, chance) / 4096, 0.2 * 0.5 + 0.8 * 0.95


def covered(kind, method, n, random):
    x, truth = simulated(kind, random, (SIMULATIONS, n))
    if method == "student":
        half = -special.stdtrit(n - 1, 0.025) * np.std(x, axis=1, ddof=1) / math.sqrt(n)
        low, high = x.mean(axis=1) - half, x.mean(axis=1) + half
    else:
        tail = special.ndtr(math.sqrt(n / (n - 1)) * special.stdtrit(n - 1, 0.025))
        low, high = np.empty(SIMULATIONS), np.empty(SIMULATIONS)
        for s in range(SIMULATIONS):
            means = x[s][random.integers(0, n, (COVERAGE_RESAMPLES, n))].mean(axis=1)
            low[s], high[s] = np.quantile(means, [tail, 1.0 - tail])
    # Without spread an interval is a point: rounding of the mean must not decide.
    return float(np.mean((low <= truth + 1e-12) & (truth - 1e-12 <= high))), float(truth)


def coverage_cases(random):
    """`coverage` of the mean of n draws by each method, from SIMULATIONS samples of COVERAGE_RESAMPLES resamples."""
    cases = []
    for kind in ("normal", "exponential", "accuracy", "skewed_accuracy", "failing"):
        for method, n in (("student", 3), ("student", 5), ("expanded", 5), ("expanded", 10)):
            share, truth = covered(kind, method, n, random)
            cases.append({"draws": kind, "method": method, "n": n, "truth": truth, "coverage": share})
    return {"coverage": cases}


# ---- file ---------------------------------------------------------------------------------------------------------

def make():
    r = R()
    random = np.random.default_rng(20250519)
    result = {"script": "tools/make_statistics_fixtures.py", "versions": {}, "resamples": RESAMPLES,
              "coverage_resamples": COVERAGE_RESAMPLES, "coverage_simulations": SIMULATIONS}
    for cases in (permutation_cases(random), multiplicity_cases(random, r), count_cases(r), sample_cases(random, r),
                  bootstrap_cases(random), coverage_cases(random)):
        result.update(cases)
    result["versions"] = {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__,
                          "r": r.answer()}
    for case in result["means"] + result["mean_differences"]:
        width = case["r"][1] - case["r"][0]
        if np.abs(np.subtract(case["r"][:2], case["scipy"])).max() > 1e-8 * width:  # t.ppf of SciPy 1.10 is off by 2e-9
            raise SystemExit(f"R and SciPy differ: {case}")
    return result


def text_of(result):
    """One case per line."""
    parts = []
    for key, value in result.items():
        if isinstance(value, list):
            value = "[\n    " + ",\n    ".join(json.dumps(case) for case in value) + "\n  ]"
        else:
            value = json.dumps(value)
        parts.append(f"  {json.dumps(key)}: {value}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def differs(a, b):
    if isinstance(a, dict):
        return a.keys() != b.keys() or any(differs(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) != len(b) or any(map(differs, a, b))
    if isinstance(a, float) and isinstance(b, (int, float)):
        return not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15)
    return a != b


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--check", action="store_true", help="compare with the stored file, write nothing")
    arguments = parser.parse_args()
    made = json.loads(text_of(make()))
    if not arguments.check:
        arguments.out.write_text(text_of(made))
        print(f"{arguments.out}: {arguments.out.stat().st_size} bytes")
        return 0
    stored = json.loads(arguments.out.read_text())
    changed = [key for key in made.keys() | stored.keys()
               if key != "versions" and differs(made.get(key), stored.get(key))]
    print(f"differs: {sorted(changed)}" if changed else "as stored")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
