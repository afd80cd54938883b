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
import type { SeedNumber } from "../report/interval.ts";
import type { Run } from "../report/run.ts";
import { seedFigure, type SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

type Moment = "start" | "end";

interface ContractionRow {
  shown: ShownCell;
  moment: Moment;
  figure: SeedFigure;
  /** Where the interval lies, in words. */
  interval: string;
  heads: HeadContraction[];
}

interface HeadContraction {
  value: number;
  run: number;
  head: number;
  converged: boolean;
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
      note: `Largest singular value of a head's logits, divided by the same with all angles at zero: below 1 is contraction. Small points are heads of all seeds, hollow where the run did not converge, large ones means of all finished runs, each the mean over its heads. Encodings that turn nothing have 1 by definition, and are left out.`,
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
  return view.panels.flatMap((panel) => {
    const rows = panel.cells.flatMap((shown): ContractionRow[] => {
      const { runs, spectrum } = shown.cell.finished;
      if (spectrum === null) return [];
      const row = (moment: Moment, number: SeedNumber, interval: string, heads: (number | null)[][]): ContractionRow => ({
        shown,
        moment,
        figure: seedFigure(runs, number),
        interval,
        heads: headsOf(runs, heads),
      });
      const rows = [
        row("start", spectrum.contractionStart, spectrum.contractionStartInterval, spectrum.headContractionsStart),
        row("end", spectrum.contractionEnd, spectrum.contractionEndInterval, spectrum.headContractionsEnd),
      ];
      return rows.some(turns) ? rows : [];
    });
    return rows.length > 0 ? [{ panel, rows }] : [];
  });
}

function turns({ figure, heads }: ContractionRow): boolean {
  return [...figure.points, ...heads].some(({ value }) => Math.abs(value - 1) > EXACT);
}

/** `contractions`: by run, then by head. */
function headsOf(runs: readonly Run[], contractions: (number | null)[][]): HeadContraction[] {
  return contractions.flatMap((values, run) =>
    values.flatMap((value, head) => (value === null ? [] : [{ value, run, head, converged: runs[run]?.converged ?? true }])),
  );
}

function panelOf({ panel, rows }: ContractionPanel, axis: RowAxis, look: Look): Panel {
  const traces = rows.flatMap((row, at): Trace[] => {
    const { style } = row.shown.entry;
    const colour = colourOf(style, look);
    const { heads } = row;
    const points: Trace = {
      type: "scatter",
      mode: "markers",
      meta: "heads",
      showlegend: false,
      x: heads.map((it) => it.value),
      y: heads.map((_, i) => at + 0.2 + spread((i * 7) % 11, 11, 0.14)),
      marker: { color: faded(colour, 0.45), size: 4, symbol: heads.map((it) => (it.converged ? "circle" : "circle-open")) },
      hoverinfo: "text",
      hovertext: heads.map((it) => hoverLines(`${row.shown.label}, ${WORDS[row.moment]}`, `run ${it.run}, head ${it.head} of all: ${figure(it.value)}`, it.converged ? "" : "did not converge")),
    };
    return [points, ...rowMarks({ label: label(row), style, figure: { ...row.figure, points: [] } }, at, look, figure)];
  });
  return { title: panel.title, traces, x: { title: "contraction" }, y: axis.y, height: axis.height, shapes: [verticalLine(1, look, "solid")] };
}

function finding({ panel, rows }: ContractionPanel): string {
  const words = rows.flatMap((row) => {
    const { mean } = row.figure;
    return mean === null ? [] : [`${row.shown.short} ${WORDS[row.moment]} ${figure(mean, 3)} (${row.interval})`];
  });
  return `${panel.title}: ${listing(words, 4)}`;
}

function tableOf(panels: readonly ContractionPanel[]): Table {
  const rows: Value[][] = [];
  for (const { panel, rows: list } of panels) {
    for (const { shown, moment, figure: of, heads } of list) {
      const all = heads.map((it) => it.value);
      rows.push([shown.label, panel.task, panel.protocol, WORDS[moment], of.mean, of.low, of.high, all.length, all.filter((value) => value < 1).length, all.join(" ")]);
    }
  }
  return {
    caption: "Contraction of the logits' largest singular value",
    columns: ["encoding", "task", "protocol", "when", "mean", "low", "high", "heads", "below 1", "values of heads"].map((name) => ({ name })),
    rows,
  };
}
