// A module of the page without the page.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const sources = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "src");

/** What the file under src exports. */
export async function importSource(path) {
  const { outputFiles } = await build({ entryPoints: [join(sources, path)], bundle: true, write: false, format: "esm", charset: "utf8" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
