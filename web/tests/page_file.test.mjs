// The built page as a file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { filledPage } from "../dev/filled_page.mjs";
import { HOSTILE } from "./fixture/unusual.mjs";
import { builtPage } from "./support/browser.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

describe("The page's file", () => {
  const page = builtPage();

  test("has one place for the data", () => {
    assert.equal(page.split("<!--phasor-data-->").length, 2);
  });

  test("is filled without a way out of the data's element", () => {
    const filled = filledPage(page, { text: HOSTILE.join(" ") }, false);
    const data = /<script type="application\/json" id="phasor-data">(.*?)<\/script>/s.exec(filled);
    assert.deepEqual(JSON.parse(data[1]), { text: HOSTILE.join(" ") });
  });

  test("asks for nothing outside itself", () => {
    const head = page.slice(0, page.indexOf("<body>")).replace(/<style>.*?<\/style>/s, (style) => {
      assert.doesNotMatch(style, /@import|url\(\s*["']?(?!data:)/);
      return "";
    });
    assert.doesNotMatch(head, /(src|href)="(?!data:)/);
    assert.doesNotMatch(page, /<script[^>]*\ssrc=/);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)[1];
    const rules = new Map(policy.split(";").map((rule) => rule.trim().split(/\s+/)).map(([name, ...values]) => [name, values]));
    assert.deepEqual(rules.get("default-src"), ["'none'"]);
    for (const [name, values] of rules) {
      if (name === "script-src") continue;
      for (const value of values) assert.match(value, /^('none'|'unsafe-inline'|blob:|data:)$/, `${name} allows ${value}`);
    }
    // The page's own script and the drawing library, by hash; no other script runs, wherever it comes from.
    const own = /<script>(.*)<\/script>\s*<\/body>/s.exec(page)[1];
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const drawing = readFileSync(join(web, "node_modules", "plotly.js-cartesian-dist-min", "plotly-cartesian.min.js"), "utf8");
    assert.deepEqual(rules.get("script-src"), [hash(own), hash(drawing)]);
    assert.ok(!rules.has("connect-src"), "connections stay forbidden");
  });

  test("has the licence of what it carries", () => {
    const licence = readFileSync(join(web, "node_modules", "plotly.js-cartesian-dist-min", "LICENSE"), "utf8").trim();
    assert.ok(page.includes(licence));
  });

  test("stays below a megabyte", () => {
    assert.ok(page.length < 1_000_000, `${page.length} bytes`);
  });

  test("is the same again from the same sources", { skip: process.env.PHASOR_PAGE_GIVEN ? "the page was given" : false }, () => {
    const folder = mkdtempSync(join(tmpdir(), "phasor-again-"));
    try {
      const again = join(folder, "page.html");
      execFileSync(process.execPath, [join(web, "build.mjs"), "--out", again], { stdio: ["ignore", "ignore", "inherit"] });
      assert.ok(readFileSync(again, "utf8") === page, "another build has other bytes");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("The lock file", () => {
  test("names exact versions and no registry", () => {
    const lock = readFileSync(join(web, "package-lock.json"), "utf8");
    assert.doesNotMatch(lock, /"resolved"/);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(version, /^\d+\.\d+\.\d+$/, `${name} ${version}`);
    }
  });
});
