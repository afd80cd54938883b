// For development: fills the built page with data.
//   node dev/make_page.mjs SUMMARY_OR_DATA.json OUT.html [--packed]
// A summary.json is wrapped as the program would wrap it, without what it adds from the runs' folders.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { filledPage } from "./filled_page.mjs";

const [source, out, form] = process.argv.slice(2);
if (source === undefined || out === undefined) {
  console.error("usage: node dev/make_page.mjs SUMMARY_OR_DATA.json OUT.html [--packed]");
  process.exit(2);
}

function wrapped(summary) {
  const folder = basename(dirname(resolve(source)));
  return {
    format: "phasor report 2",
    kind: summary.claims === undefined ? "study" : "paper",
    folder,
    commands: { repeat: `phasor study --out ${folder}`, report: `phasor report ${folder}` },
    summary,
    cells: summary.cells.map(() => ({ config: null, command: null, telemetry: null, head_curves: null })),
  };
}

const json = JSON.parse(readFileSync(source, "utf8"));
const page = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "page.html"), "utf8");
writeFileSync(out, filledPage(page, json.format === "phasor report 2" ? json : wrapped(json), form === "--packed"));
