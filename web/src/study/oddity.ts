// What is odd about a study: what a reader should know before trusting its answers.
import { figure, listing, percent, plural, probability } from "../base/text.ts";
import { smallestP } from "../base/statistics.ts";
import type { Cell } from "../report/cell.ts";
import type { Report } from "../report/report.ts";

export interface Oddity {
  text: string;
  details: string[];
}

const WIDE_SPREAD = 0.2;
const WIDE_GAP = 0.1;
const FEWEST_FOR_SIX = 5;

export function odditiesOf(report: Report): Oddity[] {
  return [
    ...failed(report),
    ...missing(report),
    ...unconverged(report),
    ...edgeRates(report),
    ...fewSeeds(report),
    ...disagreeing(report),
    ...overfitted(report),
  ];
}

function failed(report: Report): Oddity[] {
  const count = report.cells.reduce((sum, cell) => sum + cell.failed, 0);
  if (count === 0) return [];
  const details = report.cells.filter((cell) => cell.failed > 0).map((cell) => `${titleOf(cell)}: ${cell.failed}`);
  return [{ text: `${plural(count, "run")} failed and ${count === 1 ? "has" : "have"} no accuracy.`, details }];
}

function missing(report: Report): Oddity[] {
  const lacks = (cell: Cell): number => Math.max(0, cell.planned - cell.runs.length - cell.failed);
  const cells = report.cells.filter((cell) => lacks(cell) > 0);
  if (cells.length === 0) return [];
  const count = cells.reduce((sum, cell) => sum + lacks(cell), 0);
  const details = cells.map((cell) => `${titleOf(cell)}: ${lacks(cell)} of ${cell.planned}`);
  return [{ text: `${plural(count, "planned run")} ${count === 1 ? "is" : "are"} not there yet.`, details }];
}

function unconverged(report: Report): Oddity[] {
  const cells = report.cells.filter((cell) => cell.unconverged > 0);
  const count = cells.reduce((sum, cell) => sum + cell.unconverged, 0);
  if (count === 0) return [];
  const all = report.cells.reduce((sum, cell) => sum + cell.runs.length, 0);
  const whole = cells.filter((cell) => cell.unconverged === cell.runs.length).length;
  const cellsWithout = whole === 0 ? "" : ` ${plural(whole, "cell")} ${whole === 1 ? "has" : "have"} no converged run at all.`;
  const details = cells.map((cell) => `${titleOf(cell)}: ${cell.unconverged} of ${cell.runs.length}`);
  return [{ text: `${count} of ${plural(all, "run")} did not converge: hollow in charts, and left out of claims.${cellsWithout}`, details }];
}

function edgeRates(report: Report): Oddity[] {
  const details = report.rates.flatMap((choice) => {
    const rates = choice.trials.flatMap((trial) => (trial.rate === null ? [] : [trial.rate]));
    if (choice.rate === null || rates.length < 2) return [];
    const edge = choice.rate === Math.max(...rates) ? "highest" : choice.rate === Math.min(...rates) ? "lowest" : null;
    const { encoding, task, protocol } = choice.cell;
    return edge === null ? [] : [`${encoding} on ${task}, ${protocol}: ${figure(choice.rate)}, the ${edge} of ${rates.length}`];
  });
  if (details.length === 0) return [];
  return [{ text: `${plural(details.length, "learning rate")} chosen at the edge of the grid: a better one may lie beyond.`, details }];
}

function fewSeeds(report: Report): Oddity[] {
  const counts = report.cells.filter((cell) => cell.name.variant === "").map((cell) => cell.claimable.runs);
  const most = Math.max(0, ...counts);
  if (most === 0 || most >= FEWEST_FOR_SIX) return [];
  if (most === 1) return [{ text: "One converged run per cell at most: no interval and no test.", details: [] }];
  const p = smallestP(most, most);
  const enough = p > 0.05 ? "no difference can be told at 0.05" : "a family of six comparisons can tell nothing after Holm";
  return [{ text: `At most ${plural(most, "converged run")} per cell: the smallest p possible is ${probability(p)}, so ${enough}.`, details: [] }];
}

function disagreeing(report: Report): Oddity[] {
  const details = report.cells.flatMap((cell) => {
    const values = cell.all.testAccuracy.values.filter((value) => value !== null);
    const least = Math.min(...values);
    const most = Math.max(...values);
    return values.length > 1 && most - least > WIDE_SPREAD ? [`${titleOf(cell)}: ${percent(least)} to ${percent(most)}`] : [];
  });
  if (details.length === 0) return [];
  return [{ text: `Seeds disagree by more than 20 points in ${plural(details.length, "cell")}: a mean says little there.`, details }];
}

function overfitted(report: Report): Oddity[] {
  const details = report.cells.flatMap((cell) => {
    const gap = cell.all.generalisationGap.mean;
    return gap !== null && gap > WIDE_GAP ? [`${titleOf(cell)}: training accuracy ${(100 * gap).toFixed(1)} points higher`] : [];
  });
  if (details.length === 0) return [];
  return [{ text: `${plural(details.length, "cell")} ${details.length === 1 ? "fits" : "fit"} the training set better than the test set by more than 10 points.`, details }];
}

export function titleOf(cell: Cell): string {
  const { encoding, task, protocol, variant } = cell.name;
  return cell.title || listing([`${encoding} on ${task}, ${protocol}`, ...(variant === "" ? [] : [variant])]);
}
