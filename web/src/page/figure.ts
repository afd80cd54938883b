// A figure of the page: heading, finding in words, controls, key, chart, downloads, and its data as a table. The chart is
// drawn when it comes into sight.
import { fileName, isolated } from "../base/text.ts";
import { lookOf, type Look } from "../chart/look.ts";
import { plotly, PLOTLY_CONFIG, type Layout } from "../chart/plotly.ts";
import type { Chart } from "../chart/panels.ts";
import type { View } from "../study/view.ts";
import { copyableCommand } from "./command.ts";
import { element } from "./dom.ts";
import { bytesOf, download } from "./download.ts";
import { keyElement, type KeyItem } from "./key.ts";
import { csvText, tableElement, type Table } from "./table.ts";
import type { ThemeChoice } from "./theme.ts";

export interface Control {
  name: string;
  label: string;
  /** With these choices for what the filters leave; the first is the usual one. */
  choices(view: View): { value: string; label: string }[];
}

export type ControlValues = Readonly<Record<string, string>>;

export interface FigureContent {
  /** In words, a line per panel. */
  finding: string[];
  note?: string;
  key: KeyItem[];
  table(): Table;
  chart(width: number, look: Look): Chart;
  /** Below the chart. */
  after?: HTMLElement;
}

export interface FigureSpec {
  id: string;
  title: string;
  controls?: Control[];
  /** Null where the filters leave nothing to draw. */
  content(view: View, values: ControlValues): FigureContent | null;
}

const EXPORT_WIDTH = 1000;

export class Figure {
  readonly root: HTMLElement;
  private readonly finding = element("div", { class: "finding" });
  private readonly note = element("p", { class: "note" });
  private readonly controls = element("div", { class: "controls" });
  private readonly key = element("div", { class: "key-place" });
  private readonly plot = element("div", { class: "plot" });
  private readonly after = element("div", { class: "after" });
  private readonly data = element("details", { class: "data" });
  private readonly values: Record<string, string> = {};
  private content: FigureContent | null = null;
  private view: View | null = null;
  private inSight = false;
  private stale = true;
  private width = 0;

