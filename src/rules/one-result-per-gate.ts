/** The judge of the gates that a close-day answer lists: each of the endpoint, none twice and none of another one (sections 1, 2.2 and 4.1). */

import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import type { Case } from '../record/case.ts';
import { countedWord } from '../record/counted-word.ts';
import type { Exchange } from '../record/exchange.ts';
import { closeDayBody, gatesOf, idOf, statusOf, valueInWords } from './answers/close-day-body.ts';
import { ofAllGates, ofCloseDay } from './close-day-response.ts';
import { type Finding, fail, inconclusive, pass } from './finding.ts';
import type { Judge } from './judge.ts';

/** Without the number of gates an answer can break the row and cannot show that it holds. */
export const oneResultPerGate: Judge = (question) => {
  const before = new Map<string, ReadonlySet<string>>();
  return ofCloseDay((exchange, examined) => {
    const gates = statusOf(exchange) === 'finished' ? gatesOf(exchange) : undefined;
    // An endpoint that is not there has no gate.
    if (gates === undefined || examined.label.facts?.gate === 'unknown') return null;
    const finding = ofOneAnswer(exchange, gates, examined.label.facts?.gates);
    return finding === null || finding.outcome === 'pass' ? (otherGate(examined, gates, before) ?? finding) : finding;
  })(question);
};

function ofOneAnswer(exchange: Exchange, gates: readonly JsonValue[], count: number | undefined): Finding | null {
  if (gates.length === 0) return fail('at least one result', 'an empty array');
  const named = idsIn(gates);
  const ids = new Set<string>();
  const repeated = named.find((id) => ids.size === ids.add(idOf(id)).size);
  if (repeated !== undefined) return fail('each gate once', `gate ${valueInWords(repeated)} more than once`);
  if (count === undefined) return null;
  const came = closeDayBody(exchange)?.gateCount ?? gates.length;
  if (came !== count) return fail(countedWord(count, 'result'), countedWord(came, 'result'));
  return ids.size === gates.length
    ? ofAllGates(exchange, pass())
    : inconclusive(`${ids.size} of ${count} results say which gate they are of`, 'subject');
}

/**
 * A scenario leaves the gates of an endpoint as they are: of two answers that name different ones, one names a gate that is not
 * the endpoint's or lacks one that is. On the mock the next scenario has another gateway. Between two answers in the recording of
 * another tool an administrator may have added a gate.
 */
function otherGate(
  { scenario, label, exchange }: Case,
  gates: readonly JsonValue[],
  before: Map<string, ReadonlySet<string>>,
): Finding | undefined {
  if (label.intent === 'open' && label.openPoint === undefined) return undefined;
  const named = idsIn(gates);
  // Of a long answer some gates are read alone, and which ones depends on their order.
  const body = closeDayBody(exchange);
  if (named.length < gates.length || body?.unread !== undefined || (body?.gateCount ?? gates.length) > gates.length) {
    return undefined;
  }
  const { host, target } = exchange.request;
  const endpoint = JSON.stringify([scenario, host, target.split('?', 1)[0]]);
  const ids = new Set(named.map(idOf));
  const known = before.get(endpoint);
  if (known === undefined) {
    before.set(endpoint, ids);
    return undefined;
  }
  const strange = named.find((id) => !known.has(idOf(id)));
  const expected = 'the gates that the endpoint had in the answer before';
  if (strange !== undefined) return fail(expected, `gate ${valueInWords(strange)}, which it did not have`);
  return ids.size < known.size ? fail(expected, `${ids.size} of its ${known.size} gates`) : undefined;
}

function idsIn(gates: readonly JsonValue[]): readonly JsonValue[] {
  return gates.flatMap((gate) => (isJsonObject(gate) && gate.gateId !== undefined ? [gate.gateId] : []));
}
