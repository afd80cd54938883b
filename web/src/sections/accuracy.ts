// Accuracy per encoding: every seed, the mean with its interval, the paper's value, floor and ceiling.
import { byText, listing, percent, percentWithin, plural } from "../base/text.ts";
import { hoverLines } from "../chart/markup.ts";
import { floorLines, floorsOf, rowMarks, SHARE_AXIS } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Look } from "../chart/look.ts";
import type { Trace } from "../chart/plotly.ts";
import { rowAxis, rowNames, type RowAxis } from "../chart/rows.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { KeyItem } from "../page/key.ts";
import type { SectionSpec } from "../page/section.ts";
import type { Table, Value } from "../page/table.ts";
import type { Floors } from "../report/cell.ts";
import { provenanceText, publishedAccuracies, type PublishedValue } from "../study/published_value.ts";
import { accuracyFigure, type SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

interface Row {
  shown: ShownCell;
  figure: SeedFigure;
  published: PublishedValue[];
}

interface Block {
  panel: PanelCells;
  rows: Row[];
  floors: Floors | null;
}

const ACCURACY: FigureSpec = {
  id: "accuracy-by-encoding",
  title: "Test accuracy by encoding",
  content(view): FigureContent | null {
    const blocks = blocksOf(view);
    if (blocks.length === 0) return null;
    return {
      finding: finding(blocks),
      note: `Small marks are single runs, hollow where a run did not converge; large ones are means of all finished runs with 95 % intervals over seeds.`,
      key: keyOf(blocks),
      table: () => tableOf(blocks),
      chart: (width, look) => {
        const { labels, left } = rowNames(blocks.map((block) => block.rows.map((row) => row.shown)), width);
        return panelChart(blocks.map((block, i) => panelOf(block, rowAxis(labels[i] ?? [], left), look)), width, look, { left, leastWidth: 230, mostColumns: 2 });
      },
    };
  },
};

export const ACCURACY_SECTION: SectionSpec = {
  id: "accuracy",
  title: "Accuracy",
  subject: "accuracies",
  figures: [ACCURACY],
};

function blocksOf(view: View): Block[] {
  return view.panels.flatMap((panel) => {
    const rows = panel.cells.map((shown) => ({
      shown,
      figure: accuracyFigure(shown.cell),
      published: publishedAccuracies(view.report.published, shown.cell.name),
    }));
    const floors = panel.cells.map((shown) => shown.cell.floors).find((found) => found !== null) ?? null;
    return rows.some((row) => row.figure.points.length > 0) ? [{ panel, rows, floors }] : [];
  });
}

function finding(blocks: readonly Block[]): string[] {
  return blocks.map(({ panel, rows }) => {
    const sorted = rows.filter((row) => row.figure.mean !== null).sort((a, b) => (b.figure.mean ?? 0) - (a.figure.mean ?? 0));
    const groups = byText(sorted, (row) => percent(row.figure.mean));
    const [best, last] = [groups[0], groups[groups.length - 1]];
    if (best === undefined || last === undefined) return `${panel.title}: no run that counts`;
    const rest = last === best ? "" : `; the lowest ${last.items.length === 1 ? "is" : "are"} ${listing(namesOf(last.items), 4)} with ${last.text}`;
    return `${panel.title}: ${leading(best.text, best.items)}${rest}`;
  });
}

/** No one is first among rows whose means look the same. */
function leading(mean: string, rows: readonly Row[]): string {
  const [only, ...others] = rows;
  if (only === undefined || others.length > 0) return `${plural(rows.length, "encoding")} are at ${mean}: ${listing(namesOf(rows), 12)}`;
  return `${only.shown.short} has the highest mean, ${percentWithin(only.figure.mean, only.figure.low, only.figure.high)}`;
}

function namesOf(rows: readonly Row[]): string[] {
  return rows.map((row) => row.shown.short);
}

function panelOf({ panel, rows, floors }: Block, axis: RowAxis, look: Look): Panel {
  const traces: Trace[] = rows.flatMap(({ shown, figure }, at) =>
    rowMarks({ label: shown.label, style: shown.entry.style, figure }, at, look),
  );
  const published = rows.flatMap((row, at) => row.published.map((value) => ({ value, at, label: row.shown.label })));
  if (published.length > 0) {
    traces.push({
      type: "scatter",
      mode: "markers",
      name: "published",
      meta: "published",
      x: published.map((it) => it.value.value),
      y: published.map((it) => it.at - 0.12),
      marker: { symbol: published.map((it) => (it.value.entry.provenance === "printed" ? "diamond-open-dot" : "diamond-open")), size: 11, color: look.published, line: { width: 1.4 } },
      showlegend: false,
      hoverinfo: "text",
      hovertext: published.map((it) => hoverLines(it.label, percent(it.value.value), provenanceText(it.value), it.value.entry.note)),
    });
  }
  return {
    title: panel.title,
    traces,
    x: { ...SHARE_AXIS, title: "test accuracy", side: "bottom" },
    y: axis.y,
    height: axis.height,
    shapes: floorLines(floors, look),
  };
}

function keyOf(blocks: readonly Block[]): KeyItem[] {
  const items: KeyItem[] = [{ label: "mean, 95 % interval", sign: { kind: "interval" } }, { label: "a run", sign: { kind: "point" } }];
  const points = blocks.flatMap((block) => block.rows.flatMap((row) => row.figure.points));
  if (points.some((point) => !point.converged)) items.push({ label: "not converged", sign: { kind: "hollow" } });
  const published = blocks.flatMap((block) => block.rows.flatMap((row) => row.published));
  const kinds = [...new Set(published.map((value) => value.entry.provenance))];
  if (kinds.length > 0) {
    const dotted = kinds.includes("printed") && kinds.length > 1 ? " (with a dot: printed)" : "";
    items.push({ label: `the paper's value, ${kinds.join(" or ")}${dotted}`, sign: { kind: "diamond" } });
  }
  const names = new Set(blocks.flatMap((block) => floorsOf(block.floors).map((floor) => floor.name)));
  if (names.has("chance")) items.push({ label: "chance", sign: { kind: "dotted" } });
  if (names.has("length alone")) items.push({ label: "best from length alone", sign: { kind: "dashed" } });
  if (names.has("simple rule")) items.push({ label: "simple rule", sign: { kind: "dashdot" } });
  if (names.has("ceiling")) items.push({ label: "ceiling", sign: { kind: "thin" } });
  return items;
}

function tableOf(blocks: readonly Block[]): Table {
  const rows: Value[][] = [];
  for (const { panel, rows: cells, floors } of blocks) {
    for (const { shown, figure, published } of cells) {
      const converged = figure.points.filter((point) => point.converged).length;
      rows.push([
        shown.label,
        panel.task,
        panel.protocol,
        figure.mean,
        figure.low,
        figure.high,
        figure.points.length,
        converged,
        shown.cell.failed,
        figure.points.map((point) => point.value).join(" "),
        published.map((value) => value.value).join(" "),
        published.map(provenanceText).join("; "),
        floors?.chance ?? null,
        floors?.length ?? null,
        floors?.ceiling ?? null,
      ]);
    }
  }
  const share = (value: number): string => percent(value, 2);
  return {
    caption: "Test accuracy of every encoding",
    columns: [
      { name: "encoding" },
      { name: "task" },
      { name: "protocol" },
      { name: "mean", show: share },
      { name: "low", show: share },
      { name: "high", show: share },
      { name: "runs" },
      { name: "converged" },
      { name: "failed" },
      { name: "values" },
      { name: "published" },
      { name: "source" },
      { name: "chance", show: share },
      { name: "length alone", show: share },
      { name: "ceiling", show: share },
    ],
    rows,
  };
}
