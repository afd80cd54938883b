// The first screen, in the program's words: which encoding leads, how reliably, and what is odd.
import { percent, plural } from "../base/text.ts";
import { drawn, element } from "../page/dom.ts";
import { encodingSwatch } from "../page/swatch.ts";
import type { Answer, RankedCell } from "../report/conclusion.ts";
import type { Report } from "../report/report.ts";
import type { Entries } from "../study/entry.ts";
import type { Filters } from "../study/filters.ts";
import { cellLabel } from "../study/view.ts";

const MOST_RANKED = 8;
const MOST_COLUMNS = 4;

const HIDDEN = "Of all encodings of the study: the filter hides some of them.";

interface Card {
  answer: Answer;
  /** What the filter of encodings must show for the answer to be about what is shown. */
  keys: string[];
  root: HTMLElement;
  hidden: HTMLElement;
}

export class Answers {
  readonly root = element("section", { id: "answer", "aria-labelledby": "answer-heading" });
  private readonly cards: Card[];

  constructor(report: Report, entries: Entries) {
    this.cards = report.answers.map((answer) => {
      const hidden = element("p", { class: "note filtered" }, HIDDEN);
      return { answer, keys: answer.cells.map((cell) => entries.of(cell).key), hidden, root: cardElement(answer, entries, hidden) };
    });
    const cards = element("div", { class: "cards", style: `--columns:${columnsOf(this.cards.length)}` }, ...this.cards.map((it) => it.root));
    this.root.append(element("h2", { id: "answer-heading", tabindex: -1, class: "unseen" }, "Answer"), cards, oddElement(report));
  }

  /** An answer stays as it is whatever encodings are chosen, and says so. */
  show(filters: Filters): void {
    for (const { answer, keys, root, hidden } of this.cards) {
      root.hidden = !filters.tasks.has(answer.task) || !filters.protocols.has(answer.protocol);
      hidden.hidden = keys.every((key) => filters.encodings.has(key));
    }
  }
}

/** Five cards are three and two rather than four and one. */
function columnsOf(cards: number): number {
  const rows = Math.max(1, Math.ceil(cards / MOST_COLUMNS));
  return Math.max(1, Math.ceil(cards / rows));
}

function cardElement(answer: Answer, entries: Entries, hidden: HTMLElement): HTMLElement {
  const list = element("ol", { class: "ranking" });
  for (const ranked of answer.ranked.slice(0, MOST_RANKED)) list.append(rankElement(ranked, entries));
  const more = answer.ranked.length - MOST_RANKED;
  return element(
    "article",
    { class: "card" },
    element("p", { class: "card-place" }, answer.title),
    element("h3", {}, answer.headline),
    element("p", { class: "card-sentence" }, answer.sentence),
    hidden,
    list,
    more > 0 ? element("p", { class: "note" }, `and ${plural(more, "encoding")} more below`) : null,
  );
}

function rankElement({ cell, name, mean, low, high, runs, standing }: RankedCell, entries: Entries): HTMLElement {
  const leads = standing === "best" || standing === "level";
  const { style } = entries.of(cell);
  return element(
    "li",
    { class: leads ? "rank leads" : "rank" },
    encodingSwatch(style, false),
    element("span", { class: "rank-name", title: cellLabel(cell) }, name),
    strip(mean, low, high, style),
    element("span", { class: "rank-value" }, percent(mean)),
    runs === "" ? null : element("span", { class: "rank-runs" }, runs),
  );
}

/** The mean with its interval between 0 and 100 %. */
function strip(mean: number | null, low: number | null, high: number | null, style: { light: string; dark: string }): SVGSVGElement {
  const at = (share: number): number => 2 + 96 * Math.min(1, Math.max(0, share));
  return drawn(
    "svg",
    { class: "strip", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true", style: `--light:${style.light};--dark:${style.dark}` },
    drawn("path", { d: "M2,5H98", class: "strip-ground" }),
    low === null || high === null ? null : drawn("path", { d: `M${at(low)},5H${at(high)}`, class: "strip-interval" }),
    mean === null ? null : drawn("path", { d: `M${at(mean)},1V9`, class: "strip-mean" }),
  );
}

function oddElement(report: Report): HTMLElement {
  const list = element("ul", { class: "odd-list" });
  for (const { text, details } of report.oddities) {
    const item = element("li", {}, text);
    if (details.length > 0) {
      const names = element("ul", {}, ...details.map((detail) => element("li", {}, detail)));
      item.append(" ", element("details", {}, element("summary", {}, "which"), names));
    }
    list.append(item);
  }
  return element("div", { class: "odd" }, element("h3", {}, "What is odd"), list);
}
