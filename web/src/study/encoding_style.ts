// One colour, marker and dash per encoding, everywhere. Colours are after Okabe and Ito, darkened or lightened so that
// they stand out from the page; marker and dash tell encodings apart without colour.

export interface EncodingStyle {
  light: string;
  dark: string;
  symbol: string;
  dash: string;
}

type Hue = readonly [light: string, dark: string];

const HUES: readonly Hue[] = [
  ["#c24e00", "#ff914d"],
  ["#0067a5", "#58aeea"],
  ["#00845f", "#3fcf9f"],
  ["#a9498a", "#e79acb"],
  ["#a87400", "#f0b941"],
  ["#6d7480", "#aab2bf"],
  ["#2b94cf", "#9adcff"],
  ["#43389c", "#aaa0ff"],
];

// A diamond is a published value.
const SYMBOLS = ["circle", "square", "triangle-up", "triangle-down", "cross", "x", "star", "pentagon", "hexagon2"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "8px 2px 2px 2px 2px 2px", "2px 2px"];

// So that an encoding looks the same in all reports.
const USUAL: Readonly<Record<string, number>> = {
  rope: 0,
  sinusoidal: 1,
  relative: 2,
  alibi: 3,
  "learned(init=1)": 4,
  nope: 5,
  "sinusoidal+rope": 6,
  mla: 7,
};

/** Styles by name; `names` in the order of the study. `expressionOf` tells what is behind a name. */
export function encodingStyles(names: readonly string[], expressionOf = (name: string): string => name): Map<string, EncodingStyle> {
  const styles = new Map<string, EncodingStyle>();
  const taken = new Set<number>();
  for (const name of names) {
    const expression = expressionOf(name);
    const usual = Object.hasOwn(USUAL, expression) ? USUAL[expression] : undefined;
    if (usual === undefined || taken.has(usual)) continue;
    taken.add(usual);
    styles.set(name, styleAt(usual));
  }
  let next = 0;
  for (const name of names) {
    if (styles.has(name)) continue;
    while (taken.has(next)) next++;
    taken.add(next);
    styles.set(name, styleAt(next));
  }
  return styles;
}

function styleAt(index: number): EncodingStyle {
  const [light, dark] = HUES[index % HUES.length] ?? ["#333333", "#cccccc"];
  const round = Math.floor(index / HUES.length);
  return {
    light,
    dark,
    symbol: SYMBOLS[(index + round) % SYMBOLS.length] ?? "circle",
    dash: DASHES[(index + round) % DASHES.length] ?? "solid",
  };
}
