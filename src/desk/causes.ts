/** What is wrong with requests, in words for the person at the client: not how many requirements fail, but which mistake it is. */

import { requirementById } from '../../contracts/requirements/index.ts';
import type { Result, ResultRow } from '../result/result.ts';

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
      const received = row.actual === undefined ? '' : ` Received: ${row.actual}.`;
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
export function failingRows({ results }: Result, cases: readonly { readonly number: number }[]): ResultRow[] {
  return results
    .filter(({ outcome }) => outcome === 'fail')
    .map((row) => renumbered(row, (number) => cases[number - 1]!.number));
}
