// The study as the filters leave it: a panel for every task and protocol, with its cells.
import type { Cell, CellName } from "../report/cell.ts";
import type { Report } from "../report/report.ts";
import type { Entries, Entry } from "./entry.ts";
import type { Filters } from "./filters.ts";
import { protocolGroup } from "./paper_names.ts";

export interface ShownCell {
  cell: Cell;
  entry: Entry;
  /** What the encoding is called, and the variant where there is one. */
  label: string;
  /** The entry's name: of a released form that of the clean one. */
  short: string;
}

export interface PanelCells {
  task: string;
  protocol: string;
  title: string;
  cells: ShownCell[];
}

export interface View {
  report: Report;
  filters: Filters;
  /** Cells of the chosen encodings. */
  panels: PanelCells[];
  /** Cells of all encodings, without variants. */
  plainPanels: PanelCells[];
}

export function viewOf(report: Report, entries: Entries, filters: Filters): View {
  return {
    report,
    filters,
    panels: panelsOf(report, entries, filters, (shown) => filters.encodings.has(shown.entry.key)),
    plainPanels: panelsOf(report, entries, filters, (shown) => shown.cell.name.variant === ""),
  };
}

/** What the encoding is called, and the variant where there is one. */
export function cellLabel({ label, variant }: CellName): string {
  return variant === "" ? label : `${label}, ${variant}`;
}

export function panelTitle(task: string, protocol: string): string {
  return protocol === "" ? task : `${task}, ${protocol}`;
}

function panelsOf(
  report: Report,
  entries: Entries,
  filters: Filters,
  keep: (shown: ShownCell) => boolean,
): PanelCells[] {
  const panels = new Map<string, PanelCells>();
  for (const cell of report.cells) {
    const { task } = cell.name;
    const protocol = protocolGroup(cell.name.protocol);
    if (!filters.tasks.has(task) || !filters.protocols.has(protocol)) continue;
    const entry = entries.of(cell.name);
    const shown = {
      cell,
      entry,
      short: entry.key,
      label: cellLabel(cell.name),
    };
    if (!keep(shown)) continue;
    const key = JSON.stringify([task, protocol]);
    const panel = panels.get(key) ?? { task, protocol, title: panelTitle(task, protocol), cells: [] };
    panel.cells.push(shown);
    panels.set(key, panel);
  }
  const order = entries.list.map((entry) => entry.key);
  for (const panel of panels.values()) {
    panel.cells.sort((a, b) => order.indexOf(a.entry.key) - order.indexOf(b.entry.key));
  }
  return [...panels.values()];
}
