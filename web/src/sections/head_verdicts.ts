// How many runs of an encoding got which verdict.
import { listing, plural } from "../base/text.ts";
import { lookOf, type Look } from "../chart/look.ts";
import { hoverLines } from "../chart/markup.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import { rowAxis, rowNames, type RowAxis } from "../chart/rows.ts";
import { QUESTION_CONTROL } from "../page/control.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { Table, Value } from "../page/table.ts";
import { VERDICTS } from "../report/heads.ts";
import { askedPanels, questionOf, type AskedCell, type AskedPanel } from "../study/question_heads.ts";

const LETTERS: Readonly<Record<string, string>> = { DEPOSIT: "D", PARTIAL: "P", SPREAD: "S", "NOT USED": "N", UNDETERMINED: "U" };
const PATTERNS: Readonly<Record<string, string>> = { DEPOSIT: "", PARTIAL: "x", SPREAD: "/", "NOT USED": ".", UNDETERMINED: "" };

export const HEAD_VERDICTS: FigureSpec = {
  id: "head-verdicts",
  title: "Verdicts over seeds",
  controls: [QUESTION_CONTROL],
  content(view, values): FigureContent | null {
    const panels = askedPanels(view, questionOf(values["question"]));
    if (panels.length === 0) return null;
    return {
      finding: finding(panels),
      note: "DEPOSIT: one head of the layer does what the layer does. PARTIAL: neither one head nor spread. SPREAD: no head does. NOT USED: the layer does not matter. UNDETERMINED: the samples cannot tell. Bars and verdicts over seeds count all finished runs.",
      key: VERDICTS.map((verdict) => ({ label: `${LETTERS[verdict] ?? ""} ${verdict.toLowerCase()}`, sign: { kind: "box" as const, colour: lookOf(false).verdicts[verdict] ?? "", darkColour: lookOf(true).verdicts[verdict] ?? "" } })),
      table: () => tableOf(panels),
      chart: (width, look) => {
        const { labels, left } = rowNames(panels.map((panel) => panel.cells.map((cell) => cell.shown)), width);
        return panelChart(panels.map((panel, i) => panelOf(panel, rowAxis(labels[i] ?? [], left, 28), look)), width, look, { left, leastWidth: 200, mostColumns: 2, layout: { barmode: "stack", bargap: 0.35 } });
      },
    };
  },
};

function countOf(cell: AskedCell, verdict: string): number {
  return cell.seeds.filter((seed) => seed.verdict === verdict).length;
}

/** "3 of 5 runs", and how many of the 3 did not converge. */
function countText(cell: AskedCell, verdict: string): string {
  const unconverged = cell.seeds.filter((seed) => seed.verdict === verdict && !seed.converged).length;
  return `${countOf(cell, verdict)} of ${plural(cell.seeds.length, "run")}${unconverged === 0 ? "" : ` (${unconverged} not converged)`}`;
}

function panelOf({ panel, cells }: AskedPanel, axis: RowAxis, look: Look): Panel {
  return {
    title: panel.title,
    traces: VERDICTS.map((verdict) => ({
      type: "bar",
      orientation: "h",
      name: verdict.toLowerCase(),
      y: cells.map((_, row) => row),
      x: cells.map((cell) => countOf(cell, verdict)),
      marker: { color: look.verdicts[verdict], pattern: { shape: PATTERNS[verdict], fillmode: "overlay", fgcolor: look.paper, fgopacity: 0.55, size: 6, solidity: 0.25 } },
      text: cells.map((cell) => (countOf(cell, verdict) > 0 ? (LETTERS[verdict] ?? "") : "")),
      textposition: "inside",
      insidetextanchor: "middle",
      textangle: 0,
      constraintext: "none",
      textfont: { size: 11, color: textColour(verdict, look) },
      hoverinfo: "text",
      hovertext: cells.map((cell) => hoverLines(cell.shown.label, `${verdict} in ${countText(cell, verdict)}`)),
    })),
    x: { title: "runs", rangemode: "tozero", tick0: 0, dtick: Math.max(1, Math.ceil(Math.max(...cells.map((cell) => cell.seeds.length)) / 6)) },
    y: axis.y,
    height: axis.height,
  };
}

function textColour(verdict: string, look: Look): string {
  if (look.dark) return verdict === "UNDETERMINED" ? look.ink : "#14161b";
  return verdict === "DEPOSIT" || verdict === "SPREAD" ? "#ffffff" : look.ink;
}

function finding(panels: readonly AskedPanel[]): string[] {
  return panels.map(({ panel, cells }) => {
    const deposits = cells.filter((cell) => countOf(cell, "DEPOSIT") > 0).map((cell) => `${cell.shown.short} in ${countText(cell, "DEPOSIT")}`);
    return `${panel.title}: ${deposits.length === 0 ? "no run is a deposit" : `deposit with ${listing(deposits, 4)}`}; ${overSeeds(cells)}`;
  });
}

function overSeeds(cells: readonly AskedCell[]): string {
  const decided = cells.flatMap(({ shown, question: { overSeeds: it } }) => (it === null || it.verdict === "UNDETERMINED" ? [] : [`${shown.short} ${it.verdict}`]));
  return decided.length === 0 ? "no encoding has a verdict over seeds" : `over seeds: ${listing(decided, 4)}`;
}

function tableOf(panels: readonly AskedPanel[]): Table {
  const rows: Value[][] = [];
  for (const { panel, cells } of panels) {
    for (const cell of cells) {
      const over = cell.question.overSeeds;
      rows.push([
        cell.shown.label,
        panel.task,
        panel.protocol,
        ...VERDICTS.map((verdict) => countOf(cell, verdict)),
        cell.seeds.filter((seed) => !seed.converged).length,
        over?.verdict ?? "none",
        over?.maxShare.value ?? null,
        over?.maxShare.low ?? null,
        over?.maxShare.high ?? null,
        over?.n2.value ?? null,
        over?.reason ?? "",
      ]);
    }
  }
  return {
    caption: "Verdicts of runs, and of encodings over seeds",
    columns: ["encoding", "task", "protocol", ...VERDICTS.map((verdict) => verdict.toLowerCase()), "not converged", "over seeds", "max share", "low", "high", "effective heads", "reason"].map((name) => ({ name })),
    rows,
  };
}
