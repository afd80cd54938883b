// When the pattern of heads forms: the largest share at snapshots of training.
import { listing, percent } from "../base/text.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import { QUESTIONS, questionOf, type QuestionName } from "../study/question_heads.ts";
import { seedFigure, type SeedFigure } from "../study/seed_points.ts";
import type { View } from "../study/view.ts";
import { bandChart, bandKey, bandPanels, type BandPanel, type BandPoint } from "./seed_bands.ts";

/** At a step of training. */
interface SnapshotPoint extends BandPoint {
  accuracy: SeedFigure;
  leading: number | null;
}

export const SNAPSHOTS: FigureSpec = {
  id: "snapshots",
  title: "Largest head's share over training",
  controls: [{ name: "question", label: "Question", choices: (view) => QUESTIONS.filter(({ value }) => panelsOf(view, value).length > 0) }],
  content(view, values): FigureContent | null {
    const panels = panelsOf(view, questionOf(values["question"]));
    if (panels.length === 0) return null;
    return {
      finding: panels.map(finding),
      note: "Share of the top head in the drops of the layer that is the finished model's key layer. Lines are means of all finished runs, bands their 95 % intervals.",
      key: bandKey(panels),
      table: () => tableOf(panels),
      chart: (width, look) => bandChart(panels, width, look, () => ({ title: "step", rangemode: "tozero" }), "largest share"),
    };
  },
};

function panelsOf(view: View, question: QuestionName): BandPanel<SnapshotPoint>[] {
  return bandPanels(view, ({ cell }) => {
    const { runs, snapshots } = cell.finished;
    return snapshots.map((snapshot) => ({
      at: snapshot.step,
      share: seedFigure(runs, snapshot[question].maxShare),
      accuracy: seedFigure(runs, snapshot.accuracy),
      leading: snapshot[question].leading,
    }));
  });
}

function finding({ panel, cells }: BandPanel<SnapshotPoint>): string {
  const parts = cells.flatMap(({ shown, points }) => {
    const known = points.filter((point) => point.share.mean !== null);
    const first = known[0];
    const last = known[known.length - 1];
    if (first === undefined || last === undefined) return [];
    return [`${shown.short} ${percent(first.share.mean, 0)} at step ${first.at} and ${percent(last.share.mean, 0)} at step ${last.at}`];
  });
  return `${panel.title}: ${listing(parts, 4)}`;
}

function tableOf(panels: readonly BandPanel<SnapshotPoint>[]): Table {
  const rows: Value[][] = [];
  for (const { panel, cells } of panels) {
    for (const { shown, points } of cells) {
      for (const { at, share, accuracy, leading } of points) rows.push([shown.label, panel.task, panel.protocol, at, share.mean, share.low, share.high, leading, accuracy.mean]);
    }
  }
  return {
    caption: "Largest share of a head at snapshots of training",
    columns: ["encoding", "task", "protocol", "step", "largest share", "low", "high", "seeds whose final top head leads", "accuracy"].map((name) => ({ name })),
    rows,
  };
}
