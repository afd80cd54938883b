// Accuracy on longer sequences than training had.
import { byText, listing, percent } from "../base/text.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { SectionSpec } from "../page/section.ts";
import type { Table, Value } from "../page/table.ts";
import { seedFigure } from "../study/seed_points.ts";
import type { ShownCell } from "../study/view.ts";
import { bandChart, bandKey, bandPanels, type BandPanel, type BandPoint } from "./seed_bands.ts";

/** At a multiple of the longest training length. */
interface LengthPoint extends BandPoint {
  longest: number | null;
}

const LENGTHS: FigureSpec = {
  id: "length-generalisation",
  title: "Accuracy on longer sequences",
  content(view): FigureContent | null {
    const panels = bandPanels(view, pointsOf);
    if (panels.length === 0) return null;
    return {
      finding: panels.map(finding),
      note: "Lines are means of all finished runs, bands their 95 % intervals.",
      key: bandKey(panels),
      table: () => tableOf(panels),
      chart: (width, look) =>
        bandChart(panels, width, look, (panel) => ({ title: "times the longest training length", tickmode: "array", tickvals: factorsOf(panel) }), "accuracy"),
    };
  },
};

export const LENGTHS_SECTION: SectionSpec = {
  id: "lengths",
  title: "Lengths",
  subject: "longer sequences",
  figures: [LENGTHS],
};

function pointsOf({ cell }: ShownCell): LengthPoint[] {
  const { runs, lengths } = cell.finished;
  return lengths.map(({ factor, longest, accuracy }) => ({ at: factor, longest, share: seedFigure(runs, accuracy) }));
}

function factorsOf({ cells }: BandPanel<LengthPoint>): number[] {
  return [...new Set(cells.flatMap((cell) => cell.points.map((point) => point.at)))];
}

const NAMED = 3;

function finding(of: BandPanel<LengthPoint>): string {
  const { panel, cells } = of;
  const factor = Math.max(...factorsOf(of));
  const far = cells.flatMap(({ shown, points }) => {
    const mean = points.find((point) => point.at === factor)?.share.mean ?? null;
    return mean === null ? [] : [{ label: shown.short, mean }];
  });
  if (far.length === 0) return `${panel.title}: nothing was measured at ${factor} times the length`;
  const groups = byText(far.sort((a, b) => b.mean - a.mean), (it) => percent(it.mean));
  const named = groups.slice(0, NAMED).map(({ text, items }) => `${listing(items.map((it) => it.label), 6)} ${text}`);
  return `${panel.title}: at ${factor} times the training length ${named.join("; ")}${groups.length > NAMED ? "; the others less" : ""}`;
}

function tableOf(panels: readonly BandPanel<LengthPoint>[]): Table {
  const rows: Value[][] = [];
  for (const { panel, cells } of panels) {
    for (const { shown, points } of cells) {
      for (const { at, longest, share } of points) rows.push([shown.label, panel.task, panel.protocol, at, longest, share.mean, share.low, share.high, share.points.length]);
    }
  }
  const show = (value: number): string => percent(value, 2);
  return {
    caption: "Accuracy by sequence length",
    columns: [{ name: "encoding" }, { name: "task" }, { name: "protocol" }, { name: "factor" }, { name: "longest" }, { name: "mean", show }, { name: "low", show }, { name: "high", show }, { name: "runs" }],
    rows,
  };
}
