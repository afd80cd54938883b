// What the encoding of a cell has learned, over seeds.
import { readSeedNumber, type SeedNumber } from "./interval.ts";
import { listOf, numberOf, numbersOf, objectOf, textOf } from "./reader.ts";

export interface LearnedNumber {
  name: string;
  /** Null: all layers, or heads, share it. */
  layer: number | null;
  head: number | null;
  start: SeedNumber;
  end: SeedNumber;
}

/** A tensor whose numbers are left out: they mean little one by one. */
export interface LeftOutTable {
  name: string;
  shape: (number | null)[];
}

export interface Learned {
  numbers: LearnedNumber[];
  tables: LeftOutTable[];
}

export function readLearned(json: unknown): Learned {
  const from = objectOf(json);
  return { numbers: listOf(from["numbers"], readNumber), tables: listOf(from["tables"], readTable) };
}

function readNumber(json: unknown): LearnedNumber {
  const from = objectOf(json);
  return {
    name: textOf(from["name"]),
    layer: numberOf(from["layer"]),
    head: numberOf(from["head"]),
    start: readSeedNumber(from["start"]),
    end: readSeedNumber(from["end"]),
  };
}

function readTable(json: unknown): LeftOutTable {
  const from = objectOf(json);
  return { name: textOf(from["name"]), shape: numbersOf(from["shape"]) };
}
