// Numbers in words.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { importSource } from "./support/source.mjs";

describe("Numbers in words", () => {
  let text;
  before(async () => {
    text = await importSource("base/text.ts");
  });

  test("no p but 0 is shown as 0", () => {
    const shown = [
      [null, "—"], [0, "0"], [3e-7, "3.0e-7"], [0.00018, "1.8e-4"], [0.0004, "4.0e-4"], [0.00099, "9.9e-4"],
      [0.001, "0.001"], [0.00794, "0.0079"], [0.0476, "0.048"], [0.05, "0.05"], [0.0996, "0.1"], [0.1, "0.10"], [1, "1.00"],
    ];
    for (const [p, expected] of shown) assert.equal(text.probability(p), expected, String(p));
  });

  test("what looks the same is one group, in the order of the first", () => {
    const groups = text.byText([0.9996, 1, 0.5, 0.99951], (value) => text.percent(value));
    assert.deepEqual(groups, [{ text: "100.0 %", items: [0.9996, 1, 0.99951] }, { text: "50.0 %", items: [0.5] }]);
    assert.deepEqual(text.byText([], String), []);
  });

  test("words that run from right to left stand in isolates", () => {
    assert.equal(text.isolated("rope 4.6 % and \u05d0\u05d1 \u05d2 4.4 %"), "rope 4.6 % and \u2068\u05d0\u05d1 \u05d2\u2069 4.4 %");
    assert.equal(text.isolated("rope 4.6 %, \u4f4d 3 %"), "rope 4.6 %, \u4f4d 3 %");
  });
});
