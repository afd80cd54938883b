// Which encoding, and how sure: one answer per task and protocol, from converged runs alone.
import { listing, percent, percentWithin, plural, probability } from "../base/text.ts";
import type { Comparison } from "../report/comparison.ts";
import type { CellName } from "../report/cell.ts";
import type { Report } from "../report/report.ts";
import { accuracyFigure, type SeedFigure } from "./seed_points.ts";
import type { PanelCells, ShownCell } from "./view.ts";

export interface Ranked {
  shown: ShownCell;
  /** Of converged runs; of all finished ones where none has converged. */
  figure: SeedFigure;
  claimable: boolean;
  /** Converged runs. */
  counted: number;
  /** Whether the study leaves it open which of it and the best is better. */
  likeBest: boolean;
}

export interface Answer {
  title: string;
  task: string;
  protocol: string;
  headline: string;
  sentence: string;
  ranked: Ranked[];
  ceiling: number | null;
}

const CEILING_MARGIN = 0.01;
const LEVEL = 0.05;

export function answerOf(report: Report, panel: PanelCells): Answer | null {
  const cells = panel.cells.filter((shown) => !shown.entry.aside);
  const ranked = rank(cells);
  const ceiling = cells.map((shown) => shown.cell.floors?.ceiling ?? null).find((value) => value !== null) ?? null;
  const place = { title: panel.title, task: panel.task, protocol: panel.protocol, ranked, ceiling };
  const best = ranked[0];
  if (best === undefined) {
    if (cells.length === 0) return null;
    return { ...place, headline: "No answer", sentence: "No run of this task has finished." };
  }
  if (!best.claimable) {
    const level = ranked.filter((it) => percent(it.figure.mean) === percent(best.figure.mean));
    const soFar = `the highest mean so far is ${percent(best.figure.mean)}, of ${names(level)}`;
    return { ...place, headline: "No answer yet", sentence: `No run has converged, so nothing can be claimed; ${soFar}.` };
  }
  return { ...place, ...words(report, ranked, spokenOf(report, ranked, best), ceiling) };
}

/** Of those that look as good as the best, the one with most planned tests: others can be told from it. */
function spokenOf(report: Report, ranked: readonly Ranked[], best: Ranked): Ranked {
  const level = ranked.filter((it) => it.claimable && percent(it.figure.mean) === percent(best.figure.mean));
  const tests = (it: Ranked): number => ranked.filter((other) => plannedTest(report.comparisons, it.shown.cell.name, other.shown.cell.name) !== null).length;
  return level.reduce((most, it) => (tests(it) > tests(most) ? it : most), best);
}

function rank(cells: readonly ShownCell[]): Ranked[] {
  const ranked = cells.flatMap((shown): Ranked[] => {
    const claimable = accuracyFigure(shown.cell, true);
    const counted = claimable.points.length;
    if (claimable.mean !== null) return [{ shown, figure: claimable, claimable: true, counted, likeBest: false }];
    const all = accuracyFigure(shown.cell, false);
    return all.mean === null ? [] : [{ shown, figure: all, claimable: false, counted, likeBest: false }];
  });
  return ranked.sort(
    (a, b) => Number(b.claimable) - Number(a.claimable) || (b.figure.mean ?? 0) - (a.figure.mean ?? 0),
  );
}

/** "2 of 5 runs converged". */
export function countedText({ counted, shown }: Ranked): string {
  return `${counted} of ${plural(shown.cell.planned, "run")} converged`;
}

function words(report: Report, ranked: Ranked[], best: Ranked, ceiling: number | null): { headline: string; sentence: string } {
  const others = ranked.filter((other) => other !== best && other.claimable);
  const judged = others.map((other) => judge(report, best, other));
  best.likeBest = true;
  for (const it of judged) it.other.likeBest = it.like;
  const like = others.filter((other) => other.likeBest);
  const shown = percent(best.figure.mean);
  const level = like.filter((other) => percent(other.figure.mean) === shown);
  const { mean, low, high } = best.figure;
  const parts = [`${best.shown.short}: ${percentWithin(mean, low, high)}, ${countedText(best)}.`];
  if (level.length > 0) parts.push(`Also at ${shown}: ${names(level)}.`);
  const all = ranked.every((it) => it.claimable) ? "all others" : "all others that converged";
  parts.push(...evidence(best.shown.short, judged.filter((it) => it.test !== null || !level.includes(it.other)), all));
  const atCeiling = [best, ...like].every((it) => ceiling !== null && (it.figure.mean ?? 0) >= ceiling - CEILING_MARGIN);
  if (atCeiling && like.length > 0) parts.push("They do all there is to do: a harder task might tell them apart.");
  return { headline: headline([best, ...level], like.filter((other) => !level.includes(other))), sentence: parts.join(" ") };
}

