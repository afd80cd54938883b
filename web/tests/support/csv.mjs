/** Fields of RFC 4180 text, by row. */
export function parseCsv(text) {
  const rows = [[]];
  let at = 0;
  while (at < text.length) {
    let field = "";
    if (text[at] === '"') {
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') field += text[at];
        else if (text[at + 1] === '"') field += text[at++];
        else break;
      }
      at++;
    } else {
      const end = text.slice(at).search(/,|\r\n/);
      const stop = end < 0 ? text.length : at + end;
      field = text.slice(at, stop);
      at = stop;
    }
    rows[rows.length - 1].push(field);
    if (text[at] === ",") {
      at++;
      if (at === text.length || text.startsWith("\r\n", at)) rows[rows.length - 1].push("");
    }
    if (text.startsWith("\r\n", at)) {
      at += 2;
      if (at < text.length) rows.push([]);
    }
  }
  return rows;
}

/** Rows as objects of numbers and texts by the names of columns; a second column of a name is "name 2". */
export function csvRecords(text) {
  const [head, ...rows] = parseCsv(text);
  const names = head.map((name, i) => {
    const before = head.slice(0, i).filter((other) => other === name).length;
    return before === 0 ? name : `${name} ${before + 1}`;
  });
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, valueOf(row[i])])));
}

function valueOf(field) {
  if (field === "") return null;
  const number = Number(field);
  return Number.isFinite(number) && String(number) === field ? number : field;
}
