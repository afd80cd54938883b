// A share of every encoding at some places (lengths, steps of training): a line over its means, with a band.
import { percent } from "../base/text.ts";
import type { Look } from "../chart/look.ts";
import { bandMarks, SHARE_AXIS } from "../chart/marks.ts";
import { panelChart, type Chart } from "../chart/panels.ts";
import type { Layout } from "../chart/plotly.ts";
import { entryKey, type KeyItem } from "../page/key.ts";
import type { SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

export interface BandPoint {
  at: number;
  share: SeedFigure;
}

export interface BandCell<Point extends BandPoint> {
  shown: ShownCell;
  points: Point[];
}

export interface BandPanel<Point extends BandPoint> {
  panel: PanelCells;
  cells: BandCell<Point>[];
}

export function bandPanels<Point extends BandPoint>(view: View, pointsOf: (shown: ShownCell) => Point[]): BandPanel<Point>[] {
  return view.panels.flatMap((panel) => {
    const cells = panel.cells.map((shown) => ({ shown, points: pointsOf(shown) }));
    const measured = cells.filter(({ points }) => points.some((point) => point.share.mean !== null));
    return measured.length > 0 ? [{ panel, cells: measured }] : [];
  });
}

export function bandKey(panels: readonly BandPanel<BandPoint>[]): KeyItem[] {
  return entryKey(panels.flatMap(({ cells }) => cells.map(({ shown }) => shown.entry)));
}

/** `x`: the axis of a panel. */
export function bandChart<Point extends BandPoint>(panels: readonly BandPanel<Point>[], width: number, look: Look, x: (panel: BandPanel<Point>) => Layout, title: string): Chart {
  const made = panels.map((panel) => ({
    title: panel.panel.title,
    traces: panel.cells.flatMap(({ shown, points }) =>
      bandMarks(
        {
          label: shown.label,
          style: shown.entry.style,
          x: points.map((point) => point.at),
          mean: points.map((point) => point.share.mean),
          low: points.map((point) => point.share.low),
          high: points.map((point) => point.share.high),
          band: "95 % interval",
          show: percent,
          markers: true,
        },
        look,
      ),
    ),
    x: x(panel),
    y: { ...SHARE_AXIS, title },
    height: 250,
  }));
  return panelChart(made, width, look, { left: 62, leastWidth: 250, mostColumns: 2 });
}
