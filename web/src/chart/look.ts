// Colours and type of charts, light and dark.
import type { EncodingStyle } from "../study/encoding_style.ts";
import type { Layout } from "./plotly.ts";

export interface Look {
  dark: boolean;
  ink: string;
  soft: string;
  faint: string;
  grid: string;
  paper: string;
  published: string;
  /** From little to much. */
  scale: [number, string][];
  layers: string[];
  verdicts: Readonly<Record<string, string>>;
  parts: string[];
}

const LIGHT: Look = {
  dark: false,
  ink: "#1d2026",
  soft: "#575d68",
  faint: "#9aa0aa",
  grid: "#e6e4de",
  paper: "#fdfcfa",
  published: "#1d2026",
  scale: [
    [0, "#fbf7ee"],
    [0.25, "#f6cfa0"],
    [0.5, "#e2894a"],
    [0.75, "#ad4a1f"],
    [1, "#571b0b"],
  ],
  layers: ["#12355b", "#1b7f8c", "#7a9a01", "#c98a00", "#b8461b", "#7c1d52"],
  verdicts: { DEPOSIT: "#b8461b", PARTIAL: "#e0ac63", SPREAD: "#1f6fa3", "NOT USED": "#9aa39b", UNDETERMINED: "#d9d4c7" },
  parts: ["#1f6fa3", "#7fb2d3", "#e0ac63", "#b8461b", "#6a6f7a", "#a99fbf"],
};

const DARK: Look = {
  dark: true,
  ink: "#e9e7e1",
  soft: "#a9adb6",
  faint: "#737984",
  grid: "#2c3038",
  paper: "#14161b",
  published: "#ffffff",
  scale: [
    [0, "#1d2027"],
    [0.25, "#53301f"],
    [0.5, "#a3542a"],
    [0.75, "#e59653"],
    [1, "#fff0d4"],
  ],
  layers: ["#7fb4ee", "#4fd0d6", "#b9d94a", "#f2bd4b", "#ff8f5e", "#e889bd"],
  verdicts: { DEPOSIT: "#ff8f5e", PARTIAL: "#f2bd4b", SPREAD: "#58aeea", "NOT USED": "#78817c", UNDETERMINED: "#3d424c" },
  parts: ["#58aeea", "#2f6d96", "#d9a860", "#ff8f5e", "#8d939e", "#8c82a6"],
};

export function lookOf(dark: boolean): Look {
  return dark ? DARK : LIGHT;
}

export function colourOf(style: EncodingStyle, look: Look): string {
  return look.dark ? style.dark : style.light;
}

export function faded(colour: string, opacity: number): string {
  const part = (at: number): number => parseInt(colour.slice(at, at + 2), 16);
  return `rgba(${part(1)},${part(3)},${part(5)},${opacity})`;
}

export const CHART_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

export function axisLook(look: Look): Layout {
  return {
    gridcolor: look.grid,
    gridwidth: 1,
    zeroline: false,
    linecolor: look.faint,
    tickcolor: look.faint,
    tickfont: { color: look.soft, size: 11.5 },
    title: { font: { color: look.soft, size: 12 } },
    automargin: false,
    fixedrange: false,
  };
}

export function chartLook(look: Look): Layout {
  return {
    font: { family: CHART_FONT, size: 12, color: look.ink },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: {
      bgcolor: look.dark ? "#262a32" : "#ffffff",
      bordercolor: look.faint,
      font: { family: CHART_FONT, size: 12, color: look.ink },
      align: "left",
    },
    hovermode: "closest",
    showlegend: false,
  };
}
