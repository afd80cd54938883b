// The part of the logits that hangs on distance alone.
import { figure, listing, shorten } from "../base/text.ts";
import { layerColour, layerKey } from "../chart/layers.ts";
import { faded, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { verticalLine } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import { panelControl } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table } from "../page/table.ts";
import { chosenCells, curvesSource, spectralPanels, type SpectralCell } from "../study/spectral_cell.ts";

export const KERNELS: FigureSpec = {
  id: "toeplitz-kernels",
  title: "Toeplitz kernels",
  controls: [panelControl(spectralPanels)],
  content(view, values): FigureContent | null {
    const cells = chosenCells(view, values["panel"]).filter((cell) => cell.curves.heads.some((head) => head.kernel.length > 0));
    if (cells.length === 0) return null;
    return {
      finding: [`${values["panel"] ?? ""}: ${finding(cells)}`],
      note: `Mean of the logits over all queries and keys a distance apart, each query's own level taken out (${curvesSource(cells)}); one line per head.`,
      key: layerKey(Math.max(...cells.map((cell) => cell.layers))),
      table: () => tableOf(cells),
      chart: (width, look) => panelChart(cells.map((cell) => panelOf(cell, look)), width, look, { left: 52, leastWidth: 160, mostColumns: 4 }),
    };
  },
};

function panelOf({ shown, curves }: SpectralCell, look: Look): Panel {
  return {
    title: shorten(shown.short, 22),
    traces: curves.heads.map((head) => ({
      type: "scatter",
      mode: "lines",
      showlegend: false,
      x: head.distance,
      y: head.kernel,
      line: { color: faded(layerColour(look, head.layer), 0.8), width: 1.5 },
      hoverinfo: "text",
      hovertext: head.distance.map((distance, i) => hoverLines(`layer ${head.layer}, head ${head.head}`, `key ${distance >= 0 ? "+" : "−"}${Math.abs(distance)}: ${figure(head.kernel[i] ?? null)}`)),
    })),
    x: { title: "key minus query" },
    y: { title: "logit" },
    height: 170,
    shapes: [verticalLine(0, look, "solid")],
  };
}

function finding(cells: readonly SpectralCell[]): string {
  const ranges = cells.map(({ shown, curves }) => {
    const range = Math.max(0, ...curves.heads.map((head) => {
      const values = head.kernel.filter((value) => value !== null);
      return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
    }));
    return { label: shown.short, range };
  });
  ranges.sort((a, b) => b.range - a.range);
  return `distance alone moves the logits of some head by up to ${listing(ranges.slice(0, 3).map((it) => `${figure(it.range, 3)} (${it.label})`))}`;
}

function tableOf(cells: readonly SpectralCell[]): Table {
  return {
    caption: "Toeplitz kernel of every head's logits",
    columns: ["encoding", "layer", "head", "key minus query", "logit"].map((name) => ({ name })),
    rows: cells.flatMap(({ shown, curves }) => curves.heads.flatMap((head) => head.distance.map((distance, i) => [shown.label, head.layer, head.head, distance, head.kernel[i] ?? null]))),
  };
}
