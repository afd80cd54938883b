// Lines over training steps: one per encoding, with a band.
import { studentEstimate, type Range } from "../base/statistics.ts";
import { byText, listing } from "../base/text.ts";
import type { Look } from "../chart/look.ts";
import { bandMarks, type Band } from "../chart/marks.ts";
import { panelChart, type Chart } from "../chart/panels.ts";
import type { Layout } from "../chart/plotly.ts";
import { entryKey, type KeyItem } from "../page/key.ts";
import type { Table, Value } from "../page/table.ts";
import type { Cell } from "../report/cell.ts";
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

export function seriesPanels(view: View, series: (shown: ShownCell, convergedOnly: boolean) => Series | null): SeriesPanel[] {
  return view.panels.flatMap((panel) => {
    const found = panel.cells.flatMap((shown) => series(shown, view.filters.convergedOnly) ?? []);
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

/** A mean of the seeds' own series, where the program gives none. */
export function seedSeries(shown: ShownCell, steps: number[], seeds: (number | null)[][], convergedOnly: boolean, range?: Range): Series | null {
  const kept = keptSeeds(shown.cell, seeds, convergedOnly);
  if (steps.length === 0 || kept.length === 0) return null;
  const estimates = steps.map((_, i) => studentEstimate(kept.flatMap((seed) => seed[i] ?? []), range));
  if (estimates.every((estimate) => estimate.mean === null)) return null;
  return {
    shown,
    steps,
    mean: estimates.map((estimate) => estimate.mean),
    low: estimates.map((estimate) => estimate.low),
    high: estimates.map((estimate) => estimate.high),
  };
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

function keptSeeds(cell: Cell, seeds: (number | null)[][], convergedOnly: boolean): (number | null)[][] {
  if (!convergedOnly || seeds.length !== cell.runs.length) return seeds;
  return seeds.filter((_, i) => cell.runs[i]?.converged);
}
