// What the page does not claim: winners among equals, verdicts of runs that did not converge, tests that were not made.
import { test } from "node:test";
import { fullStudy, reportOf } from "./fixture/study.mjs";
import { doubtfulRuns, ties } from "./fixture/unusual.mjs";
import { assert, describeInBrowser, withReport } from "./support/browser.mjs";
import { groupOf, usualCells } from "./support/expected.mjs";

const ACCURACY = "accuracy-by-encoding";

function cardsOf(report) {
  return report.page.locator("#answer .card").evaluateAll((all) =>
    all.map((card) => ({
      place: card.querySelector(".card-place").textContent,
      headline: card.querySelector("h3").textContent,
      sentence: card.querySelector(".card-sentence").textContent,
      rows: [...card.querySelectorAll(".rank")].map((row) => ({
        name: row.querySelector(".rank-name").textContent,
        value: row.querySelector(".rank-value").textContent,
        runs: row.querySelector(".rank-runs")?.textContent ?? null,
      })),
    })),
  );
}

function escaped(text) {
  return text.replace(/[()+]/g, "\\$&");
}

/** The names that a sentence lists behind these words. */
function listedAfter(sentence, words) {
  const found = new RegExp(`${words} (.*?)(?: \\(p after Holm|\\.(?: |$))`).exec(sentence);
  return found === null ? [] : found[1].split(/, | and /).sort();
}

describeInBrowser("Ties", () => {
  const level = ["sinusoidal", "learned", "relative", "alibi", "rope", "sinusoidal+rope", "mla"];
  const data = ties();

  test("no encoding is first by its place in a list", async () => {
    await withReport(data, {}, async (report) => {
      const listed = "sinusoidal, learned, relative, alibi, rope, sinusoidal+rope and mla";
      const lowest = (100 * data.summary.cells[7].all.test_accuracy.mean).toFixed(1);
      assert.equal(await report.finding(ACCURACY), `distance, clean: 7 encodings are at 100.0 %: ${listed}; the lowest is nope with ${lowest} %.`);
      const [card] = await cardsOf(report);
      assert.equal(card.headline, "7 encodings at 100.0 %");
      assert.deepEqual(listedAfter(card.sentence, "Also at 100\\.0 %:"), level.filter((name) => name !== "rope").sort());
      assert.ok(card.sentence.includes("Planned tests tell rope from nope (p after Holm at most 0.0079)"), card.sentence);
      await report.choose("learning-curves", "quantity", "train_accuracy");
      assert.match(await report.finding("learning-curves"), /training accuracy ends between \d+\.\d % \(nope\) and 100\.0 % \(sinusoidal, learned, relative, alibi and 3 more\)/);
    });
  });

  test("runs that are too few for a test do not make nope as good as the rest", async () => {
    const few = ties();
    for (const comparison of few.summary.comparisons) {
      comparison.test = { ...comparison.test, p: 0.1, smallest_p: 0.1 };
      comparison.told = false;
      comparison.p_holm = 0.4;
    }
    await withReport(few, {}, async (report) => {
      const [card] = await cardsOf(report);
      assert.equal(card.headline, "7 encodings at 100.0 %");
      assert.ok(card.sentence.includes("Too few runs to test, intervals apart: nope."), card.sentence);
    });
  });

  test("all that reach 90 % first are named", async () => {
    await withReport(data, {}, async (report) => {
      const medians = data.summary.cells.map(({ cell, all }) => ({ name: cell.encoding, median: all.steps_to_90.median })).filter((it) => it.median !== null);
      const least = Math.min(...medians.map((it) => it.median));
      const first = medians.filter((it) => it.median === least).map((it) => it.name);
      assert.ok(first.length > 1, "the fixture has a tie");
      const finding = await report.finding("learning-curves");
      for (const name of first) assert.ok(finding.slice(0, finding.indexOf(" reach 90 % first")).includes(name), `${name}: ${finding}`);
      assert.ok(finding.includes(`reach 90 % first, at step ${least} (median); 1 of 8 encodings does not get there`), finding);
    });
  });
});

