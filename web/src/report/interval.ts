import { countOf, numberOf, numbersOf, objectOf } from "./reader.ts";

/** A number over seeds: the values in the order of the cell's runs, and their mean with its 95 % interval. */
export interface SeedNumber {
  values: (number | null)[];
  count: number;
  mean: number | null;
  low: number | null;
  high: number | null;
}

export interface Bounded {
  value: number | null;
  low: number | null;
  high: number | null;
}

export function readSeedNumber(json: unknown): SeedNumber {
  const from = objectOf(json);
  return {
    values: numbersOf(from["values"]),
    count: countOf(from["count"]),
    mean: numberOf(from["mean"]),
    low: numberOf(from["low"]),
    high: numberOf(from["high"]),
  };
}

export function readBounded(json: unknown): Bounded {
  const from = objectOf(json);
  return { value: numberOf(from["value"]), low: numberOf(from["low"]), high: numberOf(from["high"]) };
}
