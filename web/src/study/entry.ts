// What the filter of encodings lists: an encoding with the variant of its cells. A released form of an encoding is the
// same entry as the clean one, unless one table would hold both.
import type { Report } from "../report/report.ts";
import type { CellName } from "../report/cell.ts";
import { encodingStyles, type EncodingStyle } from "./encoding_style.ts";
import { cleanForm, protocolGroup } from "./paper_names.ts";
import { isPartlyRotary } from "./rotary_heads.ts";

export interface Entry {
  /** What it is called, which nothing else of the study is. */
  key: string;
  style: EncodingStyle;
  /** Cells that have a place of their own: variants of the paper's study, and the curve of k rotary heads. */
  aside: boolean;
}

export interface Entries {
  list: Entry[];
  of(name: CellName): Entry;
}

export function entriesOf(report: Report): Entries {
  const keyOf = keyRule(report);
  const expressions = new Map(report.cells.map(({ name }) => [keyOf(name), styledAs(name)]));
  const aside = new Map<string, boolean>();
  for (const { name } of report.cells) {
    const own = (report.kind === "paper" && name.variant !== "") || isPartlyRotary(name.encoding);
    aside.set(keyOf(name), own && (aside.get(keyOf(name)) ?? true));
  }
  const everythingAside = [...aside.values()].every((own) => own);
  const keys = [...aside.keys()].sort((a, b) => Number(aside.get(a)) - Number(aside.get(b)));
  const styles = encodingStyles(keys, (key) => expressions.get(key) ?? key);
  const byKey = new Map<string, Entry>();
  for (const key of keys) {
    const style = styles.get(key);
    if (style !== undefined) byKey.set(key, { key, style, aside: !everythingAside && aside.get(key) === true });
  }
  return {
    list: [...byKey.values()],
    of(name) {
      const entry = byKey.get(keyOf(name));
      if (entry === undefined) throw new Error(`no entry for ${keyOf(name)}`);
      return entry;
    },
  };
}

/** A usual encoding looks as usual under every name. */
function styledAs({ encoding, protocol, variant }: CellName): string {
  const form = cleanForm(encoding, protocol);
  return variant === "" ? form : `${form}, ${variant}`;
}

function keyRule({ cells, labels }: Report): (name: CellName) => string {
  const named = new Set(labels.filter((it) => it.named).map((it) => it.expression));
  const called = new Map(cells.map(({ name }) => [name.encoding, name.label]));
  /** An author who names a released form tells it from the clean one. */
  const formOf = ({ encoding, protocol }: CellName): string => (named.has(encoding) ? encoding : cleanForm(encoding, protocol));
  const place = (name: CellName, encoding: string): string =>
    JSON.stringify([name.task, protocolGroup(name.protocol), encoding, name.variant]);
  const plain = new Set(cells.map(({ name }) => place(name, name.encoding)));
  const clash = cells.some(({ name }) => {
    const form = formOf(name);
    return form !== name.encoding && plain.has(place(name, form));
  });
  return (name) => {
    const form = clash ? name.encoding : formOf(name);
    const label = called.get(form) ?? form;
    return name.variant === "" ? label : `${label}, ${name.variant}`;
  };
}
