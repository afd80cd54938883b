// A cell of a study: runs that differ in their seed alone, with everything that was measured of them.
import { readHeadCurves, type HeadCurves } from "./curves.ts";
import {
  readPublishedSeed,
  readQuestion,
  type PublishedSeed,
  type Question,
} from "./heads.ts";
import { readSeedNumber, type SeedNumber } from "./interval.ts";
import { readRun, type Run } from "./run.ts";
import { readRunsView, type RunsView } from "./runs_view.ts";
import {
  countOf,
  listOf,
  numberOf,
  objectOf,
  objectOrNull,
  textOf,
  type JsonObject,
} from "./reader.ts";

export interface CellName {
  task: string;
  protocol: string;
  /** The expression, which identifies. */
  encoding: string;
  variant: string;
  /** What the encoding is called: its author's name, a short form, or the expression. */
  label: string;
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
  numbers: Numbers;
  finished: RunsView;
  position: Question | null;
  importance: Question | null;
  published: PublishedSeed[];
  /** Mean accuracy of the intact models of `published`. */
  publishedBaseline: number | null;
  config: JsonObject | null;
  command: string;
  headCurves: HeadCurves | null;
}

export function readCellName(json: unknown): CellName {
  const from = objectOf(json);
  return {
    task: textOf(from["task"]),
    protocol: textOf(from["protocol"]),
    encoding: textOf(from["encoding"]),
    variant: textOf(from["variant"]),
    label: textOf(from["label"]) || textOf(from["encoding"]),
  };
}

export function readCell(summary: unknown, extra: unknown): Cell {
  const from = objectOf(summary);
  const beside = objectOf(extra);
  const runs = listOf(from["runs"], readRun);
  return {
    name: readCellName(from["cell"]),
    title: textOf(from["name"]),
    planned: countOf(from["planned"]),
    runs,
    unconverged: listOf(from["unconverged"], textOf).length,
    failed: listOf(from["failed"], textOf).length,
    layers: countOf(from["layers"]),
    heads: countOf(from["heads"]),
    floors: readFloors(from["floors"]),
    numbers: readNumbers(from["numbers"]),
    finished: readRunsView(from, beside["telemetry"], runs),
    position: readQuestion(from["position"]),
    importance: readQuestion(from["importance"]),
    published: listOf(from["published"], readPublishedSeed),
    publishedBaseline: numberOf(from["published_baseline"]),
    config: objectOrNull(beside["config"]),
    command: textOf(beside["command"]),
    headCurves: readHeadCurves(beside["head_curves"]),
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
