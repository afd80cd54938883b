// Everything that the page can show, of a study that has it all.
import { before, test } from "node:test";
import { fullStudy } from "./fixture/study.mjs";
import { assert, describeInBrowser, openReport } from "./support/browser.mjs";
import { parseCsv } from "./support/csv.mjs";
import { showsNumber } from "./support/shown_number.mjs";

const SECTIONS = ["story", "answer", "claims", "names", "accuracy", "learning", "heads", "rotary", "removal", "lengths", "learned", "spectra", "telemetry", "audit", "comparisons", "rates", "failures", "configs"];

describeInBrowser("A full study", () => {
  const study = fullStudy();
  let report;
  before(async () => {
    report = await openReport(study, { packed: true });
  });

  test("shows its first chart soon, and draws no chart that is out of sight", async (t) => {
    const milliseconds = await report.page.evaluate(async () => {
      document.querySelector("figure").scrollIntoView();
      return window.firstChart;
    });
    t.diagnostic(`time to first chart: ${milliseconds.toFixed(0)} ms`);
    const figures = await report.figures();
    const drawn = await report.page.locator(".plot[data-drawn]").count();
    assert.ok(drawn > 0 && drawn < figures.length, `${drawn} of ${figures.length} charts drawn`);
  });

  test("has all sections, in their order, each with a heading, and links to them", async () => {
    assert.deepEqual(await report.sections(), SECTIONS);
    const links = await report.page.locator("nav.sections a").evaluateAll((all) => all.map((link) => link.getAttribute("href").slice(1)));
    assert.deepEqual(links, SECTIONS);
    for (const id of SECTIONS) {
      const section = report.page.locator(`section[id="${id}"]`);
      const heading = await section.evaluate((it) => document.getElementById(it.getAttribute("aria-labelledby"))?.textContent ?? "");
      assert.notEqual(heading.trim(), "", `${id} has a heading`);
      assert.ok((await section.innerText()).trim().length > heading.length + 20, `${id} says something`);
    }
    assert.equal(await report.page.locator(".missing").count(), 0, "nothing is missing");
    report.check();
  });

  test("draws every figure and says what it shows", async () => {
    const figures = await report.figures();
    for (const id of figures) {
      await report.show(id);
      const traces = await report.traces(id);
      assert.ok(traces.length > 0, `${id} has traces`);
      assert.ok(traces.some(({ x, y, z }) => x.length + y.length + z.length > 0), `${id} has points`);
      assert.ok((await report.drawnMarks(id)) > 0, `${id} has marks in its drawing`);
      const finding = (await report.finding(id)).trim();
      assert.ok(finding.length > 20, `${id} has a finding`);
      assert.doesNotMatch(finding, /undefined|NaN|null|\[object|^: |: ;|\.\.$/, `${id}: ${finding}`);
      assert.notEqual((await report.figure(id).locator("h3").innerText()).trim(), "");
      const named = await report.figure(id).evaluate((it) => [it.getAttribute("aria-labelledby"), it.getAttribute("aria-describedby")].map((by) => document.getElementById(by)?.textContent.trim() ?? ""));
      assert.ok(named.every((text) => text !== ""), `${id} is named and described`);
    }
    const twice = await report.page.evaluate(() => {
      const ids = [...document.querySelectorAll("[id]:not(svg *)")].map((it) => it.id);
      return ids.filter((id, i) => ids.indexOf(id) !== i);
    });
    assert.deepEqual(twice, [], "ids are unique");
    report.check();
  });

  test("gives every figure's data as a table and as CSV, with the same numbers", async () => {
    for (const id of await report.figures()) {
      const table = await report.table(id);
      const csv = await report.csvText(id);
      await report.closeTable(id);
      const [head, ...rows] = parseCsv(csv);
      assert.ok(rows.length > 0, `${id} has rows`);
      assert.deepEqual(table.head.map((cell) => cell.text), head, `${id}: heads`);
      assert.ok(table.head.every((cell) => cell.scope === "col") && table.rowScopes.every((scope) => scope === "row"), `${id}: scopes`);
      assert.notEqual(table.caption.trim(), "", `${id}: caption`);
      assert.equal(table.rows.length, rows.length, `${id}: rows`);
      let numbers = 0;
      rows.forEach((row, i) => {
        row.forEach((field, j) => {
          const { text, value } = table.rows[i][j];
          const place = `${id}, row ${i}, ${head[j]}`;
          if (value !== null) {
            numbers++;
            assert.equal(field, value, place);
            assert.ok(showsNumber(text, Number(value)), `${place}: ${text} for ${value}`);
          } else {
            assert.equal(text, field === "" && text === "—" ? "—" : field, place);
          }
        });
      });
      assert.ok(numbers > 0, `${id} has numbers`);
    }
    report.check();
  });

  test("draws every figure for each choice of its controls", async () => {
    for (const id of await report.figures()) {
      const controls = await report.figure(id).evaluate((figure) => {
        const menus = [...figure.querySelectorAll("select")].map((menu) => ({ name: menu.id, values: [...menu.options].map((option) => option.value) }));
        const radios = new Map();
        for (const input of figure.querySelectorAll("input[type=radio]")) radios.set(input.name, [...(radios.get(input.name) ?? []), input.value]);
        return [...menus, ...[...radios].map(([name, values]) => ({ name, values }))];
      });
      for (const { name, values } of controls) {
        const control = name.slice(id.length + 1);
        const value = values[values.length - 1];
        const before = JSON.stringify(await report.traces(id));
        await report.choose(id, control, value);
        assert.ok((await report.drawnMarks(id)) > 0, `${id} is drawn for ${control} ${value}`);
        assert.notEqual(JSON.stringify(await report.traces(id)), before, `${control} ${value} changes ${id}`);
        assert.ok((await report.finding(id)).length > 20, `${id} has a finding for ${control} ${value}`);
      }
    }
    report.check();
  });

  test("says what the page is of", async () => {
    const header = await report.page.locator("header").innerText();
    const runs = study.summary.cells.reduce((sum, cell) => sum + cell.runs.length, 0);
    const unconverged = study.summary.cells.reduce((sum, cell) => sum + cell.unconverged.length, 0);
    const { version, commit, machine, date } = study.summary.times;
    for (const text of [study.summary.study.name, `${runs} runs`, "1 failed", `${unconverged} not converged`, version, commit, machine, date]) {
      assert.ok(header.includes(text), `the header has ${text}`);
    }
    assert.ok((await report.page.title()).includes(study.summary.study.name));
    const body = await report.page.locator("body").innerText();
    assert.ok(body.includes(study.commands.repeat), "how to repeat it");
    assert.ok(body.includes(study.commands.report), "how to make the page again");
    assert.doesNotMatch(body, /undefined|\bNaN\b|\[object/);
  });
});
