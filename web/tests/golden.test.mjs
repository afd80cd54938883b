// A report as the program writes it (tests/fixtures/report/golden.json, made by tests/report/golden_report_test.cpp), read
// strictly: the page must find every member that it asks for, and know every member that is there. The fixture of the other
// tests must have the same members.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { fullStudy } from "./fixture/study.mjs";
import { importSource } from "./support/source.mjs";
import { members, unread, watched } from "./support/strict.mjs";

const golden = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), "..", "..", "tests", "fixtures", "report", "golden.json"), "utf8"));

const SEED_NUMBER = ["deviation", "degenerate"];
const NUMBERS = ["test_samples", "mixed", "loss_area", "loss_spikes", "gradient_variation", "success.rate", "steps_to_90.values", "steps_to_90.mean"];
const SPECTRUM = ["product_norm_start", "product_norm_end", "relative_r2", "position_toeplitz", "logit_interaction", "content_share", "product_share", "positional_share", "stream_position", "stream_interaction", "stream_interaction_deviation"];
const VERDICT = ["seeds", "deposit", "partial", "spread", "not_used", "undetermined", "without_shares", "necessity", "sufficiency"];
const HEAD_LAYER = ["shares", "redundancy", "necessity", "sufficiency", "head_p_holm", "clauses"];
const SIDE = ["variance_floor", "unconverged", "never", "failed", "unmeasured", "mixed"];
const CHANGE = ["base", "smallest_p"];

const under = (path, names) => names.map((name) => `${path}.${name}`);
const seedNumbers = (path, names) => names.flatMap((name) => under(`${path}.${name}`, SEED_NUMBER));

function unusedMeasures(cell) {
  return [
    ...["test_accuracy", "train_accuracy"].map((name) => `${cell}.curves.${name}.seeds`),
    ...seedNumbers(`${cell}.lengths[]`, ["accuracy"]),
    ...seedNumbers(`${cell}.spectrum`, ["contraction_start", "contraction_end"]),
    ...under(`${cell}.spectrum`, SPECTRUM),
    ...seedNumbers(`${cell}.removal[]`, ["without_position", "without_input_term", "random"]),
    ...under(`${cell}.removal[]`, ["excess", "norm_share"]),
    ...seedNumbers(`${cell}.snapshots[]`, ["accuracy", "position.max_share", "importance.max_share"]),
    ...under(`${cell}.snapshots[]`, ["position.n2", "importance.n2"]),
  ];
}

/** What the program writes and the page has no use for: it is for other programs that read summary.json. */
const UNUSED = new Set([
  "summary.format",
  ...under("summary.cells[]", ["learning_rates", "parameters", "added_seeds"]),
  ...under("summary.cells[].runs[]", ["validation_accuracy", "validation_loss"]),
  ...under("summary.cells[].floors", ["constant", "ambiguous", "decoys", "samples", "error"]),
  ...seedNumbers("summary.cells[].numbers", ["test_accuracy", "train_accuracy", "test_loss", "generalisation_gap"]),
  ...under("summary.cells[].numbers", NUMBERS),
  ...unusedMeasures("summary.cells[]"),
  ...under("cells[].telemetry", ["gradient_norm.seeds", "test_loss.seeds"]),
  ...["position", "importance"].flatMap((question) => [
    ...under(`summary.cells[].${question}.over_seeds`, VERDICT),
    ...under(`summary.cells[].${question}.seeds[]`, ["samples", "floor_accuracy", "top_share_of_all"]),
    ...under(`summary.cells[].${question}.seeds[].layers[]`, HEAD_LAYER),
  ]),
  ...["start", "end"].flatMap((moment) => under(`summary.cells[].learned.numbers[].${moment}`, SEED_NUMBER)),
  "summary.cells[].learned.tables[].tensors",
  ...under("summary.cells[].published[].ablation", ["samples", "turns_without_effect"]),
  ...under("summary.cells[].published[].ablation.layers[]", ["layer", "top", "max_share", "n2"]),
  ...under("summary.registration", ["post_hoc", "registered", "extensions"]),
  "summary.rates[].trials[].id",
  ...["first", "second"].flatMap((side) => under(`summary.comparisons[].${side}`, SIDE)),
  ...under("summary.comparisons[].permutation", ["smallest_p", "exact", "arrangements", "p_low", "p_high"]),
  ...under("summary.comparisons[].difference", ["freedom", "p", "degenerate"]),
  ...under("summary.comparisons[]", ["significant", "disputed", "without_unconverged", "post_hoc"]),
  "summary.answers[].extension",
  "summary.audit[].base_counts",
  ...under("summary.audit[].switches[].counts", ["planned", "deposit", "partial", "spread", "not_used", "undetermined"]),
  ...["accuracy", "max_share"].flatMap((name) => under(`summary.audit[].switches[].${name}`, CHANGE)),
  "summary.published[].encoding",
  ...under("summary.times.runs[]", ["id", "device"]),
]);

