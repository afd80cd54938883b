// What encodings are called that are not called as they are written.
import { objectOf, textOf } from "./reader.ts";

export interface EncodingLabel {
  label: string;
  expression: string;
  /** By the study's author; else the label is a short form of the expression. */
  named: boolean;
}

export function readEncodingLabel(json: unknown): EncodingLabel {
  const from = objectOf(json);
  return {
    label: textOf(from["label"]),
    expression: textOf(from["expression"]),
    named: from["named"] === true,
  };
}
