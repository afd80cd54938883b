// When the pattern of heads forms: the largest share at snapshots of training.
import { listing, percent } from "../base/text.ts";
import { bandMarks, SHARE_AXIS } from "../chart/marks.ts";
import { panelChart } from "../chart/panels.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import { QUESTIONS, questionOf, type QuestionName } from "../study/question_heads.ts";
import { seedFigure, type SeedFigure } from "../study/seed_points.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";

interface SnapshotCell {
  shown: ShownCell;
  points: { step: number; share: SeedFigure; accuracy: SeedFigure; leading: number | null }[];
}

interface SnapshotPanel {
  panel: PanelCells;
  cells: SnapshotCell[];
}

export const SNAPSHOTS: FigureSpec = {
  id: "snapshots",
  title: "Largest head's share over training",
  controls: [{ name: "question", label: "Question", choices: (view) => QUESTIONS.filter(({ value }) => panelsOf(view, value).length > 0) }],
  content(view, values): FigureContent | null {
    const panels = panelsOf(view, questionOf(values["question"]));
    if (panels.length === 0) return null;
    const entries = new Map(panels.flatMap(({ cells }) => cells.map(({ shown }) => [shown.entry.key, shown.entry] as const)));
    return {
      finding: panels.map(finding),
      note: "Share of the top head in the drops of the layer that is the finished model's key layer; bands are 95 % intervals over seeds.",
      key: [...entries.values()].map((entry) => ({ label: entry.key, entry })),
      table: () => tableOf(panels),
      chart: (width, look) =>
        panelChart(
          panels.map(({ panel, cells }) => ({
            title: panel.title,
            traces: cells.flatMap(({ shown, points }) =>
              bandMarks(
                {
                  label: shown.label,
                  style: shown.entry.style,
                  x: points.map((point) => point.step),
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
            x: { title: "step", rangemode: "tozero" },
            y: { ...SHARE_AXIS, title: "largest share" },
            height: 240,
          })),
          width,
          look,
          { left: 62, leastWidth: 250, mostColumns: 2 },
        ),
    };
  },
};

function panelsOf(view: View, question: QuestionName): SnapshotPanel[] {
  const only = view.filters.convergedOnly;
  return view.panels.flatMap((panel) => {
    const cells = panel.cells.flatMap((shown): SnapshotCell[] => {
      const points = shown.cell.snapshots.map((snapshot) => ({
        step: snapshot.step,
        share: seedFigure(shown.cell, snapshot[question].maxShare, only),
        accuracy: seedFigure(shown.cell, snapshot.accuracy, only),
        leading: snapshot[question].leading,
      }));
      return points.some((point) => point.share.mean !== null) ? [{ shown, points }] : [];
    });
    return cells.length > 0 ? [{ panel, cells }] : [];
  });
}

function finding({ panel, cells }: SnapshotPanel): string {
  const parts = cells.flatMap(({ shown, points }) => {
    const known = points.filter((point) => point.share.mean !== null);
    const first = known[0];
    const last = known[known.length - 1];
    if (first === undefined || last === undefined) return [];
    return [`${shown.short} ${percent(first.share.mean, 0)} at step ${first.step} and ${percent(last.share.mean, 0)} at step ${last.step}`];
  });
  return `${panel.title}: ${listing(parts, 4)}`;
}

function tableOf(panels: readonly SnapshotPanel[]): Table {
  const rows: Value[][] = [];
  for (const { panel, cells } of panels) {
    for (const { shown, points } of cells) {
      for (const { step, share, accuracy, leading } of points) rows.push([shown.label, panel.task, panel.protocol, step, share.mean, share.low, share.high, leading, accuracy.mean]);
    }
  }
  return {
    caption: "Largest share of a head at snapshots of training",
    columns: ["encoding", "task", "protocol", "step", "largest share", "low", "high", "seeds whose final top head leads", "accuracy"].map((name) => ({ name })),
    rows,
  };
}