describeInBrowser("Runs that did not converge", () => {
  const data = doubtfulRuns();
  const [rope, nope] = data.summary.cells;
  const plan = { task: "distance", protocol: "clean", encoding: "rope", accuracy: 0.97 };

  test("a card says how many runs its numbers are of", async () => {
    await withReport(data, {}, async (report) => {
      const [{ rows, sentence }] = await cardsOf(report);
      assert.match(sentence, /^rope: .*, 2 of 5 runs converged\./);
      assert.doesNotMatch(sentence, /nope/, "nothing is said of runs that did not converge");
      const percent = (value) => `${(100 * value).toFixed(1)} %`;
      const row = (name) => rows.find((it) => it.name === name);
      assert.deepEqual(row("rope"), { name: "rope", value: percent(rope.claimable.test_accuracy.mean), runs: "2 of 5 runs converged" });
      assert.deepEqual(row("nope"), { name: "nope", value: percent(nope.all.test_accuracy.mean), runs: "0 of 5 runs converged" });
      assert.equal(row("alibi").runs, null, "all of them");
      const note = () => report.figure(ACCURACY).locator(".note").innerText();
      assert.match(await note(), /means of all finished runs/);
      await report.convergedOnly(true);
      assert.match(await note(), /means of converged runs/);
    });
  });

  test("others that a card speaks of have converged", async () => {
    const others = ["learned", "relative", "mla"].map((encoding) => ({ ...plan, encoding, accuracy: 0.5 }));
    const mixed = reportOf([plan, ...others, { ...plan, encoding: "nope", accuracy: 0.3, unconverged: [0, 1, 2, 3, 4] }]);
    await withReport(mixed, {}, async (report) => {
      const [{ sentence }] = await cardsOf(report);
      assert.match(sentence, /Not tested, intervals apart: all others that converged\.$/);
    });
  });

  test("there is no verdict over seeds without converged ones", async () => {
    await withReport(data, {}, async (report) => {
      const finding = await report.finding("head-verdicts");
      assert.match(finding, /nope in 5 of 5 runs \(5 not converged\)/);
      assert.match(finding, /none without converged runs: nope/);
      assert.doesNotMatch(finding, /nope DEPOSIT/);
      assert.match(await report.finding("head-map"), /DEPOSIT for nope \(not converged\)/);
      assert.match(await report.finding("sorted-heads"), /nope \d+ % \(no run converged\)/);
      const row = (await report.csv("head-verdicts")).find((it) => it.encoding === "nope");
      assert.deepEqual([row["over seeds"], row["max share"], row.reason], ["none", null, "no run has converged"]);
    });
  });

  test("their heads are hollow, whatever the other runs of the cell", async () => {
    await withReport(data, {}, async (report) => {
      for (const id of ["head-drops", "sorted-heads"]) {
        const symbols = (await report.traces(id)).flatMap((trace) => trace.symbols);
        const records = await report.csv(id);
        const count = (converged) => records.filter((row) => row.converged === converged).length;
        assert.equal(symbols.filter((symbol) => symbol === "circle-open").length, count("no"), id);
        assert.equal(symbols.filter((symbol) => symbol === "circle").length, count("yes"), id);
        assert.ok(records.some((row) => row.encoding === "rope" && row.converged === "no"), `${id}: of a cell that has both`);
      }
      const contractions = (await report.traces("contraction")).filter((trace) => trace.meta === "heads").flatMap((trace) => trace.symbols);
      const heads = 2 * rope.layers * rope.heads;
      assert.equal(contractions.filter((symbol) => symbol === "circle-open").length, 3 * heads, "before and after training, of three runs");
      assert.equal(contractions.length, 5 * heads);
    });
  });

  test("intervals without them stay between 0 and 1", async () => {
    await withReport(data, { hash: "#converged=only" }, async (report) => {
      for (const id of ["learning-curves", "length-generalisation", "position-removal"]) {
        const rows = (await report.csv(id)).filter((row) => row.encoding === "rope" && row.low !== null);
        assert.ok(rows.length > 0 && rows.every((row) => row.low >= 0 && row.high <= 1), id);
        assert.ok(rows.some((row) => row.high === 1), `${id}: two runs have a wide interval`);
      }
    });
  });

  test("the first to reach 90 % follows the filter", async () => {
    await withReport(data, {}, async (report) => {
      const first = (view) => Math.min(...data.summary.cells.map((cell) => cell[view].steps_to_90.median ?? Infinity));
      const speedText = (step, runs) => (Number.isFinite(step) ? `at step ${step} (median)` : `no encodings have reached 90 % in half of ${runs}`);
      assert.notEqual(first("all"), first("claimable"), "the fixture has two answers");
      assert.ok((await report.finding("learning-curves")).includes(speedText(first("all"), "their runs")));
      await report.convergedOnly(true);
      assert.ok((await report.finding("learning-curves")).includes(speedText(first("claimable"), "their converged runs")));
    });
  });

  test("spectra say of which runs they are, and go with the filter", async () => {
    await withReport(data, {}, async (report) => {
      const { tokens } = data.cells[0].head_curves;
      const note = await report.figure("singular-values").locator(".note").innerText();
      const sequence = `a sequence of ${tokens} tokens`;
      assert.ok(note.includes(`(rope: seed 1, ${sequence}; nope: seed 0, not converged, ${sequence}; alibi: seed 0, ${sequence})`), note);
      assert.match(await report.figure("logit-shares").locator(".note").innerText(), /\(rope: seed 1; nope: seed 0, not converged; alibi: seed 0\)/);
      await report.convergedOnly(true);
      for (const id of ["singular-values", "eigenvalues", "toeplitz-kernels", "logit-shares"]) {
        assert.deepEqual([...new Set((await report.csv(id)).map((row) => row.encoding))], ["rope", "alibi"], id);
      }
    });
  });

  test("contraction is given with its interval, not with certainty", async () => {
    await withReport(data, {}, async (report) => {
      const finding = await report.finding("contraction");
      assert.match(finding, /rope before training 0\.\d+ \(95 % interval below 1\)/);
      assert.doesNotMatch(finding, /surely/);
    });
  });
});

