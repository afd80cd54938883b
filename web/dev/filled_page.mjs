import { gzipSync } from "node:zlib";

/** The page with its data, as the program writes it: as JSON, or packed. */
export function filledPage(page, data, packed) {
  const json = JSON.stringify(data);
  const element = packed
    ? `<script type="text/plain" id="phasor-data-gz">${gzipSync(json).toString("base64")}</script>`
    : `<script type="application/json" id="phasor-data">${json.replace(/</g, "\\u003c")}</script>`;
  return page.replace("<!--phasor-data-->", () => element);
}
