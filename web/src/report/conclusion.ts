// What the program concludes, in its own words: answers and oddities.
import { readCellName, type CellName } from "./cell.ts";
import { listOf, numberOf, objectOf, textOf } from "./reader.ts";

export interface RankedCell {
  cell: CellName;
  name: string;
  mean: number | null;
  low: number | null;
  high: number | null;
  /** What a reader must know of its runs: not finished, not converged. */
  runs: string;
  /** "best", "level", "open" or "worse". */
  standing: string;
}

/** Of a task under a protocol. */
export interface Answer {
  task: string;
  protocol: string;
  title: string;
  headline: string;
  sentence: string;
  /** All that it is about. */
  cells: CellName[];
  /** Best first. */
  ranked: RankedCell[];
}

export interface Oddity {
  text: string;
  details: string[];
}

export function readAnswer(json: unknown): Answer {
  const from = objectOf(json);
  return {
    task: textOf(from["task"]),
    protocol: textOf(from["protocol"]),
    title: textOf(from["title"]),
    headline: textOf(from["headline"]),
    sentence: textOf(from["sentence"]),
    cells: listOf(from["cells"], readCellName),
    ranked: listOf(from["ranked"], readRanked),
  };
}

export function readOddity(json: unknown): Oddity {
  const from = objectOf(json);
  return { text: textOf(from["text"]), details: listOf(from["details"], textOf) };
}

function readRanked(json: unknown): RankedCell {
  const from = objectOf(json);
  return {
    cell: readCellName(from["cell"]),
    name: textOf(from["name"]),
    mean: numberOf(from["mean"]),
    low: numberOf(from["low"]),
    high: numberOf(from["high"]),
    runs: textOf(from["runs"]),
    standing: textOf(from["standing"]),
  };
}
