// What is computed here rather than by the program: means of the runs that a filter leaves.

export interface Estimate {
  mean: number | null;
  low: number | null;
  high: number | null;
}

/** Where a number can lie: no interval of it reaches further. */
export type Range = readonly [low: number, high: number];
export const SHARE: Range = [0, 1];
const ANYWHERE: Range = [-Infinity, Infinity];

// 97.5 % quantiles of Student's t with 1, 2, ... degrees of freedom.
const T_QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean with a 95 % interval by Student's t; no interval of a single value. */
export function studentEstimate(values: readonly number[], [least, most]: Range = ANYWHERE): Estimate {
  const mean = meanOf(values);
  if (mean === null || values.length < 2) return { mean, low: null, high: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  const reach = (T_QUANTILES[values.length - 2] ?? 1.96) * error;
  return { mean, low: Math.max(least, mean - reach), high: Math.min(most, mean + reach) };
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

/** The smallest two-sided p that a permutation of n against m runs can reach. */
export function smallestP(n: number, m: number): number {
  let ways = 1;
  for (let i = 1; i <= m; i++) ways = (ways * (n + i)) / i;
  return Math.min(1, (n === m ? 2 : 1) / ways);
}
