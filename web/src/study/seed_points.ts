// A number over seeds as it is drawn: a point per run, and the mean with the program's interval.
import type { Cell } from "../report/cell.ts";
import type { SeedNumber } from "../report/interval.ts";
import type { Run } from "../report/run.ts";

export interface SeedPoint {
  seed: number | null;
  value: number;
  converged: boolean;
}

export interface SeedFigure {
  mean: number | null;
  low: number | null;
  high: number | null;
  points: SeedPoint[];
}

/** `runs`: whose values the number has, in their order. */
export function seedFigure(runs: readonly Run[], { values, mean, low, high }: SeedNumber): SeedFigure {
  const points = values.flatMap((value, i): SeedPoint[] =>
    value === null ? [] : [{ seed: runs[i]?.seed ?? null, value, converged: runs[i]?.converged ?? true }],
  );
  return { points, mean, low, high };
}

/** Test accuracy. */
export function accuracyFigure(cell: Cell): SeedFigure {
  return seedFigure(cell.runs, cell.numbers.testAccuracy);
}
