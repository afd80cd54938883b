// What switching heads off did: one question (importance or position) of one cell.
import { readBounded, readSeedNumber, type Bounded, type SeedNumber } from "./interval.ts";
import { countOf, flagOf, listOf, numberOf, numbersOf, objectOf, objectOrNull, textOf } from "./reader.ts";

export const VERDICTS = ["DEPOSIT", "PARTIAL", "SPREAD", "NOT USED", "UNDETERMINED"] as const;

export interface LayerVerdict {
  layer: number;
  verdict: string;
  redundant: boolean;
  reason: string;
  drop: Bounded;
  top: number;
  maxShare: Bounded;
  n2: Bounded;
}

export interface SeedHeads {
  id: string;
  seed: number;
  converged: boolean;
  accuracy: number | null;
  verdict: string;
  layer: number;
  reason: string;
  drops: (number | null)[][];
  accuracies: (number | null)[][];
  layers: LayerVerdict[];
}

export interface EncodingVerdict {
  verdict: string;
  reason: string;
  maxShare: Bounded;
  n2: Bounded;
}

export interface Question {
  overSeeds: EncodingVerdict | null;
  /** By layer: drops of its heads from the largest down, means over seeds. */
  sortedDrops: (number | null)[][];
  seeds: SeedHeads[];
}

export interface Removal {
  layer: number;
  withoutPosition: SeedNumber;
  withoutInputTerm: SeedNumber;
  random: SeedNumber;
}

export interface SnapshotShares {
  maxShare: SeedNumber;
  leading: number | null;
}

export interface Snapshot {
  step: number;
  accuracy: SeedNumber;
  position: SnapshotShares;
  importance: SnapshotShares;
}

/** Heads of one run switched off as the released code does it: the last one of every earlier layer is still off. */
export interface PublishedSeed {
  id: string;
  seed: number;
  baseline: number | null;
  /** Columns of latents in place of heads. */
  latents: boolean;
  accuracies: (number | null)[][];
}

export function readQuestion(json: unknown): Question | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  return {
    overSeeds: readEncodingVerdict(from["over_seeds"]),
    sortedDrops: listOf(from["sorted_drops"], numbersOf),
    seeds: listOf(from["seeds"], readSeedHeads),
  };
}

export function readRemoval(json: unknown): Removal {
  const from = objectOf(json);
  return {
    layer: countOf(from["layer"]),
    withoutPosition: readSeedNumber(from["without_position"]),
    withoutInputTerm: readSeedNumber(from["without_input_term"]),
    random: readSeedNumber(from["random"]),
  };
}

export function readSnapshot(json: unknown): Snapshot {
  const from = objectOf(json);
  return {
    step: countOf(from["step"]),
    accuracy: readSeedNumber(from["accuracy"]),
    position: readShares(from["position"]),
    importance: readShares(from["importance"]),
  };
}

export function readPublishedSeed(json: unknown): PublishedSeed {
  const from = objectOf(json);
  const ablation = objectOf(from["ablation"]);
  return {
    id: textOf(from["id"]),
    seed: countOf(from["seed"]),
    baseline: numberOf(ablation["baseline"]),
    latents: textOf(ablation["ablated"]) === "columns of latents",
    accuracies: listOf(ablation["layers"], (layer) => numbersOf(objectOf(layer)["accuracy"])),
  };
}

function readShares(json: unknown): SnapshotShares {
  const from = objectOf(json);
  return { maxShare: readSeedNumber(from["max_share"]), leading: numberOf(from["leading"]) };
}

function readEncodingVerdict(json: unknown): EncodingVerdict | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  return {
    verdict: textOf(from["verdict"]),
    reason: textOf(from["reason"]),
    maxShare: readBounded(from["max_share"]),
    n2: readBounded(from["n2"]),
  };
}

function readSeedHeads(json: unknown): SeedHeads {
  const from = objectOf(json);
  return {
    id: textOf(from["id"]),
    seed: countOf(from["seed"]),
    converged: flagOf(from["converged"]),
    accuracy: numberOf(from["accuracy"]),
    verdict: textOf(from["verdict"]),
    layer: countOf(from["layer"]),
    reason: textOf(from["reason"]),
    drops: listOf(from["loss_drops"], numbersOf),
    accuracies: listOf(from["accuracies"], numbersOf),
    layers: listOf(from["layers"], readLayerVerdict),
  };
}

function readLayerVerdict(json: unknown): LayerVerdict {
  const from = objectOf(json);
  return {
    layer: countOf(from["layer"]),
    verdict: textOf(from["verdict"]),
    redundant: flagOf(from["redundant"]),
    reason: textOf(from["reason"]),
    drop: readBounded(from["layer_drop"]),
    top: countOf(from["top"]),
    maxShare: readBounded(from["max_share"]),
    n2: readBounded(from["n2"]),
  };
}