function headline(first: readonly Ranked[], untold: readonly Ranked[]): string {
  const leading = first.length < 4 ? names(first) : `${first.length} encodings at ${percent(first[0]?.figure.mean ?? null)}`;
  if (untold.length === 0) return leading;
  return `${leading}, not told from ${untold.length < 3 ? names(untold) : `${untold.length} others`}`;
}

function names(ranked: readonly Ranked[]): string {
  return listing(ranked.map((it) => it.shown.short), 8);
}

interface Judged {
  other: Ranked;
  /** Null where none is planned, and where so few runs could tell no difference, however large. */
  test: Comparison | null;
  tooFew: boolean;
  /** What there is beside the test. */
  intervals: "overlap" | "apart" | "missing";
  like: boolean;
}

function judge(report: Report, best: Ranked, other: Ranked): Judged {
  const planned = plannedTest(report.comparisons, best.shown.cell.name, other.shown.cell.name);
  const tooFew = planned !== null && canTellNothing(planned);
  const test = tooFew ? null : planned;
  const intervals = compareIntervals(best.figure, other.figure);
  return { other, test, tooFew, intervals, like: test === null ? intervals !== "apart" : !test.told };
}

function canTellNothing({ smallestP, family }: Comparison): boolean {
  return (smallestP ?? 0) * Math.max(1, family) > LEVEL;
}

/** What planned tests say; of the others only how their intervals lie, which is no test. */
function evidence(best: string, judged: readonly Judged[], all: string): string[] {
  const sentence = (kept: readonly Judged[], words: (which: string) => string): string[] => {
    if (kept.length === 0) return [];
    return [words(kept.length > 2 && kept.length === judged.length ? all : names(kept.map((it) => it.other)))];
  };
  const tested = judged.filter((it) => it.test !== null);
  const told = tested.filter((it) => !it.like);
  const untold = tested.filter((it) => it.like);
  const adjusted = (kept: readonly Judged[]): number[] => kept.flatMap(({ test }) => test?.holm ?? test?.p ?? []);
  const untested = (how: Judged["intervals"], words: string): string[] =>
    [true, false].flatMap((tooFew) =>
      sentence(
        judged.filter((it) => it.test === null && it.tooFew === tooFew && it.intervals === how),
        (which) => `${tooFew ? "Too few runs to test" : "Not tested"}, ${words}: ${which}.`,
      ),
    );
  return [
    ...sentence(told, (which) => `Planned tests tell ${best} from ${which} (p after Holm at most ${probability(Math.max(...adjusted(told)))}).`),
    ...sentence(untold, (which) => `Planned tests do not tell ${best} from ${which} (p after Holm at least ${probability(Math.min(...adjusted(untold)))}).`),
    ...untested("overlap", "intervals overlap"),
    ...untested("apart", "intervals apart"),
    ...untested("missing", "and no interval"),
  ];
}

function plannedTest(comparisons: readonly Comparison[], a: CellName, b: CellName): Comparison | null {
  const same = (x: CellName, y: CellName): boolean =>
    x.task === y.task && x.protocol === y.protocol && x.encoding === y.encoding && x.variant === y.variant;
  const found = comparisons.find(
    ({ number, p, first, second }) =>
      number === "test_accuracy" &&
      p !== null &&
      ((same(first.cell, a) && same(second.cell, b)) || (same(first.cell, b) && same(second.cell, a))),
  );
  return found ?? null;
}

function compareIntervals(a: SeedFigure, b: SeedFigure): Judged["intervals"] {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return "missing";
  return a.low <= b.high && b.low <= a.high ? "overlap" : "apart";
}
