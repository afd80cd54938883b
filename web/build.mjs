// Makes the page: one HTML file with everything in it but the data, whose place is the marker <!--phasor-data-->.
//   node build.mjs [--out FILE]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const MARKER = "<!--phasor-data-->";

const option = process.argv.indexOf("--out");
if (process.argv.length > 2 && (option !== 2 || process.argv.length !== 4)) {
  console.error("usage: node build.mjs [--out FILE]");
  process.exit(2);
}
const out = option < 0 ? join(here, "dist", "page.html") : resolve(process.argv[3]);

execFileSync(process.execPath, [require.resolve("typescript/bin/tsc"), "--noEmit", "-p", here], { stdio: "inherit" });

async function bundle(entry) {
  const made = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    target: ["chrome100", "firefox113", "safari16.4"],
    format: "iife",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return made.outputFiles[0].text.trim();
}

// The header of gzip has no time in it, and names the system of whoever packs: set to "unknown".
function packed(text) {
  const bytes = gzipSync(text, { level: 9 });
  bytes[9] = 255;
  return bytes.toString("base64");
}

// As a content security policy names a script that may run.
function hashed(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const library = dirname(require.resolve("plotly.js-cartesian-dist-min"));
const drawing = readFileSync(join(library, "plotly-cartesian.min.js"), "utf8");
const parts = {
  STYLE: await bundle("src/style/page.css"),
  LICENCE: readFileSync(join(library, "LICENSE"), "utf8").trim(),
  PLOTLY: packed(drawing),
  SCRIPT: await bundle("src/main.ts"),
};
parts.HASHES = `${hashed(parts.SCRIPT)} ${hashed(drawing)}`;
for (const [name, text] of Object.entries(parts)) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} would end its element`);
}
const template = readFileSync(join(here, "src", "page.html"), "utf8");
const page = template.replace(/%([A-Z]+)%/g, (_, name) => {
  if (!(name in parts)) throw new Error(`page.html asks for ${name}`);
  return parts[name];
});
if (page.split(MARKER).length !== 2) throw new Error(`the page must have the marker ${MARKER} exactly once`);

mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${(page.length / 1000).toFixed(0)} kB`);
