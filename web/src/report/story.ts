// The study on one screen, as the program puts it: questions, tables and sentences.
import { listOf, objectOf, objectOrNull, textOf } from "./reader.ts";

export interface StoryPart {
  id: string;
  question: string;
  /** How to read the table. */
  key: string;
  titles: string[];
  rows: string[][];
  sentences: string[];
}

export interface Story {
  title: string;
  parts: StoryPart[];
}

/** Null where the study has none. */
export function readStory(json: unknown): Story | null {
  const from = objectOrNull(json);
  if (from === null) return null;
  const parts = listOf(from["parts"], readPart);
  return parts.length === 0 ? null : { title: textOf(from["title"]), parts };
}

function readPart(json: unknown): StoryPart {
  const from = objectOf(json);
  return {
    id: textOf(from["id"]),
    question: textOf(from["question"]),
    key: textOf(from["key"]),
    titles: listOf(from["titles"], textOf),
    rows: listOf(from["rows"], (row) => listOf(row, textOf)),
    sentences: listOf(from["sentences"], textOf),
  };
}
