// No page is wider than its window, and nothing in a chart leaves it.
import { test } from "node:test";
import { fullStudy, reportOf } from "./fixture/study.mjs";
import { failedRuns, hostileNames, manyEncodings, oneRun } from "./fixture/unusual.mjs";
import { assert, describeInBrowser, PHONE, withReport } from "./support/browser.mjs";

/** What reaches beyond the window, without what scrolls in its own box. */
function tooWide(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element) => {
      for (let at = element.parentElement; at !== null; at = at.parentElement) {
        if (at !== document.body && at !== document.documentElement && getComputedStyle(at).overflowX !== "visible") return true;
      }
      return false;
    };
    const beyond = [...document.querySelectorAll("#page *")].filter((it) => it.getBoundingClientRect().right > width + 1 && !it.closest("svg, .unseen, .skip") && !scrolls(it));
    return { page: document.documentElement.scrollWidth - width, beyond: beyond.slice(0, 5).map((it) => `${it.tagName}.${it.className}: ${it.textContent.slice(0, 40)}`) };
  });
}

async function openDetails(report) {
  await report.page.locator("details").evaluateAll((all) => all.filter((_, i) => i < 40).forEach((details) => (details.open = true)));
  await report.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

describeInBrowser("Layout", () => {
  const studies = { "full study": fullStudy, "one run": oneRun, "forty encodings": manyEncodings, "hostile names": hostileNames };
  for (const [name, make] of Object.entries(studies)) {
    test(`no horizontal scroll at 360 pixels: ${name}`, async () => {
      await withReport(make(), { viewport: PHONE, touch: true }, async (report) => {
        for (const id of (await report.figures()).filter((_, i) => i < 4 || make !== manyEncodings)) await report.show(id);
        assert.deepEqual(await tooWide(report.page), { page: 0, beyond: [] }, "closed");
        await openDetails(report);
        assert.deepEqual(await tooWide(report.page), { page: 0, beyond: [] }, "opened");
      });
    });
  }

  test("charts fill what they have, and follow the window", async () => {
    await withReport(oneRun(), { viewport: { width: 1280, height: 860 } }, async (report) => {
      const width = () => report.figure("accuracy-by-encoding").evaluate((figure) => ({ figure: figure.clientWidth, svg: figure.querySelector("svg.main-svg").clientWidth }));
      await report.show("accuracy-by-encoding");
      const wide = await width();
      assert.equal(wide.svg, wide.figure);
      await report.redrawing("accuracy-by-encoding", () => report.page.setViewportSize({ width: 700, height: 860 }));
      const narrow = await width();
      assert.ok(narrow.figure < wide.figure);
      assert.equal(narrow.svg, narrow.figure);
      assert.deepEqual(await tooWide(report.page), { page: 0, beyond: [] });
    });
  });

  test("titles of panels with long names do not lie on each other", async () => {
    const encodings = ["rope(base=500000,fraction=0.5)", "alibi(slopes=learned)+sinusoidal", "t5(buckets=32,max_distance=64)", "rope(scaling=linear,factor=2)"];
    const cells = encodings.map((encoding) => ({ task: "distance", protocol: "clean", encoding, accuracy: 0.9 }));
    await withReport(reportOf(cells), { viewport: { width: 900, height: 860 } }, async (report) => {
      await report.show("head-map");
      const boxes = await report.figure("head-map").evaluate((figure) => [...figure.querySelectorAll(".annotation text")].map((it) => it.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })));
      assert.equal(boxes.length, encodings.length);
      for (const [i, a] of boxes.entries()) {
        for (const b of boxes.slice(i + 1)) assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, JSON.stringify([a, b]));
      }
    });
  });

  test("labels of rows do not lie on each other, nor outside the drawing", async () => {
    for (const viewport of [PHONE, { width: 1280, height: 860 }]) {
      await withReport(manyEncodings(), { viewport }, async (report) => {
        await report.show("accuracy-by-encoding");
        const boxes = await report.figure("accuracy-by-encoding").evaluate((figure) => {
          const { left } = figure.querySelector(".plot").getBoundingClientRect();
          return [...figure.querySelectorAll(".ytick text")].map((it) => it.getBoundingClientRect()).map((box) => ({ left: box.left - left, top: box.top, bottom: box.bottom }));
        });
        boxes.sort((a, b) => a.top - b.top);
        boxes.forEach((box, i) => {
          assert.ok(box.left >= -1, `a label begins ${-box.left} pixels outside`);
          assert.ok(i === 0 || box.top >= boxes[i - 1].bottom - 1, "labels overlap");
        });
      });
    }
  });
});

describeInBrowser("Paper", () => {
  test("is light, has all charts, and no controls", async () => {
    await withReport(failedRuns(), { dark: true }, async (report) => {
      const { page } = report;
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
      const figures = await report.figures();
      await page.waitForFunction((count) => document.querySelectorAll(".plot[data-drawn]").length === count, figures.length);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
      assert.equal(await page.locator(".bar:visible, .tools:visible, .controls:visible, .theme:visible").count(), 0);
      await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    });
  });
});
