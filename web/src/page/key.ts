// The key of a chart: what colours, markers and lines stand for.
import type { Entry } from "../study/entry.ts";
import { element } from "./dom.ts";
import { encodingSwatch, signSwatch, type Sign } from "./swatch.ts";

export type KeyItem = { label: string; entry: Entry } | { label: string; sign: Sign };

/** Every encoding once. */
export function entryKey(entries: readonly Entry[]): KeyItem[] {
  return [...new Set(entries)].map((entry) => ({ label: entry.key, entry }));
}

export function keyElement(items: readonly KeyItem[]): HTMLElement {
  const list = element("ul", { class: "key", "aria-label": "Key" });
  for (const item of items) {
    const swatch = "entry" in item ? encodingSwatch(item.entry.style) : signSwatch(item.sign);
    list.append(element("li", {}, swatch, element("span", {}, item.label)));
  }
  return list;
}
