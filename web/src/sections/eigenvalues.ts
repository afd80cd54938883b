// Eigenvalues of the logits in the complex plane.
import { figure, listing, shorten } from "../base/text.ts";
import { layerColour, layerKey } from "../chart/layers.ts";
import type { Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Layout } from "../chart/plotly.ts";
import { panelControl } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table } from "../page/table.ts";
import { chosenCells, curvesSource, spectralPanels, type SpectralCell } from "../study/spectral_cell.ts";

interface Eigenvalue {
  layer: number;
  head: number;
  re: number;
  im: number;
}

export const EIGENVALUES: FigureSpec = {
  id: "eigenvalues",
  title: "Eigenvalues in the complex plane",
  controls: [panelControl((view) => spectralPanels(view, hasEigenvalues))],
  content(view, values): FigureContent | null {
    const cells = chosenCells(view, values["panel"]).filter(hasEigenvalues);
    if (cells.length === 0) return null;
    return {
      finding: [`${values["panel"] ?? ""}: ${finding(cells)}`],
      note: `Points are eigenvalues of all heads (${curvesSource(cells)}); each axis has a scale of its own.`,
      key: layerKey(Math.max(...cells.map((cell) => cell.layers))),
      table: () => tableOf(cells),
      chart: (width, look) => panelChart(cells.map((cell) => panelOf(cell, look)), width, look, { left: 56, leastWidth: 160, mostColumns: 4 }),
    };
  },
};

function hasEigenvalues(cell: SpectralCell): boolean {
  return eigenvaluesOf(cell).length > 0;
}

function eigenvaluesOf({ curves }: SpectralCell): Eigenvalue[] {
  return curves.heads.flatMap((head) =>
    head.eigenvalues.flatMap(([re, im]) => (typeof re === "number" && typeof im === "number" ? [{ layer: head.layer, head: head.head, re, im }] : [])),
  );
}

function panelOf(cell: SpectralCell, look: Look): Panel {
  const all = eigenvaluesOf(cell);
  const reach = (part: "re" | "im"): number => 1.08 * Math.max(1e-9, ...all.map((value) => Math.abs(value[part])));
  const traces = Array.from({ length: cell.layers }, (_, layer) => {
    const values = all.filter((value) => value.layer === layer);
    return {
      type: "scatter",
      mode: "markers",
      name: `layer ${layer}`,
      showlegend: false,
      x: values.map((value) => value.re),
      y: values.map((value) => value.im),
      marker: { color: layerColour(look, layer), size: 4, opacity: 0.7 },
      hoverinfo: "text",
      hovertext: values.map((value) => hoverLines(`layer ${layer}, head ${value.head}`, `${figure(value.re)} ${value.im < 0 ? "−" : "+"} ${figure(Math.abs(value.im))} i`)),
    };
  });
  const axis = (part: "re" | "im"): Layout => ({ range: [-reach(part), reach(part)], zeroline: true, zerolinecolor: look.faint, zerolinewidth: 1, nticks: 5 });
  return {
    title: shorten(cell.shown.short, 22),
    traces,
    x: { ...axis("re"), title: "real" },
    y: { ...axis("im"), title: "imaginary" },
    height: 190,
  };
}

function finding(cells: readonly SpectralCell[]): string {
  const parts = cells.map((cell) => {
    const all = eigenvaluesOf(cell);
    const size = all.reduce((sum, value) => sum + value.re ** 2 + value.im ** 2, 0);
    const off = all.reduce((sum, value) => sum + value.im ** 2, 0);
    return { label: cell.shown.short, share: size > 0 ? off / size : 0 };
  });
  parts.sort((a, b) => b.share - a.share);
  return `imaginary parts are ${listing(parts.slice(0, 4).map((it) => `${(100 * it.share).toFixed(0)} % of the squared moduli for ${it.label}`))}`;
}

function tableOf(cells: readonly SpectralCell[]): Table {
  return {
    caption: "Eigenvalues of every head's logits",
    columns: ["encoding", "layer", "head", "real", "imaginary"].map((name) => ({ name })),
    rows: cells.flatMap((cell) => eigenvaluesOf(cell).map((value) => [cell.shown.label, value.layer, value.head, value.re, value.im])),
  };
}
