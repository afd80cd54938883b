// A part of the page with a heading: figures that follow the filters, or elements of its own.
import type { View } from "../study/view.ts";
import { element } from "./dom.ts";
import { Figure, type FigureSpec } from "./figure.ts";

export interface SectionSpec {
  id: string;
  title: string;
  /** Of the line that names what a study does not have; empty where nobody would miss it. */
  subject: string;
  intro?: string;
  figures?: FigureSpec[];
  /** Redone whenever the filters change; null where there is nothing. */
  body?(view: View): HTMLElement | null;
}

export class Section {
  readonly root: HTMLElement;
  private readonly body = element("div", { class: "section-body" });
  private readonly nothing = element("p", { class: "nothing" }, "The filters leave nothing of this.");

  constructor(
    readonly spec: SectionSpec,
    readonly figures: Figure[],
  ) {
    const heading = element("h2", { id: `${spec.id}-heading`, tabindex: -1 }, spec.title);
    this.root = element("section", { id: spec.id, "aria-labelledby": heading.id }, heading);
    if (spec.intro) this.root.append(element("p", { class: "intro" }, spec.intro));
    this.nothing.hidden = true;
    this.root.append(this.nothing, this.body, ...figures.map((figure) => figure.root));
  }

  /** Whether there is something to show. */
  update(view: View): boolean {
    let shown = false;
    for (const figure of this.figures) shown = figure.update(view) || shown;
    const body = this.spec.body?.(view) ?? null;
    this.body.replaceChildren(...(body === null ? [] : [body]));
    shown ||= body !== null;
    this.nothing.hidden = shown;
    return shown;
  }
}
