// What an encoding looks like in the charts: its line with its dash, and its marker.
import type { EncodingStyle } from "../study/encoding_style.ts";
import { drawn } from "./dom.ts";

const DASH_LENGTHS: Readonly<Record<string, string>> = {
  solid: "",
  dash: "5 3",
  dot: "1.5 2.5",
  dashdot: "5 2 1.5 2",
  longdash: "8 3",
  longdashdot: "8 2 1.5 2",
};

const SHAPES: Readonly<Record<string, string>> = {
  square: "M-3.4,-3.4H3.4V3.4H-3.4Z",
  "triangle-up": "M0,-4.2L4.2,3.2H-4.2Z",
  "triangle-down": "M0,4.2L4.2,-3.2H-4.2Z",
  cross: "M-1.5,-4.2H1.5V-1.5H4.2V1.5H1.5V4.2H-1.5V1.5H-4.2V-1.5H-1.5Z",
  x: "M-4,-2.2L-2.2,-4L0,-1.8L2.2,-4L4,-2.2L1.8,0L4,2.2L2.2,4L0,1.8L-2.2,4L-4,2.2L-1.8,0Z",
  star: "M0,-4.8L1.2,-1.5L4.6,-1.5L1.9,0.6L2.9,3.9L0,1.9L-2.9,3.9L-1.9,0.6L-4.6,-1.5L-1.2,-1.5Z",
  pentagon: "M0,-4.2L4,-1.3L2.5,3.4L-2.5,3.4L-4,-1.3Z",
  hexagon2: "M-2,-3.5H2L4.1,0L2,3.5H-2L-4.1,0Z",
};

export function encodingSwatch(style: EncodingStyle, line = true): SVGSVGElement {
  const dash = DASH_LENGTHS[style.dash] ?? style.dash.replace(/px/g, "");
  const shape = SHAPES[style.symbol];
  return drawn(
    "svg",
    { class: "swatch", viewBox: line ? "-13 -6 26 12" : "-6 -6 12 12", width: line ? 26 : 12, height: 12, "aria-hidden": "true",
      style: `--light:${style.light};--dark:${style.dark}` },
    line ? drawn("path", { d: "M-13,0H13", fill: "none", "stroke-width": 2, "stroke-dasharray": dash, class: "stroke" }) : null,
    shape === undefined ? drawn("circle", { r: 3.6, class: "fill" }) : drawn("path", { d: shape, class: "fill" }),
  );
}

export interface Sign {
  /** The page's ink where there is none. */
  colour?: string;
  darkColour?: string;
  kind: "point" | "hollow" | "diamond" | "line" | "thin" | "dashed" | "dotted" | "dashdot" | "box" | "tick" | "interval";
}

/** A mark that is no encoding's. */
export function signSwatch(sign: Sign): SVGSVGElement {
  const colour = sign.colour === undefined ? "currentColor" : "var(--sign)";
  const line = (dash: string): SVGElement =>
    drawn("path", { d: "M-13,0H13", style: `stroke:${colour}`, "stroke-width": 2, "stroke-dasharray": dash, fill: "none" });
  const marks: Record<Sign["kind"], () => SVGElement> = {
    point: () => drawn("circle", { r: 3.2, style: `fill:${colour}` }),
    hollow: () => drawn("circle", { r: 3, fill: "none", style: `stroke:${colour}`, "stroke-width": 1.4 }),
    diamond: () => drawn("path", { d: "M0,-5L5,0L0,5L-5,0Z", fill: "none", style: `stroke:${colour}`, "stroke-width": 1.4 }),
    line: () => line(""),
    thin: () => drawn("path", { d: "M-13,0H13", style: `stroke:${colour}`, "stroke-width": 1, fill: "none" }),
    dashed: () => line("5 3"),
    dotted: () => line("1.5 2.5"),
    dashdot: () => line("5 2 1.5 2"),
    box: () => drawn("path", { d: "M-6,-4.5H6V4.5H-6Z", style: `fill:${colour}` }),
    tick: () => drawn("path", { d: "M0,-5V5", style: `stroke:${colour}`, "stroke-width": 1.6 }),
    interval: () =>
      drawn("g", {}, drawn("path", { d: "M-11,0H11", style: `stroke:${colour}`, "stroke-width": 1.6 }), drawn("circle", { r: 4, style: `fill:${colour}` })),
  };
  const wide = !["point", "hollow", "diamond", "box", "tick"].includes(sign.kind);
  return drawn(
    "svg",
    { class: "swatch", viewBox: wide ? "-13 -6 26 12" : "-7 -6 14 12", width: wide ? 26 : 14, height: 12, "aria-hidden": "true",
      style: sign.colour === undefined ? null : `--light:${sign.colour};--dark:${sign.darkColour ?? sign.colour}` },
    marks[sign.kind](),
  );
}
