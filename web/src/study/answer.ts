// Which encoding, and how sure: one answer per task and protocol, from converged runs alone.
import { listing, percent, percentWithin, plural } from "../base/text.ts";
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
  /** Whether the study can tell it from the best. */
  likeBest: boolean;
}

export interface Answer {
  title: string;
  task: string;
  protocol: string;
  /** Names of the encodings that the headline is about; empty where there is no winner. */
  headline: string;
  sentence: string;
  ranked: Ranked[];
  ceiling: number | null;
}

const CEILING_MARGIN = 0.01;

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
    const soFar = `${best.shown.short} leads so far with ${percent(best.figure.mean)}`;
    return { ...place, headline: "No answer yet", sentence: `No run has converged, so nothing can be claimed; ${soFar}.` };
  }
  return { ...place, ...words(report, ranked, best, ceiling) };
}

function rank(cells: readonly ShownCell[]): Ranked[] {
  const ranked = cells.flatMap((shown): Ranked[] => {
    const claimable = accuracyFigure(shown.cell, true);
    if (claimable.mean !== null) return [{ shown, figure: claimable, claimable: true, likeBest: false }];
    const all = accuracyFigure(shown.cell, false);
    return all.mean === null ? [] : [{ shown, figure: all, claimable: false, likeBest: false }];
  });
  return ranked.sort(
    (a, b) => Number(b.claimable) - Number(a.claimable) || (b.figure.mean ?? 0) - (a.figure.mean ?? 0),
  );
}

function words(report: Report, ranked: Ranked[], best: Ranked, ceiling: number | null): { headline: string; sentence: string } {
  const others = ranked.filter((other) => other !== best && other.claimable);
  best.likeBest = true;
  let planned = false;
  for (const other of others) {
    const test = plannedTest(report.comparisons, best.shown.cell.name, other.shown.cell.name);
    other.likeBest = test === null ? overlap(best.figure, other.figure) : !test.told;
    planned ||= test !== null;
  }
  const like = others.filter((other) => other.likeBest);
  const { mean, low, high } = best.figure;
  const runs = `${best.figure.points.length} of ${plural(best.shown.cell.planned, "run")} converged`;
  const parts = [`${best.shown.short}: ${percentWithin(mean, low, high)}, ${runs}.`];
  if (others.length === 0) return { headline: best.shown.short, sentence: parts.join(" ") };
  if (like.length === 0) {
    parts.push(planned ? "It is told from the others by planned tests or intervals." : "All others lie below its interval.");
  } else {
    const how = planned ? "by planned tests or intervals" : low === null ? "with no interval to judge by" : "their intervals overlap";
    parts.push(`Not to be told from it (${how}): ${listing(like.map((other) => other.shown.short), 6)}.`);
  }
  const atCeiling = [best, ...like].every((it) => ceiling !== null && (it.figure.mean ?? 0) >= ceiling - CEILING_MARGIN);
  if (atCeiling && like.length > 0) parts.push("They do all there is to do: a harder task might tell them apart.");
  const headline =
    like.length === 0 ? best.shown.short : like.length < 3 ? listing([best, ...like].map((it) => it.shown.short)) : `${best.shown.short}, level with ${like.length} others`;
  return { headline, sentence: parts.join(" ") };
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

/** Without an interval nothing can be told apart. */
function overlap(a: SeedFigure, b: SeedFigure): boolean {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return true;
  return a.low <= b.high && b.low <= a.high;
}
