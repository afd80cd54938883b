// What the page must say of a fixture, from the summary alone.

/** A released program of its own is part of the released protocol. */
export function groupOf(protocol) {
  return protocol.startsWith("released") ? "released" : protocol;
}

/** Cells that the filters show at the start. */
export function usualCells(report) {
  return report.summary.cells.filter(({ cell }) => cell.variant === "" && !cell.encoding.startsWith("rope[heads="));
}

export function findCell(report, task, protocol, encoding) {
  return report.summary.cells.find(
    ({ cell }) => cell.task === task && groupOf(cell.protocol) === protocol && cell.encoding === encoding && cell.variant === "",
  );
}

/** The row of a table about a cell. */
export function rowOf(records, { cell }) {
  return records.filter((row) => row.encoding === cell.label && row.task === cell.task && row.protocol === groupOf(cell.protocol));
}

export function sum(values) {
  return values.reduce((all, value) => all + value, 0);
}
