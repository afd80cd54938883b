// Pictures of a report, wide and narrow, light and dark: the first screen, and the whole page in parts.
//   npm run screenshots -- REPORT.html OUTDIR
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS } from "./chromium.mjs";
import { reportArguments } from "./report_arguments.mjs";

const SCREENS = [
  { name: "wide", width: 1280, height: 860 },
  { name: "phone", width: 390, height: 844 },
];
// Taller pictures are cut: browsers and viewers stop at some height.
const TALLEST = 7000;

const { report, folder, executablePath } = reportArguments("npm run screenshots --");

/** Charts are drawn in sight: brings each there. */
async function drawAll(page) {
  for (const figure of await page.locator("figure:visible").all()) {
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".plot[data-drawn] svg.main-svg").first().waitFor();
  }
  await page.evaluate(() => window.scrollTo(0, 0));
}

async function take(page, name) {
  const file = (part) => join(folder, `${name}-${part}.png`);
  await page.screenshot({ path: file("first") });
  await drawAll(page);
  const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: document.documentElement.scrollHeight }));
  // The bar sticks to the top of the window, and a picture has one window only.
  await page.addStyleTag({ content: ".bar { position: static !important }" });
  const parts = Math.ceil(height / TALLEST);
  for (let part = 0; part < parts; part++) {
    const clip = { x: 0, y: part * TALLEST, width, height: Math.min(TALLEST, height - part * TALLEST) };
    await page.screenshot({ path: file(parts === 1 ? "full" : `full-${part + 1}`), fullPage: true, clip });
  }
  return parts + 1;
}

const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
try {
  let count = 0;
  for (const { name, width, height } of SCREENS) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce", hasTouch: name === "phone" });
      const page = await context.newPage();
      await page.goto(pathToFileURL(resolve(report)).href);
      await page.locator("#answer").waitFor();
      count += await take(page, `${name}-${colorScheme}`);
      await context.close();
    }
  }
  console.log(`${count} pictures in ${folder}`);
} finally {
  await browser.close();
}
