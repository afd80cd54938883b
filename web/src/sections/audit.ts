// What each choice of the released protocol does alone.
import { probability, signed } from "../base/text.ts";
import { faded, type Look } from "../chart/look.ts";
import { hoverLines, plain } from "../chart/markup.ts";
import { verticalLine } from "../chart/marks.ts";
import { panelChart, type Panel } from "../chart/panels.ts";
import type { Layout, Trace } from "../chart/plotly.ts";
import { rowAxis, rowNames, type RowAxis } from "../chart/rows.ts";
import type { FigureContent, FigureSpec } from "../page/figure.ts";
import type { SectionSpec } from "../page/section.ts";
import type { Table } from "../page/table.ts";
import type { AuditBlock, Change, Switch } from "../report/paper.ts";
import type { View } from "../study/view.ts";
import { encodingStyles } from "../study/encoding_style.ts";
import { colourOf } from "../chart/look.ts";

interface AuditNumber {
  value: string;
  label: string;
  /** To per cent. */
  scale: number;
  base(block: AuditBlock): number | null;
  change(row: Switch): Change | null;
  /** The most that it can be, where the samples bound it. */
  ceiling(row: Switch): number | null;
}

const NUMBERS: AuditNumber[] = [
  { value: "accuracy", label: "test accuracy", scale: 1, base: (block) => block.baseAccuracy, change: (row) => row.accuracy, ceiling: (row) => row.ceiling },
  { value: "max_share", label: "largest head's share", scale: 100, base: (block) => block.baseMaxShare, change: (row) => row.maxShare, ceiling: () => null },
];

const AUDIT: FigureSpec = {
  id: "audit-switches",
  title: "One choice switched at a time",
  controls: [{ name: "number", label: "Show", choices: (view) => NUMBERS.filter((number) => blocksOf(view, number).length > 0) }],
  content(view, values): FigureContent | null {
    const number = NUMBERS.find((it) => it.value === values["number"]);
    const blocks = number === undefined ? [] : blocksOf(view, number);
    if (number === undefined || blocks.length === 0) return null;
    return {
      finding: blocks.map(finding),
      note: "The line is the base protocol; a mark is the same with one choice taken from the other protocol, with the 95 % interval of the change (Welch) and p after Holm. All finished runs take part, also those that did not converge; shares are of runs above their floor that use the layer.",
      key: blocks.some((block) => block.switches.some((row) => number.ceiling(row) !== null)) ? [{ label: "the best that the samples allow", sign: { kind: "tick" } }] : [],
      table: () => tableOf(blocks, number),
      chart: (width, look) => {
        const { labels, left } = rowNames(blocks.map((block) => block.switches.map(({ name }) => ({ label: name, short: name }))), width);
        return panelChart(blocks.map((block, i) => panelOf(block, number, rowAxis(labels[i] ?? [], left), look)), width, look, { left, right: 74, leastWidth: 170, mostColumns: 2 });
      },
    };
  },
};

export const AUDIT_SECTION: SectionSpec = {
  id: "audit",
  title: "Audit",
  subject: "the audit of the released protocol",
  intro: "Which choice of the released program makes the difference? Each is switched alone, in both directions.",
  figures: [AUDIT],
};

const AUDITED_TASK = "distance";

function blocksOf(view: View, number: AuditNumber): AuditBlock[] {
  const { tasks, protocols, encodings } = view.filters;
  return view.report.audit.filter(
    (block) =>
      tasks.has(AUDITED_TASK) && protocols.has(block.base) && encodings.has(block.encoding) && number.base(block) !== null && block.switches.some((row) => number.change(row) !== null),
  );
}

