// Heads switched off as the released code at commit ffe3159 does it, and the paper's own values beside them.
import type { PublishedSeed } from "../report/heads.ts";
import { paperName } from "./paper_names.ts";
import { provenanceText, publishedValue } from "./published_value.ts";
import type { PanelCells, ShownCell, View } from "./view.ts";

export interface Turn {
  layer: number;
  head: number;
  seed: number;
  converged: boolean;
  accuracy: number;
  intact: number;
}

/** "head": one head off; "mode": where most heads of the layer lie; "end": of the range of a layer's heads. */
export interface PaperTurn {
  kind: "head" | "mode" | "end";
  layer: number;
  accuracy: number;
  source: string;
}

export interface PublishedCell {
  shown: ShownCell;
  latents: boolean;
  intact: number;
  turns: Turn[];
  paper: PaperTurn[];
  paperIntact: number | null;
}

export interface PublishedPanel {
  panel: PanelCells;
  cells: PublishedCell[];
}

export function publishedPanels(view: View): PublishedPanel[] {
  return view.panels.flatMap((panel) => {
    const cells = panel.cells.flatMap((shown) => publishedCell(view, shown));
    return cells.length > 0 ? [{ panel, cells }] : [];
  });
}

function publishedCell(view: View, shown: ShownCell): PublishedCell[] {
  const { cell } = shown;
  const converged = new Set(cell.runs.filter((run) => run.converged).map((run) => run.id));
  const turns = cell.published.flatMap((seed) => turnsOf(seed, converged.has(seed.id)));
  if (turns.length === 0) return [];
  const intact = cell.publishedBaseline ?? 0;
  return [{ shown, latents: cell.published.some((seed) => seed.latents), intact, turns, ...paperTurns(view, shown) }];
}

function turnsOf({ seed, baseline, accuracies }: PublishedSeed, converged: boolean): Turn[] {
  if (baseline === null) return [];
  return accuracies.flatMap((heads, layer) =>
    heads.flatMap((accuracy, head) => (accuracy === null ? [] : [{ layer, head, seed, converged, accuracy, intact: baseline }])),
  );
}

function paperTurns(view: View, { cell }: ShownCell): Pick<PublishedCell, "paper" | "paperIntact"> {
  const subject = paperName(cell.name.encoding, cell.name.protocol);
  const paper: PaperTurn[] = [];
  let paperIntact: number | null = null;
  for (const entry of view.report.published) {
    const isIt = entry.subject === subject && entry.task === cell.name.task && cell.name.variant === "";
    if (!isIt || !entry.quantity.startsWith("accuracy_head_off")) continue;
    paperIntact ??= entry.baseline;
    const layer = Number(/^head of layer (\d+)$/.exec(entry.axis)?.[1] ?? NaN);
    for (const point of entry.points) {
      for (const value of publishedValue(entry, point)) {
        const turn = (kind: PaperTurn["kind"], at: number, accuracy: number): number => paper.push({ kind, layer: at - 1, accuracy, source: provenanceText(value) });
        if (layer > 0) turn("head", layer, value.value);
        else if (entry.axis === "layer" && entry.quantity.endsWith("_mode")) turn("mode", point.at, value.value);
        else if (entry.axis === "layer") new Set([point.low, point.high]).forEach((end) => end !== null && turn("end", point.at, end));
      }
    }
  }
  return { paper, paperIntact };
}
