// The browser of all tests, and pages in it that hold a report.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { filledPage } from "../../dev/filled_page.mjs";
import { ReportPage } from "./report_page.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const WITHIN_THE_PAGE = /^(file|data|blob):/;
export const WIDE = { width: 1280, height: 860 };
export const PHONE = { width: 360, height: 740 };

export function builtPage() {
  return readFileSync(process.env.PHASOR_PAGE ?? join(here, "..", "..", "dist", "page.html"), "utf8");
}

let browser = null;
let folder = null;
let count = 0;
const contexts = new Set();

/** Like describe(), of tests that need the browser: skipped where there is none. */
export function describeInBrowser(name, body) {
  const endpoint = process.env.PHASOR_BROWSER;
  const skip = endpoint === undefined ? "no browser: npm test starts one where it finds a Chromium" : false;
  describe(name, { skip, timeout: 300_000 }, () => {
    before(async () => {
      browser = await chromium.connect(endpoint, { timeout: 20_000 });
      folder = mkdtempSync(join(tmpdir(), "phasor-report-"));
    });
    after(async () => {
      for (const context of contexts) await context.close();
      contexts.clear();
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    });
    body();
  });
}

/**
 * A page with this report. `packed`: as gzip; `hash`: behind the address; `ready: false`: does not wait for the content.
 * Everything that goes wrong in the page is kept for ReportPage.check().
 */
export async function openReport(data, options = {}) {
  const html = filledPage(builtPage(), data, options.packed ?? false);
  return openHtml(html, options);
}

export async function openHtml(html, { viewport = WIDE, dark = false, touch = false, hash = "", ready = true } = {}) {
  const file = join(folder, `report_${count++}.html`);
  writeFileSync(file, html);
  const context = await browser.newContext({ viewport, colorScheme: dark ? "dark" : "light", hasTouch: touch, reducedMotion: "reduce", acceptDownloads: true });
  contexts.add(context);
  const problems = [];
  await context.route(
    (address) => !WITHIN_THE_PAGE.test(address.href),
    (route) => route.abort(),
  );
  context.on("request", (request) => {
    if (!WITHIN_THE_PAGE.test(request.url())) problems.push(`request of ${request.url()}`);
  });
  await context.addInitScript(() => {
    window.firstChart = new Promise((found) => {
      new MutationObserver((_, observer) => {
        if (document.querySelector(".plot[data-drawn]") === null) return;
        observer.disconnect();
        found(performance.now());
      }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-drawn"] });
    });
  });
  const page = await context.newPage();
  context.on("page", (other) => problems.push(`opened another page: ${other.url()}`));
  page.setDefaultTimeout(20_000);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error in the page: ${error.stack ?? error}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(pathToFileURL(file).href + hash);
  if (ready) await page.locator("#answer").waitFor();
  const close = async () => {
    contexts.delete(context);
    await context.close();
  };
  return new ReportPage(page, problems, close);
}

/** Opens, tests and closes; fails where something went wrong in the page. */
export async function withReport(data, options, body) {
  const report = await openReport(data, options);
  try {
    await body(report);
    report.check();
  } finally {
    await report.close();
  }
}

export { assert };