function panelOf(block: AuditBlock, number: AuditNumber, axis: RowAxis, look: Look): Panel {
  const base = (number.base(block) ?? 0) * number.scale;
  const style = encodingStyles([block.encoding]).get(block.encoding);
  const colour = style === undefined ? look.ink : colourOf(style, look);
  const rows = block.switches.flatMap((row, at) => {
    const change = number.change(row);
    return change?.change == null ? [] : [{ row, at, change, to: base + change.change * number.scale }];
  });
  const arms: Layout[] = rows.map(({ at, to }) => ({ type: "line", xref: "x", yref: "y", x0: base, x1: to, y0: at, y1: at, line: { color: faded(colour, 0.35), width: 7 } }));
  return {
    title: `${block.encoding}, ${block.base}`,
    subtitle: `base ${base.toFixed(1)} %`,
    traces: [
      ...ceilingTraces(block, number, look),
      {
        type: "scatter",
        mode: "markers",
        showlegend: false,
        x: rows.map((it) => it.to),
        y: rows.map((it) => it.at),
        marker: { color: colour, size: 9, symbol: "circle" },
        error_x: {
          type: "data",
          symmetric: false,
          array: rows.map(({ change }) => ((change.high ?? change.change ?? 0) - (change.change ?? 0)) * number.scale),
          arrayminus: rows.map(({ change }) => ((change.change ?? 0) - (change.low ?? change.change ?? 0)) * number.scale),
          color: colour,
          thickness: 1.6,
          width: 4,
        },
        hoverinfo: "text",
        hovertext: rows.map(({ row, change }) =>
          hoverLines(row.name, row.what, `${signed((change.change ?? 0) * number.scale)} points (${signed((change.low ?? 0) * number.scale)} to ${signed((change.high ?? 0) * number.scale)})`, `p = ${probability(change.p)}, after Holm ${probability(change.holm)}`),
        ),
      },
    ],
    x: { title: `${number.label}, %` },
    y: axis.y,
    height: axis.height,
    shapes: [verticalLine(base, look, "solid", 1.5), ...arms],
    annotations: rows.map(({ at, change }) => ({
      text: plain(`p ${probability(change.holm)}`),
      xref: "x domain",
      x: 1,
      y: at,
      xanchor: "left",
      xshift: 8,
      showarrow: false,
      font: { size: 11, color: change.significant ? look.ink : look.faint },
    })),
  };
}

/** A switch that moves the ceiling changes the task. */
function ceilingTraces(block: AuditBlock, number: AuditNumber, look: Look): Trace[] {
  const rows = block.switches.flatMap((row, at) => {
    const ceiling = number.ceiling(row);
    return ceiling === null ? [] : [{ row, at, ceiling }];
  });
  if (rows.length === 0) return [];
  return [
    {
      type: "scatter",
      mode: "markers",
      name: "ceiling",
      meta: "ceiling",
      showlegend: false,
      x: rows.map((it) => it.ceiling),
      y: rows.map((it) => it.at),
      marker: { symbol: "line-ns-open", size: 14, color: look.soft, line: { width: 1.5, color: look.soft } },
      hoverinfo: "text",
      hovertext: rows.map((it) => hoverLines(it.row.name, `the samples allow ${it.ceiling.toFixed(1)} % at best`)),
    },
  ];
}

/** In the program's words: it says where no switch moves anything, and how reliable a change is. */
function finding(block: AuditBlock): string {
  return block.finding.replace(/\.$/, "") || `${block.encoding} from ${block.base}: the summary has no finding`;
}

function tableOf(blocks: readonly AuditBlock[], number: AuditNumber): Table {
  return {
    caption: `Changes of ${number.label} by single switches`,
    columns: ["switch", "what", "encoding", "base", "base value", "value", "ceiling", "change", "low", "high", "p", "p after Holm", "finished", "not converged", "failed"].map((name) => ({ name })),
    rows: blocks.flatMap((block) =>
      block.switches.map((row) => {
        const change = number.change(row);
        return [row.name, row.what, block.encoding, block.base, change?.baseMean ?? number.base(block), change?.mean ?? null, number.ceiling(row), change?.change ?? null, change?.low ?? null, change?.high ?? null, change?.p ?? null, change?.holm ?? null, row.finished, row.unconverged, row.failed];
      }),
    ),
  };
}
