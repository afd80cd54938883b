// What encodings have learned: every number over seeds, as training started and trained.
import { figure, listing, plural } from "../base/text.ts";
import { element } from "../page/dom.ts";
import type { SectionSpec } from "../page/section.ts";
import type { Table, Value } from "../page/table.ts";
import type { LearnedNumber } from "../report/learned.ts";
import type { PanelCells, ShownCell, View } from "../study/view.ts";
import { tableWithDownload } from "./comparisons.ts";

interface LearnedRow {
  panel: PanelCells;
  shown: ShownCell;
  number: LearnedNumber;
}

export const LEARNED_SECTION: SectionSpec = {
  id: "learned",
  title: "What was learned",
  subject: "numbers that encodings learn",
  intro: "Numbers of the encodings' own that training changed: their start, and their mean over seeds with its 95 % interval. The trained card of one run, with its kernel beside the initial one: phasor encodings RUN.",
  body(view) {
    const rows = rowsOf(view);
    const leftOut = leftOutOf(view);
    if (rows.length === 0 && leftOut.length === 0) return null;
    const body = element("div", {});
    for (const line of findings(rows)) body.append(element("p", { class: "finding" }, line));
    if (rows.length > 0) body.append(tableWithDownload(tableOf(rows), "learned"));
    if (leftOut.length > 0) body.append(element("p", { class: "note" }, `Left out as tables, whose numbers mean little one by one: ${listing(leftOut, 6)}.`));
    return body;
  },
};

function rowsOf(view: View): LearnedRow[] {
  return view.panels.flatMap((panel) => panel.cells.flatMap((shown) => shown.cell.finished.learned.numbers.map((number) => ({ panel, shown, number }))));
}

function leftOutOf(view: View): string[] {
  const names = view.panels.flatMap(({ cells }) => cells.flatMap(({ cell }) => cell.finished.learned.tables.map(({ name, shape }) => `${name} [${shape.join(", ")}]`)));
  return [...new Set(names)];
}

const NAMED = 3;

/** Of every encoding the numbers that moved farthest, over the size of their start. */
function findings(rows: readonly LearnedRow[]): string[] {
  const cells = [...new Set(rows.map(({ shown }) => shown))];
  const lines = cells.flatMap((shown) => {
    const of = rows.filter((row) => row.shown === shown);
    const moved = of.flatMap(({ number, panel }) => {
      const { start, end } = number;
      if (start.mean === null || end.mean === null) return [];
      return [{ words: `${placeOf(number)}, from ${figure(start.mean, 3)} to ${figure(end.mean, 3)}`, size: Math.abs(end.mean - start.mean) / Math.max(Math.abs(start.mean), 1e-9), panel }];
    });
    const [farthest] = moved.sort((a, b) => b.size - a.size);
    if (farthest === undefined) return [];
    return [`${shown.label} on ${farthest.panel.title}: ${plural(of.length, "number")}; the one that changed most for its size is ${farthest.words}.`];
  });
  return lines.length <= NAMED ? lines : [...lines.slice(0, NAMED), `${plural(lines.length - NAMED, "more cell")} in the table.`];
}

function placeOf({ name, layer, head }: LearnedNumber): string {
  return [name, ...(layer === null ? [] : [`layer ${layer}`]), ...(head === null ? [] : [`head ${head}`])].join(", ");
}

function tableOf(rows: readonly LearnedRow[]): Table {
  const show = (value: number): string => figure(value);
  return {
    caption: "Numbers that encodings learned, over seeds",
    columns: [
      { name: "encoding" },
      { name: "task" },
      { name: "protocol" },
      { name: "number" },
      { name: "layer" },
      { name: "head" },
      { name: "start", show },
      { name: "mean", show },
      { name: "low", show },
      { name: "high", show },
      { name: "runs" },
    ],
    rows: rows.map(({ panel, shown, number: { name, layer, head, start, end } }): Value[] => [
      shown.label,
      panel.task,
      panel.protocol,
      name,
      layer ?? "all",
      head ?? "all",
      start.mean,
      end.mean,
      end.low,
      end.high,
      end.count,
    ]),
  };
}
