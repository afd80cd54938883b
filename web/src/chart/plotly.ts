// The drawing library: its part that the page uses, and its start from the packed script in the page.
import { inflateBase64 } from "../base/inflate.ts";

export type Trace = Readonly<Record<string, unknown>>;
export type Layout = Readonly<Record<string, unknown>>;

export interface Drawing {
  data: Trace[];
  layout: Layout;
}

interface ImageOptions {
  format: "svg" | "png";
  width: number;
  height: number;
  scale?: number;
}

export interface Plotly {
  react(element: HTMLElement, data: readonly Trace[], layout: Layout, config: Layout): Promise<unknown>;
  purge(element: HTMLElement): void;
  toImage(drawing: Drawing, options: ImageOptions): Promise<string>;
}

export const PLOTLY_CONFIG: Layout = { displayModeBar: false, displaylogo: false, responsive: false };

declare global {
  interface Window {
    Plotly?: Plotly;
  }
}

let started: Promise<Plotly> | null = null;

export function plotly(): Promise<Plotly> {
  started ??= start();
  return started;
}

async function start(): Promise<Plotly> {
  const packed = document.getElementById("plotly-gz")?.textContent;
  if (!packed) throw new Error("this page has no drawing library");
  // The page's policy knows the hash of this text, and runs no other.
  const script = document.createElement("script");
  script.textContent = await inflateBase64(packed);
  document.head.append(script);
  if (window.Plotly === undefined) throw new Error("the drawing library did not start");
  return window.Plotly;
}
