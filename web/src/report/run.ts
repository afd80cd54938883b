// One finished run of a cell.
import { countOf, flagOf, numberOf, objectOf, textOf } from "./reader.ts";

export interface Run {
  id: string;
  seed: number;
  learningRate: number | null;
  steps: number | null;
  parameters: number | null;
  converged: boolean;
}

export function readRun(json: unknown): Run {
  const from = objectOf(json);
  return {
    id: textOf(from["id"]),
    seed: countOf(from["seed"]),
    learningRate: numberOf(from["learning_rate"]),
    steps: numberOf(from["steps"]),
    parameters: numberOf(from["parameters"]),
    converged: flagOf(from["converged"]),
  };
}
