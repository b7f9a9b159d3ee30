/** Judges and schemas read the same bytes by rules of their own: where they disagree, the suite is at fault and not the subject. */

import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { hearAnswer } from '../../schemas/hear-answer.ts';
import { closeDayRows, gateRows, type Heard, recurringRows } from '../../schemas/requirement-of.ts';
import { isTakenForRefusal } from '../answers/acceptance.ts';
import type { Case } from '../exchange/case.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { bodyKey } from '../exchange/stored-body.ts';
import type { Finding } from './finding.ts';
import type { Verdict } from './judge.ts';

/** Rows on answers that a schema can see. */
export const rowsInAnswers: ReadonlySet<RequirementId> = new Set([
  ...Object.values({ ...closeDayRows, ...gateRows, ...recurringRows }),
  'recurring/parameters-line-feed',
]);

/** Rows of which a schema sees one side only: that no gate comes twice is beyond it. */
const seenInPart: readonly RequirementId[] = ['close-day/one-result-per-gate'];

/** An error for each answer of which the schemas say otherwise than the judge of the row; empty where no schema sees it. */
export function disagreementsOnAnswers(
  id: RequirementId,
  cases: readonly Case[],
  verdicts: readonly Verdict[],
): readonly Verdict[] {
  if (!rowsInAnswers.has(id)) return [];
  const judged = new Map(verdicts.map(({ examined, finding }) => [examined, finding]));
  return cases.flatMap((examined) => {
    const { exchange, label } = examined;
    if (isTakenForRefusal(examined) || (label.facts?.gate === 'unknown' && seenInPart.includes(id))) return [];
    const said = exchange.response && heardOf(label.operation, exchange);
    const finding = said && disagreement(judged.get(examined), said.get(id), seenInPart.includes(id));
    return finding === undefined ? [] : [{ examined, finding }];
  });
}

/**
 * The error where one voice finds the row broken and the other does not. `inPart`: the judge sees more than the schema.
 * What a judge leaves undetermined, no schema contradicts.
 */
export function disagreement(
  judged: Finding | undefined,
  schema: string | undefined,
  inPart: boolean,
): Finding | undefined {
  if (judged !== undefined && (judged.outcome === 'inconclusive' || judged.outcome === 'error')) return undefined;
  const broken = judged?.outcome === 'fail';
  if (broken === (schema !== undefined) || (broken && inPart)) return undefined;
  const judge = broken ? `expects ${judged.expected} and finds ${judged.actual}` : 'finds no fault';
  const other = schema === undefined ? 'finds no fault' : `says: ${schema}`;
  return {
    outcome: 'error',
    blame: 'suite',
    actual: `judge and schema disagree: the judge ${judge}; the schema ${other}`,
  };
}

const heardOf = once(
  (operation, { response }): Heard => hearAnswer(operation, response!.status, response!.body),
  (operation, { response }) => ({ bytes: bodyKey(response!), beside: `${operation} ${response!.status}` }),
);

/**
 * What a voice says of an exchange, asked once; undefined where the bytes are beyond what the engine reads.
 *
 * @param partOf all that the voice listens to, where that may be the same in several exchanges
 */
export function once<Said>(
  voice: (operation: Operation, exchange: Exchange) => Said,
  partOf: (operation: Operation, exchange: Exchange) => { readonly bytes: object; readonly beside: string } = (
    _,
    exchange,
  ) => ({ bytes: exchange, beside: '' }),
): (operation: Operation, exchange: Exchange) => Said | undefined {
  const known = new WeakMap<object, Map<string, Said | undefined>>();
  return (operation, exchange) => {
    const { bytes, beside } = partOf(operation, exchange);
    const of = known.get(bytes) ?? new Map<string, Said | undefined>();
    known.set(bytes, of);
    if (of.has(beside)) return of.get(beside);
    let said: Said | undefined;
    try {
      said = voice(operation, exchange);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
    }
    of.set(beside, said);
    return said;
  };
}
