// The fixture against the program that writes such documents: it must have every member, and none that is not written.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { fullStudy } from "./fixture/study.mjs";

const sources = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "src", "phasor");
const WRITERS = [
  "study/study_json.cpp",
  "study/cell_json.cpp",
  "study/cell_heads_json.cpp",
  "paper/paper_json.cpp",
  "report/report_data.cpp",
];
// Written elsewhere: claims, audit, published and times join the summary; floors, estimates and published ablations have
// writers that also write other files.
const ELSEWHERE = [
  "claims", "audit", "version", "commit", "machine", "date", "runs", "chance", "constant", "length", "rule", "ceiling", "ambiguous",
  "decoys", "samples", "error", "value", "low", "high", "layer", "accuracy", "top", "max_share", "n2", "baseline", "ablated",
  "turns_without_effect", "layers", "id", "seconds", "device", "heads",
];

function writtenMembers() {
  const names = new Set(ELSEWHERE);
  for (const file of WRITERS) {
    const text = readFileSync(join(sources, file), "utf8");
    for (const [, name] of text.matchAll(/\{\s*"([a-z0-9_]+)",|json\["([a-z0-9_]+)"\]/g)) {
      if (name !== undefined) names.add(name);
    }
  }
  return names;
}

function members(value, found = new Set()) {
  if (Array.isArray(value)) {
    for (const element of value) members(element, found);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      found.add(name);
      if (name !== "config") members(member, found);
    }
  }
  return found;
}

describe("The fixture", () => {
  const study = fullStudy();

  test("is the same every time", () => {
    assert.equal(JSON.stringify(fullStudy()), JSON.stringify(study));
  });

  test("has the members that the program writes", () => {
    const written = writtenMembers();
    const made = members(study);
    assert.deepEqual([...written].filter((name) => !made.has(name)), [], "members that the fixture lacks");
    assert.deepEqual([...made].filter((name) => !written.has(name)), [], "members that the program does not write");
  });

  test("has the size of a real study", () => {
    const plain = study.summary.cells.filter(({ cell }) => cell.variant === "" && !cell.encoding.startsWith("rope["));
    assert.equal(plain.length, 8 * 2 * 2);
    assert.ok(study.summary.cells.length > 60);
    assert.equal(study.cells.length, study.summary.cells.length);
    assert.ok(study.summary.cells.reduce((sum, cell) => sum + cell.runs.length, 0) > 300);
  });
});
