// The document that the program puts into the page ("phasor report 2").
import { readCell, type Cell } from "./cell.ts";
import { readAnswer, readOddity, type Answer, type Oddity } from "./conclusion.ts";
import {
  readComparison,
  readFailure,
  readRateChoice,
  type Comparison,
  type Failure,
  type RateChoice,
} from "./comparison.ts";
import { readEncodingLabel, type EncodingLabel } from "./encoding_label.ts";
import { readAuditBlock, readClaim, readPublished, type AuditBlock, type Claim, type Published } from "./paper.ts";
import { listOf, numberOf, objectOf, textOf } from "./reader.ts";
import { readStory, type Story } from "./story.ts";

export const FORMAT = "phasor report 2";

export interface Times {
  version: string;
  commit: string;
  machine: string;
  date: string;
  seconds: number | null;
}

export interface Report {
  kind: "paper" | "study" | "run";
  folder: string;
  name: string;
  preset: string;
  repeatCommand: string;
  reportCommand: string;
  labels: EncodingLabel[];
  cells: Cell[];
  /** What is to be known first; of a reproduction. */
  story: Story | null;
  /** What was fixed before the first run, or why the verdicts are post hoc; empty for a single run. */
  registration: string;
  answers: Answer[];
  oddities: Oddity[];
  rates: RateChoice[];
  comparisons: Comparison[];
  failures: Failure[];
  claims: Claim[];
  audit: AuditBlock[];
  published: Published[];
  times: Times;
}

export function readReport(json: unknown): Report {
  const from = objectOf(json);
  const format = textOf(from["format"]);
  if (format !== FORMAT) {
    throw new Error(`the data of this page are '${format.slice(0, 60)}', and it reads '${FORMAT}'`);
  }
  const summary = objectOf(from["summary"]);
  const study = objectOf(summary["study"]);
  const commands = objectOf(from["commands"]);
  const extra: unknown[] = Array.isArray(from["cells"]) ? from["cells"] : [];
  const cells: unknown[] = Array.isArray(summary["cells"]) ? summary["cells"] : [];
  const kind = textOf(from["kind"]);
  const folder = textOf(from["folder"]);
  return {
    kind: kind === "paper" || kind === "run" ? kind : "study",
    folder,
    name: textOf(study["name"]) || folder || "A study of positional encodings",
    preset: textOf(study["preset"]),
    repeatCommand: textOf(commands["repeat"]),
    reportCommand: textOf(commands["report"]),
    labels: listOf(summary["labels"], readEncodingLabel),
    cells: cells.map((cell, i) => readCell(cell, extra[i])),
    story: readStory(summary["story"]),
    registration: textOf(objectOf(summary["registration"])["text"]),
    answers: listOf(summary["answers"], readAnswer),
    oddities: listOf(summary["oddities"], readOddity),
    rates: listOf(summary["rates"], readRateChoice),
    comparisons: listOf(summary["comparisons"], readComparison),
    failures: listOf(summary["failures"], readFailure),
    claims: listOf(summary["claims"], readClaim),
    audit: listOf(summary["audit"], readAuditBlock).filter((block) => block.switches.length > 0),
    published: listOf(summary["published"], readPublished),
    times: readTimes(summary["times"]),
  };
}

function readTimes(json: unknown): Times {
  const from = objectOf(json);
  const runs = listOf(Array.isArray(json) ? json : from["runs"], (run) => numberOf(objectOf(run)["seconds"]));
  const seconds = runs.reduce<number>((sum, run) => sum + (run ?? 0), 0);
  return {
    version: textOf(from["version"]),
    commit: textOf(from["commit"]),
    machine: textOf(from["machine"]),
    date: textOf(from["date"]),
    seconds: seconds > 0 ? seconds : null,
  };
}
