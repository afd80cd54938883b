// Planned comparisons, chosen learning rates and failures, as tables.
import { figure, listing, percent, plural, probability } from "../base/text.ts";
import { element } from "../page/dom.ts";
import { download } from "../page/download.ts";
import type { SectionSpec } from "../page/section.ts";
import { csvText, tableElement, type Table } from "../page/table.ts";
import type { CellName } from "../report/cell.ts";
import type { Comparison } from "../report/comparison.ts";
import { protocolGroup } from "../study/paper_names.ts";
import { cellLabel, type View } from "../study/view.ts";

const READINGS = ["of interest", "significant", "no difference of interest", "open"];

export const COMPARISONS_SECTION: SectionSpec = {
  id: "comparisons",
  title: "Comparisons",
  subject: "planned comparisons",
  body(view) {
    const table = comparisonsTable(view);
    if (table === null) return null;
    const comparisons = shownComparisons(view);
    const counts = READINGS.map((reading) => `${comparisons.filter((it) => it.reading === reading).length} ${reading}`);
    const words = `Of ${plural(comparisons.length, "planned comparison")}: ${listing(counts, READINGS.length)}.`;
    const sentences = element("ul", {}, ...comparisons.map((it) => element("li", {}, it.sentence)));
    const said = element("details", {}, element("summary", {}, "in words"), sentences);
    return element("div", {}, element("p", { class: "finding" }, words), said, tableWithDownload(table, "comparisons"));
  },
};

export const RATES_SECTION: SectionSpec = {
  id: "rates",
  title: "Learning rates",
  subject: "chosen learning rates",
  body(view) {
    const rates = view.report.rates.filter(({ cell }) => isShown(view, cell));
    if (rates.length === 0) return null;
    const edge = rates.filter((choice) => choice.edge !== "").length;
    const words = `Rates were chosen by validation accuracy of one run each; ${edge === 0 ? "none" : `${edge} of ${rates.length}`} lie${edge === 1 ? "s" : ""} at the edge of the grid.`;
    const table: Table = {
      caption: "Learning rates tried, and the one chosen",
      columns: [{ name: "encoding" }, { name: "task" }, { name: "protocol" }, { name: "chosen" }, { name: "edge" }, { name: "tried" }],
      rows: rates.map(({ cell, rate, edge: at, trials }) => [
        cell.label,
        cell.task,
        cell.protocol,
        rate,
        at,
        trials.map((trial) => `${figure(trial.rate)}: ${percent(trial.accuracy)}`).join(", "),
      ]),
    };
    return element("div", {}, element("p", { class: "finding" }, words), tableWithDownload(table, "rates"));
  },
};

export const FAILURES_SECTION: SectionSpec = {
  id: "failures",
  title: "Failures",
  subject: "failed runs",
  body(view) {
    const failures = view.report.failures.filter(({ cell }) => isShown(view, cell));
    if (failures.length === 0) return null;
    const encodings = [...new Set(failures.map((failure) => failure.cell.label))];
    const table: Table = {
      caption: "Runs that failed, and why",
      columns: ["run", "encoding", "task", "protocol", "seed", "why"].map((name) => ({ name })),
      rows: failures.map(({ id, cell, seed, what }) => [id, cell.label, cell.task, cell.protocol, seed, what]),
    };
    const words = `${plural(failures.length, "run")} failed, of ${listing(encodings, 6)}. They have no accuracy, and no mean holds them.`;
    return element("div", {}, element("p", { class: "finding" }, words), tableWithDownload(table, "failures"));
  },
};

function isShown(view: View, cell: CellName): boolean {
  return view.filters.tasks.has(cell.task) && view.filters.protocols.has(protocolGroup(cell.protocol));
}

function shownComparisons(view: View): Comparison[] {
  return view.report.comparisons.filter((it) => isShown(view, it.first.cell) && isShown(view, it.second.cell));
}

function comparisonsTable(view: View): Table | null {
  const shown = shownComparisons(view);
  if (shown.length === 0) return null;
  const name = (cell: CellName): string => cellLabel(cell);
  return {
    caption: "Planned comparisons",
    columns: [
      { name: "first" },
      { name: "second" },
      { name: "task" },
      { name: "protocol" },
      { name: "number" },
      { name: "difference" },
      { name: "low" },
      { name: "high" },
      { name: "margin" },
      { name: "reading" },
      { name: "p after Holm", show: probability },
      { name: "of" },
      { name: "permutation p", show: probability },
      { name: "runs" },
    ],
    rows: shown.map((it) => [
      name(it.first.cell),
      name(it.second.cell),
      it.first.cell.task,
      it.first.cell.protocol === it.second.cell.protocol ? it.first.cell.protocol : `${it.first.cell.protocol}, ${it.second.cell.protocol}`,
      it.title || it.number,
      it.difference?.value ?? null,
      it.difference?.low ?? null,
      it.difference?.high ?? null,
      it.margin,
      it.extension ? `${it.reading}, extension` : it.reading,
      it.holm,
      it.family,
      it.permutationP,
      `${it.first.values.length}, ${it.second.values.length}`,
    ]),
  };
}

export function tableWithDownload(table: Table, name: string): HTMLElement {
  const button = element("button", { type: "button", "aria-label": `Download the data as CSV: ${table.caption}` }, "CSV");
  button.addEventListener("click", () => download(`${name}.csv`, "text/csv", csvText(table)));
  return element("div", {}, tableElement(table), element("div", { class: "tools" }, element("div", { class: "downloads" }, button)));
}
