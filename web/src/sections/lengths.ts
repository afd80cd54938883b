// Accuracy on longer sequences than training had.
import { listing, percent } from "../base/text.ts";
import { bandMarks, SHARE_AXIS } from "../chart/marks.ts";
import { panelChart } from "../chart/panels.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { SectionSpec } from "../page/section.ts";
import type { Table, Value } from "../page/table.ts";
import { seedFigure, type SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

interface LengthCell {
  shown: ShownCell;
  points: { factor: number; longest: number | null; figure: SeedFigure }[];
}

interface LengthPanel {
  panel: PanelCells;
  cells: LengthCell[];
}

const LENGTHS: FigureSpec = {
  id: "length-generalisation",
  title: "Accuracy on longer sequences",
  content(view): FigureContent | null {
    const panels = panelsOf(view);
    if (panels.length === 0) return null;
    const entries = new Map(panels.flatMap(({ cells }) => cells.map(({ shown }) => [shown.entry.key, shown.entry] as const)));
    return {
      finding: panels.map(finding),
      note: "Bands are 95 % intervals over seeds.",
      key: [...entries.values()].map((entry) => ({ label: entry.key, entry })),
      table: () => tableOf(panels),
      chart: (width, look) =>
        panelChart(
          panels.map(({ panel, cells }) => ({
            title: panel.title,
            traces: cells.flatMap(({ shown, points }) =>
              bandMarks(
                {
                  label: shown.label,
                  style: shown.entry.style,
                  x: points.map((point) => point.factor),
                  mean: points.map((point) => point.figure.mean),
                  low: points.map((point) => point.figure.low),
                  high: points.map((point) => point.figure.high),
                  band: "95 % interval",
                  show: percent,
                  markers: true,
                },
                look,
              ),
            ),
            x: { title: "times the longest training length", tickmode: "array", tickvals: [...new Set(cells.flatMap((cell) => cell.points.map((point) => point.factor)))] },
            y: { ...SHARE_AXIS, title: "accuracy" },
            height: 250,
          })),
          width,
          look,
          { left: 62, leastWidth: 250, mostColumns: 2 },
        ),
    };
  },
};

export const LENGTHS_SECTION: SectionSpec = {
  id: "lengths",
  title: "Lengths",
  subject: "longer sequences",
  figures: [LENGTHS],
};

function panelsOf(view: View): LengthPanel[] {
  return view.panels.flatMap((panel) => {
    const cells = panel.cells.flatMap((shown): LengthCell[] => {
      const points = shown.cell.lengths.map(({ factor, longest, accuracy }) => ({ factor, longest, figure: seedFigure(shown.cell, accuracy, view.filters.convergedOnly) }));
      return points.some((point) => point.figure.mean !== null) ? [{ shown, points }] : [];
    });
    return cells.length > 0 ? [{ panel, cells }] : [];
  });
}

function finding({ panel, cells }: LengthPanel): string {
  const factor = Math.max(...cells.flatMap((cell) => cell.points.map((point) => point.factor)));
  const far = cells.flatMap(({ shown, points }) => {
    const mean = points.find((point) => point.factor === factor)?.figure.mean ?? null;
    return mean === null ? [] : [{ label: shown.short, mean }];
  });
  if (far.length === 0) return `${panel.title}: nothing was measured at ${factor} times the length`;
  far.sort((a, b) => b.mean - a.mean);
  const named = far.slice(0, 3).map((it) => `${it.label} ${percent(it.mean)}`);
  return `${panel.title}: at ${factor} times the training length ${listing(named)}${far.length > 3 ? " do best" : ""}`;
}

function tableOf(panels: readonly LengthPanel[]): Table {
  const rows: Value[][] = [];
  for (const { panel, cells } of panels) {
    for (const { shown, points } of cells) {
      for (const { factor, longest, figure } of points) rows.push([shown.label, panel.task, panel.protocol, factor, longest, figure.mean, figure.low, figure.high, figure.points.length]);
    }
  }
  const share = (value: number): string => percent(value, 2);
  return {
    caption: "Accuracy by sequence length",
    columns: [{ name: "encoding" }, { name: "task" }, { name: "protocol" }, { name: "factor" }, { name: "longest" }, { name: "mean", show: share }, { name: "low", show: share }, { name: "high", show: share }, { name: "runs" }],
    rows,
  };
}
