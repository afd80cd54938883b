// Small multiples in one drawing: panels side by side as the width allows.
import { axisLook, chartLook, type Look } from "./look.ts";
import { plain } from "./markup.ts";
import type { Drawing, Layout, Trace } from "./plotly.ts";

/** Traces, shapes and annotations refer to the panel's own axes as "x" and "y". */
export interface Panel {
  title: string;
  /** A line of its own below the title. */
  subtitle?: string;
  traces: Trace[];
  x: Layout;
  y: Layout;
  shapes?: Layout[];
  annotations?: Layout[];
  /** Of the area inside the axes, in pixels. */
  height: number;
}

export interface PanelOptions {
  /** Room for the labels of the y axis, in pixels. */
  left: number;
  /** Room below a panel for ticks and the title of its axis. */
  below?: number;
  right?: number;
  /** Narrower panels go below one another. */
  leastWidth: number;
  mostColumns?: number;
  layout?: Layout;
}

export interface Chart extends Drawing {
  height: number;
}

const TITLE_ROOM = 34;
const SUBTITLE_ROOM = 16;
const BELOW = 46;

export function panelChart(panels: readonly Panel[], width: number, look: Look, options: PanelOptions): Chart {
  const right = options.right ?? 12;
  const below = options.below ?? BELOW;
  const fitting = Math.max(1, Math.floor(width / (options.left + options.leastWidth + right)));
  const columns = Math.min(fitting, options.mostColumns ?? 3, balanced(panels.length, fitting));
  const inner = Math.max(60, width / columns - options.left - right);
  const rows: Panel[][] = [];
  panels.forEach((panel, i) => (rows[Math.floor(i / columns)] ??= []).push(panel));
  const rowHeights = rows.map((row) => Math.max(...row.map((panel) => panel.height)));
  const titleRoom = TITLE_ROOM + (panels.some((panel) => panel.subtitle) ? SUBTITLE_ROOM : 0);
  const height = rowHeights.reduce((sum, row) => sum + titleRoom + row + below, 0);

  const data: Trace[] = [];
  const axes: Record<string, unknown> = {};
  const shapes: Layout[] = [];
  const annotations: Layout[] = [];
  let top = 0;
  rows.forEach((row, r) => {
    row.forEach((panel, c) => {
      const number = r * columns + c + 1;
      const suffix = number === 1 ? "" : String(number);
      const x0 = c * (width / columns) + options.left;
      const y1 = top + titleRoom;
      const domainX = [x0 / width, (x0 + inner) / width];
      const domainY = [1 - (y1 + panel.height) / height, 1 - y1 / height];
      axes[`xaxis${suffix}`] = axis(look, panel.x, { domain: domainX, anchor: `y${suffix}` });
      axes[`yaxis${suffix}`] = axis(look, panel.y, { domain: domainY, anchor: `x${suffix}` });
      for (const trace of panel.traces) data.push({ ...trace, xaxis: `x${suffix}`, yaxis: `y${suffix}` });
      for (const shape of panel.shapes ?? []) shapes.push(placed(shape, suffix));
      for (const annotation of panel.annotations ?? []) annotations.push(placed(annotation, suffix));
      annotations.push(titleOf(panel, look, domainX[0] ?? 0, domainY[1] ?? 1, options.left));
    });
    top += titleRoom + (rowHeights[r] ?? 0) + below;
  });
  const layout = {
    ...chartLook(look),
    ...options.layout,
    ...axes,
    width,
    height,
    margin: { l: 0, r: 0, t: 0, b: 0, pad: 0 },
    shapes,
    annotations,
  };
  return { data, layout, height };
}

/** Four panels are two and two rather than three and one. */
function balanced(panels: number, fitting: number): number {
  const rows = Math.ceil(panels / Math.max(1, fitting));
  return Math.max(1, Math.ceil(panels / Math.max(1, rows)));
}

function axis(look: Look, own: Layout, place: Layout): Layout {
  const base = axisLook(look);
  const title = own["title"];
  const text = typeof title === "string" ? plain(title) : "";
  return {
    ...base,
    ...own,
    ...place,
    title: { ...(base["title"] as Layout), text, standoff: 6 },
  };
}

function placed(mark: Layout, suffix: string): Layout {
  const reference = (value: unknown): unknown =>
    typeof value === "string" && /^[xy]( domain)?$/.test(value) ? value.replace(/^[xy]/, (a) => a + suffix) : value;
  return { ...mark, xref: reference(mark["xref"] ?? "x"), yref: reference(mark["yref"] ?? "y") };
}

function titleOf(panel: Panel, look: Look, x: number, y: number, left: number): Layout {
  const subtitle = panel.subtitle
    ? `<br><span style="color:${look.soft};font-size:11.5px;font-weight:400">${plain(panel.subtitle)}</span>`
    : "";
  return {
    text: `<b>${plain(panel.title)}</b>${subtitle}`,
    x,
    y,
    xref: "paper",
    yref: "paper",
    xanchor: "left",
    yanchor: "bottom",
    align: "left",
    xshift: left > 60 ? 0 : -left + 6,
    yshift: 8,
    showarrow: false,
    font: { size: 13, color: look.ink },
  };
}
