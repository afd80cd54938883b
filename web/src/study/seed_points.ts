// A number over seeds as it is drawn: a point per run, and the mean with its interval.
import { SHARE, studentEstimate, type Estimate, type Range } from "../base/statistics.ts";
import type { Cell } from "../report/cell.ts";
import type { SeedNumber } from "../report/interval.ts";

export interface SeedPoint {
  seed: number | null;
  value: number;
  converged: boolean;
}

export interface SeedFigure extends Estimate {
  points: SeedPoint[];
  method: string;
}

/** All runs of the cell, or its converged ones. Where that leaves some out, the interval is computed here. */
export function seedFigure(cell: Cell, number: SeedNumber, convergedOnly: boolean, range?: Range): SeedFigure {
  const aligned = number.values.length === cell.runs.length;
  const points: SeedPoint[] = [];
  number.values.forEach((value, i) => {
    const run = aligned ? cell.runs[i] : undefined;
    if (value !== null) points.push({ seed: run?.seed ?? null, value, converged: run?.converged ?? true });
  });
  const kept = convergedOnly ? points.filter((point) => point.converged) : points;
  if (kept.length === points.length) {
    return { points, mean: number.mean, low: number.low, high: number.high, method: number.method };
  }
  return { points: kept, ...studentEstimate(kept.map((point) => point.value), range), method: "Student's t" };
}

/** Of an accuracy, or of another share of a whole. */
export function shareFigure(cell: Cell, number: SeedNumber, convergedOnly: boolean): SeedFigure {
  return seedFigure(cell, number, convergedOnly, SHARE);
}

/** Test accuracy, by the program's own two views of a cell. */
export function accuracyFigure(cell: Cell, convergedOnly: boolean): SeedFigure {
  const all = shareFigure(cell, cell.all.testAccuracy, convergedOnly);
  if (!convergedOnly) return all;
  const { mean, low, high, method } = cell.claimable.testAccuracy;
  return { points: all.points, mean, low, high, method };
}
