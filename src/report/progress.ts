/** The progress of a run on a terminal: one line for each scenario that ended, with its verdicts. */

import type { OutcomeCounts } from '../record/result/result.ts';
import { type Outcome, outcomes } from '../record/result/result.ts';
import { painter, signs } from './terminal.ts';
import { visible } from './visible.ts';

export interface ScenarioEnd {
  readonly scenario: string;
  /** How many findings have each outcome; what waits for a twin is not among them. */
  readonly counts: OutcomeCounts;
  /** Findings that only the end of the run can settle. */
  readonly waiting?: number;
  /** Whether none of its cases was sent. */
  readonly nothingSent?: boolean;
  readonly durationMs: number;
  /** This scenario's place in the order of ending, from 1, and how many there are. */
  readonly place: number;
  readonly of: number;
}

/** One line without a line end: the worst outcome's sign, the scenario, its verdict counts, its time. */
export function progressLine(end: ScenarioEnd, { colour }: { readonly colour: boolean }): string {
  const paint = painter(colour);
  const seen = outcomes.filter((outcome) => end.counts[outcome] > 0);
  const worst: Outcome | undefined = seen[0];
  const verdicts = seen.map((outcome) => paint(signs[outcome].ink, `${end.counts[outcome]} ${outcome}`));
  if (end.waiting !== undefined && end.waiting > 0) verdicts.push(`${end.waiting} decided at the end of the run`);
  const place = `[${String(end.place).padStart(String(end.of).length)}/${end.of}]`;
  const sign = worst === undefined ? ' ' : paint(signs[worst].ink, signs[worst].sign);
  const none = end.nothingSent === true ? 'nothing sent' : 'no verdict of its own';
  const said = verdicts.length > 0 ? verdicts.join(', ') : none;
  return `${paint('dim', place)} ${sign} ${visible(end.scenario)}: ${said} ${paint('dim', `(${time(end.durationMs)})`)}`;
}

function time(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
