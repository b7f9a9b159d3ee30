/** The frame of every judge of requests: which cases it sees, and what a case says that it sees no request of. */

import { type Operation, operations } from '../../../contracts/operations.ts';
import { groundsOf, type RequirementId, requirementById, rowsOn } from '../../../contracts/requirements/index.ts';
import { closeDayFieldNames } from '../../protocol/index.ts';
import type { Call, ClientCase, InputKind } from '../../record/case.ts';
import { countedWord } from '../../record/counted-word.ts';
import type { Exchange } from '../../record/exchange.ts';
import { lacks, type losses } from '../../record/har-entry.ts';
import { type Because, type Finding, fail, inconclusive, noReply, pass } from '../finding.ts';
import type { ClientInput, ClientJudge, Verdict } from '../judge.ts';
import { closeDayInput, isPlainNumber, isSameTotal, recurringInput, sameNumber } from './asked.ts';
import { batchOf, type CellDifference, withoutQuotes } from './batch.ts';
import { oddValue, parameter, type RequestReading, readRequest } from './reading.ts';

/** The client may make up an id if its caller gave none, and may write another value as an equal number. */
function forbiddenFinding(examined: ClientCase, exchange: Exchange): Finding {
  // Each is silent on an operation that has no such input.
  const altered = alteredField(examined, exchange) ?? alteredCell(examined, exchange);
  if (altered === undefined) return inconclusive('what was sent cannot be read', 'subject');
  if (altered === 'nothing') {
    return pass(
      'does not validate: a value that the document forbids is sent unchanged, or made up where none was given',
    );
  }
  const finding = fail('refused, or sent unchanged', altered.what);
  if (altered.row === undefined || altered.row === examined.label.about) return finding;
  const because: Because = { text: 'a value is altered there', mayBreak: [altered.row], elsewhere: true };
  return { ...finding, because };
}

interface Altered {
  readonly what: string;
  /** The requirement that speaks of such a change, whatever the input; absent where none does. */
  readonly row?: RequirementId;
}

/** An input that breaks one of two such rows shows nothing of the other. */
function sharesItsValue(id: RequirementId, about: RequirementId): boolean {
  const values = /^close-day\/request-id-|^recurring\/(?:csv-rows$|client-orderid-|recurring-payment-id-|amount-)/;
  return values.test(id) && values.test(about);
}

function alteredField(examined: ClientCase, exchange: Exchange): Altered | 'nothing' | undefined {
  const { form } = readRequest(exchange);
  const input = closeDayInput(examined);
  if (input === undefined || form.kind === 'other') return undefined;
  for (const name of closeDayFieldNames) {
    const [given, sent] = [input[name], form.pairs.find((pair) => pair.name === name)?.value];
    const isId = name === 'day_close_request_id';
    const isSame = isId ? given === undefined || sent === given : isSameTotal(given, sent);
    if (isSame) continue;
    const row = isId ? {} : { row: `close-day/${name.replaceAll('_', '-')}` as RequirementId };
    return { what: `${name}: ${quoted(given)} became ${quoted(sent)}`, ...row };
  }
  return 'nothing';
}

function alteredCell(examined: ClientCase, exchange: Exchange): Altered | 'nothing' | undefined {
  const batch = batchOf(examined, exchange);
  const input = recurringInput(examined);
  if (batch === undefined || input === undefined) return undefined;
  const isAboutAmount = examined.label.about?.startsWith('recurring/amount') === true;
  const changes = batch.differences.filter(
    ({ charset, column, given, sent }) =>
      !charset &&
      !(column === 'client-orderid' && given === '') &&
      !(column.startsWith('amount') && !isAboutAmount && sameNumber(given, sent)),
  );
  // What this input is about comes before what the client alters anyway.
  const changed = changes.find((one) => rowOf(one) === examined.label.about) ?? changes[0];
  if (changed !== undefined) {
    const { column, given, sent } = changed;
    return { what: `${column}: ${quoted(given)} became ${quoted(sent)}`, row: rowOf(changed) };
  }
  const added = batch.columns.filter((name) => !input.columns.includes(name) && !batch.further.includes(name));
  if (added.length > 0) return { what: `the column ${added.join(', ')} was added` };
  return batch.rows.length === input.rows.length
    ? 'nothing'
    : { what: `${countedWord(input.rows.length, 'row')} became ${batch.rows.length}` };
}

