// The whole page, and what happens when filters, theme or window change.
import { SECTIONS } from "../sections/all.ts";
import { aboutElement } from "../sections/about.ts";
import { Answers } from "../sections/answers.ts";
import { storyElement } from "../sections/story.ts";
import type { Report } from "../report/report.ts";
import { entriesOf, type Entries } from "../study/entry.ts";
import { choicesOf, filtersFromHash, filtersToHash, usualFilters, type Choices, type Filters } from "../study/filters.ts";
import { viewOf } from "../study/view.ts";
import { element } from "./dom.ts";
import { Figure } from "./figure.ts";
import { FilterBar } from "./filter_bar.ts";
import { headerElement } from "./header.ts";
import { keepHash, navigation } from "./navigation.ts";
import { Section, type SectionSpec } from "./section.ts";
import { ThemeChoice } from "./theme.ts";

const BEFORE_FILTERS = ["claims"];

export class ReportPage {
  private readonly theme = new ThemeChoice();
  private readonly entries: Entries;
  private readonly choices: Choices;
  private readonly usual: Filters;
  private readonly sections: Section[] = [];
  private readonly missing: string[] = [];
  private readonly answers: Answers;
  private readonly bar: FilterBar;

  constructor(private readonly report: Report) {
    this.entries = entriesOf(report);
    this.choices = choicesOf(report, this.entries);
    this.usual = usualFilters(this.choices, this.entries);
    const whole = viewOf(report, this.entries, this.usual);
    this.answers = new Answers(report, this.entries);
    for (const spec of SECTIONS) {
      const section = this.sectionOf(spec);
      if (section.update(whole)) this.sections.push(section);
      else if (spec.subject !== "") this.missing.push(spec.subject);
    }
    const filters = filtersFromHash(location.hash, this.choices, this.usual);
    this.bar = new FilterBar(this.choices, this.entries, filters, this.usual, (changed) => this.apply(changed, true));
    this.apply(filters, false);
  }

  showIn(place: HTMLElement): void {
    const before = this.sections.filter((section) => BEFORE_FILTERS.includes(section.spec.id));
    const after = this.sections.filter((section) => !before.includes(section));
    const { story } = this.report;
    const first = story === null ? [] : [{ id: "story", title: "At a glance" }];
    const stops = [...first, { id: "answer", title: "Answer" }, ...[...before, ...after].map(({ spec }) => ({ id: spec.id, title: spec.title }))];
    const main = element("main", { id: "content", tabindex: -1 }, story === null ? null : storyElement(story), this.answers.root, ...before.map((section) => section.root));
    main.append(element("div", { class: "bar" }, navigation(stops), this.bar.root), ...after.map((section) => section.root));
    if (this.missing.length > 0) main.append(element("p", { class: "missing" }, `Not in this study: ${this.missing.join(", ")}.`));
    place.replaceChildren(
      element("a", { class: "skip", href: "#content" }, "Skip to the content"),
      headerElement(this.report, this.theme),
      main,
      aboutElement(this.report),
    );
    keepHash(place);
    this.watch();
  }

  private sectionOf(spec: SectionSpec): Section {
    const figures = (spec.figures ?? []).map((figure) => new Figure(figure, this.theme, this.report.folder, this.report.repeatCommand));
    return new Section(spec, figures);
  }

  private get figures(): Figure[] {
    return this.sections.flatMap((section) => section.figures);
  }

  private apply(filters: Filters, remember: boolean): void {
    const view = viewOf(this.report, this.entries, filters);
    this.answers.show(filters);
    for (const section of this.sections) section.update(view);
    if (!remember) return;
    const hash = filtersToHash(filters, this.usual);
    history.replaceState(null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
  }

  private watch(): void {
    const byRoot = new Map(this.figures.map((figure) => [figure.root as Element, figure]));
    const sight = new IntersectionObserver(
      (seen) => {
        for (const { target, isIntersecting } of seen) byRoot.get(target)?.setInSight(isIntersecting);
      },
      { rootMargin: "300px 0px" },
    );
    const sizes = new ResizeObserver(() => {
      for (const figure of this.figures) figure.resized();
    });
    for (const root of byRoot.keys()) sight.observe(root);
    const main = document.getElementById("content");
    if (main !== null) sizes.observe(main);
    this.theme.onChange(() => {
      for (const figure of this.figures) figure.redraw();
    });
    window.addEventListener("hashchange", () => {
      if (location.hash !== "" && !location.hash.includes("=")) return;
      const filters = filtersFromHash(location.hash, this.choices, this.usual);
      this.bar.show(filters);
      this.apply(filters, false);
    });
    window.addEventListener("beforeprint", () => {
      this.theme.print(true);
      for (const figure of this.figures) void figure.draw();
    });
    window.addEventListener("afterprint", () => this.theme.print(false));
  }
}
