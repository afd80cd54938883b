// Studies at the edges: little, nothing, much, broken, and names that want to be more than text.
import { test } from "node:test";
import { filledPage } from "../dev/filled_page.mjs";
import { reportOf } from "./fixture/study.mjs";
import { failedRuns, HOSTILE, hostileNames, MANY, manyEncodings, namedEncodings, NAMES, noCells, nulls, oneRun, withoutAblations } from "./fixture/unusual.mjs";
import { assert, builtPage, describeInBrowser, openHtml, withReport } from "./support/browser.mjs";

const ACCURACY = "accuracy-by-encoding";
const text = (report) => report.page.locator("body").innerText();

describeInBrowser("Unusual studies", () => {
  test("one run: its numbers without intervals", async () => {
    const data = oneRun();
    await withReport(data, {}, async (report) => {
      const [row] = await report.csv(ACCURACY);
      assert.deepEqual([row.mean, row.low, row.high, row.runs], [data.summary.cells[0].numbers.test_accuracy.mean, null, null, 1]);
      await report.showAll();
      for (const id of await report.figures()) assert.ok((await report.drawnMarks(id)) > 0, id);
      assert.match(await text(report), /1 run\b/);
      assert.doesNotMatch(await text(report), /undefined|\bNaN\b|\b1 runs\b/);
      const missing = await report.page.locator(".missing").innerText();
      for (const subject of ["claims", "rotary heads", "audit"]) assert.ok(missing.includes(subject), `${missing} tells of ${subject}`);
      assert.ok(!(await report.sections()).includes("claims"));
    });
  });

  test("failed runs: counted, told, and in no mean", async () => {
    const data = failedRuns();
    await withReport(data, {}, async (report) => {
      const records = await report.csv(ACCURACY);
      const rope = records.find((row) => row.encoding === "rope");
      assert.deepEqual([rope.mean, rope.runs, rope.failed], [null, 0, 5]);
      const nope = records.find((row) => row.encoding === "nope");
      assert.deepEqual([nope.mean, nope.runs, nope.failed], [data.summary.cells[1].numbers.test_accuracy.mean, 3, 2]);
      const page = await text(report);
      assert.match(page, /7 runs failed/);
      for (const { what, id } of data.summary.failures) assert.ok(page.includes(what) && page.includes(id));
      await report.showAll();
      assert.doesNotMatch(page, /undefined|\bNaN\b/);
    });
  });

  test("no ablations or spectra: their sections are named as missing", async () => {
    await withReport(withoutAblations(), {}, async (report) => {
      const sections = await report.sections();
      for (const id of ["heads", "removal", "lengths", "spectra"]) assert.ok(!sections.includes(id), id);
      for (const id of ["answer", "accuracy", "learning"]) assert.ok(sections.includes(id), id);
      assert.match(await report.page.locator(".missing").innerText(), /^Not in this study: .*ablations of heads.*spectra/s);
      await report.showAll();
    });
  });

  test("some cells without ablations: the others are shown", async () => {
    const rope = { task: "distance", protocol: "clean", encoding: "rope", accuracy: 0.97 };
    const none = { ablation: false, spectrum: false, lengths: false, snapshots: false };
    await withReport(reportOf([rope, { ...rope, encoding: "nope", measures: none }]), {}, async (report) => {
      await report.showAll();
      assert.deepEqual([...new Set((await report.csv("head-drops")).map((row) => row.encoding))], ["rope"]);
      assert.deepEqual((await report.csv(ACCURACY)).map((row) => row.encoding), ["rope", "nope"]);
    });
  });

  test("forty encodings: all there, and told apart", async () => {
    await withReport(manyEncodings(), {}, async (report) => {
      await report.showAll();
      assert.equal((await report.csv(ACCURACY)).length, MANY);
      const lines = await report.figure("learning-curves").locator(".plot").evaluate((plot) =>
        plot.data.filter((trace) => trace.meta === "line").map((trace) => `${trace.line.color} ${trace.line.dash} ${trace.marker.symbol}`),
      );
      assert.equal(lines.length, MANY);
      assert.equal(new Set(lines).size, MANY, "no two look alike");
      const labels = await report.figure(ACCURACY).locator(".ytick text").count();
      assert.equal(labels, MANY);
    });
  });

  test("heads by the thousand: those among others are left to the outline", async () => {
    const data = oneRun();
    const { position } = data.summary.cells[0];
    const drops = (at) => Array.from({ length: 12 }, (_, head) => (12 * at + head) / 9000);
    position.seeds = Array.from({ length: 750 }, (_, seed) => ({ ...position.seeds[0], seed, loss_drops: [drops(seed)] }));
    position.seeds[0].loss_drops.push([5, -3]);
    await withReport(data, {}, async (report) => {
      const traces = await report.traces("head-drops");
      assert.deepEqual(traces.filter((trace) => trace.meta === "heads").map((trace) => trace.x), [[5, -3]]);
      assert.deepEqual(traces.filter((trace) => trace.meta === "outline").map((trace) => trace.x.length), [9002]);
    });
  });

  test("nothing yet", async () => {
    await withReport(noCells(), {}, async (report) => {
      assert.equal((await report.figures()).length, 0);
      assert.match(await text(report), /0 runs/);
    });
  });

  test("members missing or null", async () => {
    await withReport(nulls(), {}, async (report) => {
      await report.showAll();
      assert.doesNotMatch(await text(report), /undefined|\bNaN\b|\[object/);
    });
  });
});

describeInBrowser("Named encodings", () => {
  test("are called by their names everywhere, and the expression stands once", async () => {
    const data = namedEncodings();
    await withReport(data, {}, async (report) => {
      const { page } = report;
      await report.showAll();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const names = ["rope", "rope(yarn)", ...NAMES];
      assert.deepEqual((await report.csv(ACCURACY)).map((row) => row.encoding).sort(), [...names].sort());
      assert.deepEqual(await page.locator('.filters input[name="encodings"]').evaluateAll((all) => all.map((it) => it.value)), names);
      const rows = await page.locator("#names tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
      assert.deepEqual(rows, [
        ["rope(yarn)", "rope(scaling=yarn,factor=4,original=64)", "shortened"],
        ...NAMES.map((name, i) => [name, `rope(base=${100 * (i + 1)})`, "author"]),
      ]);
      const shown = await page.locator("#accuracy, #learning, #heads, #spectra, #rates, .filter-box").allInnerTexts();
      assert.ok(!shown.some((it) => it.includes("original=64")), "the expression stands once");
      const harm = await page.evaluate(() => [window.harmed ?? null, document.querySelectorAll("#page img, #page script, #page [onload]").length]);
      assert.deepEqual(harm, [null, 0]);
    });
  });

  test("filters keep them in the address", async () => {
    await withReport(namedEncodings(), {}, async (report) => {
      const { page } = report;
      await page.locator('.filters input[name="encodings"]').evaluateAll((all) => all.forEach((it) => it.value !== "שלי" && it.click()));
      assert.equal(await page.evaluate(() => decodeURIComponent(location.hash)), "#encoding=שלי");
      assert.deepEqual((await report.csv(ACCURACY)).map((row) => row.encoding), ["שלי"]);
    });
  });
});

describeInBrowser("Hostile names", () => {
  test("stay text, in the page and in charts", async () => {
    await withReport(hostileNames(), {}, async (report) => {
      const { page } = report;
      await report.showAll();
      await page.locator("details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const harm = await page.evaluate(() => ({
        ran: window.harmed ?? null,
        elements: document.querySelectorAll("#page img, #page iframe, #page object, #page b b, #page [onerror], #page [onload]").length,
        scripts: document.querySelectorAll("#page script").length,
        links: [...document.querySelectorAll("a")].map((link) => link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? "").filter((href) => !href.startsWith("#")),
      }));
      assert.deepEqual(harm, { ran: null, elements: 0, scripts: 0, links: [] });
      const shown = await page.locator("body").evaluate((body) => body.textContent);
      for (const name of HOSTILE) assert.ok(shown.includes(name), `${name.slice(0, 40)} is shown as it is`);
      assert.equal(await page.title(), `${HOSTILE[0]} · Phasor`);
    });
  });

  test("a script that gets into the file all the same does not run", async () => {
    const intruders = '<script>window.harmed = 1</script><img src="data:," onerror="window.harmed = 2"><a id="lure" href="javascript:window.harmed = 3">x</a>';
    const report = await openHtml(filledPage(builtPage(), oneRun(), false).replace("<body>", `<body>${intruders}`));
    try {
      await report.page.locator("#lure").click();
      await report.showAll();
      assert.equal(await report.page.evaluate(() => window.harmed ?? null), null);
    } finally {
      await report.close();
    }
  });

  test("stay text in labels, hovers and pictures", async () => {
    await withReport(hostileNames(), {}, async (report) => {
      await report.show(ACCURACY);
      const labels = await report.figure(ACCURACY).locator('g[class^="y"][class$="tick"] text').allTextContents();
      assert.ok(labels.some((label) => label.startsWith("<script>")), labels.join(" | "));
      assert.ok(labels.some((label) => label.startsWith("<b>")), "markup is not read");
      const point = report.figure(ACCURACY).locator(".scatterlayer .point").first();
      await point.scrollIntoViewIfNeeded();
      await point.hover({ force: true });
      await report.figure(ACCURACY).locator(".hoverlayer text").first().waitFor();
      const { bytes, name } = await report.download(ACCURACY, "SVG");
      assert.match(name, /^[A-Za-z0-9-]+\.svg$/);
      const found = await report.page.evaluate((svg) => {
        const all = [...new DOMParser().parseFromString(svg, "image/svg+xml").querySelectorAll("*")];
        return all.filter((it) => /^(script|img|a|parsererror)$/i.test(it.nodeName) || [...it.attributes].some((attribute) => attribute.name.startsWith("on"))).map((it) => it.outerHTML);
      }, bytes.toString("utf8"));
      assert.deepEqual(found, []);
      const records = await report.csv(ACCURACY);
      assert.deepEqual(new Set(records.map((row) => row.encoding)), new Set(HOSTILE.filter((_, i) => i !== 4)), "but for the variant, which stands aside");
      assert.equal(await report.page.evaluate(() => window.harmed ?? null), null);
    });
  });
});

