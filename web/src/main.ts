import { plotly } from "./chart/plotly.ts";
import { element } from "./page/dom.ts";
import { ReportPage } from "./page/report_page.ts";
import { readReport } from "./report/report.ts";
import { reportJson } from "./report/source.ts";

async function start(): Promise<void> {
  const place = document.getElementById("page") ?? document.body;
  try {
    const report = readReport(await reportJson());
    document.title = `${report.name} · Phasor`;
    new ReportPage(report).showIn(place);
  } catch (problem) {
    console.error(problem);
    const why = problem instanceof Error ? problem.message : String(problem);
    place.replaceChildren(element("main", { class: "trouble" }, element("h1", {}, "No report"), element("p", {}, `${why}.`)));
  }
}

// The library takes longest: it starts while the first screen is put together.
void plotly().catch((problem: unknown) => console.error(problem));
void start();
