// A table of data: on the page, and as CSV.
import { figure } from "../base/text.ts";
import { element } from "./dom.ts";

export type Value = string | number | null;

export interface Column {
  name: string;
  /** How a number is shown; the CSV has all of its digits. */
  show?: (value: number) => string;
}

export interface Table {
  caption: string;
  columns: Column[];
  rows: Value[][];
}

/** The first column has the heads of the rows. */
export function tableElement(table: Table): HTMLElement {
  const head = element("tr", {});
  const numeric = table.columns.map((_, i) => table.rows.some((row) => typeof row[i] === "number"));
  table.columns.forEach((column, i) => {
    head.append(element("th", { scope: "col", class: numeric[i] ? "number" : null }, column.name));
  });
  const body = element("tbody");
  for (const row of table.rows) {
    const line = element("tr");
    table.columns.forEach((column, i) => line.append(cellElement(row[i] ?? null, column, i === 0, numeric[i] === true)));
    body.append(line);
  }
  const whole = element("table", {}, element("caption", {}, table.caption), element("thead", {}, head), body);
  return element("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": table.caption }, whole);
}

function cellElement(value: Value, column: Column, isHead: boolean, numeric: boolean): HTMLElement {
  const shown = value === null ? "—" : typeof value === "number" ? (column.show ?? figure)(value) : value;
  const attributes = {
    class: numeric ? "number" : null,
    scope: isHead ? "row" : null,
    "data-value": typeof value === "number" ? String(value) : null,
  };
  return isHead ? element("th", attributes, shown) : element("td", attributes, shown);
}

/** RFC 4180, with numbers as they were read. */
export function csvText(table: Table): string {
  const lines = [table.columns.map((column) => column.name), ...table.rows].map((row) =>
    row.map((value) => quoted(value === null ? "" : String(value))).join(","),
  );
  return lines.join("\r\n") + "\r\n";
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
