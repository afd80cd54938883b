// Series of a cell: over training steps, and over the spectrum of its heads.
import { countOf, listOf, numberOf, numbersOf, objectOf, objectOrNull, textOf } from "./reader.ts";

export interface Curve {
  mean: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

export interface Curves {
  steps: number[];
  testAccuracy: Curve;
  trainAccuracy: Curve;
}

export interface Telemetry {
  steps: number[];
  gradientNorm: Curve;
  testLoss: Curve;
  learningRate: (number | null)[];
}

/** Of the variance of logits. */
export interface PartShare {
  part: string;
  share: number;
}

export interface HeadCurve {
  layer: number;
  head: number;
  singular: (number | null)[];
  singularPlain: (number | null)[];
  eigenvalues: (number | null)[][];
  distance: number[];
  kernel: (number | null)[];
  shares: PartShare[];
  contraction: number | null;
}

export interface HeadCurves {
  id: string;
  seed: number | null;
  tokens: number | null;
  /** Mean over heads of the largest singular value of the logits. */
  largestSingular: number | null;
  /** Means over all heads, and over those of a layer. */
  shares: PartShare[];
  layerShares: { layer: number; shares: PartShare[] }[];
  heads: HeadCurve[];
}

export function readCurves(json: unknown): Curves {
  const from = objectOf(json);
  return {
    steps: listOf(from["steps"], countOf),
    testAccuracy: readCurve(from["test_accuracy"]),
    trainAccuracy: readCurve(from["train_accuracy"]),
  };
}

export function readTelemetry(json: unknown): Telemetry | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  return {
    steps: listOf(from["steps"], countOf),
    gradientNorm: readCurve(from["gradient_norm"]),
    testLoss: readCurve(from["test_loss"]),
    learningRate: numbersOf(from["learning_rate"]),
  };
}

export function readHeadCurves(json: unknown): HeadCurves | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  const heads = listOf(from["heads"], readHeadCurve);
  if (heads.length === 0) return null;
  return {
    id: textOf(from["id"]),
    seed: numberOf(from["seed"]),
    tokens: numberOf(from["tokens"]),
    largestSingular: numberOf(from["largest_singular"]),
    shares: readShares(from["shares"]),
    layerShares: listOf(from["layer_shares"], (layer) => ({ layer: countOf(objectOf(layer)["layer"]), shares: readShares(objectOf(layer)["shares"]) })),
    heads,
  };
}

function readCurve(json: unknown): Curve {
  const from = objectOf(json);
  return {
    mean: numbersOf(from["mean"]),
    low: numbersOf(from["low"]),
    high: numbersOf(from["high"]),
  };
}

function readHeadCurve(json: unknown): HeadCurve {
  const from = objectOf(json);
  const kernel = objectOf(from["kernel"]);
  return {
    layer: countOf(from["layer"]),
    head: countOf(from["head"]),
    singular: numbersOf(from["singular"]),
    singularPlain: numbersOf(from["singular_plain"]),
    eigenvalues: listOf(from["eigenvalues"], numbersOf),
    distance: listOf(kernel["distance"], countOf),
    kernel: numbersOf(kernel["value"]),
    shares: readShares(from["shares"]),
    contraction: numberOf(from["contraction"]),
  };
}

function readShares(json: unknown): PartShare[] {
  return Object.entries(objectOf(json)).flatMap(([part, value]) => {
    const share = numberOf(value);
    return share === null ? [] : [{ part, share }];
  });
}
