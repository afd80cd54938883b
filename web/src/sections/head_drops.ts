// Distribution of single heads' drops, by encoding.
import { figure } from "../base/text.ts";
import { colourOf, faded, type Look } from "../chart/look.ts";
import { hoverLines, plain } from "../chart/markup.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Trace } from "../chart/plotly.ts";
import { rowAxis, rowNames, spread, type RowAxis } from "../chart/rows.ts";
import { verticalLine } from "../chart/marks.ts";
import { QUESTION_CONTROL } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import { askedPanels, dropTitle, questionOf, type AskedCell, type AskedPanel, type QuestionName } from "../study/question_heads.ts";

interface Drop {
  layer: number;
  head: number;
  seed: number;
  converged: boolean;
  value: number;
}

// Beyond so many, points that lie among others are left to the outline.
const MOST_POINTS = 8000;
const JITTER_STEPS = 11;

export const HEAD_DROPS: FigureSpec = {
  id: "head-drops",
  title: "What single heads are worth",
  controls: [QUESTION_CONTROL],
  content(view, values): FigureContent | null {
    const question = questionOf(values["question"]);
    const panels = askedPanels(view, question);
    if (panels.length === 0) return null;
    const count = panels.reduce((sum, panel) => sum + panel.cells.reduce((all, cell) => all + dropsOf(cell).length, 0), 0);
    return {
      finding: finding(panels, question),
      note: "A point is one head of one run; the outline is the density of all heads of all layers and seeds. Hollow: the run did not converge.",
      key: [],
      table: () => tableOf(panels, question),
      chart: (width, look) => {
        const { labels, left } = rowNames(panels.map((panel) => panel.cells.map((cell) => cell.shown)), width);
        const made = panels.map((panel, i) => panelOf(panel, question, rowAxis(labels[i] ?? [], left, 42), look, count <= MOST_POINTS));
        return panelChart(made, width, look, { left, leastWidth: 230, mostColumns: 2 });
      },
    };
  },
};

function dropsOf({ seeds }: AskedCell): Drop[] {
  return seeds.flatMap((seed) =>
    seed.drops.flatMap((heads, layer) =>
      heads.flatMap((value, head) => (value === null ? [] : [{ layer, head, seed: seed.seed, converged: seed.converged, value }])),
    ),
  );
}

function panelOf({ panel, cells }: AskedPanel, question: QuestionName, axis: RowAxis, look: Look, everyPoint: boolean): Panel {
  const traces = cells.flatMap((cell, row): Trace[] => {
    const drops = dropsOf(cell);
    return [outline(cell, drops, row, look), points(cell, everyPoint ? drops : outliers(drops), row, look)];
  });
  return { title: panel.title, traces, x: { title: dropTitle(question) }, y: axis.y, height: axis.height, shapes: [verticalLine(0, look, "solid")] };
}

function outline({ shown }: AskedCell, drops: readonly Drop[], row: number, look: Look): Trace {
  const colour = colourOf(shown.entry.style, look);
  return {
    type: "violin",
    orientation: "h",
    name: plain(shown.label),
    meta: "outline",
    showlegend: false,
    x: drops.map((drop) => drop.value),
    y: drops.map(() => row),
    width: 0.8,
    points: false,
    spanmode: "hard",
    line: { color: faded(colour, 0.7), width: 1 },
    fillcolor: faded(colour, 0.16),
    hoverinfo: "skip",
  };
}

/** Beside the violin: it has one symbol for all of its own points. */
function points({ shown }: AskedCell, drops: readonly Drop[], row: number, look: Look): Trace {
  return {
    type: "scatter",
    mode: "markers",
    name: plain(shown.label),
    meta: "heads",
    showlegend: false,
    x: drops.map((drop) => drop.value),
    y: drops.map((_, i) => row + spread((i * 7) % JITTER_STEPS, JITTER_STEPS, 0.2)),
    marker: { color: colourOf(shown.entry.style, look), size: 4, opacity: 0.65, symbol: drops.map((drop) => (drop.converged ? "circle" : "circle-open")) },
    hoverinfo: "text",
    hovertext: drops.map((drop) =>
      hoverLines(shown.label, `layer ${drop.layer}, head ${drop.head}, seed ${drop.seed}`, `${figure(drop.value)} nats`, drop.converged ? "" : "did not converge"),
    ),
  };
}

/** Further from the middle half than one and a half times its width. */
function outliers(drops: readonly Drop[]): Drop[] {
  const sorted = drops.map((drop) => drop.value).sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 4)] ?? 0;
  const high = sorted[Math.ceil((3 * (sorted.length - 1)) / 4)] ?? 0;
  const reach = 1.5 * (high - low);
  return drops.filter(({ value }) => value < low - reach || value > high + reach);
}

function finding(panels: readonly AskedPanel[], question: QuestionName): string[] {
  const word = question === "position" ? "taking position from one head" : "switching one head off";
  return panels.map(({ panel, cells }) => {
    const tops = cells
      .map((cell) => ({ label: cell.shown.short, top: dropsOf(cell).reduce<Drop | null>((most, drop) => (most === null || drop.value > most.value ? drop : most), null) }))
      .sort((a, b) => (b.top?.value ?? 0) - (a.top?.value ?? 0));
    const first = tops[0];
    if (first?.top == null) return panel.title;
    return `${panel.title}: ${word} costs at most ${figure(first.top.value, 3)} nats (${first.label}, layer ${first.top.layer}, head ${first.top.head}, seed ${first.top.seed}${first.top.converged ? "" : ", not converged"})`;
  });
}

function tableOf(panels: readonly AskedPanel[], question: QuestionName): Table {
  const rows: Value[][] = [];
  for (const { panel, cells } of panels) {
    for (const cell of cells) {
      for (const drop of dropsOf(cell)) {
        rows.push([cell.shown.label, panel.task, panel.protocol, drop.seed, drop.converged ? "yes" : "no", drop.layer, drop.head, drop.value]);
      }
    }
  }
  return {
    caption: `Loss that single heads add when ablated (${question})`,
    columns: ["encoding", "task", "protocol", "seed", "converged", "layer", "head", "loss drop"].map((name) => ({ name })),
    rows,
  };
}