describeInBrowser("Data of a page", () => {
  test("as JSON and packed give the same page", async () => {
    const data = failedRuns();
    const texts = [];
    for (const packed of [false, true]) {
      await withReport(data, { packed }, async (report) => {
        await report.showAll();
        texts.push(await text(report));
      });
    }
    assert.ok(texts[0].length > 500);
    assert.equal(texts[0], texts[1]);
  });

  for (const [what, data] of [["of another format", { format: "phasor report 99" }], ["that are no object", [1, 2, 3]]]) {
    test(`${what} are refused in words`, async () => {
      const html = builtPage().replace("<!--phasor-data-->", () => `<script type="application/json" id="phasor-data">${JSON.stringify(data)}</script>`);
      const report = await openHtml(html, { ready: false });
      await report.page.locator("main.trouble").waitFor();
      assert.match(await text(report), /No report.*phasor report 2/s);
      await report.close();
    });
  }

  for (const [what, element] of [["missing", ""], ["cut off", `<script type="application/json" id="phasor-data">{"format": "phasor rep</script>`], ["broken", `<script type="text/plain" id="phasor-data-gz">H4sIAAAA!!!!</script>`]]) {
    test(`${what}: the page says that it has no report`, async () => {
      const report = await openHtml(builtPage().replace("<!--phasor-data-->", element), { ready: false });
      await report.page.locator("main.trouble").waitFor();
      assert.match(await text(report), /No report/);
      assert.ok((await text(report)).trim().length > "No report".length + 5, "and why");
      await report.close();
    });
  }
});
