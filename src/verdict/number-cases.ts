/** The one order of a run's cases: report.json and exchanges.har name an exchange by its place in it, from 1. */
import type { Case } from '../record/case.ts';
import type { ScenarioRecord } from '../run/gateway/perform-case.ts';

/** All cases of the records by scenario id and case number, never by arrival; the first one has number 1. */
export function numberCases(records: readonly Pick<ScenarioRecord, 'cases'>[]): readonly Case[] {
  return records
    .flatMap((record) => record.cases)
    .sort((a, b) => compare(a.scenario, b.scenario) || a.number - b.number);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
