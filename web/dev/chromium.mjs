// A Chromium that is installed on this machine: PHASOR_CHROMIUM, else the first of the usual names in PATH.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

export const CHROMIUM_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"];
export const NO_CHROMIUM = `no Chromium: none of ${NAMES.join(", ")} is in PATH, and PHASOR_CHROMIUM names none`;

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Null where there is none. */
export function chromiumPath() {
  const named = process.env.PHASOR_CHROMIUM;
  if (named) {
    if (!isProgram(named)) throw new Error(`PHASOR_CHROMIUM is '${named}', which is no program`);
    return named;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}
