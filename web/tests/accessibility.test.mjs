// The page for everybody: by axe's rules, by keyboard, in both themes, wide and narrow.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { fullStudy } from "./fixture/study.mjs";
import { assert, describeInBrowser, openReport, PHONE, WIDE, withReport } from "./support/browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violations(report) {
  await report.page.evaluate(axe);
  return report.page.evaluate(async () => {
    // A drawing is one picture to whoever cannot see it; its own parts are not read.
    const { violations } = await window.axe.run({ exclude: [[".plot > *"]] }, { resultTypes: ["violations"], elementRef: false });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.length}, e.g. ${nodes[0].html.slice(0, 160)} ${nodes[0].any[0]?.message ?? ""}`);
  });
}

/** What is closed at first is read, too. */
async function openEverything(report) {
  await report.show("accuracy-by-encoding");
  await report.page.locator("details").evaluateAll((all) => {
    const small = all.filter((details) => details.closest("figure") === null || details.closest("figure").id === "accuracy-by-encoding");
    for (const details of small.filter((_, i) => i % 3 === 0 || small.length < 30)) details.open = true;
  });
}

describeInBrowser("Accessibility", () => {
  const study = fullStudy();

  for (const [where, viewport] of [["wide", WIDE], ["on a phone", PHONE]]) {
    for (const dark of [false, true]) {
      test(`no serious violation, ${dark ? "dark" : "light"}, ${where}`, async () => {
        await withReport(study, { viewport, dark }, async (report) => {
          await openEverything(report);
          assert.deepEqual(await violations(report), []);
        });
      });
    }
  }
});

describeInBrowser("Keyboard and landmarks", () => {
  let report;
  before(async () => {
    report = await openReport(fullStudy());
  });
  const focused = () => report.page.evaluate(() => ({ tag: document.activeElement.tagName, id: document.activeElement.id, text: document.activeElement.textContent.slice(0, 40), href: document.activeElement.getAttribute("href") }));

  test("the first stop skips to the content", async () => {
    await report.page.keyboard.press("Tab");
    const link = await focused();
    assert.equal(link.href, "#content");
    assert.ok(await report.page.locator(".skip").evaluate((it) => it.getBoundingClientRect().left >= 0), "it is seen when focused");
    await report.page.keyboard.press("Enter");
    assert.ok(await report.page.evaluate(() => document.getElementById("content").contains(document.activeElement)), `the focus is in the content, not on ${(await focused()).id}`);
  });

  test("there is one of each landmark, with a heading each that leaves no level out", async () => {
    for (const landmark of ["header.masthead", "main", "nav", "footer"]) assert.equal(await report.page.locator(landmark).count(), 1, landmark);
    const levels = await report.page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((heading) => Number(heading.tagName[1])));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1, `heading ${i} jumps from ${levels[i - 1]} to ${level}`));
    assert.equal(await report.page.evaluate(() => document.documentElement.lang), "en");
  });

  test("a link to a section moves the focus to its heading", async () => {
    await report.page.locator('nav.sections a[href="#heads"]').focus();
    await report.page.keyboard.press("Enter");
    assert.equal((await focused()).id, "heads-heading");
    const top = await report.page.locator("#heads-heading").evaluate((it) => it.getBoundingClientRect().top);
    const bar = await report.page.locator(".bar").evaluate((it) => it.getBoundingClientRect().bottom);
    assert.ok(top >= bar - 1, `the heading, at ${top}, is not under the bar, which ends at ${bar}`);
  });

  test("filters and choices are worked by keys", async () => {
    const chip = report.page.locator('.filters input[name="encodings"][value="rope"]');
    await chip.focus();
    await report.page.keyboard.press("Space");
    assert.equal(await chip.isChecked(), false);
    assert.match(await report.hash(), /encoding=/);
    await report.page.keyboard.press("Space");
    assert.equal(await report.hash(), "");
    const radio = report.page.locator('input[name="head-drops-question"]').first();
    await radio.focus();
    await report.page.keyboard.press("ArrowRight");
    assert.equal(await report.page.locator('input[name="head-drops-question"]').nth(1).isChecked(), true);
  });

  test("focus is seen", async () => {
    const button = report.figure("accuracy-by-encoding").getByRole("button").first();
    await report.page.keyboard.press("Tab");
    await button.focus();
    const outline = await button.evaluate((it) => getComputedStyle(it).outlineStyle);
    assert.notEqual(outline, "none");
    report.check();
  });
});

describeInBrowser("Themes", () => {
  test("follow the system, and the reader's choice, which is kept", async () => {
    await withReport(fullStudy(), { dark: true }, async (report) => {
      const { page } = report;
      const state = () => page.evaluate(() => ({ theme: document.documentElement.dataset.theme, ground: [document.body, document.documentElement].map((it) => getComputedStyle(it).backgroundColor).join() }));
      const ink = async () => (await report.show("accuracy-by-encoding"), page.locator("#accuracy-by-encoding .annotation-text").first().evaluate((it) => getComputedStyle(it).fill));
      const dark = await state();
      const darkInk = await ink();
      assert.equal(dark.theme, "dark");
      await report.redrawing("accuracy-by-encoding", () => page.locator('label:has(input[name="theme"][value="light"])').click());
      const light = await state();
      assert.equal(light.theme, "light");
      assert.notEqual(light.ground, dark.ground);
      assert.notEqual(await ink(), darkInk, "charts follow");
      await page.reload();
      await page.locator("#answer").waitFor();
      assert.equal((await state()).theme, "light");
      assert.ok(await page.locator('input[name="theme"][value="light"]').isChecked());
      await page.locator('label:has(input[name="theme"][value="auto"])').click();
      assert.equal((await state()).theme, "dark");
      await page.emulateMedia({ colorScheme: "light" });
      await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
    });
  });
});
