// Heads switched off as the released code does it: the paper's Figs. 4, 5 and 7, like for like.
import { listing, percent, shorten } from "../base/text.ts";
import { colourOf, faded, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { horizontalLine, SHARE_AXIS } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Trace } from "../chart/plotly.ts";
import { spread } from "../chart/rows.ts";
import { panelControl } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { KeyItem } from "../page/key.ts";
import type { Table, Value } from "../page/table.ts";
import { publishedPanels, type PaperTurn, type PublishedCell, type PublishedPanel, type Turn } from "../study/published_heads.ts";

const PAPER_SIGNS: Readonly<Record<PaperTurn["kind"], { symbol: string; word: string }>> = {
  head: { symbol: "diamond-open", word: "one head off" },
  mode: { symbol: "diamond-open-dot", word: "where most heads of the layer lie" },
  end: { symbol: "line-ew-open", word: "end of the layer's range" },
};

export const PUBLISHED_HEADS: FigureSpec = {
  id: "published-heads",
  title: "Heads switched off the released code's way",
  controls: [panelControl((view) => publishedPanels(view).map((it) => it.panel))],
  content(view, values): FigureContent | null {
    const asked = publishedPanels(view).find((it) => it.panel.title === values["panel"]);
    if (asked === undefined) return null;
    const { cells } = asked;
    return {
      finding: finding(asked),
      note: "As at commit ffe3159, for comparison with the paper's Figs. 4, 5 and 7: accuracy on training and test samples together, and the last head of every earlier layer is still off while a deeper layer is measured, so that deeper layers fall whatever their own heads do. For MLA a turn switches off latents that all heads read. The figures above switch every head off alone, on held-out samples.",
      key: keyOf(cells),
      table: () => tableOf(asked),
      chart: (width, look) => panelChart(cells.map((cell) => panelOf(cell, look)), width, look, { left: 56, leastWidth: 160, mostColumns: 4 }),
    };
  },
};

function panelOf({ shown, intact, turns, paper, paperIntact }: PublishedCell, look: Look): Panel {
  const colour = colourOf(shown.entry.style, look);
  const heads = 1 + Math.max(...turns.map((turn) => turn.head));
  const layers = 1 + Math.max(...turns.map((turn) => turn.layer), ...paper.map((turn) => turn.layer));
  const traces: Trace[] = [
    {
      type: "scatter",
      mode: "markers",
      name: "a head off",
      meta: "turns",
      x: turns.map((turn) => turn.layer + 0.06 + spread(turn.head, heads, 0.2)),
      y: turns.map((turn) => turn.accuracy),
      marker: { color: faded(colour, 0.6), size: 5, symbol: turns.map((turn) => (turn.converged ? "circle" : "circle-open")) },
      hoverinfo: "text",
      hovertext: turns.map((turn) =>
        hoverLines(shown.label, `layer ${turn.layer}, turn ${turn.head}, seed ${turn.seed}: ${percent(turn.accuracy)}`, `intact: ${percent(turn.intact)}`, turn.converged ? "" : "did not converge"),
      ),
    },
  ];
  if (paper.length > 0) {
    traces.push({
      type: "scatter",
      mode: "markers",
      name: "the paper's value",
      meta: "published",
      x: paper.map((turn) => turn.layer - 0.28),
      y: paper.map((turn) => turn.accuracy),
      marker: { symbol: paper.map((turn) => PAPER_SIGNS[turn.kind].symbol), size: 9, color: look.published, line: { width: 1.3, color: look.published } },
      hoverinfo: "text",
      hovertext: paper.map((turn) => hoverLines(`layer ${turn.layer}, ${PAPER_SIGNS[turn.kind].word}: ${percent(turn.accuracy)}`, turn.source)),
    });
  }
  return {
    title: shorten(shown.short, 22),
    traces,
    x: { title: "layer", dtick: 1, range: [-0.6, layers - 0.4] },
    y: { ...SHARE_AXIS, title: "accuracy" },
    height: 170,
    shapes: [horizontalLine(intact, look, "solid"), ...(paperIntact === null ? [] : [horizontalLine(paperIntact, look, "dot")])],
  };
}

function finding({ panel, cells }: PublishedPanel): string[] {
  const costs = cells.flatMap((cell) => {
    const first = cell.turns.filter((turn) => turn.layer === 0);
    const worst = first.reduce<Turn | null>((most, turn) => (most === null || turn.intact - turn.accuracy > most.intact - most.accuracy ? turn : most), null);
    return worst === null ? [] : [{ label: cell.shown.short, points: 100 * (worst.intact - worst.accuracy) }];
  });
  costs.sort((a, b) => b.points - a.points);
  const falls = cells.flatMap((cell) => {
    const deepest = Math.max(...cell.turns.map((turn) => turn.layer));
    const losses = cell.turns.filter((turn) => turn.layer === deepest).map((turn) => 100 * (turn.intact - turn.accuracy));
    return deepest === 0 ? [] : [{ label: cell.shown.short, points: Math.min(...losses) }];
  });
  falls.sort((a, b) => b.points - a.points);
  const named = (it: { label: string; points: number }): string => `${it.label} ${it.points.toFixed(1)}`;
  const lines = [`${panel.title}: in the first layer, where nothing else is off, one turn costs at most, in points: ${listing(costs.map(named), 6)}`];
  if (falls.length > 0) lines.push(`In the last layer, with heads of the earlier ones still off, every turn costs at least, in points: ${listing(falls.map(named), 6)}`);
  return lines;
}

function keyOf(cells: readonly PublishedCell[]): KeyItem[] {
  const items: KeyItem[] = [
    { label: "a head off, of one run (in the encoding's colour)", sign: { kind: "point" } },
    { label: "intact, mean", sign: { kind: "thin" } },
  ];
  if (cells.some((cell) => cell.paper.length > 0)) {
    items.push({ label: "the paper's value, digitised (dot: most heads of a layer; dash: ends of its range)", sign: { kind: "diamond" } });
  }
  if (cells.some((cell) => cell.paperIntact !== null)) items.push({ label: "intact in the paper", sign: { kind: "dotted" } });
  return items;
}

function tableOf({ panel, cells }: PublishedPanel): Table {
  const rows: Value[][] = [];
  for (const { shown, latents, turns, paper, paperIntact } of cells) {
    for (const turn of turns) {
      rows.push([shown.label, panel.task, panel.protocol, latents ? "latents" : "head", turn.seed, turn.converged ? "yes" : "no", turn.layer, turn.head, turn.accuracy, turn.intact, "measured"]);
    }
    for (const turn of paper) rows.push([shown.label, panel.task, panel.protocol, PAPER_SIGNS[turn.kind].word, null, "", turn.layer, null, turn.accuracy, paperIntact, turn.source]);
  }
  const names = ["encoding", "task", "protocol", "switched off", "seed", "converged", "layer", "turn", "accuracy", "intact", "source"];
  return {
    caption: "Accuracy with heads switched off as the released code does it",
    columns: names.map((name) => (["accuracy", "intact"].includes(name) ? { name, show: (value: number): string => percent(value, 2) } : { name })),
    rows,
  };
}
