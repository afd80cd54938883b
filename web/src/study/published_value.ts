// The paper's own number beside a cell.
import type { CellName } from "../report/cell.ts";
import type { Published, PublishedPoint } from "../report/paper.ts";
import { paperName } from "./paper_names.ts";

export interface PublishedValue {
  value: number;
  point: PublishedPoint;
  entry: Published;
}

const LAST_OF = ["epoch", ""];

/** Test accuracies at the end of training: one per figure or table that has the encoding. */
export function publishedAccuracies(published: readonly Published[], name: CellName): PublishedValue[] {
  const subject = paperName(name.encoding, name.protocol);
  if (subject === null || name.variant !== "") return [];
  return published.flatMap((entry) => {
    const isIt = entry.task === name.task && entry.subject === subject && entry.quantity === "test_accuracy";
    if (!isIt || !LAST_OF.includes(entry.axis) || entry.figure === "Fig. 5") return [];
    const last = entry.points.reduce<PublishedPoint | null>(
      (latest, point) => (latest === null || point.at > latest.at ? point : latest),
      null,
    );
    return last === null ? [] : publishedValue(entry, last);
  });
}

export function publishedValue(entry: Published, point: PublishedPoint): PublishedValue[] {
  if (point.low === null || point.high === null) return [];
  return [{ value: (point.low + point.high) / 2, point, entry }];
}

/** "published (Fig. 2, digitised, ± 0.5 points)". */
export function provenanceText({ entry, point }: PublishedValue): string {
  const error = entry.error === null ? "" : `, ± ${Number((100 * entry.error).toPrecision(2))} points`;
  return `published: ${entry.figure}, ${entry.provenance}${error}${point.approximate ? ", approximate" : ""}`;
}
