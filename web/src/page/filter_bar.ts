// The filters as real inputs. The bar stays at the top of the window.
import { shorten } from "../base/text.ts";
import type { Entries, Entry } from "../study/entry.ts";
import type { Choices, Filters } from "../study/filters.ts";
import { element } from "./dom.ts";
import { encodingSwatch } from "./swatch.ts";

type Chosen = "tasks" | "protocols" | "encodings";

const LONGEST_LABEL = 34;

export class FilterBar {
  readonly root: HTMLElement;
  private readonly summary = element("span", { class: "filter-summary" });
  private readonly inputs: { set: Chosen; value: string; input: HTMLInputElement }[] = [];

  constructor(
    private readonly choices: Choices,
    private readonly entries: Entries,
    filters: Filters,
    private readonly usual: Filters,
    private readonly changed: (filters: Filters) => void,
  ) {
    const form = element("form", { class: "filters", "aria-label": "Filters" });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(
      this.group("Task", "tasks", choices.tasks),
      this.group("Protocol", "protocols", choices.protocols),
      this.encodingGroup(),
      element("div", { class: "filter-last" }, this.resetButton()),
    );
    const open = window.matchMedia("(min-width: 60rem)");
    const details = element("details", { class: "filter-box" }, element("summary", {}, element("span", { class: "filter-word" }, "Filters"), this.summary), form);
    const follow = (): void => {
      details.open = open.matches;
    };
    follow();
    open.addEventListener("change", follow);
    this.root = details;
    this.show(filters);
  }

  show(filters: Filters): void {
    for (const { set, value, input } of this.inputs) input.checked = filters[set].has(value);
    const count = (set: Chosen, word: string): string => `${filters[set].size} of ${this.choices[set].length} ${word}`;
    this.summary.textContent = [count("tasks", "tasks"), count("protocols", "protocols"), count("encodings", "encodings")].join(" · ");
  }

  private take(): void {
    const chosen = (set: Chosen): Set<string> =>
      new Set(this.inputs.filter((it) => it.set === set && it.input.checked).map((it) => it.value));
    const filters = {
      tasks: chosen("tasks"),
      protocols: chosen("protocols"),
      encodings: chosen("encodings"),
    };
    this.show(filters);
    this.changed(filters);
  }

  private group(title: string, set: Chosen, values: readonly string[]): HTMLElement {
    const group = element("fieldset", {}, element("legend", {}, title));
    for (const value of values) group.append(this.chip(set, value, null));
    return group;
  }

  private encodingGroup(): HTMLElement {
    const group = element("fieldset", { class: "encodings" }, element("legend", {}, "Encoding"));
    const chips = element("div", { class: "chips" });
    for (const entry of this.entries.list.filter((it) => !it.aside)) chips.append(this.chip("encodings", entry.key, entry));
    group.append(chips, this.allOrNone());
    const aside = this.entries.list.filter((it) => it.aside);
    if (aside.length > 0) {
      const more = element("div", { class: "chips" });
      for (const entry of aside) more.append(this.chip("encodings", entry.key, entry));
      group.append(element("details", { class: "more" }, element("summary", {}, `${aside.length} more`), more));
    }
    return group;
  }

  private chip(set: Chosen, value: string, entry: Entry | null): HTMLElement {
    const input = element("input", { type: "checkbox", name: set, value });
    this.inputs.push({ set, value, input });
    input.addEventListener("change", () => this.take());
    const short = shorten(value, LONGEST_LABEL);
    return element(
      "label",
      { class: "chip", title: short === value ? null : value },
      input,
      entry === null ? null : encodingSwatch(entry.style, false),
      element("span", {}, short === "" ? "none" : short),
    );
  }

  private allOrNone(): HTMLElement {
    const set = (checked: boolean): void => {
      for (const it of this.inputs) {
        if (it.set === "encodings") it.input.checked = checked && this.usual.encodings.has(it.value);
      }
      this.take();
    };
    const button = (label: string, checked: boolean): HTMLElement => {
      const made = element("button", { type: "button", class: "quiet", "aria-label": `${label} encodings` }, label);
      made.addEventListener("click", () => set(checked));
      return made;
    };
    return element("span", { class: "all-none" }, button("all", true), button("none", false));
  }

  private resetButton(): HTMLElement {
    const button = element("button", { type: "button", class: "quiet" }, "reset");
    button.setAttribute("aria-label", "reset all filters");
    button.addEventListener("click", () => {
      this.show(this.usual);
      this.changed(this.usual);
    });
    return button;
  }
}