describeInBrowser("A full study", () => {
  const study = fullStudy();
  const { summary } = study;

  /** What a card must say of the best encoding against another. */
  function standing(best, other) {
    const test = summary.comparisons.find(
      ({ number, first, second, test: made }) =>
        number === "test_accuracy" && made !== null && [first, second].every(({ cell }) => [best.cell, other.cell].some((it) => JSON.stringify(it) === JSON.stringify(cell))),
    );
    if (test !== undefined) return test.told ? "told" : "untold";
    const [a, b] = [best, other].map((cell) => cell.claimable.test_accuracy);
    return a.low <= b.high && b.low <= a.high ? "overlap" : "apart";
  }

  test("cards say what was tested, and what only lies within intervals", async () => {
    await withReport(study, {}, async (report) => {
      const short = (cell) => cell.encoding.replace("(slopes=released)", "").replace("(layout=halves)", "").replace(/^learned\(init=0\)\+mla.*/, "mla");
      let tested = 0;
      for (const { place, sentence } of await cardsOf(report)) {
        const [task, protocol] = place.split(", ");
        const cells = usualCells(study).filter(({ cell, claimable }) => cell.task === task && groupOf(cell.protocol) === protocol && claimable.runs > 0);
        const [best, ...others] = cells.sort((a, b) => b.claimable.test_accuracy.mean - a.claimable.test_accuracy.mean);
        const shown = (cell) => cell.claimable.test_accuracy.mean.toFixed(3);
        const judged = others.filter((it) => shown(it) !== shown(best) || /told/.test(standing(best, it)));
        const expected = (kind) => {
          const kept = judged.filter((it) => standing(best, it) === kind).map((it) => short(it.cell));
          return kept.length > 2 && kept.length === judged.length ? ["all others"] : kept.sort();
        };
        assert.deepEqual(listedAfter(sentence, `Planned tests tell ${escaped(short(best.cell))} from`), expected("told"), sentence);
        assert.deepEqual(listedAfter(sentence, `Planned tests do not tell ${escaped(short(best.cell))} from`), expected("untold"), sentence);
        assert.deepEqual(listedAfter(sentence, "Not tested, intervals overlap:"), expected("overlap"), sentence);
        assert.deepEqual(listedAfter(sentence, "Not tested, intervals apart:"), expected("apart"), sentence);
        tested += expected("told").length + expected("untold").length;
      }
      assert.ok(tested > 0, "the fixture has tests of a best encoding");
    });
  });

  test("the audit is told in the program's words", async () => {
    await withReport(study, {}, async (report) => {
      const finding = await report.finding("audit-switches");
      for (const block of summary.audit) assert.ok(finding.includes(block.finding), `${block.finding} in ${finding}`);
    });
  });
});