function rowOf({ column, sent }: CellDifference): RequirementId {
  if (column === 'amount' && sent !== '' && !isPlainNumber(sent)) return 'recurring/amount-numeric';
  return column === 'recurring-payment-id' ? 'recurring/recurring-payment-id-length' : 'recurring/csv-rows';
}

function quoted(value: string | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

function unsentFindings(id: RequirementId, cases: readonly ClientCase[]): Verdict<ClientCase>[] {
  return cases.flatMap((examined) => {
    if (examined.exchanges.length > 0) return [];
    const { about, finding } = treatment(examined);
    return finding === null || about !== id ? [] : [{ examined, finding }];
  });
}

function treatment({ call: { label, reply, adapterFault, asked, incomplete } }: ClientCase): {
  readonly about: RequirementId;
  readonly finding: Finding | null;
} {
  const arrival = label.about ?? `${operations[label.operation].area}/path`;
  const about = label.about ?? [...rowsOn('records', label.operation), ...rowsOn('form', label.operation)][0]!;
  if (adapterFault !== undefined) {
    return { about: arrival, finding: noReply(adapterFault) };
  }
  const reason = reply?.reason === undefined ? '' : `: ${reply.reason}`;
  const lost = incomplete === undefined ? 'no request arrived' : `of what arrived the record lacks ${incomplete}`;
  switch (reply?.outcome) {
    case undefined:
      return { about: arrival, finding: label.input === 'observed' ? null : inconclusive(lost) };
    case 'refused_locally':
      return { about, finding: refused(label.input, reason, asked?.input) };
    case 'unsupported':
      return { about, finding: unsupported(label.input, reason) };
    case 'adapter_error':
      return { about: arrival, finding: inconclusive(`the adapter failed${reason}`, 'subject') };
    case 'transport_error':
      return {
        about: arrival,
        finding:
          incomplete === undefined
            ? inconclusive(`no request arrived: the client could not connect${reason}`)
            : inconclusive(lost, 'subject'),
      };
    case 'completed':
      return {
        about: arrival,
        finding: inconclusive(`the client reports an answer, and ${lost}`, 'subject'),
      };
  }
}

function refused(input: InputKind, reason: string, given: unknown): Finding | null {
  if (input === 'forbidden') return pass();
  if (input === 'mandatory') return fail(`a request with ${shown(given)}`, `the client refused the input${reason}`);
  return input === 'hardening' ? declined(`the client declines an unusual input${reason}`) : null;
}

function unsupported(input: InputKind, reason: string): Finding | null {
  if (input === 'mandatory') return inconclusive(`the client does not support the input${reason}`, 'configuration');
  return input === 'hardening' || input === 'forbidden'
    ? declined(`the client cannot be given the input${reason}`)
    : null;
}

/** Cut to a line of a report. */
function shown(given: unknown): string {
  const text = JSON.stringify(given) ?? 'the input';
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

function declined(remark: string): Finding {
  return { outcome: 'not-applicable', remark };
}

export interface WireCase {
  readonly examined: ClientCase;
  readonly exchange: Exchange;
  readonly reading: RequestReading;
  readonly question: ClientInput;
}

/** Null means that the request says nothing of the row. */
type Look = (wire: WireCase) => Finding | null;

interface About {
  readonly body?: true;
  readonly address?: true;
}

/** Judges each request by itself, and inputs that were never sent. `about`: a record without that part is inconclusive. */
export function wireJudge(operation: Operation | 'both', look: Look, about: About = {}): ClientJudge {
  const judge: ClientJudge = (question) => {
    const verdicts: Verdict<ClientCase>[] = [];
    for (const examined of question.cases) {
      if (!isWireCase(examined) || (operation !== 'both' && examined.label.operation !== operation)) continue;
      // Most rows say something of most requests: lists of one would be made and joined a hundred thousand times for each.
      for (const exchange of examined.exchanges) {
        const finding = findingOf({ examined, exchange, reading: readRequest(exchange), question }, look, about);
        if (finding !== null) verdicts.push({ examined, exchange, finding });
      }
    }
    return [...verdicts, ...unsentFindings(question.id, question.cases.filter(isAskedToSend))];
  };
  return Object.assign(judge, { eachAlone: true } as const);
}

/** The same about the body. */
export function bodyJudge(operation: Operation, look: Look): ClientJudge {
  return wireJudge(operation, look, { body: true });
}

/** Whether the case is judged by its requests: no probe, and sent to a server that may be trusted. */
export function isWireCase({ call: { label } }: ClientCase): boolean {
  return label.input !== 'probe' && !isUntrustedServer(label.server);
}

/** A decoding case asks for nothing that others do not, unless it names what its input is about. */
function isAskedToSend(examined: ClientCase): boolean {
  return isWireCase(examined) && (examined.call.label.decoding === undefined || examined.label.about !== undefined);
}

export function isUntrustedServer(server: Call['label']['server']): boolean {
  return server === 'other-authority' || server === 'wrong-name' || server === 'expired';
}

function findingOf(wire: WireCase, look: Look, about: About): Finding | null {
  const { examined, question } = wire;
  const { label } = examined.call;
  const open = openBy.find(({ loss, isAbout }) => lacks(examined.call, loss) && isAbout(about, question.id) === true);
  if (open !== undefined && !open.isFailureOnly) return lackingIn(examined, open.hint);
  if (label.input === 'forbidden' && label.about !== undefined) {
    if (label.about === question.id) return forbiddenFinding(examined, wire.exchange);
    if (sharesItsValue(question.id, label.about)) return null;
  }
  const finding = look(wire);
  if (finding?.outcome !== 'fail') return finding;
  if (open !== undefined) return lackingIn(examined);
  return restingOn(wire, { ...finding, hint: finding.hint ?? hintOn(finding) });
}

function hintOn({ actual = '' }: Finding): string | undefined {
  return actual.length > 200 ? undefined : oddValue(actual.replace(/, [^,]*$/, ''))?.fix;
}

function restingOn(wire: WireCase, finding: Finding): Finding {
  const { question } = wire;
  const mayBreak = groundsOf(question.id).filter((id) => !isReadable(id, wire));
  return mayBreak.length === 0 ? finding : { ...finding, because: { text: 'it cannot be read', mayBreak } };
}

/** Whether the part can be read, if only repaired: then its content has a fault of its own. */
function isReadable(id: RequirementId, { examined, exchange, reading }: WireCase): boolean {
  const { label } = examined;
  const { form, payload } = reading;
  const part = requirementById(id)?.part;
  if (part === 'form' && rowsOn(part, label.operation).includes(id)) return form.kind === 'form';
  if (id === 'authentication/timestamp-seconds')
    return oddValue(parameter(reading, 'oauth_timestamp') ?? '') === undefined;
  if (id === 'recurring/csv-header-quoted') return !lacksQuotes(examined, exchange);
  return part !== 'records' && (part !== 'content' || payload?.bytes !== undefined);
}

/** Whether names and cells are without quotes where a cell needs them: that is one mistake. */
function lacksQuotes(examined: ClientCase, exchange: Exchange): boolean {
  const batch = batchOf(examined, exchange);
  if (batch?.headerFaults.some((fault) => fault.endsWith(withoutQuotes)) !== true) return false;
  const cells = recurringInput(examined)?.rows.flat();
  return cells === undefined ? batch.rowFaults.length > 0 : cells.some((cell) => /[;"\r\n]/.test(cell ?? ''));
}

function lackingIn({ call: { incomplete } }: ClientCase, hint?: string): Finding {
  return { ...inconclusive(`the record lacks ${incomplete}`), hint };
}

interface OpenBy {
  readonly loss: keyof typeof losses;
  readonly isAbout: (about: About, id: RequirementId) => boolean | undefined;
  /** What holds all the same is shown. */
  readonly isFailureOnly?: boolean;
  readonly hint?: string;
}

const openBy: readonly OpenBy[] = [
  { loss: 'requestBody', isAbout: ({ body }) => body },
  { loss: 'requestEnd', isAbout: ({ body }) => body },
  { loss: 'requestPart', isAbout: ({ body }) => body, isFailureOnly: true },
  {
    loss: 'authorization',
    isAbout: (_, id) => /^authentication\/|\/authorization-sent$/.test(id),
    hint: 'The record seems to be sanitized. Record with sensitive data: browsers have a command for that, other tools an option.',
  },
  // That the bytes were no form shows all the same.
  {
    loss: 'characters',
    isAbout: ({ body }, id) => body && requirementById(id)?.part !== 'form',
    isFailureOnly: true,
  },
  { loss: 'address', isAbout: ({ address }) => address, isFailureOnly: true },
];

/** Whether the record leaves out bytes that the client sent. */
export function lacksBody(examined: ClientCase): boolean {
  return lacks(examined.call, 'requestBody') || lacks(examined.call, 'requestEnd');
}

/** Whether the bytes of the record may not be those that were sent. */
export function isDoubtful(examined: ClientCase): boolean {
  return openBy.some(({ loss }) => loss !== 'address' && lacks(examined.call, loss));
}
