/** What is wrong with requests, in words for the person at the client: not how many requirements fail, but which mistake it is. */

import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Cause, Result, ResultRow } from '../../record/result/result.ts';

export interface Mistake {
  /** The requirement that fails. */
  readonly id: string;
  /** The client's mistake where the autopsy names one; otherwise what must hold, and what was received. */
  readonly sentence: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** @param rows failing requirements, whose exchanges have the same numbers as `numbers` */
export function causesAt(rows: readonly ResultRow[], numbers: readonly number[]): Mistake[] {
  return rows
    .filter(({ exchanges }) => exchanges.some((number) => numbers.includes(number)))
    .flatMap((row) => {
      const named = (row.explanations ?? []).find(({ exchange }) => numbers.includes(exchange))?.deviations ?? [];
      if (named.length > 0) return named.map(({ summary, fix }) => ({ id: row.id, sentence: summary, fix }));
      const statement = requirementById(row.id)?.statement ?? row.id;
      // What a row says was received is of its first exchange, and another one sent something else.
      const isShown = row.actual !== undefined && numbers.includes(row.exchanges[0]!);
      const received = isShown ? ` Received: ${row.actual}.` : '';
      return [{ id: row.id, sentence: `${statement}${received}`, fix: row.hint }];
    });
}

/** Numbers of exchanges of a result, which the desk numbers otherwise. */
export function renumbered(row: ResultRow, deskNumber: (number: number) => number): ResultRow {
  return {
    ...row,
    exchanges: row.exchanges.map(deskNumber),
    explanations: row.explanations?.map((one) => ({ ...one, exchange: deskNumber(one.exchange) })),
  };
}

/** Those that fail of a result, with the numbers of the desk. */
export function failingRows(
  { results, causes = [] }: Pick<Result, 'results' | 'causes'>,
  cases: readonly { readonly number: number }[],
): ResultRow[] {
  return results
    .filter(({ outcome }) => outcome === 'fail')
    .map((row) => renumbered(explainedEverywhere(row, causes), (number) => cases[number - 1]!.number));
}

/** A row explains one signature for each mistake; at the desk each request that has the mistake says so. */
function explainedEverywhere(row: ResultRow, causes: readonly Cause[]): ResultRow {
  const { explanations = [] } = row;
  const further = explanations.flatMap(({ exchange: shown, deviations }) => {
    const alike = deviations.length === 0 ? undefined : causes.find((one) => isBehind(one, row, shown));
    const others = alike?.exchanges.filter((number) => number !== shown && row.exchanges.includes(number)) ?? [];
    return others.map((exchange) => ({ exchange, deviations, facts: [], triedCount: 0 }));
  });
  return further.length === 0 ? row : { ...row, explanations: [...explanations, ...further] };
}

function isBehind({ deviations = [], requirements, exchanges }: Cause, { id }: ResultRow, shown: number): boolean {
  return deviations.length > 0 && requirements.includes(id) && exchanges.includes(shown);
}
