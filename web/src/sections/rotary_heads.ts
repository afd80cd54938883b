// Accuracy by the number of rotary heads in every layer.
import { percent, percentWithin } from "../base/text.ts";
import { colourOf, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { floorHeights, seedSymbols, SHARE_AXIS } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Trace } from "../chart/plotly.ts";
import { spread } from "../chart/rows.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { KeyItem } from "../page/key.ts";
import type { SectionSpec } from "../page/section.ts";
import type { Table, Value } from "../page/table.ts";
import { provenanceText, publishedValue, type PublishedValue } from "../study/published_value.ts";
import { isPartlyRotary, rotaryHeads } from "../study/rotary_heads.ts";
import { accuracyFigure, type SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

interface Step {
  k: number;
  shown: ShownCell;
  figure: SeedFigure;
}

interface PublishedStep {
  k: number;
  of: number;
  value: PublishedValue;
}

interface HeadCurve {
  panel: PanelCells;
  heads: number;
  steps: Step[];
  published: PublishedStep[];
}

const ROTARY_HEADS: FigureSpec = {
  id: "rotary-heads",
  title: "Accuracy by rotary heads per layer",
  content(view): FigureContent | null {
    const curves = curvesOf(view);
    if (curves.length === 0) return null;
    const scaled = curves.some((curve) => curve.published.some((step) => step.of !== curve.heads));
    return {
      finding: curves.map(finding),
      note: `The first k heads of every layer rotate, the others have no encoding; 0 is nope, all is rope.${scaled ? " The paper's models have 16 heads: its values stand at the same share of heads." : ""}`,
      key: keyOf(curves),
      table: () => tableOf(curves),
      chart: (width, look) => panelChart(curves.map((curve) => panelOf(curve, look)), width, look, { left: 62, leastWidth: 240, mostColumns: 2 }),
    };
  },
};

export const ROTARY_SECTION: SectionSpec = {
  id: "rotary",
  title: "Rotary heads",
  subject: "the curve over rotary heads",
  figures: [ROTARY_HEADS],
};

function curvesOf(view: View): HeadCurve[] {
  return view.plainPanels.flatMap((panel) => {
    const heads = Math.max(0, ...panel.cells.map((shown) => shown.cell.heads));
    const steps = panel.cells.flatMap((shown): Step[] => {
      const k = rotaryHeads(shown.cell.name.encoding, heads);
      const figure = accuracyFigure(shown.cell);
      return k === null || figure.mean === null ? [] : [{ k, shown, figure }];
    });
    if (!steps.some((step) => isPartlyRotary(step.shown.cell.name.encoding)) || steps.length < 2) return [];
    steps.sort((a, b) => a.k - b.k);
    return [{ panel, heads, steps, published: publishedSteps(view, panel.task) }];
  });
}

function publishedSteps(view: View, task: string): PublishedStep[] {
  return view.report.published.flatMap((entry) => {
    const of = Number(/^rotary heads of (\d+)$/.exec(entry.axis)?.[1] ?? NaN);
    if (entry.task !== task || !(of > 0)) return [];
    return entry.points.flatMap((point) => publishedValue(entry, point).map((value) => ({ k: point.at, of, value })));
  });
}

function panelOf({ panel, heads, steps, published }: HeadCurve, look: Look): Panel {
  const style = (steps.find((step) => step.k === heads) ?? steps[steps.length - 1])?.shown.entry.style;
  const colour = style === undefined ? look.ink : colourOf(style, look);
  const traces: Trace[] = steps.map(({ k, shown, figure }) => ({
    type: "scatter",
    mode: "markers",
    meta: "seeds",
    x: figure.points.map((_, i) => k + 0.14 + spread(i, figure.points.length, 0.05)),
    y: figure.points.map((point) => point.value),
    marker: { color: colour, size: 5, opacity: 0.7, symbol: seedSymbols(shown.entry.style, figure).map((symbol) => (symbol.endsWith("-open") ? "circle-open" : "circle")) },
    showlegend: false,
    hoverinfo: "text",
    hovertext: figure.points.map((point) => hoverLines(shown.label, `seed ${point.seed ?? "?"}: ${percent(point.value)}`, point.converged ? "" : "did not converge")),
  }));
  traces.push({
    type: "scatter",
    mode: "lines+markers",
    name: "mean",
    meta: "mean",
    x: steps.map((step) => step.k),
    y: steps.map((step) => step.figure.mean),
    line: { color: colour, width: 2 },
    marker: { color: colour, size: 9, line: { width: 1.5, color: look.paper } },
    error_y: {
      type: "data",
      symmetric: false,
      array: steps.map(({ figure }) => (figure.high ?? figure.mean ?? 0) - (figure.mean ?? 0)),
      arrayminus: steps.map(({ figure }) => (figure.mean ?? 0) - (figure.low ?? figure.mean ?? 0)),
      color: colour,
      thickness: 1.8,
      width: 4,
    },
    hoverinfo: "text",
    hovertext: steps.map(({ k, shown, figure }) => hoverLines(shown.label, `${k} of ${heads} heads rotate`, percentWithin(figure.mean, figure.low, figure.high))),
  });
  if (published.length > 0) {
    traces.push({
      type: "scatter",
      mode: "lines+markers",
      name: "the paper's value",
      meta: "published",
      x: published.map((step) => (step.k * heads) / step.of),
      y: published.map((step) => step.value.value),
      line: { color: look.soft, width: 1, dash: "dot" },
      marker: { symbol: "diamond-open", size: 9, color: look.published, line: { width: 1.3 } },
      hoverinfo: "text",
      hovertext: published.map((step) => hoverLines(`${step.k} of ${step.of} heads: ${percent(step.value.value)}`, provenanceText(step.value))),
    });
  }
  const floors = steps[0]?.shown.cell.floors ?? null;
  return {
    title: panel.title,
    traces,
    x: { title: `rotary heads of ${heads} in every layer`, dtick: heads > 8 ? 4 : 1, range: [-0.5, heads + 0.5] },
    y: { ...SHARE_AXIS, title: "test accuracy" },
    height: 240,
    shapes: floorHeights(floors, look),
  };
}

function finding({ panel, heads, steps }: HeadCurve): string {
  const all = steps.find((step) => step.k === heads);
  const one = steps.find((step) => step.k === 1);
  const two = steps.find((step) => step.k === 2);
  const parts = [one === undefined ? "" : `one rotary head reaches ${percent(one.figure.mean)}`, two === undefined || two === all ? "" : `two ${percent(two.figure.mean)}`, all === undefined ? "" : `all ${heads} ${percent(all.figure.mean)}`].filter((part) => part !== "");
  return `${panel.title}: ${parts.join(", ")}`;
}

function keyOf(curves: readonly HeadCurve[]): KeyItem[] {
  const items: KeyItem[] = [{ label: "mean, 95 % interval", sign: { kind: "interval" } }, { label: "a run", sign: { kind: "point" } }];
  const kinds = [...new Set(curves.flatMap((curve) => curve.published.map((step) => step.value.entry.provenance)))];
  if (kinds.length > 0) items.push({ label: `the paper's value, ${kinds.join(" or ")}`, sign: { kind: "diamond" } });
  return items;
}

function tableOf(curves: readonly HeadCurve[]): Table {
  const rows: Value[][] = [];
  for (const { panel, heads, steps, published } of curves) {
    for (const { k, shown, figure } of steps) rows.push([shown.label, panel.task, panel.protocol, k, heads, figure.mean, figure.low, figure.high, figure.points.length, ""]);
    for (const { k, of, value } of published) rows.push(["the paper's", panel.task, panel.protocol, k, of, value.value, null, null, null, provenanceText(value)]);
  }
  return {
    caption: "Test accuracy by the number of rotary heads",
    columns: ["encoding", "task", "protocol", "rotary heads", "of heads", "mean", "low", "high", "runs", "source"].map((name) => (["mean", "low", "high"].includes(name) ? { name, show: (value: number): string => percent(value, 2) } : { name })),
    rows,
  };
}
