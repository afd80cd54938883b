// Cells that differ in how many heads of every layer rotate: nope, rope[heads=0], rope[heads=0-1], ..., rope.

/** Whether only the first k heads rotate, with some but not all of them. */
export function isPartlyRotary(encoding: string): boolean {
  return firstHeads(encoding) !== null;
}

/** How many heads rotate, or null where that is not what the encoding is about. */
export function rotaryHeads(encoding: string, heads: number): number | null {
  if (encoding === "nope") return 0;
  if (encoding === "rope") return heads;
  return firstHeads(encoding);
}

function firstHeads(encoding: string): number | null {
  const match = /^rope\[heads=0(?:-(\d+))?\]$/.exec(encoding);
  return match === null ? null : Number(match[1] ?? 0) + 1;
}
