// What stands behind the names of encodings: every expression once.
import type { SectionSpec } from "../page/section.ts";
import { tableElement, type Table } from "../page/table.ts";

export const NAMES_SECTION: SectionSpec = {
  id: "names",
  title: "Names of encodings",
  subject: "",
  intro: "Names are the author's; short forms stand for long expressions. All other encodings are called as they are written.",
  body({ report }) {
    if (report.labels.length === 0) return null;
    const table: Table = {
      caption: "Encodings that are not called as they are written",
      columns: ["name", "expression", "given by"].map((name) => ({ name })),
      rows: report.labels.map(({ label, expression, named }) => [label, expression, named ? "author" : "shortened"]),
    };
    return tableElement(table);
  },
};
