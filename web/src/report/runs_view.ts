// What was measured of the finished runs of a cell, with the program's means and intervals.
import { readCurves, readTelemetry, type Curves, type Telemetry } from "./curves.ts";
import { readRemoval, readSnapshot, type Removal, type Snapshot } from "./heads.ts";
import { readSeedNumber, type SeedNumber } from "./interval.ts";
import { readLearned, type Learned } from "./learned.ts";
import { countOf, listOf, numberOf, numbersOf, objectOf, objectOrNull, textOf, type JsonObject } from "./reader.ts";
import type { Run } from "./run.ts";

export interface Length {
  factor: number;
  longest: number | null;
  accuracy: SeedNumber;
}

export interface Spectrum {
  contractionStart: SeedNumber;
  contractionEnd: SeedNumber;
  /** Where the intervals lie, in words. */
  contractionStartInterval: string;
  contractionEndInterval: string;
  headContractionsStart: (number | null)[][];
  headContractionsEnd: (number | null)[][];
}

export interface RunsView {
  /** Whose values these are, in their order. */
  runs: Run[];
  curves: Curves;
  lengths: Length[];
  spectrum: Spectrum | null;
  removal: Removal[];
  snapshots: Snapshot[];
  learned: Learned;
  telemetry: Telemetry | null;
}

export function readRunsView(from: JsonObject, telemetry: unknown, runs: Run[]): RunsView {
  return {
    runs,
    curves: readCurves(from["curves"]),
    lengths: listOf(from["lengths"], readLength),
    spectrum: readSpectrum(from["spectrum"]),
    removal: listOf(from["removal"], readRemoval),
    snapshots: listOf(from["snapshots"], readSnapshot),
    learned: readLearned(from["learned"]),
    telemetry: readTelemetry(telemetry),
  };
}

function readLength(json: unknown): Length {
  const from = objectOf(json);
  return {
    factor: countOf(from["factor"]),
    longest: numberOf(from["longest"]),
    accuracy: readSeedNumber(from["accuracy"]),
  };
}

function readSpectrum(json: unknown): Spectrum | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  return {
    contractionStart: readSeedNumber(from["contraction_start"]),
    contractionEnd: readSeedNumber(from["contraction_end"]),
    contractionStartInterval: textOf(from["contraction_start_interval"]),
    contractionEndInterval: textOf(from["contraction_end_interval"]),
    headContractionsStart: listOf(from["head_contractions_start"], numbersOf),
    headContractionsEnd: listOf(from["head_contractions_end"], numbersOf),
  };
}
