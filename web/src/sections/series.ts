// Lines over training steps: one per encoding, with a band.
import { byText, listing } from "../base/text.ts";
import type { Look } from "../chart/look.ts";
import { bandMarks, type Band } from "../chart/marks.ts";
import { panelChart, type Chart } from "../chart/panels.ts";
import type { Layout } from "../chart/plotly.ts";
import { entryKey, type KeyItem } from "../page/key.ts";
import type { Table, Value } from "../page/table.ts";
import type { Curve } from "../report/curves.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

export interface Series {
  shown: ShownCell;
  steps: number[];
  mean: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

export interface SeriesPanel {
  panel: PanelCells;
  series: Series[];
}

export function seriesPanels(view: View, series: (shown: ShownCell) => Series | null): SeriesPanel[] {
  return view.panels.flatMap((panel) => {
    const found = panel.cells.flatMap((shown) => series(shown) ?? []);
    return found.length > 0 ? [{ panel, series: found }] : [];
  });
}

export function seriesChart(
  panels: readonly SeriesPanel[],
  width: number,
  look: Look,
  axis: Layout,
  title: string,
  show: (value: number) => string,
): Chart {
  const made = panels.map(({ panel, series }) => ({
    title: panel.title,
    traces: series.flatMap((it) => bandMarks(bandOf(it, show), look)),
    x: { title: "step", rangemode: "tozero" },
    y: { ...axis, title },
    height: 250,
  }));
  return panelChart(made, width, look, { left: 62, leastWidth: 250, mostColumns: 2 });
}

function bandOf({ shown, steps, mean, low, high }: Series, show: (value: number) => string): Band {
  return { label: shown.label, style: shown.entry.style, x: steps, mean, low, high, band: "95 % interval", show };
}

export function seriesKey(panels: readonly SeriesPanel[]): KeyItem[] {
  return entryKey(panels.flatMap(({ series }) => series.map(({ shown }) => shown.entry)));
}

export function seriesTable(panels: readonly SeriesPanel[], title: string, show: (value: number) => string): Table {
  const rows: Value[][] = [];
  for (const { panel, series } of panels) {
    for (const { shown, steps, mean, low, high } of series) {
      steps.forEach((step, i) => rows.push([shown.label, panel.task, panel.protocol, step, mean[i] ?? null, low[i] ?? null, high[i] ?? null]));
    }
  }
  return {
    caption: `Mean ${title} over training`,
    columns: [{ name: "encoding" }, { name: "task" }, { name: "protocol" }, { name: "step" }, { name: "mean", show }, { name: "low", show }, { name: "high", show }],
    rows,
  };
}

/** A curve with the program's means and intervals; null where it has none. */
export function curveSeries(shown: ShownCell, steps: number[], curve: Curve | undefined): Series | null {
  if (curve === undefined || curve.mean.every((value) => value === null)) return null;
  return { shown, steps, mean: curve.mean, low: curve.low, high: curve.high };
}

/** Between which values the series end, and whose they are; null where none has a value. */
export function ends(series: readonly Series[], show: (value: number) => string): string | null {
  const last = series.flatMap(({ shown, mean }) => {
    const value = [...mean].reverse().find((it) => it !== null) ?? null;
    return value === null ? [] : [{ label: shown.short, value }];
  });
  const groups = byText(last.sort((a, b) => a.value - b.value), (it) => show(it.value));
  const [least, most] = [groups[0], groups[groups.length - 1]];
  if (least === undefined || most === undefined) return null;
  if (least === most) return `ends at ${least.text}`;
  const named = ({ text, items }: typeof least): string => `${text} (${listing(items.map((it) => it.label), 4)})`;
  return `ends between ${named(least)} and ${named(most)}`;
}
