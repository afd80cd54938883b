// Light, dark, or as the reader's system is.
import { element } from "./dom.ts";

export type Theme = "auto" | "light" | "dark";

const KEY = "phasor-report-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

export class ThemeChoice {
  private theme: Theme = remembered();
  private printing = false;
  private readonly listeners: (() => void)[] = [];

  constructor() {
    this.apply();
    system.addEventListener("change", () => this.changed());
  }

  get dark(): boolean {
    if (this.printing) return false;
    return this.theme === "dark" || (this.theme === "auto" && system.matches);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Paper is light. */
  print(printing: boolean): void {
    const wasDark = this.dark;
    this.printing = printing;
    if (wasDark !== this.dark) this.changed();
  }

  control(): HTMLElement {
    const group = element("fieldset", { class: "theme segments" }, element("legend", { class: "unseen" }, "Theme"));
    for (const theme of ["auto", "light", "dark"] as const) {
      const input = element("input", { type: "radio", name: "theme", value: theme });
      input.checked = theme === this.theme;
      input.addEventListener("change", () => this.choose(theme));
      group.append(element("label", {}, input, element("span", {}, theme)));
    }
    return group;
  }

  private choose(theme: Theme): void {
    this.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Some browsers keep nothing for pages of the local disk.
    }
    this.changed();
  }

  private changed(): void {
    this.apply();
    for (const listener of this.listeners) listener();
  }

  private apply(): void {
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
  }
}

function remembered(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : "auto";
  } catch {
    return "auto";
  }
}
