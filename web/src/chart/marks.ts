// Marks that several charts share.
import { figure, percent } from "../base/text.ts";
import type { Floors } from "../report/cell.ts";
import type { EncodingStyle } from "../study/encoding_style.ts";
import type { SeedFigure } from "../study/seed_points.ts";
import { colourOf, faded, type Look } from "./look.ts";
import { hoverLines, plain } from "./markup.ts";
import type { Layout, Trace } from "./plotly.ts";
import { spread } from "./rows.ts";

export interface MarkRow {
  label: string;
  style: EncodingStyle;
  figure: SeedFigure;
}

/** Hollow where the run did not converge. */
export function seedSymbols(style: EncodingStyle, figure: SeedFigure): string[] {
  return figure.points.map((point) => (point.converged ? style.symbol : `${style.symbol}-open`));
}

/** A row's seeds as small points below, and its mean with the interval above them. */
export function rowMarks(row: MarkRow, at: number, look: Look, show: (value: number) => string = percent): Trace[] {
  const { figure, style, label } = row;
  const colour = colourOf(style, look);
  const traces: Trace[] = [];
  if (figure.points.length > 0) {
    traces.push({
      type: "scatter",
      mode: "markers",
      name: plain(label),
      meta: "seeds",
      showlegend: false,
      x: figure.points.map((point) => point.value),
      y: figure.points.map((_, i) => at + 0.22 + spread(i, figure.points.length, 0.09)),
      marker: { color: colour, symbol: seedSymbols(style, figure), size: 6, opacity: 0.75, line: { width: 1, color: colour } },
      hoverinfo: "text",
      hovertext: figure.points.map((point) =>
        hoverLines(label, `seed ${point.seed ?? "?"}: ${show(point.value)}`, point.converged ? "" : "did not converge"),
      ),
    });
  }
  if (figure.mean !== null) traces.push(meanMark(row, figure.mean, at, look, show));
  return traces;
}

function meanMark({ label, style, figure }: MarkRow, mean: number, at: number, look: Look, show: (value: number) => string): Trace {
  const colour = colourOf(style, look);
  const { low, high } = figure;
  const interval = low !== null && high !== null ? `95 % interval ${show(low)} to ${show(high)}` : "no interval";
  return {
    type: "scatter",
    mode: "markers",
    name: plain(label),
    meta: "mean",
    showlegend: false,
    x: [mean],
    y: [at - 0.12],
    marker: { color: colour, symbol: style.symbol, size: 9 },
    error_x: {
      type: "data",
      symmetric: false,
      array: [high === null ? 0 : high - mean],
      arrayminus: [low === null ? 0 : mean - low],
      color: colour,
      thickness: 1.8,
      width: 5,
    },
    hoverinfo: "text",
    hovertext: [hoverLines(label, `mean ${show(mean)} of ${figure.points.length}`, interval)],
  };
}

export interface Band {
  label: string;
  style: EncodingStyle;
  x: number[];
  mean: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  /** What the band is. */
  band: string;
  show: (value: number) => string;
  markers?: boolean;
}

/** A line with its band: the band's edge, its filled other edge, and the line. */
export function bandMarks(band: Band, look: Look): Trace[] {
  const colour = colourOf(band.style, look);
  const edge = { type: "scatter", mode: "lines", x: band.x, line: { width: 0 }, hoverinfo: "skip", showlegend: false };
  const hasBand = band.low.some((value) => value !== null);
  const traces: Trace[] = hasBand
    ? [
        { ...edge, y: band.low, meta: "band" },
        { ...edge, y: band.high, meta: "band", fill: "tonexty", fillcolor: faded(colour, look.dark ? 0.18 : 0.13) },
      ]
    : [];
  traces.push({
    type: "scatter",
    mode: band.markers || band.x.length < 2 ? "lines+markers" : "lines",
    name: plain(band.label),
    meta: "line",
    x: band.x,
    y: band.mean,
    connectgaps: true,
    line: { color: colour, width: 2, dash: band.style.dash },
    marker: { color: colour, symbol: band.style.symbol, size: 7 },
    hoverinfo: "text",
    hovertext: band.x.map((x, i) => {
      const mean = band.mean[i] ?? null;
      const low = band.low[i] ?? null;
      const high = band.high[i] ?? null;
      const within = low !== null && high !== null ? `${band.band} ${band.show(low)} to ${band.show(high)}` : "";
      return hoverLines(band.label, `at ${x}: ${mean === null ? "—" : band.show(mean)}`, within);
    }),
  });
  return traces;
}

export function verticalLine(x: number, look: Look, dash: string, width = 1): Layout {
  return { type: "line", xref: "x", yref: "y domain", x0: x, x1: x, y0: 0, y1: 1, layer: "below", line: { color: look.soft, width, dash } };
}

export function horizontalLine(y: number, look: Look, dash: string): Layout {
  return { type: "line", xref: "x domain", yref: "y", x0: 0, x1: 1, y0: y, y1: y, layer: "below", line: { color: look.soft, width: 1, dash } };
}

const POWERS = Array.from({ length: 15 }, (_, i) => i - 9);

/** Ticks at powers of ten: curves may span eight of them. */
export const LOG_AXIS: Layout = {
  type: "log",
  tickmode: "array",
  tickvals: POWERS.map((power) => 10 ** power),
  ticktext: POWERS.map((power) => figure(Number(`1e${power}`), 2)),
};

export const SHARE_AXIS: Layout = {
  range: [-0.03, 1.03],
  tickmode: "array",
  tickvals: [0, 0.25, 0.5, 0.75, 1],
  ticktext: ["0", "25", "50", "75", "100 %"],
};

export interface FloorLine {
  name: string;
  value: number;
  dash: string;
}

/** What an accuracy is to be held against; a floor that is the ceiling is drawn once. */
export function floorsOf(floors: Floors | null): FloorLine[] {
  if (floors === null) return [];
  const { chance, length, rule, ceiling } = floors;
  const apart = (a: number | null, b: number | null): boolean => a !== null && (b === null || Math.abs(a - b) > 0.005);
  return [
    { name: "chance", value: chance, dash: "dot", shown: chance !== null },
    { name: "length alone", value: length, dash: "dash", shown: apart(length, chance) },
    { name: "simple rule", value: rule, dash: "dashdot", shown: apart(rule, ceiling) && apart(rule, chance) && apart(rule, length) },
    { name: "ceiling", value: ceiling, dash: "solid", shown: ceiling !== null },
  ].flatMap(({ name, value, dash, shown }) => (shown && value !== null ? [{ name, value, dash }] : []));
}

export function floorLines(floors: Floors | null, look: Look): Layout[] {
  return floorsOf(floors).map(({ value, dash }) => verticalLine(value, look, dash));
}

export function floorHeights(floors: Floors | null, look: Look): Layout[] {
  return floorsOf(floors).map(({ value, dash }) => horizontalLine(value, look, dash));
}
