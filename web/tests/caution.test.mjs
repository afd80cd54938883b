// What the page does not claim: winners among equals, more than the runs say, tests that were not made.
import { test } from "node:test";
import { fullStudy } from "./fixture/study.mjs";
import { doubtfulRuns, ties } from "./fixture/unusual.mjs";
import { assert, describeInBrowser, withReport } from "./support/browser.mjs";

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

describeInBrowser("Ties", () => {
  const data = ties();

  test("no encoding is first by its place in a list", async () => {
    await withReport(data, {}, async (report) => {
      const listed = "sinusoidal, learned, relative, alibi, rope, sinusoidal+rope and mla";
      const lowest = (100 * data.summary.cells[7].numbers.test_accuracy.mean).toFixed(1);
      assert.equal(await report.finding(ACCURACY), `distance, clean: 7 encodings are at 100.0 %: ${listed}; the lowest is nope with ${lowest} %.`);
      await report.choose("learning-curves", "quantity", "train_accuracy");
      assert.match(await report.finding("learning-curves"), /training accuracy ends between \d+\.\d % \(nope\) and 100\.0 % \(sinusoidal, learned, relative, alibi and 3 more\)/);
    });
  });

  test("all that reach 90 % first are named", async () => {
    await withReport(data, {}, async (report) => {
      const medians = data.summary.cells.map(({ cell, numbers }) => ({ name: cell.encoding, median: numbers.steps_to_90.median })).filter((it) => it.median !== null);
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

  test("a card says how many runs its numbers are of", async () => {
    await withReport(data, {}, async (report) => {
      const [{ rows }] = await cardsOf(report);
      const percent = (value) => `${(100 * value).toFixed(1)} %`;
      const row = (name) => rows.find((it) => it.name === name);
      assert.deepEqual(row("rope"), { name: "rope", value: percent(rope.numbers.test_accuracy.mean), runs: "3 of 5 runs not converged" });
      assert.deepEqual(row("nope"), { name: "nope", value: percent(nope.numbers.test_accuracy.mean), runs: "5 of 5 runs not converged" });
      assert.equal(row("alibi").runs, null, "none of them");
      const note = () => report.figure(ACCURACY).locator(".note").innerText();
      assert.match(await note(), /means of all finished runs/);
    });
  });

  test("they count in verdicts over seeds, and are marked", async () => {
    await withReport(data, {}, async (report) => {
      const finding = await report.finding("head-verdicts");
      assert.match(finding, /nope in 5 of 5 runs \(5 not converged\)/);
      assert.match(finding, /over seeds: .*nope DEPOSIT/);
      assert.match(await report.finding("head-map"), /DEPOSIT for nope \(not converged\)/);
      assert.match(await report.finding("sorted-heads"), /nope \d+ % \(no run converged\)/);
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

  test("spectra say of which runs they are", async () => {
    await withReport(data, {}, async (report) => {
      const { tokens } = data.cells[0].head_curves;
      const note = await report.figure("singular-values").locator(".note").innerText();
      const sequence = `a sequence of ${tokens} tokens`;
      assert.ok(note.includes(`(rope: seed 1, ${sequence}; nope: seed 0, not converged, ${sequence}; alibi: seed 0, ${sequence})`), note);
      assert.match(await report.figure("logit-shares").locator(".note").innerText(), /\(rope: seed 1; nope: seed 0, not converged; alibi: seed 0\)/);
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

  test("the first screen is the program's, word for word", async () => {
    await withReport(study, {}, async (report) => {
      const { title, parts } = summary.story;
      assert.equal(await report.page.locator("#story h2").textContent(), title);
      const shown = await report.page.locator("#story article").evaluateAll((all) =>
        all.map((part) => ({
          question: part.querySelector("h3").firstChild.textContent,
          key: part.querySelector(".story-key")?.textContent ?? "",
          titles: [...part.querySelectorAll("thead th")].map((cell) => cell.textContent),
          rows: [...part.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
          claims: [...part.querySelectorAll("li")].map((item) => item.textContent),
          sentences: [...part.querySelectorAll(".story-sentence")].map((it) => it.textContent),
        })),
      );
      parts.forEach((part, i) => {
        const isClaims = part.id === "claims";
        const { question, key, titles, rows, sentences } = part;
        assert.deepEqual(shown[i], {
          question,
          key,
          titles: isClaims ? [] : titles,
          rows: isClaims ? [] : rows.map((row) => row.map((cell) => cell.trim())),
          claims: isClaims ? rows.map(([verdict, claim]) => `${verdict.toLowerCase()} ${claim}`) : [],
          sentences,
        });
      });
      assert.equal(shown.length, parts.length);
      assert.equal(await report.page.locator("#story .story-picture").count(), 1, "heads stand in line");
      const top = await report.page.locator("main > *").first().getAttribute("id");
      assert.equal(top, "story");
    });
    const without = structuredClone(study);
    delete without.summary.story;
    await withReport(without, {}, async (report) => assert.equal(await report.page.locator("#story").count(), 0));
  });

  test("answers and oddities are the program's, word for word", async () => {
    await withReport(study, {}, async (report) => {
      const cards = await cardsOf(report);
      const members = ({ place, headline, sentence }) => ({ title: place, headline, sentence });
      assert.deepEqual(cards.map(members), summary.answers.map(({ title, headline, sentence }) => ({ title, headline, sentence })));
      cards.forEach(({ rows }, i) => {
        const ranked = summary.answers[i].ranked.slice(0, 8);
        assert.deepEqual(rows, ranked.map(({ name, mean, runs }) => ({ name, value: `${(100 * mean).toFixed(1)} %`, runs })));
      });
      const odd = await report.page.locator("#answer .odd-list > li").evaluateAll((all) =>
        all.map((item) => ({ text: item.firstChild.textContent.trim(), details: [...item.querySelectorAll("details li")].map((detail) => detail.textContent) })),
      );
      assert.deepEqual(odd, summary.oddities);
    });
  });

  test("an answer stays as it is whatever encodings are shown, and says so", async () => {
    await withReport(study, {}, async (report) => {
      const notes = () => report.page.locator("#answer .filtered:visible").count();
      const before = await cardsOf(report);
      assert.equal(await notes(), 0);
      await report.openFilters();
      await report.filter("encodings", "rope[heads=0]", true);
      assert.equal(await notes(), 0, "one that it is not about");
      await report.filter("encodings", "nope", false);
      assert.equal(await notes(), summary.answers.length);
      assert.deepEqual(await cardsOf(report), before);
      await report.filter("encodings", "nope", true);
      assert.equal(await notes(), 0);
    });
  });

  test("the audit is told in the program's words", async () => {
    await withReport(study, {}, async (report) => {
      const finding = await report.finding("audit-switches");
      for (const block of summary.audit) assert.ok(finding.includes(block.finding), `${block.finding} in ${finding}`);
    });
  });
});
