// Numbers as the page writes them.

/** The number that a text shows, and how far rounding may have moved it; null where it shows none. */
export function shownNumber(text) {
  const match = /^([+−-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?( %)?$/.exec(text.trim());
  if (match === null) return null;
  const [, sign, whole, decimals = "", exponent = "0", percent] = match;
  const scale = 10 ** Number(exponent) / (percent === undefined ? 1 : 100);
  const size = Number(`${whole}.${decimals || "0"}`) * scale;
  return { value: sign === "" || sign === "+" ? size : -size, error: 0.5 * scale * 10 ** -decimals.length };
}

/** Whether a text shows this number, rounded to what it shows or to four digits. */
export function showsNumber(text, number) {
  const shown = shownNumber(text);
  if (shown === null) return false;
  const error = Math.max(shown.error, 5e-4 * Math.abs(number)) * (1 + 1e-9) + 1e-15;
  return Math.abs(shown.value - number) <= error;
}
