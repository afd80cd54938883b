// The first screen: which encoding, how sure, what is odd.
import { percent, plural } from "../base/text.ts";
import { drawn, element } from "../page/dom.ts";
import { encodingSwatch } from "../page/swatch.ts";
import type { Report } from "../report/report.ts";
import { answerOf, countedText, type Answer, type Ranked } from "../study/answer.ts";
import type { Filters } from "../study/filters.ts";
import { odditiesOf } from "../study/oddity.ts";
import type { View } from "../study/view.ts";

const MOST_RANKED = 8;
const MOST_COLUMNS = 4;

export class Answers {
  readonly root = element("section", { id: "answer", "aria-labelledby": "answer-heading" });
  private readonly cards: { answer: Answer; card: HTMLElement }[];

  /** `whole`: the study without filters, which is what is answered. */
  constructor(report: Report, whole: View) {
    this.cards = whole.panels.flatMap((panel) => {
      const answer = answerOf(report, panel);
      return answer === null ? [] : [{ answer, card: cardElement(answer) }];
    });
    const cards = element("div", { class: "cards", style: `--columns:${columnsOf(this.cards.length)}` }, ...this.cards.map((it) => it.card));
    this.root.append(element("h2", { id: "answer-heading", tabindex: -1, class: "unseen" }, "Answer"), cards, oddElement(report));
  }

  show(filters: Filters): void {
    for (const { answer, card } of this.cards) {
      card.hidden = !filters.tasks.has(answer.task) || !filters.protocols.has(answer.protocol);
    }
  }
}

/** Five cards are three and two rather than four and one. */
function columnsOf(cards: number): number {
  const rows = Math.max(1, Math.ceil(cards / MOST_COLUMNS));
  return Math.max(1, Math.ceil(cards / rows));
}

function cardElement(answer: Answer): HTMLElement {
  const list = element("ol", { class: "ranking" });
  for (const ranked of answer.ranked.slice(0, MOST_RANKED)) list.append(rankElement(ranked));
  const more = answer.ranked.length - MOST_RANKED;
  return element(
    "article",
    { class: "card" },
    element("p", { class: "card-place" }, answer.title),
    element("h3", {}, answer.headline),
    element("p", { class: "card-sentence" }, answer.sentence),
    list,
    more > 0 ? element("p", { class: "note" }, `and ${plural(more, "encoding")} more below`) : null,
  );
}

function rankElement(ranked: Ranked): HTMLElement {
  const { shown, figure, claimable, counted, likeBest } = ranked;
  const classes = ["rank", likeBest ? "like-best" : "", claimable ? "" : "unclaimable"].filter((name) => name !== "");
  return element(
    "li",
    { class: classes.join(" ") },
    encodingSwatch(shown.entry.style, false),
    element("span", { class: "rank-name", title: shown.label }, shown.short),
    strip(figure.mean, figure.low, figure.high, shown.entry.style),
    element("span", { class: "rank-value" }, percent(figure.mean)),
    counted < shown.cell.planned ? element("span", { class: "rank-runs" }, countedText(ranked)) : null,
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
  const oddities = odditiesOf(report);
  const list = element("ul", { class: "odd-list" });
  for (const { text, details } of oddities) {
    const item = element("li", {}, text);
    if (details.length > 0) {
      const names = element("ul", {}, ...details.map((detail) => element("li", {}, detail)));
      item.append(" ", element("details", {}, element("summary", {}, "which"), names));
    }
    list.append(item);
  }
  const none = element("p", {}, "Nothing: all planned runs finished and converged, on enough seeds.");
  return element("div", { class: "odd" }, element("h3", {}, "What is odd"), oddities.length > 0 ? list : none);
}
