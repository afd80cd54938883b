// Heads of each layer in the order of their drops: does one stand out?
import { figure, listing, shorten } from "../base/text.ts";
import { faded, type Look } from "../chart/look.ts";
import { layerColour, layerKey } from "../chart/layers.ts";
import { hoverLines } from "../chart/markup.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Trace } from "../chart/plotly.ts";
import { panelControl, QUESTION_CONTROL } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import { askedPanels, dropTitle, questionOf, type AskedCell } from "../study/question_heads.ts";

export const SORTED_HEADS: FigureSpec = {
  id: "sorted-heads",
  title: "Heads of each layer, sorted",
  controls: [QUESTION_CONTROL, panelControl((view) => askedPanels(view, "position").concat(askedPanels(view, "importance")).map((it) => it.panel).filter(firstOfTitle))],
  content(view, values): FigureContent | null {
    const question = questionOf(values["question"]);
    const asked = askedPanels(view, question).find((it) => it.panel.title === values["panel"]);
    if (asked === undefined) return null;
    const { cells } = asked;
    return {
      finding: [finding(cells, asked.panel.title)],
      note: "Lines are means over seeds of the first, second, ... head of a layer; points are single seeds, hollow where the run did not converge.",
      key: layerKey(Math.max(...cells.map((cell) => cell.shown.cell.layers), 1)),
      table: () => tableOf(cells),
      chart: (width, look) =>
        panelChart(cells.map((cell) => panelOf(cell, dropTitle(question), look)), width, look, { left: 56, leastWidth: 150, mostColumns: 4 }),
    };
  },
};

function firstOfTitle<T extends { title: string }>(it: T, at: number, all: readonly T[]): boolean {
  return all.findIndex((other) => other.title === it.title) === at;
}

interface SeedDrops {
  seed: number;
  converged: boolean;
  /** Falling. */
  drops: number[];
}

/** By layer and seed. */
function sortedDrops({ seeds, shown }: AskedCell): SeedDrops[][] {
  const layers = Math.max(shown.cell.layers, ...seeds.map((seed) => seed.drops.length));
  return Array.from({ length: layers }, (_, layer) =>
    seeds.map((seed) => ({
      seed: seed.seed,
      converged: seed.converged,
      drops: (seed.drops[layer] ?? []).filter((drop) => drop !== null).sort((a, b) => b - a),
    })),
  );
}

/** By layer, from the largest down: the program's means over seeds. */
function rankMeans({ question }: AskedCell): number[][] {
  return question.sortedDrops.map((drops) => drops.map((drop) => drop ?? 0));
}

function panelOf(cell: AskedCell, title: string, look: Look): Panel {
  const traces: Trace[] = [];
  const layerMeans = rankMeans(cell);
  sortedDrops(cell).forEach((seeds, layer) => {
    const colour = layerColour(look, layer);
    const points = seeds.flatMap(({ seed, converged, drops }) => drops.map((drop, rank) => ({ seed, converged, drop, rank })));
    traces.push({
      type: "scatter",
      mode: "markers",
      x: points.map((point) => point.rank + 1),
      y: points.map((point) => point.drop),
      marker: { color: faded(colour, 0.4), size: 4, symbol: points.map((point) => (point.converged ? "circle" : "circle-open")) },
      showlegend: false,
      hoverinfo: "text",
      hovertext: points.map((point) => hoverLines(`layer ${layer}, rank ${point.rank + 1}, seed ${point.seed}`, `${figure(point.drop)} nats`, point.converged ? "" : "did not converge")),
    });
    const means = layerMeans[layer] ?? [];
    traces.push({
      type: "scatter",
      mode: "lines",
      name: `layer ${layer}`,
      x: means.map((_, rank) => rank + 1),
      y: means,
      line: { color: colour, width: 2 },
      showlegend: false,
      hoverinfo: "skip",
    });
  });
  return {
    title: shorten(cell.shown.short, 24),
    traces,
    x: { title: "head, by rank", dtick: cell.shown.cell.heads > 8 ? 5 : 1 },
    y: { title: title.replace(/ without.*, /, ", "), rangemode: "tozero" },
    height: 170,
  };
}

function finding(cells: readonly AskedCell[], place: string): string {
  const steep = cells.map((cell) => {
    const layers = rankMeans(cell);
    const top = layers.reduce((best, means) => ((means[0] ?? 0) > (best[0] ?? 0) ? means : best), layers[0] ?? []);
    const sum = top.reduce((all, drop) => all + Math.max(0, drop), 0);
    return { label: cell.shown.short, converged: cell.seeds.some((seed) => seed.converged), share: sum > 0 ? Math.max(0, top[0] ?? 0) / sum : 0 };
  });
  steep.sort((a, b) => b.share - a.share);
  const parts = steep.slice(0, 3).map((it) => `${it.label} ${(100 * it.share).toFixed(0)} %${it.converged ? "" : " (no run converged)"}`);
  return `${place}: share of the first head in its layer's drops, in the layer whose first head costs most (mean over seeds): ${listing(parts)}${steep.length > 3 ? "; no more in the others" : ""}`;
}

function tableOf(cells: readonly AskedCell[]): Table {
  const rows: Value[][] = [];
  for (const cell of cells) {
    sortedDrops(cell).forEach((seeds, layer) => {
      for (const { seed, converged, drops } of seeds) drops.forEach((drop, rank) => rows.push([cell.shown.label, layer, rank + 1, seed, converged ? "yes" : "no", drop]));
    });
  }
  return { caption: "Drops of heads by rank within their layer", columns: ["encoding", "layer", "rank", "seed", "converged", "loss drop"].map((name) => ({ name })), rows };
}
