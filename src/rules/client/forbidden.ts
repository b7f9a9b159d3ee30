/** What a client makes of an input that the document forbids: it may refuse it, or send it unchanged; it may not change it. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { closeDayFieldNames } from '../../protocol/index.ts';
import type { ClientCase } from '../../record/client-case.ts';
import { countedWord } from '../../record/counted-word.ts';
import type { Exchange } from '../../record/exchange.ts';
import { type Finding, fail, inconclusive, pass } from '../finding.ts';
import { closeDayInput, isSameTotal, recurringInput, sameNumber } from './asked.ts';
import { batchOf } from './batch.ts';
import { readRequest } from './reading.ts';

/**
 * The finding on the row that the input breaks, where the client sent a request. Who makes up the ids of requests and
 * orders is not shown, so a client may do it where its caller gave none. Beside the forbidden value, an equal number will do.
 */
export function forbiddenFinding(examined: ClientCase, exchange: Exchange): Finding {
  // Each is silent on an operation that has no such input.
  const altered = alteredField(examined, exchange) ?? alteredCell(examined, exchange);
  if (altered === undefined) return inconclusive('what was sent cannot be read', 'subject');
  return altered === 'nothing'
    ? pass('does not validate: a value that the document forbids is sent unchanged, or made up where none was given')
    : fail('refused, or sent unchanged', altered);
}

/** Whether two rows judge the same value, so that an input that breaks one of them says nothing of the other. */
export function sharesItsValue(id: RequirementId, about: RequirementId): boolean {
  const values = /^close-day\/request-id-|^recurring\/(?:csv-rows$|client-orderid-|recurring-payment-id-|amount-)/;
  return values.test(id) && values.test(about);
}

function alteredField(examined: ClientCase, exchange: Exchange): string | 'nothing' | undefined {
  const { form } = readRequest(exchange);
  const input = closeDayInput(examined);
  if (input === undefined || form.kind === 'other') return undefined;
  for (const name of closeDayFieldNames) {
    const [given, sent] = [input[name], form.pairs.find((pair) => pair.name === name)?.value];
    const isSame = name === 'day_close_request_id' ? given === undefined || sent === given : isSameTotal(given, sent);
    if (!isSame) return `${name}: ${shown(given)} became ${shown(sent)}`;
  }
  return 'nothing';
}

function alteredCell(examined: ClientCase, exchange: Exchange): string | 'nothing' | undefined {
  const batch = batchOf(examined, exchange);
  const input = recurringInput(examined);
  if (batch === undefined || input === undefined) return undefined;
  const isAboutAmount = examined.label.about?.startsWith('recurring/amount') === true;
  const changed = batch.differences.find(
    ({ charset, column, given, sent }) =>
      !charset &&
      !(column === 'client-orderid' && given === '') &&
      !(column.startsWith('amount') && !isAboutAmount && sameNumber(given, sent)),
  );
  if (changed !== undefined) return `${changed.column}: ${shown(changed.given)} became ${shown(changed.sent)}`;
  const added = batch.columns.filter((name) => !input.columns.includes(name) && !batch.further.includes(name));
  if (added.length > 0) return `the column ${added.join(', ')} was added`;
  return batch.rows.length === input.rows.length
    ? 'nothing'
    : `${countedWord(input.rows.length, 'row')} became ${batch.rows.length}`;
}

function shown(value: string | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}
