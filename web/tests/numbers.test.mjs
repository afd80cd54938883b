// Numbers read back from the page are those of the summary.
import { before, test } from "node:test";
import { fullStudy } from "./fixture/study.mjs";
import { assert, describeInBrowser, openReport } from "./support/browser.mjs";
import { parseCsv } from "./support/csv.mjs";
import { findCell, groupOf, rowOf, sum, usualCells } from "./support/expected.mjs";
import { showsNumber } from "./support/shown_number.mjs";

const sorted = (values) => [...values].sort((a, b) => a - b);

describeInBrowser("Numbers of the page", () => {
  const study = fullStudy();
  const { summary } = study;
  const usual = usualCells(study);
  let report;
  before(async () => {
    report = await openReport(study);
  });

  /** Rows of a figure's CSV as lists of texts, without the head. */
  const rowsOf = async (id) => parseCsv(await report.csvText(id)).slice(1);

  test("accuracy: every cell's mean, interval, runs and values", async () => {
    const records = await report.csv("accuracy-by-encoding");
    assert.equal(records.length, usual.length);
    for (const cell of usual) {
      const { test_accuracy } = cell.numbers;
      const [row] = rowOf(records, cell);
      assert.deepEqual([row.mean, row.low, row.high, row.runs], [test_accuracy.mean, test_accuracy.low, test_accuracy.high, cell.runs.length], cell.name);
      assert.equal(row.converged, cell.runs.filter((run) => run.converged).length);
      assert.equal(row.failed, cell.failed.length);
      assert.deepEqual(String(row.values).split(" ").map(Number), test_accuracy.values);
      assert.deepEqual([row.chance, row["length alone"], row.ceiling], [cell.floors.chance, cell.floors.length, cell.floors.ceiling]);
    }
  });

  test("accuracy: the paper's values stand beside the encodings that they are of", async () => {
    const records = await report.csv("accuracy-by-encoding");
    const published = (task, protocol, encoding) => rowOf(records, findCell(study, task, protocol, encoding))[0].published;
    assert.equal(published("distance", "clean", "sinusoidal"), 0.775);
    assert.equal(published("distance", "clean", "rope"), 0.9264, "the table's, not Fig. 5's");
    assert.equal(published("distance", "released", "sinusoidal(layout=halves)+rope"), 0.933, "what the paper labels RoPE");
    assert.equal(published("distance", "released", "learned(init=0)+mla(query=shared,table=released,norm=none)"), 0.8834);
    assert.equal(published("counting", "clean", "nope"), (0.603 + 0.621) / 2);
    assert.equal(published("counting", "clean", "rope"), null);
  });

  test("accuracy: the chart has what the table has", async () => {
    const traces = await report.traces("accuracy-by-encoding");
    const means = traces.filter((trace) => trace.meta === "mean").flatMap((trace) => trace.x);
    const seeds = traces.filter((trace) => trace.meta === "seeds").flatMap((trace) => trace.x);
    const published = traces.filter((trace) => trace.meta === "published").flatMap((trace) => trace.x);
    assert.deepEqual(sorted(means), sorted(usual.map((cell) => cell.numbers.test_accuracy.mean)));
    assert.deepEqual(sorted(seeds), sorted(usual.flatMap((cell) => cell.numbers.test_accuracy.values)));
    assert.equal(published.length, 2 * (6 + 1 + 2), "under both protocols: Fig. 2, Fig. 3, the table");
    const hollow = traces.flatMap((trace) => trace.symbols).filter((symbol) => symbol.endsWith("-open") && !symbol.startsWith("diamond"));
    assert.equal(hollow.length, sum(usual.map((cell) => cell.unconverged.length)));
  });

  test("learning curves: mean and interval at every step", async () => {
    const records = await report.csv("learning-curves");
    for (const cell of usual) {
      const rows = rowOf(records, cell);
      const { steps, test_accuracy } = cell.curves;
      assert.deepEqual(rows.map((row) => row.step), steps, cell.name);
      for (const member of ["mean", "low", "high"]) assert.deepEqual(rows.map((row) => row[member]), test_accuracy[member], `${cell.name} ${member}`);
    }
  });

  test("heads: verdicts by run and over seeds", async () => {
    const records = await report.csv("head-verdicts");
    for (const cell of usual) {
      const [row] = rowOf(records, cell);
      const verdicts = cell.position.seeds.map((seed) => seed.verdict);
      for (const verdict of ["DEPOSIT", "PARTIAL", "SPREAD", "NOT USED", "UNDETERMINED"]) {
        assert.equal(row[verdict.toLowerCase()], verdicts.filter((it) => it === verdict).length, `${cell.name} ${verdict}`);
      }
      const over = cell.position.over_seeds;
      assert.deepEqual([row["over seeds"], row["max share"], row.low, row.high], [over.verdict, over.max_share.value, over.max_share.low, over.max_share.high]);
      assert.deepEqual([row.reason, row["not converged"]], [over.reason, cell.unconverged.length]);
    }
  });

  test("heads: every drop of every head, run and layer", async () => {
    const records = await report.csv("head-drops");
    for (const cell of usual) {
      const rows = rowOf(records, cell);
      const expected = cell.position.seeds.flatMap((seed) => seed.loss_drops.flatMap((heads, layer) => heads.map((drop, head) => [seed.seed, layer, head, drop])));
      assert.deepEqual(rows.map((row) => [row.seed, row.layer, row.head, row["loss drop"]]), expected, cell.name);
    }
    const points = (await report.traces("head-drops")).filter((trace) => trace.meta === "heads");
    assert.deepEqual(sorted(points.flatMap((trace) => trace.x)), sorted(records.map((row) => row["loss drop"])));
    const hollow = points.flatMap((trace) => trace.symbols).filter((symbol) => symbol === "circle-open");
    assert.equal(hollow.length, records.filter((row) => row.converged === "no").length, "hollow by run");
  });

  test("heads: sorted within their layers", async () => {
    const records = await report.csv("sorted-heads");
    const cell = findCell(study, "distance", "clean", "rope");
    for (const seed of cell.position.seeds) {
      seed.loss_drops.forEach((drops, layer) => {
        const rows = records.filter((row) => row.encoding === "rope" && row.seed === seed.seed && row.layer === layer);
        assert.deepEqual(rows.map((row) => row["loss drop"]), sorted(drops).reverse());
      });
    }
  });

  test("heads: the map of one seed, with its verdict and reason", async () => {
    await report.choose("head-map", "seed", "3");
    const seed = findCell(study, "distance", "clean", "rope").position.seeds[3];
    const rows = (await report.csv("head-map")).filter((row) => row.encoding === "rope");
    assert.deepEqual(rows.map((row) => row["loss drop"]), seed.loss_drops.flat());
    assert.deepEqual(rows.map((row) => row["accuracy without it"]), seed.accuracies.flat());
    const maps = (await report.traces("head-map")).filter((trace) => trace.type === "heatmap");
    assert.ok(maps.some((map) => JSON.stringify(map.z) === JSON.stringify(seed.loss_drops)), "the map is drawn");
    const text = await report.figure("head-map").innerText();
    assert.ok(text.includes(seed.verdict) && text.includes(seed.reason), "verdict and reason in words");
  });

  test("heads as the released code switches them off, beside the paper's values", async () => {
    const records = await report.csv("published-heads");
    const measured = records.filter((row) => row.source === "measured");
    const cells = usual.filter(({ cell }) => cell.task === "distance" && groupOf(cell.protocol) === "released");
    assert.equal(measured.length, sum(cells.map((cell) => sum(cell.published.map(({ ablation }) => ablation.layers.flatMap((layer) => layer.accuracy).length)))));
    for (const cell of cells) {
      for (const { seed, ablation } of cell.published) {
        const rows = rowOf(measured, cell).filter((row) => row.seed === seed);
        assert.deepEqual(rows.map((row) => row.accuracy), ablation.layers.flatMap((layer) => layer.accuracy), cell.name);
        assert.ok(rows.every((row) => row.intact === ablation.baseline && row["switched off"] === (ablation.ablated === "columns of latents" ? "latents" : "head")));
      }
    }
    const paper = (encoding) => records.filter((row) => row.encoding === encoding && row.source !== "measured").map((row) => [row.layer, row.accuracy, row.intact]);
    assert.deepEqual(paper("rope"), [[0, 0.95, 0.97], [0, 0.34, 0.97]]);
    const ranges = [[0, 0.27], [0, 0.44], [1, 0.34], [1, 0.79]];
    const modes = [[0, 0.38], [1, 0.61]];
    assert.deepEqual(paper("learned+mla(shared,released,none)"), [...ranges, ...modes].map((it) => [...it, 0.91]));
    assert.deepEqual(paper("nope"), []);
    const turns = (await report.traces("published-heads")).filter((trace) => trace.meta === "turns").flatMap((trace) => trace.y);
    assert.deepEqual(sorted(turns), sorted(measured.map((row) => row.accuracy)), "every turn is drawn");
  });

  test("rotary heads: from none to all", async () => {
    const records = await report.csv("rotary-heads");
    const order = ["nope", "rope[heads=0]", "rope[heads=0-1]", "rope[heads=0-2]", "rope"];
    for (const task of ["distance", "counting"]) {
      const rows = records.filter((row) => row.task === task && row.encoding !== "the paper's");
      assert.deepEqual(rows.map((row) => row.encoding), order);
      assert.deepEqual(rows.map((row) => row["rotary heads"]), [0, 1, 2, 3, 4]);
      assert.deepEqual(rows.map((row) => row.mean), order.map((encoding) => findCell(study, task, "clean", encoding).numbers.test_accuracy.mean));
    }
    const published = summary.published.find((entry) => entry.id === "fig6.distance").points;
    assert.deepEqual(records.filter((row) => row.encoding === "the paper's").map((row) => [row["rotary heads"], row.mean]), published.map((point) => [point.at, point.low]));
  });

  test("what was learned: every number's start, mean and interval, and the tables that are left out", async () => {
    const section = report.page.locator("section[id=learned]");
    const rows = await section.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.dataset.value ?? cell.textContent)));
    const expected = usual.flatMap(({ cell, learned }) =>
      learned.numbers.map(({ name, layer, head, start, end }) =>
        [cell.encoding, cell.task, name, layer ?? "all", head ?? "all", start.mean, end.mean, end.low, end.high, end.count].map(String)),
    );
    assert.ok(expected.length > 0, "the fixture has some");
    const shown = new Set(rows.map(([encoding, task, , ...more]) => JSON.stringify([encoding, task, ...more])));
    for (const row of expected) assert.ok(shown.has(JSON.stringify(row)), `${row}`);
    assert.match(await section.innerText(), /Left out as tables.*learned \[64, 64\]/);
  });

  test("removal of positions: by layer", async () => {
    const records = await report.csv("position-removal");
    const cells = usual.filter(({ cell }) => cell.task === "distance" && cell.protocol === "clean");
    assert.equal(records.length, sum(cells.map((cell) => cell.removal.length)));
    for (const cell of cells) {
      const rows = rowOf(records, cell);
      assert.deepEqual(rows.map((row) => row["without position"]), cell.removal.map((layer) => layer.without_position.mean), cell.name);
      assert.deepEqual(rows.map((row) => [row.low, row.high]), cell.removal.map((layer) => [layer.without_position.low, layer.without_position.high]));
      assert.deepEqual(rows.map((row) => row.random), cell.removal.map((layer) => layer.random.mean));
      assert.deepEqual(rows.map((row) => row["without the input term"]), cell.removal.map((layer) => layer.without_input_term.mean));
    }
  });

  test("longer sequences: by factor", async () => {
    const records = await report.csv("length-generalisation");
    for (const cell of usual) {
      const rows = rowOf(records, cell);
      assert.deepEqual(rows.map((row) => [row.factor, row.longest, row.mean, row.low, row.high]), cell.lengths.map(({ factor, longest, accuracy }) => [factor, longest, accuracy.mean, accuracy.low, accuracy.high]), cell.name);
    }
  });

  test("spectra: singular values, eigenvalues and kernels of every head", async () => {
    const at = summary.cells.indexOf(findCell(study, "distance", "clean", "rope"));
    const { heads } = study.cells[at].head_curves;
    const numbers = async (prefix) => {
      const id = (await report.figures()).find((it) => it.endsWith(prefix));
      return (await rowsOf(id)).filter(([encoding]) => encoding === "rope").map((row) => row.slice(1).map(Number));
    };
    assert.deepEqual(await numbers("singular-values"), heads.flatMap((head) => head.singular.map((value, i) => [head.layer, head.head, i + 1, value, head.singular_plain[i]])));
    assert.deepEqual(await numbers("eigenvalues"), heads.flatMap((head) => head.eigenvalues.map(([real, imaginary]) => [head.layer, head.head, real, imaginary])));
    assert.deepEqual(await numbers("kernels"), heads.flatMap((head) => head.kernel.value.map((value, i) => [head.layer, head.head, head.kernel.distance[i], value])));
  });

  test("spectra: contraction before and after training, of what turns", async () => {
    const rows = await rowsOf("contraction");
    const turning = usual.filter(({ cell }) => /rope|mla/.test(cell.encoding));
    assert.equal(rows.length, 2 * turning.length);
    for (const cell of turning) {
      const own = rows.filter(([encoding, task, protocol]) => encoding === cell.cell.label && task === cell.cell.task && protocol === groupOf(cell.cell.protocol));
      const expected = [cell.spectrum.contraction_start, cell.spectrum.contraction_end].map(({ mean, low, high }) => [mean, low, high]);
      assert.deepEqual(own.map((row) => row.slice(4, 7).map(Number)), expected, cell.name);
      assert.match(own[0][3], /before/);
      assert.match(own[1][3], /after/);
    }
  });

  test("training: gradient norms with the program's means and intervals", async () => {
    const records = await report.csv("telemetry-curves");
    usual.forEach((cell) => {
      const { steps, gradient_norm } = study.cells[summary.cells.indexOf(cell)].telemetry;
      const rows = rowOf(records, cell);
      assert.deepEqual(rows.map((row) => row.step), steps);
      for (const member of ["mean", "low", "high"]) assert.deepEqual(rows.map((row) => row[member]), gradient_norm[member], `${cell.name} ${member}`);
    });
  });

  test("training: the largest share of a head at snapshots", async () => {
    const rows = await rowsOf("snapshots");
    const cells = usual.filter((cell) => cell.snapshots.length > 0);
    assert.equal(rows.length, sum(cells.map((cell) => cell.snapshots.length)));
    for (const cell of cells) {
      const own = rows.filter(([encoding, , protocol]) => encoding === cell.cell.encoding && protocol === cell.cell.protocol);
      const expected = cell.snapshots.map(({ step, position: { max_share, leading } }) => [step, max_share.mean, max_share.low, max_share.high, leading]);
      assert.deepEqual(own.map((row) => row.slice(3, 8).map(Number)), expected, cell.name);
    }
  });

  test("audit: every switch's change of accuracy and of the largest share", async () => {
    const check = async (member) => {
      const records = await report.csv("audit-switches");
      for (const block of summary.audit) {
        for (const it of block.switches) {
          const row = records.find((record) => record.switch === it.switch && record.encoding === block.encoding && record.base === block.base);
          const { change, low, high, p, holm } = it[member];
          assert.deepEqual([row.change, row.low, row.high, row.p, row["p after Holm"], row.what], [change, low, high, p, holm, it.what], `${block.encoding} ${block.base} ${it.switch}`);
          assert.equal(row.ceiling, member === "accuracy" ? it.ceiling : null, "accuracy has a ceiling, a share none");
        }
      }
    };
    await check("accuracy");
    const other = await report.figure("audit-switches").locator("input[type=radio]").last().inputValue();
    const name = (await report.figure("audit-switches").locator("input[type=radio]").last().getAttribute("name")).slice("audit-switches-".length);
    await report.choose("audit-switches", name, other);
    await check("max_share");
  });

  test("comparisons: difference, reading, Holm's p and that of permutations", async () => {
    const table = await report.tableIn("main table:has(th:text-is('p after Holm')):has(th:text-is('second'))");
    const column = (name) => table.head.findIndex((cell) => cell.text === name);
    assert.equal(table.rows.length, summary.comparisons.length);
    summary.comparisons.forEach((comparison, i) => {
      const cell = (name) => table.rows[i][column(name)];
      assert.equal(cell("first").text, comparison.first.cell.encoding);
      assert.equal(cell("second").text, comparison.second.cell.encoding);
      const expected = {
        difference: comparison.difference?.value ?? null,
        low: comparison.difference?.low ?? null,
        high: comparison.difference?.high ?? null,
        margin: comparison.margin,
        "p after Holm": comparison.p_holm,
        "permutation p": comparison.permutation?.p ?? null,
      };
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(cell(name).value, value === null ? null : String(value), `${i} ${name}`);
        if (value !== null) assert.ok(showsNumber(cell(name).text, value), `${name}: ${cell(name).text} for ${value}`);
      }
      assert.equal(cell("reading").text, comparison.reading);
    });
    const said = await report.page.locator("#comparisons details li").evaluateAll((items) => items.map((item) => item.textContent));
    assert.deepEqual(said, summary.comparisons.map((comparison) => comparison.sentence), "the program's words");
  });

  test("learning rates and failures are told", async () => {
    const body = await report.page.locator("main").innerText();
    for (const failure of summary.failures) assert.ok(body.includes(failure.what) && body.includes(failure.id));
    const rates = await report.tableIn("main table:has(th:text-is('tried'))");
    assert.equal(rates.rows.length, summary.rates.length);
    summary.rates.forEach((choice, i) => {
      assert.equal(rates.rows[i][0].text, choice.cell.encoding);
      assert.ok(rates.rows[i].some((cell) => cell.value === String(choice.rate)), `${choice.rate}`);
    });
  });

  test("claims: a verdict per claim and protocol, with reason and evidence", async () => {
    for (const claim of summary.claims) {
      const row = report.page.locator(`tr[id="claim-${claim.id}"]`);
      const column = { clean: 1, released: 2, any: 1 }[claim.protocol];
      assert.ok((await row.locator(`> :nth-child(${column + 1})`).innerText()).includes(claim.verdict), `${claim.id} ${claim.protocol}`);
    }
    const { id, reason, evidence, claim } = summary.claims[0];
    const row = report.page.locator(`tr[id="claim-${id}"]`);
    await row.locator("summary").click();
    const text = await row.innerText();
    assert.ok(text.includes(claim) && text.includes(reason));
    const table = await report.tableIn(`tr[id="claim-${id}"] table`);
    assert.deepEqual(table.rows.map((cells) => [cells[0].text, cells[1].value]), evidence.map((it) => [it.what, String(it.value)]));
  });

  test("every cell's whole config and command are there", async () => {
    const cell = findCell(study, "distance", "clean", "rope");
    const extra = study.cells[summary.cells.indexOf(cell)];
    const details = report.page.locator("main section:last-of-type details").filter({ has: report.page.locator("summary", { hasText: new RegExp(`^${cell.name}$`) }) });
    await details.locator("summary").click();
    assert.deepEqual(JSON.parse(await details.locator("pre").innerText()), extra.config);
    assert.ok((await details.innerText()).includes(extra.command));
    report.check();
  });
});
