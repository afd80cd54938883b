// Singular values of the logits, with the encoding and with all angles at zero.
import { figure, listing, shorten } from "../base/text.ts";
import { layerColour, layerKey } from "../chart/layers.ts";
import { faded, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { LOG_AXIS } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Trace } from "../chart/plotly.ts";
import { panelControl } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import { chosenCells, curvesSource, spectralPanels, type SpectralCell } from "../study/spectral_cell.ts";

export const SINGULAR_VALUES: FigureSpec = {
  id: "singular-values",
  title: "Singular values of the logits",
  controls: [panelControl(spectralPanels)],
  content(view, values): FigureContent | null {
    const cells = chosenCells(view, values["panel"]).filter((cell) => cell.curves.heads.some((head) => head.singular.length > 0));
    if (cells.length === 0) return null;
    return {
      finding: [`${values["panel"] ?? ""}: ${finding(cells)}`],
      note: `A line is one head (${curvesSource(cells)}); dotted, the same queries and keys with all angles at zero. Logarithmic.`,
      key: [...layerKey(Math.max(...cells.map((cell) => cell.layers))), { label: "angles at zero", sign: { kind: "dotted" } }],
      table: () => tableOf(cells),
      chart: (width, look) => panelChart(cells.map((cell) => panelOf(cell, look)), width, look, { left: 58, leastWidth: 160, mostColumns: 4 }),
    };
  },
};

// What is below this share of the largest is rounding.
const SMALLEST_SHARE = 1e-6;

function panelOf({ shown, curves }: SpectralCell, look: Look): Panel {
  const traces = curves.heads.flatMap((head): Trace[] => {
    const colour = layerColour(look, head.layer);
    const least = SMALLEST_SHARE * Math.max(0, ...head.singular.map((value) => value ?? 0));
    const line = (values: readonly (number | null)[], plainOnes: boolean): Trace[] => {
      if (values.length === 0) return [];
      return [
        {
          type: "scatter",
          mode: "lines",
          meta: plainOnes ? "plain" : "singular",
          showlegend: false,
          x: values.map((_, i) => i + 1),
          y: values.map((value) => (value !== null && value > least ? value : null)),
          line: { color: plainOnes ? faded(colour, 0.75) : faded(colour, 0.85), width: plainOnes ? 1 : 1.6, dash: plainOnes ? "dot" : "solid" },
          hoverinfo: "text",
          hovertext: values.map((value, i) => hoverLines(`layer ${head.layer}, head ${head.head}${plainOnes ? ", angles at zero" : ""}`, `singular value ${i + 1}: ${figure(value)}`)),
        },
      ];
    };
    return [...line(head.singularPlain, true), ...line(head.singular, false)];
  });
  return { title: shorten(shown.short, 22), traces, x: { title: "rank", rangemode: "tozero" }, y: { ...LOG_AXIS, title: "singular value" }, height: 180 };
}

function finding(cells: readonly SpectralCell[]): string {
  const means = cells.flatMap(({ shown, curves }) => (curves.largestSingular === null ? [] : [{ label: shown.short, mean: curves.largestSingular }]));
  means.sort((a, b) => b.mean - a.mean);
  const first = means[0];
  const last = means[means.length - 1];
  if (first === undefined || last === undefined) return "no singular values";
  if (first === last) return `the largest singular value of ${first.label} is ${figure(first.mean, 3)} on average over heads`;
  return `the largest singular value, averaged over heads, goes from ${listing([`${figure(last.mean, 3)} (${last.label}) to ${figure(first.mean, 3)} (${first.label})`])}`;
}

function tableOf(cells: readonly SpectralCell[]): Table {
  const rows: Value[][] = [];
  for (const { shown, curves } of cells) {
    for (const head of curves.heads) {
      head.singular.forEach((value, i) => rows.push([shown.label, head.layer, head.head, i + 1, value, head.singularPlain[i] ?? null]));
    }
  }
  return { caption: "Singular values of every head's logits", columns: ["encoding", "layer", "head", "rank", "singular value", "angles at zero"].map((name) => ({ name })), rows };
}
