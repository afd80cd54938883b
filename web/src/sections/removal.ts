// Positions taken out of the activations that enter a layer, beside random vectors of the same length.
import { listing, percent, signed } from "../base/text.ts";
import { colourOf, faded, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { horizontalLine, SHARE_AXIS } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Trace } from "../chart/plotly.ts";
import { panelControl } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { KeyItem } from "../page/key.ts";
import type { SectionSpec } from "../page/section.ts";
import type { Table, Value } from "../page/table.ts";
import type { Removal } from "../report/heads.ts";
import type { SeedNumber } from "../report/interval.ts";
import { paperName } from "../study/paper_names.ts";
import { accuracyFigure, seedFigure, type SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";
import { shorten } from "../base/text.ts";

interface RemovalLayer {
  layer: number;
  position: SeedFigure;
  random: SeedFigure;
  term: SeedFigure;
}

interface RemovalCell {
  shown: ShownCell;
  intact: number | null;
  layers: RemovalLayer[];
  published: { quantity: string; layer: number; value: number; figure: string; provenance: string }[];
}

const REMOVAL: FigureSpec = {
  id: "position-removal",
  title: "Positions removed from the activations",
  controls: [panelControl((view) => view.panels.filter((panel) => removalCells(view, panel).length > 0))],
  content(view, values): FigureContent | null {
    const panel = view.panels.find((it) => it.title === values["panel"]);
    const cells = panel === undefined ? [] : removalCells(view, panel);
    if (panel === undefined || cells.length === 0) return null;
    return {
      finding: [finding(panel.title, cells)],
      note: "The part of the activations that position alone predicts is subtracted where they enter a layer. Costing more than random vectors means that it is read.",
      key: keyOf(cells),
      table: () => tableOf(panel, cells),
      chart: (width, look) => panelChart(cells.map((cell) => panelOf(cell, look)), width, look, { left: 56, leastWidth: 160, mostColumns: 4 }),
    };
  },
};

export const REMOVAL_SECTION: SectionSpec = {
  id: "removal",
  title: "Removal",
  subject: "removal of positions from activations",
  figures: [REMOVAL],
};

function removalCells(view: View, panel: PanelCells): RemovalCell[] {
  return panel.cells.flatMap((shown): RemovalCell[] => {
    const { runs, removal } = shown.cell.finished;
    const number = (of: (layer: Removal) => SeedNumber) => (layer: Removal): SeedFigure => seedFigure(runs, of(layer));
    const position = number((layer) => layer.withoutPosition);
    const random = number((layer) => layer.random);
    const term = number((layer) => layer.withoutInputTerm);
    const layers = removal.map((layer) => ({ layer: layer.layer, position: position(layer), random: random(layer), term: term(layer) }));
    if (!layers.some((layer) => layer.position.mean !== null)) return [];
    return [{ shown, intact: accuracyFigure(shown.cell).mean, layers, published: publishedOf(view, shown) }];
  });
}

function publishedOf(view: View, { cell }: ShownCell): RemovalCell["published"] {
  const subject = paperName(cell.name.encoding, cell.name.protocol);
  return view.report.published.flatMap((entry) => {
    const isIt = entry.subject === subject && entry.task === cell.name.task && cell.name.variant === "";
    if (!isIt || entry.axis !== "layer" || !entry.quantity.startsWith("accuracy_without_")) return [];
    return entry.points.flatMap(({ at, low, high }) =>
      low === null || high === null ? [] : [{ quantity: entry.quantity, layer: at - 1, value: (low + high) / 2, figure: entry.figure, provenance: entry.provenance }],
    );
  });
}

function panelOf({ shown, intact, layers, published }: RemovalCell, look: Look): Panel {
  const colour = colourOf(shown.entry.style, look);
  const line = (name: string, of: (layer: RemovalLayer) => SeedFigure, own: { colour: string; dash: string; symbol: string }): Trace[] => {
    const kept = layers.filter((layer) => of(layer).mean !== null);
    if (kept.length === 0) return [];
    return [
      {
        type: "scatter",
        mode: "lines+markers",
        name,
        meta: name,
        x: kept.map((layer) => layer.layer),
        y: kept.map((layer) => of(layer).mean),
        line: { color: own.colour, width: 2, dash: own.dash },
        marker: { color: own.colour, symbol: own.symbol, size: 7 },
        error_y: {
          type: "data",
          symmetric: false,
          array: kept.map((layer) => (of(layer).high ?? of(layer).mean ?? 0) - (of(layer).mean ?? 0)),
          arrayminus: kept.map((layer) => (of(layer).mean ?? 0) - (of(layer).low ?? of(layer).mean ?? 0)),
          color: faded(own.colour, 0.7),
          thickness: 1.4,
          width: 3,
        },
        hoverinfo: "text",
        hovertext: kept.map((layer) => hoverLines(`${shown.label}, layer ${layer.layer}`, `${name}: ${percent(of(layer).mean)}`, intact === null ? "" : `intact: ${percent(intact)}`)),
      },
    ];
  };
  const traces = [
    ...line("without position", (layer) => layer.position, { colour, dash: "solid", symbol: "circle" }),
    ...line("random instead", (layer) => layer.random, { colour: look.soft, dash: "dot", symbol: "circle" }),
    ...line("without the input term", (layer) => layer.term, { colour: look.faint, dash: "dash", symbol: "square" }),
  ];
  if (published.length > 0) {
    traces.push({
      type: "scatter",
      mode: "markers",
      name: "the paper's value",
      meta: "published",
      x: published.map((point) => point.layer),
      y: published.map((point) => point.value),
      marker: { symbol: published.map((point) => (point.quantity.endsWith("random") ? "diamond-open" : "diamond-open-dot")), size: 9, color: look.published },
      hoverinfo: "text",
      hovertext: published.map((point) => hoverLines(`published: ${point.figure}, ${point.provenance}`, point.quantity.replaceAll("_", " "), percent(point.value))),
    });
  }
  return {
    title: shorten(shown.short, 22),
    traces,
    x: { title: "layer", dtick: 1 },
    y: { ...SHARE_AXIS, title: "accuracy" },
    height: 170,
    shapes: intact === null ? [] : [horizontalLine(intact, look, "solid")],
  };
}

function finding(title: string, cells: readonly RemovalCell[]): string {
  const first = cells.flatMap(({ shown, layers }) => {
    const layer = layers[0];
    const { mean } = layer?.position ?? { mean: null };
    const random = layer?.random.mean ?? null;
    return mean === null || random === null ? [] : [{ label: shown.short, excess: 100 * (random - mean) }];
  });
  first.sort((a, b) => b.excess - a.excess);
  const reads = first.filter((it) => it.excess > 2).map((it) => `${it.label} (${signed(-it.excess)} points)`);
  if (reads.length === 0) return `${title}: removing positions before the first layer costs no encoding 2 points more than random vectors do`;
  return `${title}: removed before the first layer, positions cost more than random vectors for ${listing(reads, 5)}`;
}

function keyOf(cells: readonly RemovalCell[]): KeyItem[] {
  const items: KeyItem[] = [
    { label: "without position (in the encoding's colour)", sign: { kind: "line" } },
    { label: "random vectors instead", sign: { kind: "dotted" } },
  ];
  if (cells.some((cell) => cell.layers.some((layer) => layer.term.mean !== null))) items.push({ label: "without the input term", sign: { kind: "dashed" } });
  items.push({ label: "intact", sign: { kind: "thin" } });
  if (cells.some((cell) => cell.published.length > 0)) items.push({ label: "the paper's value (dot: position; plain: random), digitised", sign: { kind: "diamond" } });
  return items;
}

function tableOf(panel: PanelCells, cells: readonly RemovalCell[]): Table {
  const rows: Value[][] = [];
  for (const { shown, intact, layers } of cells) {
    for (const { layer, position, random, term } of layers) {
      rows.push([shown.label, panel.task, panel.protocol, layer, intact, position.mean, position.low, position.high, random.mean, random.low, random.high, term.mean]);
    }
  }
  const names = ["encoding", "task", "protocol", "layer", "intact", "without position", "low", "high", "random", "low", "high", "without the input term"];
  return { caption: "Accuracy with positions removed", columns: names.map((name, i) => (i > 3 ? { name, show: (value: number): string => percent(value, 2) } : { name })), rows };
}
