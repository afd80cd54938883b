// Lines over training steps: one per encoding, with a band.
import { studentEstimate } from "../base/statistics.ts";
import type { Look } from "../chart/look.ts";
import { bandMarks, type Band } from "../chart/marks.ts";
import { panelChart, type Chart } from "../chart/panels.ts";
import type { Layout } from "../chart/plotly.ts";
import type { KeyItem } from "../page/key.ts";
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
  const entries = new Map(panels.flatMap(({ series }) => series.map(({ shown }) => [shown.entry.key, shown.entry] as const)));
  return [...entries.values()].map((entry) => ({ label: entry.key, entry }));
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
export function seedSeries(shown: ShownCell, steps: number[], seeds: (number | null)[][], convergedOnly: boolean): Series | null {
  const kept = keptSeeds(shown.cell, seeds, convergedOnly);
  if (steps.length === 0 || kept.length === 0) return null;
  const estimates = steps.map((_, i) => studentEstimate(kept.flatMap((seed) => seed[i] ?? [])));
  if (estimates.every((estimate) => estimate.mean === null)) return null;
  return {
    shown,
    steps,
    mean: estimates.map((estimate) => estimate.mean),
    low: estimates.map((estimate) => estimate.low),
    high: estimates.map((estimate) => estimate.high),
  };
}

export function extreme(series: readonly Series[], better: (a: number, b: number) => boolean): { label: string; value: number } | null {
  let found: { label: string; value: number } | null = null;
  for (const { shown, mean } of series) {
    const value = [...mean].reverse().find((it) => it !== null) ?? null;
    if (value !== null && (found === null || better(value, found.value))) found = { label: shown.short, value };
  }
  return found;
}

function keptSeeds(cell: Cell, seeds: (number | null)[][], convergedOnly: boolean): (number | null)[][] {
  if (!convergedOnly || seeds.length !== cell.runs.length) return seeds;
  return seeds.filter((_, i) => cell.runs[i]?.converged);
}