  constructor(
    private readonly spec: FigureSpec,
    private readonly theme: ThemeChoice,
    private readonly folder: string,
    command: string,
  ) {
    const { id } = spec;
    const title = element("figcaption", { id: `${id}-title` }, element("h3", {}, spec.title));
    this.finding.id = `${id}-finding`;
    this.data.append(element("summary", {}, "Data table"));
    this.root = element(
      "figure",
      { id, "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-finding` },
      title,
      this.finding,
      this.controls,
      this.key,
      this.plot,
      this.after,
      this.note,
      element("div", { class: "tools" }, this.buttons(), command === "" ? null : copyableCommand("Repeat", command)),
      this.data,
    );
    this.data.addEventListener("toggle", () => this.fillTable());
  }

  /** Whether the figure has something to show. */
  update(view: View): boolean {
    this.view = view;
    this.buildControls(view);
    return this.refresh();
  }

  redraw(): void {
    this.stale = true;
    if (this.inSight) void this.draw();
  }

  setInSight(inSight: boolean): void {
    this.inSight = inSight;
    if (inSight && this.stale) void this.draw();
  }

  resized(): void {
    const width = this.plot.clientWidth;
    if (width > 0 && width !== this.width) this.redraw();
  }

  /** For print, where everything is in sight. */
  async draw(): Promise<void> {
    const content = this.content;
    const width = this.plot.clientWidth;
    if (content === null || width === 0) return;
    this.stale = false;
    this.width = width;
    const chart = content.chart(width, lookOf(this.theme.dark));
    this.plot.style.minHeight = `${chart.height}px`;
    const library = await plotly();
    const touch = window.matchMedia("(pointer: coarse)").matches;
    await library.react(this.plot, chart.data, { ...chart.layout, dragmode: touch ? false : "zoom" }, PLOTLY_CONFIG);
    this.plot.dataset["drawn"] = String(chart.data.length);
  }

  private refresh(): boolean {
    if (this.view === null) return false;
    this.content = this.spec.content(this.view, this.values);
    const content = this.content;
    this.root.hidden = content === null;
    if (content === null) return false;
    this.finding.replaceChildren(findingElement(content.finding));
    this.note.textContent = content.note ?? "";
    this.note.hidden = !content.note;
    this.plot.setAttribute("role", "img");
    this.plot.setAttribute("aria-label", `Chart: ${this.spec.title}. ${content.finding.join("; ")}.`);
    this.key.replaceChildren(...(content.key.length > 0 ? [keyElement(content.key)] : []));
    this.after.replaceChildren(...(content.after ? [content.after] : []));
    this.fillTable();
    this.redraw();
    return true;
  }

  private buildControls(view: View): void {
    this.controls.replaceChildren();
    for (const control of this.spec.controls ?? []) {
      const choices = control.choices(view);
      const now = this.values[control.name];
      const value = choices.some((choice) => choice.value === now) ? now : choices[0]?.value;
      if (value === undefined) {
        delete this.values[control.name];
        continue;
      }
      this.values[control.name] = value;
      if (choices.length < 2) continue;
      this.controls.append(choices.length <= 3 ? this.segments(control, choices) : this.menu(control, choices));
    }
    this.controls.hidden = this.controls.childElementCount === 0;
  }

  private segments(control: Control, choices: { value: string; label: string }[]): HTMLElement {
    const group = element("fieldset", { class: "segments" }, element("legend", {}, control.label));
    for (const { value, label } of choices) {
      const input = element("input", { type: "radio", name: `${this.spec.id}-${control.name}`, value });
      input.checked = value === this.values[control.name];
      input.addEventListener("change", () => this.choose(control.name, value));
      group.append(element("label", {}, input, element("span", {}, label)));
    }
    return group;
  }

  private menu(control: Control, choices: { value: string; label: string }[]): HTMLElement {
    const select = element("select", { id: `${this.spec.id}-${control.name}` });
    for (const { value, label } of choices) {
      const option = element("option", { value }, label);
      option.selected = value === this.values[control.name];
      select.append(option);
    }
    select.addEventListener("change", () => this.choose(control.name, select.value));
    return element("label", { class: "menu" }, element("span", {}, control.label), select);
  }

  private choose(name: string, value: string): void {
    this.values[name] = value;
    this.refresh();
  }

  private fillTable(): void {
    while (this.data.childElementCount > 1) this.data.lastElementChild?.remove();
    if (this.data.open && this.content !== null) this.data.append(tableElement(this.content.table()));
  }

  private buttons(): HTMLElement {
    const button = (label: string, about: string, act: () => void | Promise<void>): HTMLElement => {
      const made = element("button", { type: "button", "aria-label": `${about}: ${this.spec.title}` }, label);
      made.addEventListener("click", () => void act());
      return made;
    };
    return element(
      "div",
      { class: "downloads" },
      button("SVG", "Download as SVG", () => this.saveImage("svg")),
      button("PNG", "Download as PNG", () => this.saveImage("png")),
      button("CSV", "Download the data as CSV", () => this.saveTable()),
    );
  }

  private saveName(ending: string): string {
    return `${fileName(`${this.folder} ${this.spec.id}`)}.${ending}`;
  }

  private saveTable(): void {
    if (this.content !== null) download(this.saveName("csv"), "text/csv", csvText(this.content.table()));
  }

  private async saveImage(format: "svg" | "png"): Promise<void> {
    if (this.content === null) return;
    const look = lookOf(false);
    const chart = this.content.chart(EXPORT_WIDTH, look);
    const room = this.content.key.length > 0 ? 30 * Math.ceil(this.content.key.length / 6) + 16 : 0;
    const height = chart.height + room;
    const library = await plotly();
    const drawing = { data: chart.data, layout: withKey(chart, room, look) };
    const address = await library.toImage(drawing, { format, width: EXPORT_WIDTH, height, scale: format === "png" ? 2 : 1 });
    download(this.saveName(format), format === "svg" ? "image/svg+xml" : "image/png", bytesOf(address));
  }
}

/** On paper the key is part of the chart. */
function withKey(chart: Chart, room: number, look: Look): Layout {
  return {
    ...chart.layout,
    height: chart.height + room,
    paper_bgcolor: "#ffffff",
    showlegend: room > 0,
    legend: { orientation: "h", x: 0, y: 0, yanchor: "top", font: { size: 12, color: look.ink } },
    margin: { l: 0, r: 0, t: 0, b: room, pad: 0 },
  };
}

/** Lines that begin with their panel: "distance, clean: ...". */
function findingElement(lines: readonly string[]): HTMLElement {
  const parts = lines.map((text) => {
    const line = isolated(text);
    const colon = line.indexOf(": ");
    return colon < 0 ? [`${line}.`] : [element("b", {}, line.slice(0, colon + 1)), `${line.slice(colon + 1)}.`];
  });
  if (parts.length === 1) return element("p", {}, ...(parts[0] ?? []));
  return element("ul", {}, ...parts.map((part) => element("li", {}, ...part)));
}
