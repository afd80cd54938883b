// The end of the page: what it is made with.
import { copyableCommand } from "../page/command.ts";
import { element } from "../page/dom.ts";
import type { Report } from "../report/report.ts";

export function aboutElement(report: Report): HTMLElement {
  const licence = document.getElementById("plotly-licence")?.textContent?.trim() ?? "";
  return element(
    "footer",
    { class: "about" },
    report.reportCommand === "" ? null : copyableCommand("This page", report.reportCommand),
    report.registration === "" ? null : element("p", {}, report.registration),
    element("p", {}, "This page is complete in itself: it asks nothing of any server, and can be kept, printed and sent as it is."),
    licence === "" ? null : element("details", {}, element("summary", {}, "Charts are drawn by plotly.js (MIT)"), element("pre", { tabindex: 0 }, licence)),
  );
}
