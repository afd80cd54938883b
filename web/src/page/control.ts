// Controls that several figures have.
import { askedPanels, QUESTIONS } from "../study/question_heads.ts";
import type { PanelCells, View } from "../study/view.ts";
import type { Control } from "./figure.ts";

export const QUESTION_CONTROL: Control = {
  name: "question",
  label: "Question",
  choices: (view) => QUESTIONS.filter(({ value }) => askedPanels(view, value).length > 0),
};

/** One task and protocol at a time. */
export function panelControl(panels: (view: View) => readonly PanelCells[]): Control {
  return {
    name: "panel",
    label: "Task and protocol",
    choices: (view) => panels(view).map((panel) => ({ value: panel.title, label: panel.title })),
  };
}
