// Cells with curves of their heads.
import { byText, listing } from "../base/text.ts";
import type { HeadCurves } from "../report/curves.ts";
import type { PanelCells, ShownCell, View } from "./view.ts";

export interface SpectralCell {
  shown: ShownCell;
  curves: HeadCurves;
  layers: number;
}

export function spectralPanels(view: View, has: (cell: SpectralCell) => boolean = () => true): PanelCells[] {
  return view.panels.filter((panel) => spectralCells(panel).some(has));
}

export function chosenCells(view: View, title: string | undefined): SpectralCell[] {
  const panel = view.panels.find((it) => it.title === title);
  return panel === undefined ? [] : spectralCells(panel);
}

function spectralCells(panel: PanelCells): SpectralCell[] {
  return panel.cells.flatMap((shown) => {
    const curves = shown.cell.headCurves;
    if (curves === null) return [];
    return [{ shown, curves, layers: 1 + Math.max(...curves.heads.map((head) => head.layer)) }];
  });
}

function converged({ cell }: ShownCell, { id }: HeadCurves): boolean {
  return cell.runs.find((run) => run.id === id)?.converged ?? true;
}

/** "seed 0, a sequence of 26 tokens"; where cells have others, which are whose. */
export function curvesSource(cells: readonly SpectralCell[], withTokens = true): string {
  const sources = byText(cells, ({ shown, curves }) => {
    const seed = curves.seed === null ? "" : `seed ${curves.seed}${converged(shown, curves) ? "" : ", not converged"}`;
    const tokens = curves.tokens === null || !withTokens ? "" : `a sequence of ${curves.tokens} tokens`;
    return [seed, tokens].filter((part) => part !== "").join(", ");
  });
  if (sources.length === 1) return sources[0]?.text ?? "";
  return sources.map(({ text, items }) => `${listing(items.map((it) => it.shown.short), 6)}: ${text}`).join("; ");
}
