// Planned comparisons of two cells, and how learning rates were chosen.
import { readCellName, type CellName } from "./cell.ts";
import { readBounded, type Bounded } from "./interval.ts";
import { countOf, listOf, numberOf, numbersOf, objectOf, objectOrNull, textOf } from "./reader.ts";

export interface ComparedCell {
  cell: CellName;
  values: (number | null)[];
  mean: number | null;
}

export interface Comparison {
  number: string;
  title: string;
  first: ComparedCell;
  second: ComparedCell;
  difference: Bounded | null;
  /** The smallest difference of interest. */
  margin: number | null;
  /** "of interest", "significant", "no difference of interest" or "open". */
  reading: string;
  holm: number | null;
  family: number;
  /** Of the permutation test, which decides nothing. */
  permutationP: number | null;
  sentence: string;
  /** With runs that were added to the study later. */
  extension: boolean;
}

export interface RateTrial {
  rate: number | null;
  accuracy: number | null;
  loss: number | null;
}

export interface RateChoice {
  cell: CellName;
  rate: number | null;
  /** "highest" or "lowest" of those tried, or empty. */
  edge: string;
  trials: RateTrial[];
}

export interface Failure {
  id: string;
  cell: CellName;
  seed: number | null;
  what: string;
}

export function readComparison(json: unknown): Comparison {
  const from = objectOf(json);
  return {
    number: textOf(from["number"]),
    title: textOf(from["title"]),
    first: readCompared(from["first"]),
    second: readCompared(from["second"]),
    difference: objectOrNull(from["difference"]) && readBounded(from["difference"]),
    margin: numberOf(from["margin"]),
    reading: textOf(from["reading"]),
    extension: from["extension"] === true,
    holm: numberOf(from["p_holm"]),
    family: countOf(from["family"]),
    permutationP: numberOf(objectOf(from["permutation"])["p"]),
    sentence: textOf(from["sentence"]),
  };
}

export function readRateChoice(json: unknown): RateChoice {
  const from = objectOf(json);
  return {
    cell: readCellName(from["cell"]),
    rate: numberOf(from["rate"]),
    edge: textOf(from["edge"]),
    trials: listOf(from["trials"], (trial) => {
      const it = objectOf(trial);
      return { rate: numberOf(it["rate"]), accuracy: numberOf(it["accuracy"]), loss: numberOf(it["loss"]) };
    }),
  };
}

export function readFailure(json: unknown): Failure {
  const from = objectOf(json);
  return {
    id: textOf(from["id"]),
    cell: readCellName(from["cell"]),
    seed: numberOf(from["seed"]),
    what: textOf(from["what"]),
  };
}

function readCompared(json: unknown): ComparedCell {
  const from = objectOf(json);
  return { cell: readCellName(from["cell"]), values: numbersOf(from["values"]), mean: numberOf(from["mean"]) };
}
