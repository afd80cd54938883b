// What the reader chose to see.
import type { Report } from "../report/report.ts";
import type { Entries } from "./entry.ts";
import { protocolGroup } from "./paper_names.ts";

export interface Filters {
  tasks: Set<string>;
  protocols: Set<string>;
  encodings: Set<string>;
}

export interface Choices {
  tasks: string[];
  protocols: string[];
  encodings: string[];
}

export function choicesOf(report: Report, entries: Entries): Choices {
  return {
    tasks: [...new Set(report.cells.map((cell) => cell.name.task))],
    protocols: [...new Set(report.cells.map((cell) => protocolGroup(cell.name.protocol)))],
    encodings: entries.list.map((entry) => entry.key),
  };
}

export function usualFilters(choices: Choices, entries: Entries): Filters {
  return {
    tasks: new Set(choices.tasks),
    protocols: new Set(choices.protocols),
    encodings: new Set(entries.list.filter((entry) => !entry.aside).map((entry) => entry.key)),
  };
}

/** As the part of an address behind "#"; empty where nothing differs from the usual. */
export function filtersToHash(filters: Filters, usual: Filters): string {
  const parts: string[] = [];
  const add = (name: string, chosen: Set<string>, all: Set<string>): void => {
    if (sameSet(chosen, all)) return;
    parts.push(`${name}=${[...chosen].map(encodeURIComponent).join(",")}`);
  };
  add("task", filters.tasks, usual.tasks);
  add("protocol", filters.protocols, usual.protocols);
  add("encoding", filters.encodings, usual.encodings);
  return parts.join("&");
}

/** What is not named, and names that the study does not have, are as usual. */
export function filtersFromHash(hash: string, choices: Choices, usual: Filters): Filters {
  const members = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const equals = part.indexOf("=");
    if (equals > 0) members.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const chosen = (name: string, known: readonly string[], otherwise: Set<string>): Set<string> => {
    const text = members.get(name);
    if (text === undefined) return new Set(otherwise);
    if (text === "") return new Set();
    const named = text.split(",").map(decoded).filter((value) => known.includes(value));
    return new Set(named.length > 0 ? named : otherwise);
  };
  return {
    tasks: chosen("task", choices.tasks, usual.tasks),
    protocols: chosen("protocol", choices.protocols, usual.protocols),
    encodings: chosen("encoding", choices.encodings, usual.encodings),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function sameSet(a: Set<string>, b: Set<string>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value));
}
