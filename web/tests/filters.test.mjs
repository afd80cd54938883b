// Filters change what they should, and an address keeps them.
import { before, beforeEach, test } from "node:test";
import { fullStudy } from "./fixture/study.mjs";
import { assert, describeInBrowser, openReport } from "./support/browser.mjs";
import { groupOf, sum, usualCells } from "./support/expected.mjs";

const ACCURACY = "accuracy-by-encoding";
// The curve of rotary heads and the audit have their own choice of encodings.
const OWN_ENCODINGS = ["rotary-heads", "audit-switches"];

describeInBrowser("Filters", () => {
  const study = fullStudy();
  const usual = usualCells(study);
  let report;
  before(async () => {
    report = await openReport(study);
  });
  beforeEach(async () => {
    await report.openFilters();
    await report.page.getByRole("button", { name: "reset all filters" }).click();
  });

  const means = async () => (await report.traces(ACCURACY)).filter((trace) => trace.meta === "mean").length;
  const points = async () => sum((await report.traces(ACCURACY)).filter((trace) => trace.meta === "seeds").map((trace) => trace.x.length));
  const runs = (cells) => sum(cells.map((cell) => cell.runs.length));
  const change = (act) => report.redrawing(ACCURACY, act);

  test("everything is shown at first, but for cells with a place of their own", async () => {
    assert.equal(await means(), usual.length);
    assert.equal(await points(), runs(usual));
    assert.equal(await report.hash(), "");
  });

  test("a task taken away leaves the other in all sections", async () => {
    await change(() => report.filter("tasks", "counting", false));
    const left = usual.filter(({ cell }) => cell.task === "distance");
    assert.equal(await means(), left.length);
    assert.equal(await points(), runs(left));
    assert.equal(await report.page.locator("#answer .card:visible").count(), 2);
    for (const id of await report.figures()) {
      const tasks = new Set((await report.csv(id)).map((row) => row.task).filter((task) => task !== undefined));
      assert.ok(!tasks.has("counting"), `${id} has no counting`);
      assert.doesNotMatch(await report.finding(id), /counting/, id);
    }
  });

  test("a protocol taken away takes its other program along", async () => {
    await change(() => report.filter("protocols", "released", false));
    const left = usual.filter(({ cell }) => groupOf(cell.protocol) === "clean");
    assert.equal(await means(), left.length);
    assert.equal(left.length, 16);
    for (const id of await report.figures()) {
      for (const row of await report.csv(id)) assert.ok(row.protocol !== "released" && row.base !== "released", `${id} has nothing released`);
    }
  });

  test("an encoding taken away goes everywhere, with its released form", async () => {
    await change(() => report.filter("encodings", "alibi", false));
    assert.equal(await means(), usual.length - 4);
    for (const id of await report.figures()) {
      if (OWN_ENCODINGS.includes(id)) continue;
      assert.ok((await report.csv(id)).every((row) => !String(row.encoding).startsWith("alibi")), `${id} has no alibi`);
      assert.ok((await report.traces(id)).every((trace) => !String(trace.name ?? "").startsWith("alibi")), `${id} draws no alibi`);
    }
  });

  test("an encoding that stands aside can be added", async () => {
    await change(() => report.filter("encodings", "rope[heads=0]", true));
    assert.equal(await means(), usual.length + 2);
    await change(() => report.filter("encodings", "rope, as many parameters as mla", true));
    assert.equal(await means(), usual.length + 3);
  });

  test("nothing chosen: sections say so, and come back", async () => {
    await report.page.getByRole("button", { name: "none encodings" }).click();
    assert.equal(await report.figure(ACCURACY).isVisible(), false);
    assert.ok(await report.page.locator("#accuracy .nothing").isVisible());
    await report.page.getByRole("button", { name: "all encodings" }).click();
    assert.equal(await means(), usual.length);
    assert.equal(await report.page.locator(".nothing:visible").count(), 0);
  });

  test("an open data table follows", async () => {
    const before = (await report.table(ACCURACY)).rows.length;
    await report.filter("encodings", "rope", false);
    assert.equal((await report.table(ACCURACY)).rows.length, before - 4);
    await report.closeTable(ACCURACY);
  });

  test("the address keeps them, and brings them back", async () => {
    await report.filter("tasks", "distance", false);
    await report.filter("encodings", "learned(init=1)", false);
    await report.filter("encodings", "sinusoidal+rope", false);
    const hash = await report.hash();
    assert.ok(hash.length > 1);
    await report.page.reload();
    await report.page.locator("#answer").waitFor();
    assert.equal(await report.hash(), hash);
    await report.openFilters();
    const state = await report.page.locator(".filters input").evaluateAll((all) => Object.fromEntries(all.map((input) => [input.value, input.checked])));
    assert.deepEqual([state.distance, state.counting, state["learned(init=1)"], state["sinusoidal+rope"], state.rope, state["rope[heads=0]"]], [false, true, false, false, true, false]);
    const left = usual.filter(({ cell }) => cell.task === "counting" && !/learned\(init=1\)|sinusoidal.*rope/.test(cell.encoding));
    assert.equal(await means(), left.length);
    await report.page.getByRole("button", { name: "reset all filters" }).click();
    assert.equal(await report.hash(), "");
  });

  test("another address changes the page that is open", async () => {
    await change(() => report.page.evaluate(() => (location.hash = "#task=counting&encoding=rope,nope")));
    assert.equal(await means(), 4);
    await report.page.locator("nav.sections a").last().click();
    assert.match(await report.hash(), /task=counting/, "links within the page leave the filters alone");
  });

  test("an address that makes no sense does no harm", async () => {
    const { page } = report;
    for (const hash of ["#task=%E0%A4%A&encoding=%3Cscript%3E", "#=&&=x", "#nothing", "#encoding=", "#converged=only"]) {
      await page.evaluate((to) => (location.hash = to), hash);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      assert.ok(await page.locator("#answer").isVisible());
      if (hash.startsWith("#task=")) assert.ok((await page.locator("#accuracy figure:visible").count()) > 0, "unknown names are as none");
    }
    await page.evaluate(() => (location.hash = ""));
    report.check();
  });
});
