// Name of the study, and what made it.
import { plural } from "../base/text.ts";
import type { Report } from "../report/report.ts";
import { element } from "./dom.ts";
import type { ThemeChoice } from "./theme.ts";

export function headerElement(report: Report, theme: ThemeChoice): HTMLElement {
  const { times, cells } = report;
  const finished = cells.reduce((sum, cell) => sum + cell.runs.length, 0);
  const failed = cells.reduce((sum, cell) => sum + cell.failed, 0);
  const unconverged = cells.reduce((sum, cell) => sum + cell.unconverged, 0);
  const facts = [
    plural(finished, "run"),
    `${failed} failed`,
    `${unconverged} not converged`,
    plural(cells.length, "cell"),
    times.date,
    times.machine,
    times.version === "" ? "" : `phasor ${times.version}`,
    times.commit === "" ? "" : `commit ${times.commit}`,
  ].filter((fact) => fact !== "");
  const list = element("ul", { class: "facts" });
  for (const fact of facts) list.append(element("li", {}, fact));
  const kind = { paper: "Reproduction", study: "Study", run: "Run" }[report.kind];
  return element(
    "header",
    { class: "masthead" },
    element("div", { class: "brand" }, element("span", {}, `Phasor · ${kind}${report.folder === "" ? "" : ` · ${report.folder}`}`), theme.control()),
    element("h1", {}, report.name),
    list,
  );
}
