/** Text for plotly, which reads a subset of HTML in every string that it draws. */
export function plain(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Lines of a hover label. */
export function hoverLines(...lines: string[]): string {
  return lines.filter((line) => line !== "").map((line) => wrapped(line).map(plain).join("<br>")).join("<br>");
}

const WIDEST = 56;

function wrapped(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > WIDEST && lines.length < 4) {
    const space = rest.lastIndexOf(" ", WIDEST);
    const cut = space > WIDEST / 2 ? space : WIDEST;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  lines.push(rest.length > WIDEST ? `${rest.slice(0, WIDEST)}…` : rest);
  return lines;
}
