// Panels whose rows are encodings: names at the left, a number along x.
import { shorten } from "../base/text.ts";
import { plain } from "./markup.ts";
import type { Layout } from "./plotly.ts";

const LETTER = 6.6;

export interface RowAxis {
  y: Layout;
  height: number;
}

/** Rows from the top down at y = 0, 1, ... */
export function rowAxis(labels: readonly string[], left: number, rowHeight = 30): RowAxis {
  const fits = Math.max(6, Math.floor((left - 14) / LETTER));
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

export interface RowNames {
  /** By panel. */
  labels: string[][];
  /** Room at the left for the longest of them. */
  left: number;
}

/** Names of rows: the whole expression where there is room for it, else the short name. */
export function rowNames(panels: readonly (readonly { label: string; short: string }[])[], width: number): RowNames {
  const most = width < 520 ? 116 : 190;
  const room = (text: string): number => text.length * LETTER + 16;
  const labels = panels.map((rows) => rows.map(({ label, short }) => (room(label) <= most ? label : short)));
  const widest = Math.max(44, ...labels.flat().map(room));
  return { labels, left: Math.round(Math.min(widest, most)) };
}

/** Offsets that keep the points of a row apart: the same for the same number of points. */
export function spread(index: number, count: number, reach = 0.22): number {
  return count < 2 ? 0 : -reach + (2 * reach * index) / (count - 1);
}
