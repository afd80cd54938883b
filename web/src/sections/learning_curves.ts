// Accuracy and loss over training.
import { byText, figure, listing, percent, plural } from "../base/text.ts";
import { SHARE_AXIS } from "../chart/marks.ts";
import type { Layout } from "../chart/plotly.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { SectionSpec } from "../page/section.ts";
import type { ShownCell } from "../study/view.ts";
import { curveSeries, ends, seriesChart, seriesKey, seriesPanels, seriesTable, type Series, type SeriesPanel } from "./series.ts";

interface Quantity {
  value: string;
  label: string;
  axis: Layout;
  show: (value: number) => string;
  series(shown: ShownCell): Series | null;
}

const QUANTITIES: Quantity[] = [
  {
    value: "test_accuracy",
    label: "test accuracy",
    axis: { ...SHARE_AXIS },
    show: percent,
    series: (shown) => {
      const { curves } = shown.cell.finished;
      return curveSeries(shown, curves.steps, curves.testAccuracy);
    },
  },
  {
    value: "train_accuracy",
    label: "training accuracy",
    axis: { ...SHARE_AXIS },
    show: percent,
    series: (shown) => {
      const { curves } = shown.cell.finished;
      return curveSeries(shown, curves.steps, curves.trainAccuracy);
    },
  },
  {
    value: "test_loss",
    label: "test loss",
    axis: { rangemode: "tozero" },
    show: figure,
    series: (shown) => {
      const { telemetry } = shown.cell.finished;
      return curveSeries(shown, telemetry?.steps ?? [], telemetry?.testLoss);
    },
  },
];

const CURVES: FigureSpec = {
  id: "learning-curves",
  title: "Learning curves",
  controls: [
    {
      name: "quantity",
      label: "Show",
      choices: (view) => QUANTITIES.filter((quantity) => seriesPanels(view, quantity.series).length > 0),
    },
  ],
  content(view, values): FigureContent | null {
    const quantity = QUANTITIES.find((it) => it.value === values["quantity"]);
    if (quantity === undefined) return null;
    const panels = seriesPanels(view, quantity.series);
    if (panels.length === 0) return null;
    return {
      finding: finding(panels, quantity),
      note: "Lines are means of all finished runs, bands their 95 % intervals.",
      key: seriesKey(panels),
      table: () => seriesTable(panels, quantity.label, quantity.show),
      chart: (width, look) => seriesChart(panels, width, look, quantity.axis, quantity.label, quantity.show),
    };
  },
};

export const LEARNING_SECTION: SectionSpec = {
  id: "learning",
  title: "Learning",
  subject: "learning curves",
  figures: [CURVES],
};

function finding(panels: readonly SeriesPanel[], quantity: Quantity): string[] {
  if (quantity.value === "test_accuracy") return panels.map((panel) => speed(panel));
  return panels.map(({ panel, series }) => `${panel.title}: ${quantity.label} ${ends(series, quantity.show) ?? "has no value"}`);
}

function speed({ panel, series }: SeriesPanel): string {
  const half = "half of their runs";
  const medians = series.flatMap(({ shown }) => {
    const { median } = shown.cell.numbers.stepsTo90;
    return median === null ? [] : [{ label: shown.short, median }];
  });
  const first = byText(medians.sort((a, b) => a.median - b.median), (it) => String(it.median))[0];
  if (first === undefined) return `${panel.title}: no encodings have reached 90 % in ${half}`;
  const never = series.length - medians.length;
  const rest = never > 0 ? `; ${never} of ${plural(series.length, "encoding")} ${never === 1 ? "does" : "do"} not get there in ${half}` : "";
  const names = first.items.map((it) => it.label);
  return `${panel.title}: ${listing(names, 8)} ${names.length === 1 ? "reaches" : "reach"} 90 % first, at step ${first.text} (median)${rest}`;
}
