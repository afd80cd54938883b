// What the logits are made of: content and position of queries and keys.
import { listing, percent, shorten } from "../base/text.ts";
import { lookOf, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import { rowAxis } from "../chart/rows.ts";
import { panelControl } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table } from "../page/table.ts";
import { chosenCells, curvesSource, spectralPanels, type SpectralCell } from "../study/spectral_cell.ts";

// What of the others comes through a decoupled path is no part beside them.
const NO_PART = "decoupled";
const PATTERNS = ["", "/", "\\", "x", ".", "-"];

export const LOGIT_SHARES: FigureSpec = {
  id: "logit-shares",
  title: "Parts of the logits",
  controls: [panelControl((view) => spectralPanels(view, hasParts))],
  content(view, values): FigureContent | null {
    const cells = chosenCells(view, values["panel"]).filter(hasParts);
    if (cells.length === 0) return null;
    const parts = partsOf(cells);
    return {
      finding: [`${values["panel"] ?? ""}: ${finding(cells)}`],
      note: `Shares of the variance of row-centred logits, means over the heads of a layer (${curvesSource(cells, false)}). The first word is the query's part, the second the key's.`,
      key: parts.map((part, i) => ({ label: partName(part), sign: { kind: "box" as const, colour: lookOf(false).parts[i % 6] ?? "", darkColour: lookOf(true).parts[i % 6] ?? "" } })),
      table: () => tableOf(cells, parts),
      chart: (width, look) =>
        panelChart(cells.map((cell) => panelOf(cell, parts, look)), width, look, { left: 62, leastWidth: 150, mostColumns: 4, layout: { barmode: "relative", bargap: 0.3 } }),
    };
  },
};

function partsOf(cells: readonly SpectralCell[]): string[] {
  return [...new Set(cells.flatMap((cell) => cell.curves.heads.flatMap((head) => head.shares.map((it) => it.part))))].filter((part) => part !== NO_PART);
}

function hasParts(cell: SpectralCell): boolean {
  return partsOf([cell]).length > 0;
}

function partName(part: string): string {
  return part.replaceAll("_", " × ");
}

/** Mean over the heads of a layer, or of all. */
function shareOf({ curves }: SpectralCell, part: string, layer: number | null): number | null {
  const shares = layer === null ? curves.shares : (curves.layerShares.find((it) => it.layer === layer)?.shares ?? []);
  return shares.find((it) => it.part === part)?.share ?? null;
}

function panelOf(cell: SpectralCell, parts: readonly string[], look: Look): Panel {
  const layers = Array.from({ length: cell.layers }, (_, layer) => layer);
  const axis = rowAxis(layers.map((layer) => `layer ${layer}`), 62, 26);
  return {
    title: shorten(cell.shown.short, 22),
    traces: parts.map((part, i) => ({
      type: "bar",
      orientation: "h",
      name: partName(part),
      x: layers.map((layer) => shareOf(cell, part, layer)),
      y: layers,
      marker: { color: look.parts[i % look.parts.length], pattern: { shape: PATTERNS[i % PATTERNS.length], fillmode: "overlay", fgcolor: look.paper, fgopacity: 0.4, size: 6, solidity: 0.2 } },
      hoverinfo: "text",
      hovertext: layers.map((layer) => hoverLines(`${cell.shown.label}, layer ${layer}`, `${partName(part)}: ${percent(shareOf(cell, part, layer))}`)),
    })),
    x: { rangemode: "tozero", tickmode: "array", tickvals: [0, 0.5, 1], ticktext: ["0", "50", "100 %"], title: "" },
    y: axis.y,
    height: axis.height,
  };
}

function finding(cells: readonly SpectralCell[]): string {
  const position = cells.map((cell) => ({ label: cell.shown.short, share: 1 - (shareOf(cell, "content_content", null) ?? 1) }));
  position.sort((a, b) => b.share - a.share);
  return `position takes part in most of the logits' variance for ${listing(position.slice(0, 3).map((it) => `${it.label} (${percent(it.share, 0)})`))}, by the mean over heads`;
}

function tableOf(cells: readonly SpectralCell[], parts: readonly string[]): Table {
  return {
    caption: "Shares of the logits' variance by head",
    columns: ["encoding", "layer", "head", ...parts.map(partName), "contraction"].map((name) => ({ name })),
    rows: cells.flatMap(({ shown, curves }) =>
      curves.heads.map((head) => [shown.label, head.layer, head.head, ...parts.map((part) => head.shares.find((it) => it.part === part)?.share ?? null), head.contraction]),
    ),
  };
}
