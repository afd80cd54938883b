// Numbers and lists in words.

/** "a", "a and b", "a, b and c". */
export function listing(items: readonly string[], most = Infinity): string {
  if (items.length > most) return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1] ?? ""}`;
}

/** Items in their order, those that look the same to a reader together. */
export function byText<T>(items: readonly T[], textOf: (item: T) => string): { text: string; items: T[] }[] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(textOf(item), [...(groups.get(textOf(item)) ?? []), item]);
  return [...groups].map(([text, same]) => ({ text, items: same }));
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A share as "93.2 %"; "—" where there is none. */
export function percent(share: number | null, digits = 1): string {
  return share === null || !Number.isFinite(share) ? "—" : `${(100 * share).toFixed(digits)} %`;
}

/** "93.2 % (91.0 to 95.1)"; no interval is made of values without spread. */
export function percentWithin(mean: number | null, low: number | null, high: number | null): string {
  if (mean === null) return "—";
  if (low === null || high === null) return percent(mean);
  if (low === high) return `${percent(mean)} (all equal)`;
  return `${percent(mean)} (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})`;
}

/** A number with about four digits that matter. */
export function figure(value: number | null, digits = 4): string {
  if (value === null || Number.isNaN(value)) return "—";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return minus(String(value));
  if (size < 1e-4 || size >= 1e6) return minus(value.toExponential(Math.max(0, digits - 2)));
  return minus(String(Number(value.toPrecision(digits))));
}

export function signed(value: number | null, digits = 1): string {
  if (value === null) return "—";
  return (value > 0 ? "+" : "") + minus(value.toFixed(digits));
}

export function probability(p: number | null): string {
  if (p === null) return "—";
  if (p >= 0.1) return p.toFixed(2);
  return p > 0 && p < 0.001 ? p.toExponential(1) : String(Number(p.toPrecision(2)));
}

function minus(text: string): string {
  return text.replace(/^-/, "−");
}

/** At most `most` characters, cut in the middle: both ends of an expression tell it apart from others. */
export function shorten(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const tail = Math.floor((most - 1) / 3);
  return `${characters.slice(0, most - 1 - tail).join("")}…${characters.slice(characters.length - tail).join("")}`;
}

/** Words that run from right to left, and what stands between them, in isolates: numbers beside them stay where they are. */
export function isolated(text: string): string {
  const letter = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]";
  return text.replace(new RegExp(`${letter}+(?:[ '\"-]+${letter}+)*`, "gu"), (words) => `\u2068${words}\u2069`);
}

/** A part of a file name: letters, digits and dashes. */
export function fileName(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "figure";
}
