// Links to the sections; the hash belongs to the filters, so that links only move the page.
import { element } from "./dom.ts";

export interface Stop {
  id: string;
  title: string;
}

export function navigation(stops: readonly Stop[]): HTMLElement {
  const list = element("ul");
  const links = new Map<string, HTMLAnchorElement>();
  for (const { id, title } of stops) {
    const link = element("a", { href: `#${id}` }, title);
    links.set(id, link);
    list.append(element("li", {}, link));
  }
  const spy = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        const link = links.get(target.id);
        if (link === undefined) continue;
        if (!isIntersecting) {
          link.removeAttribute("aria-current");
          continue;
        }
        for (const other of links.values()) other.removeAttribute("aria-current");
        link.setAttribute("aria-current", "true");
        list.scrollTo({ left: link.offsetLeft - list.offsetLeft - 40 });
      }
    },
    { rootMargin: "-25% 0px -70% 0px" },
  );
  queueMicrotask(() => {
    for (const { id } of stops) {
      const target = document.getElementById(id);
      if (target !== null) spy.observe(target);
    }
  });
  return element("nav", { class: "sections", "aria-label": "Sections" }, list);
}

/** Follows links within the page without touching the hash. */
export function keepHash(root: HTMLElement): void {
  root.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link === null) return;
    const target = document.getElementById(link.getAttribute("href")?.slice(1) ?? "");
    if (target === null) return;
    event.preventDefault();
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    target.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
    const focus = target.querySelector<HTMLElement>("h2[tabindex]") ?? target;
    focus.focus({ preventScroll: true });
  });
}
