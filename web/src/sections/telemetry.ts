// Gradient norm, loss and learning rate over training.
import { figure } from "../base/text.ts";
import { LOG_AXIS } from "../chart/marks.ts";
import type { Layout } from "../chart/plotly.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { SectionSpec } from "../page/section.ts";
import { curveSeries, ends, seriesChart, seriesKey, seriesPanels, seriesTable, type Series, type SeriesPanel } from "./series.ts";
import { SNAPSHOTS } from "./snapshots.ts";
import type { ShownCell } from "../study/view.ts";

interface Measure {
  value: string;
  label: string;
  axis: Layout;
  series(shown: ShownCell): Series | null;
}

const MEASURES: Measure[] = [
  {
    value: "gradient_norm",
    label: "gradient norm",
    axis: LOG_AXIS,
    series: (shown) => {
      const { telemetry } = shown.cell.finished;
      return curveSeries(shown, telemetry?.steps ?? [], telemetry?.gradientNorm);
    },
  },
  {
    value: "test_loss",
    label: "test loss",
    axis: LOG_AXIS,
    series: (shown) => {
      const { telemetry } = shown.cell.finished;
      return curveSeries(shown, telemetry?.steps ?? [], telemetry?.testLoss);
    },
  },
  {
    value: "learning_rate",
    label: "learning rate",
    axis: { rangemode: "tozero", exponentformat: "power" },
    series: (shown) => rateSeries(shown),
  },
];

const TELEMETRY: FigureSpec = {
  id: "telemetry-curves",
  title: "Telemetry over training",
  controls: [{ name: "measure", label: "Show", choices: (view) => MEASURES.filter((measure) => seriesPanels(view, measure.series).length > 0) }],
  content(view, values): FigureContent | null {
    const measure = MEASURES.find((it) => it.value === values["measure"]);
    const panels = measure === undefined ? [] : seriesPanels(view, measure.series);
    if (measure === undefined || panels.length === 0) return null;
    return {
      finding: panels.map((panel) => finding(panel, measure.label)),
      note: `${measure.value === "learning_rate" ? "" : "Means over seeds with 95 % intervals. "}${measure.axis["type"] === "log" ? "Logarithmic." : ""}`.trim(),
      key: seriesKey(panels),
      table: () => seriesTable(panels, measure.label, figure),
      chart: (width, look) => seriesChart(panels.map(drawable(measure)), width, look, measure.axis, measure.label, figure),
    };
  },
};

export const TELEMETRY_SECTION: SectionSpec = {
  id: "telemetry",
  title: "Telemetry",
  subject: "telemetry",
  figures: [TELEMETRY, SNAPSHOTS],
};

function rateSeries(shown: ShownCell): Series | null {
  const { steps, learningRate } = shown.cell.finished.telemetry ?? { steps: [], learningRate: [] };
  if (steps.length === 0 || learningRate.every((rate) => rate === null)) return null;
  const none = steps.map(() => null);
  return { shown, steps, mean: learningRate, low: none, high: none };
}

/** A logarithm has no place for 0 and less. */
function drawable(measure: Measure): (panel: SeriesPanel) => SeriesPanel {
  if (measure.axis["type"] !== "log") return (panel) => panel;
  const positive = (values: readonly (number | null)[]): (number | null)[] => values.map((value) => (value !== null && value > 0 ? value : null));
  return ({ panel, series }) => ({
    panel,
    series: series.map((it) => {
      const mean = positive(it.mean);
      const low = it.low.map((value, i) => (value === null ? null : value > 0 ? value : (mean[i] ?? 0) / 10 || null));
      return { ...it, mean, low, high: positive(it.high) };
    }),
  });
}

function finding({ panel, series }: SeriesPanel, label: string): string {
  const where = ends(series, (value) => figure(value, 3));
  return `${panel.title}: ${where === null ? `no ${label}` : `${label} ${where}`}`;
}
