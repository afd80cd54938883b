// The whole config of every cell, and the commands that repeat it.
import { figure, plural } from "../base/text.ts";
import { copyableCommand } from "../page/command.ts";
import { element } from "../page/dom.ts";
import type { SectionSpec } from "../page/section.ts";
import { tableElement } from "../page/table.ts";
import type { Cell } from "../report/cell.ts";
import { protocolGroup } from "../study/paper_names.ts";

export const CONFIGS_SECTION: SectionSpec = {
  id: "configs",
  title: "Configuration",
  subject: "configurations",
  body(view) {
    const { report, filters } = view;
    const cells = report.cells.filter(({ name }) => filters.tasks.has(name.task) && filters.protocols.has(protocolGroup(name.protocol)));
    if (cells.length === 0) return null;
    const list = element("div", { class: "cell-list" }, ...cells.map(cellElement));
    return element("div", {}, report.repeatCommand === "" ? null : copyableCommand("Repeat the study", report.repeatCommand), list);
  },
};

function cellElement(cell: Cell): HTMLElement {
  const details = element("details", {}, element("summary", {}, titleOf(cell)));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(...contents(cell));
  });
  return details;
}

function titleOf({ name, title }: Cell): string {
  const { label, task, protocol, variant } = name;
  return title || `${label} on ${task}, ${protocol}${variant === "" ? "" : `, ${variant}`}`;
}

function contents(cell: Cell): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (cell.command !== "") parts.push(copyableCommand("Repeat", cell.command));
  if (cell.runs.length > 0) {
    parts.push(
      tableElement({
        caption: `${plural(cell.runs.length, "finished run")} of ${cell.planned} planned, ${cell.failed} failed`,
        columns: [{ name: "run" }, { name: "seed" }, { name: "converged" }, { name: "test accuracy" }, { name: "learning rate", show: figure }, { name: "steps" }, { name: "parameters" }],
        rows: cell.runs.map((run, i) => [run.id, run.seed, run.converged ? "yes" : "no", cell.numbers.testAccuracy.values[i] ?? null, run.learningRate, run.steps, run.parameters]),
      }),
    );
  }
  if (cell.config !== null) {
    parts.push(element("pre", { tabindex: 0, role: "region", "aria-label": `Configuration of ${titleOf(cell)}` }, JSON.stringify(cell.config, null, 2)));
  }
  return parts;
}
