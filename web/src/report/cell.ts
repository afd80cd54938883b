// A cell of a study: runs that differ in their seed alone, with everything that was measured of them.
import { readCurves, readHeadCurves, readTelemetry, type Curves, type HeadCurves, type Telemetry } from "./curves.ts";
import {
  readPublishedSeed,
  readQuestion,
  readRemoval,
  readSnapshot,
  type PublishedSeed,
  type Question,
  type Removal,
  type Snapshot,
} from "./heads.ts";
import { readSeedNumber, type SeedNumber } from "./interval.ts";
import {
  countOf,
  flagOf,
  listOf,
  numberOf,
  numbersOf,
  objectOf,
  objectOrNull,
  textOf,
  type JsonObject,
} from "./reader.ts";

export interface CellName {
  task: string;
  protocol: string;
  encoding: string;
  variant: string;
}

export interface Run {
  id: string;
  seed: number;
  learningRate: number | null;
  steps: number | null;
  parameters: number | null;
  converged: boolean;
}

export interface Floors {
  chance: number | null;
  length: number | null;
  rule: number | null;
  ceiling: number | null;
}

export interface Numbers {
  runs: number;
  testAccuracy: SeedNumber;
  trainAccuracy: SeedNumber;
  testLoss: SeedNumber;
  generalisationGap: SeedNumber;
  success: { successes: number; trials: number; low: number | null; high: number | null } | null;
  stepsTo90: { reached: number; never: number; median: number | null };
}

export interface Spectrum {
  contractionStart: SeedNumber;
  contractionEnd: SeedNumber;
  headContractionsStart: (number | null)[][];
  headContractionsEnd: (number | null)[][];
}

export interface Cell {
  name: CellName;
  title: string;
  planned: number;
  runs: Run[];
  unconverged: number;
  failed: number;
  layers: number;
  heads: number;
  floors: Floors | null;
  all: Numbers;
  claimable: Numbers;
  curves: Curves;
  lengths: { factor: number; longest: number | null; accuracy: SeedNumber }[];
  spectrum: Spectrum | null;
  position: Question | null;
  importance: Question | null;
  removal: Removal[];
  snapshots: Snapshot[];
  published: PublishedSeed[];
  config: JsonObject | null;
  command: string;
  telemetry: Telemetry | null;
  headCurves: HeadCurves | null;
}

export function readCellName(json: unknown): CellName {
  const from = objectOf(json);
  return {
    task: textOf(from["task"]),
    protocol: textOf(from["protocol"]),
    encoding: textOf(from["encoding"]),
    variant: textOf(from["variant"]),
  };
}

export function readCell(summary: unknown, extra: unknown): Cell {
  const from = objectOf(summary);
  const beside = objectOf(extra);
  return {
    name: readCellName(from["cell"]),
    title: textOf(from["name"]),
    planned: countOf(from["planned"]),
    runs: listOf(from["runs"], readRun),
    unconverged: listOf(from["unconverged"], textOf).length,
    failed: listOf(from["failed"], textOf).length,
    layers: countOf(from["layers"]),
    heads: countOf(from["heads"]),
    floors: readFloors(from["floors"]),
    all: readNumbers(from["all"]),
    claimable: readNumbers(from["claimable"]),
    curves: readCurves(from["curves"]),
    lengths: listOf(from["lengths"], readLength),
    spectrum: readSpectrum(from["spectrum"]),
    position: readQuestion(from["position"]),
    importance: readQuestion(from["importance"]),
    removal: listOf(from["removal"], readRemoval),
    snapshots: listOf(from["snapshots"], readSnapshot),
    published: listOf(from["published"], readPublishedSeed),
    config: objectOrNull(beside["config"]),
    command: textOf(beside["command"]),
    telemetry: readTelemetry(beside["telemetry"]),
    headCurves: readHeadCurves(beside["head_curves"]),
  };
}

function readRun(json: unknown): Run {
  const from = objectOf(json);
  return {
    id: textOf(from["id"]),
    seed: countOf(from["seed"]),
    learningRate: numberOf(from["learning_rate"]),
    steps: numberOf(from["steps"]),
    parameters: numberOf(from["parameters"]),
    converged: flagOf(from["converged"]),
  };
}

function readFloors(json: unknown): Floors | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  return {
    chance: numberOf(from["chance"]),
    length: numberOf(from["length"]),
    rule: numberOf(from["rule"]),
    ceiling: numberOf(from["ceiling"]),
  };
}

function readNumbers(json: unknown): Numbers {
  const from = objectOf(json);
  const success = objectOrNull(from["success"]);
  const steps = objectOf(from["steps_to_90"]);
  return {
    runs: countOf(from["runs"]),
    testAccuracy: readSeedNumber(from["test_accuracy"]),
    trainAccuracy: readSeedNumber(from["train_accuracy"]),
    testLoss: readSeedNumber(from["test_loss"]),
    generalisationGap: readSeedNumber(from["generalisation_gap"]),
    success: success && {
      successes: countOf(success["successes"]),
      trials: countOf(success["trials"]),
      low: numberOf(success["low"]),
      high: numberOf(success["high"]),
    },
    stepsTo90: {
      reached: countOf(steps["reached"]),
      never: countOf(steps["never"]),
      median: numberOf(steps["median"]),
    },
  };
}

function readLength(json: unknown): Cell["lengths"][number] {
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
    headContractionsStart: listOf(from["head_contractions_start"], numbersOf),
    headContractionsEnd: listOf(from["head_contractions_end"], numbersOf),
  };
}
