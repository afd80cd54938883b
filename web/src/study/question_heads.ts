// Drops of heads under one question, as the filters leave them.
import type { Question, SeedHeads } from "../report/heads.ts";
import type { PanelCells, ShownCell, View } from "./view.ts";

export type QuestionName = "position" | "importance";

export const QUESTIONS: { value: QuestionName; label: string }[] = [
  { value: "position", label: "position" },
  { value: "importance", label: "importance" },
];

export interface AskedCell {
  shown: ShownCell;
  question: Question;
  seeds: SeedHeads[];
}

export interface AskedPanel {
  panel: PanelCells;
  cells: AskedCell[];
}

export function askedPanels(view: View, name: QuestionName): AskedPanel[] {
  return view.panels.flatMap((panel) => {
    const cells = panel.cells.flatMap((shown): AskedCell[] => {
      const question = shown.cell[name];
      return question === null || question.seeds.length === 0 ? [] : [{ shown, question, seeds: question.seeds }];
    });
    return cells.length > 0 ? [{ panel, cells }] : [];
  });
}

export function questionOf(value: string | undefined): QuestionName {
  return value === "importance" ? "importance" : "position";
}

/** What a drop is, for the title of an axis. */
export function dropTitle(name: QuestionName): string {
  return name === "position" ? "loss added without the head's position, nats" : "loss added without the head, nats";
}
