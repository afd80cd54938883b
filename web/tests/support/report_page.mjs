// A report in the browser, as a reader uses it.
import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { csvRecords } from "./csv.mjs";

export class ReportPage {
  constructor(page, problems, close) {
    this.page = page;
    this.problems = problems;
    this.close = close;
  }

  /** Fails where the page complained, broke, or wanted something from outside. */
  check() {
    assert.deepEqual(this.problems, []);
  }

  sections() {
    return this.page.locator("main section").evaluateAll((all) => all.map((section) => section.id));
  }

  /** Ids of the figures that are shown. */
  figures() {
    return this.page.locator("figure:visible").evaluateAll((all) => all.map((figure) => figure.id));
  }

  figure(id) {
    return this.page.locator(`figure[id="${id}"]`);
  }

  finding(id) {
    return this.figure(id).locator(".finding").innerText();
  }

  /** Brings a figure into sight, where it is drawn. */
  async show(id) {
    await this.figure(id).scrollIntoViewIfNeeded();
    await this.figure(id).locator(".plot[data-drawn] svg.main-svg").first().waitFor();
  }

  async showAll() {
    for (const id of await this.figures()) await this.show(id);
  }

  /** Does something that redraws the figure, and waits until it has. */
  async redrawing(id, act) {
    await this.show(id);
    await this.figure(id).locator(".plot").evaluate((plot) => delete plot.dataset.drawn);
    await act();
    await this.show(id);
  }

  /** Chooses a value of a figure's control. */
  async choose(id, control, value) {
    const menu = this.figure(id).locator(`select[id="${id}-${control}"]`);
    const radio = this.page.locator(`input[name="${id}-${control}"][value="${value}"]`);
    await this.redrawing(id, async () => {
      if ((await menu.count()) > 0) await menu.selectOption(value);
      else await this.figure(id).locator("label").filter({ has: radio }).click();
    });
  }

  /** What plotly has drawn: the traces with their names, kinds and numbers. */
  async traces(id) {
    await this.show(id);
    return this.figure(id)
      .locator(".plot")
      .evaluate((plot) =>
        plot.data.map(({ type, name, meta, x, y, z, marker }) => ({
          type,
          name,
          meta,
          x: x ? [...x] : [],
          y: y ? [...y] : [],
          z: z ? z.map((row) => [...row]) : [],
          symbols: Array.isArray(marker?.symbol) ? marker.symbol : [],
        })),
      );
  }

  /** Marks that are in the drawing itself, not only in its data. */
  drawnMarks(id) {
    return this.figure(id).locator(".plot").evaluate((plot) => {
      return [...plot.querySelectorAll(".mlayer path, .mlayer image")].filter((mark) => {
        const { width, height } = mark.getBoundingClientRect();
        return width > 0 || height > 0;
      }).length;
    });
  }

  /** The data table, opened: captions, heads, and every cell with what is shown and the number behind it. */
  async table(id) {
    const details = this.figure(id).locator("details.data");
    await details.evaluate((it) => (it.open = true));
    return tableOf(details.locator("table"));
  }

  async closeTable(id) {
    await this.figure(id).locator("details.data").evaluate((details) => (details.open = false));
  }

  /** A table anywhere in the page. */
  tableIn(selector) {
    return tableOf(this.page.locator(selector).first());
  }

  /** The file that a button of the figure gives: its name and bytes. */
  async download(id, format) {
    const [download] = await Promise.all([
      this.page.waitForEvent("download"),
      this.figure(id).getByRole("button", { name: format, exact: false }).filter({ hasText: format }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: await buffer(await download.createReadStream()) };
  }

  /** What the button CSV would save: browsers drop downloads beyond ten in a second. */
  csvText(id) {
    return this.figure(id).getByRole("button", { name: "Download the data as CSV" }).evaluate((button) => {
      const { createObjectURL } = URL;
      const { click } = HTMLAnchorElement.prototype;
      let saved = null;
      URL.createObjectURL = (blob) => ((saved = blob), createObjectURL.call(URL, blob));
      HTMLAnchorElement.prototype.click = () => undefined;
      button.click();
      Object.assign(URL, { createObjectURL });
      HTMLAnchorElement.prototype.click = click;
      return saved.text();
    });
  }

  async csv(id) {
    return csvRecords(await this.csvText(id));
  }

  async openFilters() {
    const box = this.page.locator(".filter-box");
    if (!(await box.evaluate((it) => it.open))) await box.locator("> summary").click();
  }

  /** Ticks or unticks a value of the filters "tasks", "protocols" or "encodings". */
  async filter(set, value, on) {
    await this.openFilters();
    const input = this.page.locator(`.filters input[name="${set}"][value="${value}"]`);
    const more = this.page.locator(".filters details.more");
    if ((await more.count()) > 0 && !(await input.isVisible())) await more.locator("summary").click();
    await input.setChecked(on);
  }

  hash() {
    return this.page.evaluate(() => location.hash);
  }
}

async function tableOf(locator) {
  return locator.evaluate((table) => {
    const cells = (row) => [...row.cells].map((cell) => ({ text: cell.textContent, value: cell.dataset.value ?? null }));
    return {
      caption: table.caption?.textContent ?? "",
      head: [...table.tHead.rows[0].cells].map((cell) => ({ text: cell.textContent, scope: cell.scope })),
      rows: [...table.tBodies[0].rows].map(cells),
      rowScopes: [...table.tBodies[0].rows].map((row) => row.cells[0].scope),
    };
  });
}
