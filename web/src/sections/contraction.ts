// How much rotation contracts the largest singular value, before and after training.
import { figure, listing } from "../base/text.ts";
import { colourOf, faded, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { rowMarks, verticalLine } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Trace } from "../chart/plotly.ts";
import { rowAxis, rowNames, spread, type RowAxis } from "../chart/rows.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import type { Cell } from "../report/cell.ts";
import type { SeedNumber } from "../report/interval.ts";
import { seedFigure, type SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

type Moment = "start" | "end";

interface ContractionRow {
  shown: ShownCell;
  moment: Moment;
  figure: SeedFigure;
  /** By run, then by head. */
  heads: (number | null)[][];
}

interface ContractionPanel {
  panel: PanelCells;
  rows: ContractionRow[];
}

const WORDS: Readonly<Record<Moment, string>> = { start: "before training", end: "after training" };
const BRIEFLY: Readonly<Record<Moment, string>> = { start: "before", end: "after" };
const EXACT = 1e-9;

export const CONTRACTION: FigureSpec = {
  id: "contraction",
  title: "Contraction by rotation, before and after training",
  content(view): FigureContent | null {
    const panels = panelsOf(view);
    if (panels.length === 0) return null;
    return {
      finding: panels.map(finding),
      note: "Largest singular value of a head's logits, divided by the same with all angles at zero: below 1 is contraction. Small points are heads of all seeds, large ones means over seeds of the means over heads. Encodings that turn nothing have 1 by definition, and are left out.",
      key: [{ label: "mean, 95 % interval", sign: { kind: "interval" } }, { label: "a head", sign: { kind: "point" } }, { label: "no contraction", sign: { kind: "thin" } }],
      table: () => tableOf(panels),
      chart: (width, look) => {
        const { labels, left } = rowNames(panels.map(({ rows }) => rows.map((row) => ({ label: label(row), short: `${row.shown.short} ${BRIEFLY[row.moment]}` }))), width);
        return panelChart(panels.map((panel, i) => panelOf(panel, rowAxis(labels[i] ?? [], left, 32), look)), width, look, { left, leastWidth: 220, mostColumns: 2 });
      },
    };
  },
};

function label({ shown, moment }: ContractionRow): string {
  return `${shown.label} ${BRIEFLY[moment]}`;
}

function panelsOf(view: View): ContractionPanel[] {
  const only = view.filters.convergedOnly;
  return view.panels.flatMap((panel) => {
    const rows = panel.cells.flatMap((shown): ContractionRow[] => {
      const { spectrum } = shown.cell;
      if (spectrum === null) return [];
      const row = (moment: Moment, number: SeedNumber, heads: (number | null)[][]): ContractionRow => ({
        shown,
        moment,
        figure: seedFigure(shown.cell, number, only),
        heads: keptRuns(shown.cell, heads, only),
      });
      const rows = [row("start", spectrum.contractionStart, spectrum.headContractionsStart), row("end", spectrum.contractionEnd, spectrum.headContractionsEnd)];
      return rows.some(turns) ? rows : [];
    });
    return rows.length > 0 ? [{ panel, rows }] : [];
  });
}

function turns({ figure, heads }: ContractionRow): boolean {
  const values = [...figure.points.map((point) => point.value), ...heads.flat()];
  return values.some((value) => value !== null && Math.abs(value - 1) > EXACT);
}

function keptRuns(cell: Cell, heads: (number | null)[][], convergedOnly: boolean): (number | null)[][] {
  if (!convergedOnly || heads.length !== cell.runs.length) return heads;
  return heads.filter((_, i) => cell.runs[i]?.converged);
}

function panelOf({ panel, rows }: ContractionPanel, axis: RowAxis, look: Look): Panel {
  const traces = rows.flatMap((row, at): Trace[] => {
    const { style } = row.shown.entry;
    const colour = colourOf(style, look);
    const heads = row.heads.flatMap((values, run) => values.flatMap((value, head) => (value === null ? [] : [{ value, run, head }])));
    const points: Trace = {
      type: "scatter",
      mode: "markers",
      meta: "heads",
      showlegend: false,
      x: heads.map((it) => it.value),
      y: heads.map((_, i) => at + 0.2 + spread((i * 7) % 11, 11, 0.14)),
      marker: { color: faded(colour, 0.45), size: 4, symbol: row.moment === "start" ? "circle-open" : "circle" },
      hoverinfo: "text",
      hovertext: heads.map((it) => hoverLines(`${row.shown.label}, ${WORDS[row.moment]}`, `run ${it.run}, head ${it.head} of all: ${figure(it.value)}`)),
    };
    return [points, ...rowMarks({ label: label(row), style, figure: { ...row.figure, points: [] } }, at, look, figure)];
  });
  return { title: panel.title, traces, x: { title: "contraction" }, y: axis.y, height: axis.height, shapes: [verticalLine(1, look, "solid")] };
}

function finding({ panel, rows }: ContractionPanel): string {
  const words = rows.flatMap((row) => {
    const { mean, low, high } = row.figure;
    if (mean === null) return [];
    const sure = high !== null && high < 1 ? "surely below 1" : low !== null && low > 1 ? "surely above 1" : "not surely off 1";
    return [`${row.shown.short} ${WORDS[row.moment]} ${figure(mean, 3)} (${sure})`];
  });
  return `${panel.title}: ${listing(words, 4)}`;
}

function tableOf(panels: readonly ContractionPanel[]): Table {
  const rows: Value[][] = [];
  for (const { panel, rows: list } of panels) {
    for (const { shown, moment, figure: of, heads } of list) {
      const all = heads.flat().filter((value) => value !== null);
      rows.push([shown.label, panel.task, panel.protocol, WORDS[moment], of.mean, of.low, of.high, all.length, all.filter((value) => value < 1).length, all.join(" ")]);
    }
  }
  return {
    caption: "Contraction of the logits' largest singular value",
    columns: ["encoding", "task", "protocol", "when", "mean", "low", "high", "heads", "below 1", "values of heads"].map((name) => ({ name })),
    rows,
  };
}
