// Pictures of charts as files, and commands to copy.
import { before, test } from "node:test";
import { fullStudy } from "./fixture/study.mjs";
import { assert, describeInBrowser, openReport } from "./support/browser.mjs";

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

describeInBrowser("Downloads", () => {
  let report;
  before(async () => {
    report = await openReport(fullStudy());
  });

  test("SVG of every figure is SVG with marks and text, on white, whatever the theme", async () => {
    await report.page.locator('label:has(input[name="theme"][value="dark"])').click();
    for (const id of await report.figures()) {
      const { name, bytes } = await report.download(id, "SVG");
      assert.equal(name, `fixture-${id}.svg`);
      const found = await report.page.evaluate((text) => {
        const { documentElement: root } = new DOMParser().parseFromString(text, "image/svg+xml");
        const outside = [...root.querySelectorAll("*")].flatMap((it) => ["href", "xlink:href", "src"].map((name) => it.getAttribute(name) ?? "")).filter((address) => /^(https?:)?\/\//.test(address));
        return {
          root: root.nodeName,
          marks: root.querySelectorAll(".mlayer path, .mlayer image").length,
          words: [...root.querySelectorAll("text")].map((it) => it.textContent).join(" "),
          ground: root.style.background || root.querySelector("rect")?.getAttribute("style") || "",
          outside,
        };
      }, bytes.toString("utf8"));
      assert.equal(found.root, "svg", id);
      assert.ok(found.marks > 0, `${id} has marks`);
      assert.ok(found.words.length > 20, `${id} has words`);
      assert.match(found.ground, /rgb\(255, 255, 255\)|#fff|white/, `${id} is on white`);
      assert.deepEqual(found.outside, []);
    }
    report.check();
  });

  test("PNG is PNG, twice as wide as the drawing", async () => {
    for (const id of ["accuracy-by-encoding", "head-map"]) {
      const { name, bytes } = await report.download(id, "PNG");
      assert.equal(name, `fixture-${id}.png`);
      assert.deepEqual(bytes.subarray(0, 8), PNG);
      assert.equal(bytes.readUInt32BE(16), 2000);
      assert.ok(bytes.length > 20_000, `${id} is no empty picture: ${bytes.length} bytes`);
    }
    report.check();
  });

  test("CSV is named after its figure", async () => {
    const { name, bytes } = await report.download("learning-curves", "CSV");
    assert.equal(name, "fixture-learning-curves.csv");
    assert.equal(bytes.toString("utf8"), await report.csvText("learning-curves"));
  });

  test("CSV follows the figure's controls and the filters", async () => {
    const before = await report.csv("head-drops");
    await report.choose("head-drops", "question", "importance");
    const after = await report.csv("head-drops");
    assert.equal(after.length, before.length);
    assert.notDeepEqual(after, before);
    await report.filter("tasks", "counting", false);
    assert.ok((await report.csv("head-drops")).length < after.length);
  });

  test("a command is copied, or selected where the browser does not allow it", async () => {
    const command = report.page.locator("footer .command");
    await command.getByRole("button").click();
    await command.getByRole("button", { name: /Copy the command/ }).filter({ hasText: /Copied|Selected/ }).waitFor();
    report.check();
  });
});
