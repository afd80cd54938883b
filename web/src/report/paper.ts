// What only a reproduction of the paper has: claims, the audit of its protocol, and its published numbers.
import { countOf, flagOf, listOf, numberOf, numbersOf, objectOf, objectOrNull, textOf } from "./reader.ts";

export interface Evidence {
  what: string;
  value: number | null;
  low: number | null;
  high: number | null;
  unit: string;
  text: string;
}

export interface Claim {
  id: string;
  protocol: string;
  verdict: string;
  postHoc: boolean;
  extension: boolean;
  reason: string;
  needs: string;
  claim: string;
  made: string;
  holds: string;
  fails: string;
  evidence: Evidence[];
}

export interface Change {
  baseMean: number | null;
  mean: number | null;
  change: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  holm: number | null;
  /** At 5 %, by test and by interval. */
  significant: boolean;
  switched: (number | null)[];
}

export interface Switch {
  name: string;
  what: string;
  unconverged: number;
  finished: number;
  failed: number;
  /** The best test accuracy that its samples allow, %. */
  ceiling: number | null;
  accuracy: Change | null;
  maxShare: Change | null;
}

export interface AuditBlock {
  encoding: string;
  base: string;
  finding: string;
  baseAccuracy: number | null;
  baseCeiling: number | null;
  baseMaxShare: number | null;
  switches: Switch[];
}

export interface PublishedPoint {
  at: number;
  low: number | null;
  high: number | null;
  approximate: boolean;
}

export interface Published {
  id: string;
  figure: string;
  task: string;
  subject: string;
  quantity: string;
  axis: string;
  baseline: number | null;
  points: PublishedPoint[];
  provenance: string;
  error: number | null;
  note: string;
}

export function readClaim(json: unknown): Claim {
  const from = objectOf(json);
  const text = (member: string): string => textOf(from[member]);
  return {
    id: text("id"),
    protocol: text("protocol"),
    verdict: text("verdict"),
    postHoc: from["post_hoc"] === true,
    extension: from["extension"] === true,
    reason: text("reason"),
    needs: text("needs"),
    claim: text("claim"),
    made: text("made"),
    holds: text("holds"),
    fails: text("fails"),
    evidence: listOf(from["evidence"], readEvidence),
  };
}

export function readAuditBlock(json: unknown): AuditBlock {
  const from = objectOf(json);
  return {
    encoding: textOf(from["encoding"]),
    base: textOf(from["base"]),
    finding: textOf(from["finding"]),
    baseAccuracy: numberOf(from["base_accuracy"]),
    baseCeiling: numberOf(from["base_ceiling"]),
    baseMaxShare: numberOf(from["base_max_share"]),
    switches: listOf(from["switches"], readSwitch),
  };
}

export function readPublished(json: unknown): Published {
  const from = objectOf(json);
  return {
    id: textOf(from["id"]),
    figure: textOf(from["figure"]),
    task: textOf(from["task"]),
    subject: textOf(from["subject"]),
    quantity: textOf(from["quantity"]),
    axis: textOf(from["axis"]),
    baseline: numberOf(from["baseline"]),
    points: listOf(from["points"], readPoint),
    provenance: textOf(from["provenance"]),
    error: numberOf(from["error"]),
    note: textOf(from["note"]),
  };
}

function readEvidence(json: unknown): Evidence {
  const from = objectOf(json);
  return {
    what: textOf(from["what"]),
    value: numberOf(from["value"]),
    low: numberOf(from["low"]),
    high: numberOf(from["high"]),
    unit: textOf(from["unit"]),
    text: textOf(from["text"]),
  };
}

function readSwitch(json: unknown): Switch {
  const from = objectOf(json);
  const counts = objectOf(from["counts"]);
  return {
    name: textOf(from["switch"]),
    what: textOf(from["what"]),
    unconverged: countOf(counts["unconverged"]),
    finished: countOf(counts["finished"]),
    failed: countOf(counts["failed"]),
    ceiling: numberOf(from["ceiling"]),
    accuracy: readChange(from["accuracy"]),
    maxShare: readChange(from["max_share"]),
  };
}

function readChange(json: unknown): Change | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  return {
    baseMean: numberOf(from["base_mean"]),
    mean: numberOf(from["mean"]),
    change: numberOf(from["change"]),
    low: numberOf(from["low"]),
    high: numberOf(from["high"]),
    p: numberOf(from["p"]),
    holm: numberOf(from["holm"]),
    significant: flagOf(from["significant"]),
    switched: numbersOf(from["switched"]),
  };
}

function readPoint(json: unknown): PublishedPoint {
  const from = objectOf(json);
  return {
    at: countOf(from["at"]),
    low: numberOf(from["low"]),
    high: numberOf(from["high"]),
    approximate: flagOf(from["approximate"]),
  };
}
