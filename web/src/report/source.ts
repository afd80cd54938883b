// Where the program put the data: as JSON, or as base64 of gzip of JSON.
import { inflateBase64 } from "../base/inflate.ts";

export async function reportJson(): Promise<unknown> {
  const plain = document.getElementById("phasor-data");
  if (plain !== null) return JSON.parse(plain.textContent ?? "");
  const packed = document.getElementById("phasor-data-gz");
  if (packed !== null) return JSON.parse(await inflateBase64(packed.textContent ?? ""));
  throw new Error("this page has no data: `phasor report DIR` writes one that has");
}
