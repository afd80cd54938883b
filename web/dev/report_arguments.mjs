// What the programs that take pictures are called with: REPORT.html OUTDIR; ends the program where that cannot work.
import { existsSync, mkdirSync } from "node:fs";
import { chromiumPath, NO_CHROMIUM } from "./chromium.mjs";

function end(message, status) {
  console.error(message);
  process.exit(status);
}

export function reportArguments(usage) {
  const [report, folder] = process.argv.slice(2);
  if (report === undefined || folder === undefined) end(`usage: ${usage} REPORT.html OUTDIR`, 2);
  if (!existsSync(report)) end(`there is no file ${report}`, 1);
  const executablePath = chromiumPath();
  if (executablePath === null) end(NO_CHROMIUM, 1);
  mkdirSync(folder, { recursive: true });
  return { report, folder, executablePath };
}
