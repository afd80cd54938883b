// Cells with curves of their heads.
import type { HeadCurves } from "../report/curves.ts";
import type { PanelCells, ShownCell, View } from "./view.ts";

export interface SpectralCell {
  shown: ShownCell;
  curves: HeadCurves;
  layers: number;
}

export function spectralCells(panel: PanelCells): SpectralCell[] {
  return panel.cells.flatMap((shown) => {
    const curves = shown.cell.headCurves;
    if (curves === null) return [];
    return [{ shown, curves, layers: 1 + Math.max(...curves.heads.map((head) => head.layer)) }];
  });
}

export function spectralPanels(view: View): PanelCells[] {
  return view.panels.filter((panel) => spectralCells(panel).length > 0);
}

export function chosenCells(view: View, title: string | undefined): SpectralCell[] {
  const panel = view.panels.find((it) => it.title === title);
  return panel === undefined ? [] : spectralCells(panel);
}

/** "seed 0, a sequence of 26 tokens". */
export function curvesSource(cells: readonly SpectralCell[]): string {
  const first = cells[0]?.curves;
  const seed = first?.seed ?? null;
  const tokens = first?.tokens ?? null;
  return [seed === null ? "" : `seed ${seed}`, tokens === null ? "" : `a sequence of ${tokens} tokens`].filter((part) => part !== "").join(", ");
}