/** The settings of a run are shown as they are. */
const CONFIG = "cells[].config";

describe("A report as the program writes it", () => {
  let readReport, entriesOf;
  before(async () => {
    ({ readReport } = await importSource("report/report.ts"));
    ({ entriesOf } = await importSource("study/entry.ts"));
  });

  const strictly = (document) => {
    const { document: seen, missing, read } = watched(document);
    const report = readReport(seen);
    return { report, missing: [...missing], unknown: [...unread(document, read)].filter((path) => !path.startsWith(`${CONFIG}.`)) };
  };

  test("has every member that the page asks for", () => {
    assert.deepEqual(strictly(golden).missing, []);
  });

  test("has no member that the page does not know", () => {
    const { unknown } = strictly(golden);
    assert.deepEqual(unknown.filter((path) => !UNUSED.has(path)), [], "neither read nor listed as unused");
    assert.deepEqual([...UNUSED].filter((path) => !unknown.includes(path)), [], "listed as unused, and read or not there");
  });

  test("would be refused with a member more or less", () => {
    const changed = structuredClone(golden);
    changed.summary.answers[0].surprise = 1;
    delete changed.summary.cells[0].numbers.test_accuracy.low;
    const { missing, unknown } = strictly(changed);
    assert.ok(unknown.includes("summary.answers[].surprise"));
    assert.deepEqual(missing, ["summary.cells[].numbers.test_accuracy.low"]);
  });

  test("calls encodings what its answers call them", () => {
    const report = readReport(golden);
    const entries = entriesOf(report);
    const ranked = report.answers.flatMap((answer) => answer.ranked);
    assert.ok(ranked.some((it) => it.name === "mla"), "a released form is among them");
    for (const { cell, name } of ranked) assert.equal(entries.of(cell).key, name);
  });

  test("has what it takes: no list is empty, and no number without a value everywhere", () => {
    const { cells } = readReport(golden);
    const view = cells[0].finished;
    assert.ok(view.lengths.length > 0 && view.removal.length > 0 && view.snapshots.length > 0);
    assert.ok(view.spectrum !== null && view.telemetry !== null && view.curves.steps.length > 0);
  });
});

describe("The fixture", () => {
  const study = fullStudy();

  test("is the same every time", () => {
    assert.equal(JSON.stringify(fullStudy()), JSON.stringify(study));
  });

  test("has the members that the program writes", () => {
    const written = members(golden, new Set([CONFIG]));
    const made = members(study, new Set([CONFIG]));
    assert.deepEqual([...written].filter((path) => !made.has(path)), [], "members that the fixture lacks");
    assert.deepEqual([...made].filter((path) => !written.has(path)), [], "members that the program does not write");
  });

  test("has the size of a real study", () => {
    const plain = study.summary.cells.filter(({ cell }) => cell.variant === "" && !cell.encoding.startsWith("rope["));
    assert.equal(plain.length, 8 * 2 * 2);
    assert.ok(study.summary.cells.length > 60);
    assert.equal(study.cells.length, study.summary.cells.length);
    assert.ok(study.summary.cells.reduce((sum, cell) => sum + cell.runs.length, 0) > 300);
  });
});
