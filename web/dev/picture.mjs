// The pictures of the README: the first screen of a report, and one of its figures.
//   node dev/picture.mjs REPORT.html OUTDIR
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS } from "./chromium.mjs";
import { reportArguments } from "./report_arguments.mjs";

const FIGURES = ["head-drops"];

const { report, folder, executablePath } = reportArguments("node dev/picture.mjs");

const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
try {
  const page = await browser.newPage({ viewport: { width: 1180, height: 860 }, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(pathToFileURL(resolve(report)).href);
  await page.locator("#answer").waitFor();
  await page.screenshot({ path: join(folder, "report.png") });
  for (const id of FIGURES) {
    const figure = page.locator(`figure[id="${id}"]`);
    if ((await figure.count()) === 0) continue;
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".plot[data-drawn] svg.main-svg").first().waitFor();
    await figure.screenshot({ path: join(folder, `${id}.png`) });
  }
} finally {
  await browser.close();
}
