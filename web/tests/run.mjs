// All tests: builds the page, starts one browser, and runs every *.test.mjs of this folder with them.
//   npm test [-- FILE...]
// PHASOR_PAGE names a built page to test instead. Without a Chromium what needs one is skipped, in CI (CI=true) it fails.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumPath, NO_CHROMIUM } from "../dev/chromium.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const chosen = process.argv.slice(2);
const files = chosen.length > 0 ? chosen : readdirSync(here).filter((name) => name.endsWith(".test.mjs")).sort().map((name) => join(here, name));

/** The browser is served by this process, which must not stand still meanwhile. */
function node(args, env) {
  const child = spawn(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } });
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (status) => done(status ?? 1));
  });
}

async function run(folder) {
  const executablePath = chromiumPath();
  if (executablePath === null && process.env.CI === "true") {
    console.error(NO_CHROMIUM);
    return 1;
  }
  const page = process.env.PHASOR_PAGE ?? join(folder, "page.html");
  const given = process.env.PHASOR_PAGE !== undefined;
  if (!given) {
    const status = await node([join(here, "..", "build.mjs"), "--out", page], {});
    if (status !== 0) return status;
  }
  if (executablePath === null) console.log(`Tests in a browser are skipped: ${NO_CHROMIUM}.`);
  const server = executablePath === null ? null : await chromium.launchServer({ executablePath, args: CHROMIUM_ARGUMENTS });
  try {
    const env = { PHASOR_PAGE: page, ...(given ? { PHASOR_PAGE_GIVEN: "true" } : {}), ...(server === null ? {} : { PHASOR_BROWSER: server.wsEndpoint() }) };
    return await node(["--test", "--test-concurrency=1", "--test-reporter=spec", ...files], env);
  } finally {
    await server?.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), "phasor-page-"));
try {
  process.exitCode = await run(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
