// Layers by heads of one seed, with the verdict and its reason.
import { figure, listing, shorten } from "../base/text.ts";
import type { Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import { panelControl, QUESTION_CONTROL } from "../page/control.ts";
import { element } from "../page/dom.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import type { SeedHeads } from "../report/heads.ts";
import { askedPanels, dropTitle, questionOf } from "../study/question_heads.ts";
import type { ShownCell } from "../study/view.ts";

interface MapCell {
  shown: ShownCell;
  seed: SeedHeads;
}

const FEW = 8;

export const HEAD_MAP: FigureSpec = {
  id: "head-map",
  title: "Layers by heads",
  controls: [
    QUESTION_CONTROL,
    panelControl((view) => view.panels.filter((panel) => panel.cells.some(({ cell }) => cell.position !== null || cell.importance !== null))),
    {
      name: "seed",
      label: "Seed",
      choices: (view) => {
        const seeds = view.panels.flatMap((panel) => panel.cells.flatMap(({ cell }) => (cell.position ?? cell.importance)?.seeds.map((it) => it.seed) ?? []));
        return [...new Set(seeds)].sort((a, b) => a - b).map((seed) => ({ value: String(seed), label: String(seed) }));
      },
    },
  ],
  content(view, values): FigureContent | null {
    const question = questionOf(values["question"]);
    const asked = askedPanels(view, question).find((it) => it.panel.title === values["panel"]);
    const cells = (asked?.cells ?? []).flatMap(({ shown, seeds }): MapCell[] => {
      const seed = seeds.find((it) => String(it.seed) === values["seed"]) ?? null;
      return seed === null || seed.drops.length === 0 ? [] : [{ shown, seed }];
    });
    if (cells.length === 0) return null;
    return {
      finding: [`${asked?.panel.title ?? ""}, seed ${values["seed"] ?? ""}: ${verdictCounts(cells)}`],
      note: `Colour: ${dropTitle(question)}; each map has its own scale, given by its largest drop. Layers count from the input.`,
      key: [],
      table: () => tableOf(cells),
      chart: (width, look) => panelChart(cells.map((cell) => panelOf(cell, look)), width, look, { left: 40, below: 34, leastWidth: 150, mostColumns: 4 }),
      after: reasonsElement(cells),
    };
  },
};

function panelOf({ shown, seed }: MapCell, look: Look): Panel {
  const layers = seed.drops.length;
  const heads = Math.max(1, ...seed.drops.map((row) => row.length));
  const most = Math.max(1e-12, ...seed.drops.flatMap((row) => row.map((drop) => drop ?? 0)));
  return {
    title: shorten(shown.short, 18),
    subtitle: `${seed.verdict.toLowerCase()}, max ${figure(most, 2)}`,
    traces: [
      {
        type: "heatmap",
        z: seed.drops,
        x: Array.from({ length: heads }, (_, head) => head),
        y: Array.from({ length: layers }, (_, layer) => layer),
        colorscale: look.scale,
        zmin: 0,
        zmax: most,
        showscale: false,
        xgap: 2,
        ygap: 2,
        hoverinfo: "text",
        hovertext: seed.drops.map((row, layer) => row.map((drop, head) => hoverLines(shown.label, `layer ${layer}, head ${head}`, `${figure(drop)} nats`))),
      },
    ],
    x: { title: "head", dtick: heads > 8 ? 4 : 1, showgrid: false, ticks: "", range: [-0.5, heads - 0.5] },
    y: { title: "layer", dtick: 1, showgrid: false, ticks: "", range: [layers - 0.5, -0.5] },
    height: Math.max(72, Math.min(150, layers * 26)),
  };
}

function verdictCounts(cells: readonly MapCell[]): string {
  const by = new Map<string, string[]>();
  for (const { shown, seed } of cells) by.set(seed.verdict, [...(by.get(seed.verdict) ?? []), seed.converged ? shown.short : `${shown.short} (not converged)`]);
  return listing([...by].map(([verdict, labels]) => `${verdict} for ${listing(labels, 8)}`));
}

function reasonsElement(cells: readonly MapCell[]): HTMLElement {
  const list = element("dl", { class: "reasons" });
  for (const { shown, seed } of cells) {
    list.append(element("dt", {}, shown.label, " ", element("span", { class: `head-verdict ${verdictClass(seed.verdict)}` }, seed.verdict)), element("dd", {}, seed.converged ? seed.reason : `The run did not converge. ${seed.reason}`));
  }
  const details = element("details", { class: "verdict-reasons" }, element("summary", {}, "Verdicts and reasons"), list);
  details.open = cells.length <= FEW;
  return details;
}

export function verdictClass(verdict: string): string {
  return verdict.toLowerCase().replace(/[^a-z]+/g, "-");
}

function tableOf(cells: readonly MapCell[]): Table {
  const rows: Value[][] = [];
  for (const { shown, seed } of cells) {
    seed.drops.forEach((row, layer) => {
      const judged = seed.layers.find((it) => it.layer === layer);
      row.forEach((drop, head) => rows.push([shown.label, seed.seed, layer, head, drop, seed.accuracies[layer]?.[head] ?? null, judged?.verdict ?? "", seed.verdict]));
    });
  }
  return {
    caption: "Drops of all heads of one seed",
    columns: ["encoding", "seed", "layer", "head", "loss drop", "accuracy without it", "layer's verdict", "run's verdict"].map((name) => ({ name })),
    rows,
  };
}
