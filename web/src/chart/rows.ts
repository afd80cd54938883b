// Panels whose rows are encodings: names at the left, a number along x.
import { shorten } from "../base/text.ts";
import { plain } from "./markup.ts";
import type { Layout } from "./plotly.ts";

export interface RowAxis {
  y: Layout;
  height: number;
}

/** Rows from the top down at y = 0, 1, ... */
export function rowAxis(labels: readonly string[], left: number, rowHeight = 30): RowAxis {
  const fits = Math.max(6, Math.floor((left - 14) / 6.6));
  return {
    height: Math.max(1, labels.length) * rowHeight,
    y: {
      range: [labels.length - 0.5, -0.5],
      tickmode: "array",
      tickvals: labels.map((_, row) => row),
      ticktext: labels.map((label) => plain(shorten(label, fits))),
      showgrid: true,
      ticks: "",
      fixedrange: true,
    },
  };
}

/** Room at the left for the longest of the labels. */
export function roomFor(labels: readonly string[], width: number): number {
  const longest = labels.reduce((most, label) => Math.max(most, label.length), 4);
  return Math.round(Math.min(longest * 6.6 + 16, width < 520 ? 116 : 190));
}

/** Offsets that keep the points of a row apart: the same for the same number of points. */
export function spread(index: number, count: number, reach = 0.22): number {
  return count < 2 ? 0 : -reach + (2 * reach * index) / (count - 1);
}
