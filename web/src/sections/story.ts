// What the terminal's last screen says, in the same words: the first thing on the page.
import { element } from "../page/dom.ts";
import type { Story, StoryPart } from "../report/story.ts";
import { verdictElement } from "./claims.ts";

const PICTURE = /^[·░▒▓█ ]+$/;

export function storyElement(story: Story): HTMLElement {
  return element(
    "section",
    { id: "story", "aria-labelledby": "story-heading" },
    element("h2", { id: "story-heading", tabindex: -1, class: "story-title" }, story.title),
    ...story.parts.map(partElement),
  );
}

function partElement(part: StoryPart): HTMLElement {
  const question = element("h3", {}, part.question);
  if (part.key !== "") question.append(element("span", { class: "story-key" }, part.key));
  const article = element("article", { class: `story-part story-${part.id}` }, question);
  if (part.rows.length > 0) article.append(part.id === "claims" ? claimsElement(part) : tableElement(part));
  for (const sentence of part.sentences) article.append(element("p", { class: "story-sentence" }, sentence));
  return article;
}

function tableElement(part: StoryPart): HTMLElement {
  const head = element("tr", {}, ...part.titles.map((title) => element("th", { scope: "col" }, title)));
  const body = element("tbody");
  for (const [name, ...cells] of part.rows) {
    const line = element("tr", {}, element("th", { scope: "row" }, name ?? ""));
    for (const cell of cells) line.append(cellElement(cell.trim()));
    body.append(line);
  }
  const table = element("table", {}, element("caption", { class: "unseen" }, part.question), element("thead", {}, head), body);
  return element("div", { class: "story-table", tabindex: 0, role: "region", "aria-label": part.question }, table);
}

/** Heads are drawn by characters, which must stand in line. */
function cellElement(text: string): HTMLElement {
  const isPicture = text !== "" && PICTURE.test(text);
  return element("td", { class: isPicture ? "story-picture" : null }, text);
}

function claimsElement(part: StoryPart): HTMLElement {
  const list = element("ul", { class: "story-claims" });
  for (const [verdict, claim] of part.rows) list.append(element("li", {}, verdictElement((verdict ?? "").toLowerCase()), " ", claim ?? ""));
  return list;
}
