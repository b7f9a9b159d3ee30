/** Frame for judges of requests: selects the cases, and judges cases without a request. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { groundsOf, type RequirementId, requirementById, rowsOn } from '../../../contracts/requirements/index.ts';
import { closeDayFieldNames } from '../../protocol/index.ts';
import type { Call, ClientCase, InputKind } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { lacks, type losses } from '../../record/har-entry.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Blocker, ClientInput, ClientJudge, Finding, Verdict } from '../judge.ts';
import { fail, inconclusive, noReply, pass } from '../judge.ts';
import { batchOf, type CellDifference, withoutQuotes } from './batch.ts';
import { closeDayInput, isPlainNumber, isSameTotal, recurringInput, sameNumber } from './inputs.ts';
import { oddValue, parameter, type RequestReading, readRequest } from './reading.ts';

/** The client may create an id if its caller gave none, and may send a value as an equal number. */
function forbiddenFinding(testCase: ClientCase, exchange: Exchange): Finding {
  // Each function returns nothing for the other operation.
  const altered = alteredField(testCase, exchange) ?? alteredCell(testCase, exchange);
  if (altered === undefined) return inconclusive('what was sent cannot be read', 'subject');
  if (altered === 'nothing') {
    return pass('does not validate: it sends a forbidden value unchanged, or makes up a missing one');
  }
  const finding = fail('refused, or sent unchanged', altered.what);
  if (altered.row === undefined || altered.row === testCase.label.about) return finding;
  const because: Blocker = { text: 'a value is altered there', mayBreak: [altered.row], elsewhere: true };
  return { ...finding, because };
}

interface Altered {
  readonly what: string;
  /** The requirement that this change breaks, even with a valid input; absent if no requirement covers the change. */
  readonly row?: RequirementId;
}

/** Whether two requirements concern the same value. An input that breaks one of them says nothing about the other. */
function sharesItsValue(id: RequirementId, about: RequirementId): boolean {
  const values = /^close-day\/request-id-|^recurring\/(?:csv-rows$|client-orderid-|recurring-payment-id-|amount-)/;
  return values.test(id) && values.test(about);
}

function alteredField(testCase: ClientCase, exchange: Exchange): Altered | 'nothing' | undefined {
  const { form } = readRequest(exchange);
  const input = closeDayInput(testCase);
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

function alteredCell(testCase: ClientCase, exchange: Exchange): Altered | 'nothing' | undefined {
  const batch = batchOf(testCase, exchange);
  const input = recurringInput(testCase);
  if (batch === undefined || input === undefined) return undefined;
  const isAboutAmount = testCase.label.about?.startsWith('recurring/amount') === true;
  const changes = batch.differences.filter(
    ({ charset, column, given, sent }) =>
      !charset &&
      !(column === 'client-orderid' && given === '') &&
      !(column.startsWith('amount') && !isAboutAmount && sameNumber(given, sent)),
  );
  // Prefer the change that this input tests over changes that the client always makes.
  const changed = changes.find((one) => rowOf(one) === testCase.label.about) ?? changes[0];
  if (changed !== undefined) {
    const { column, given, sent } = changed;
    return { what: `${column}: ${quoted(given)} became ${quoted(sent)}`, row: rowOf(changed) };
  }
  const added = batch.columns.filter((name) => !input.columns.includes(name) && !batch.further.includes(name));
  if (added.length > 0) return { what: `the column ${added.join(', ')} was added` };
  return batch.rows.length === input.rows.length
    ? 'nothing'
    : { what: `${pluralize(input.rows.length, 'row')} became ${batch.rows.length}` };
}

function rowOf({ column, sent }: CellDifference): RequirementId {
  if (column === 'amount' && sent !== '' && !isPlainNumber(sent)) return 'recurring/amount-numeric';
  return column === 'recurring-payment-id' ? 'recurring/recurring-payment-id-length' : 'recurring/csv-rows';
}

function quoted(value: string | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

function unsentFindings(id: RequirementId, cases: readonly ClientCase[]): Verdict<ClientCase>[] {
  return cases.flatMap((testCase) => {
    if (testCase.exchanges.length > 0) return [];
    const { about, finding } = treatment(testCase);
    return finding === null || about !== id ? [] : [{ testCase, finding }];
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
  const lost = incomplete === undefined ? 'no request arrived' : `the record lacks ${incomplete}`;
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

function shown(given: unknown): string {
  const text = JSON.stringify(given) ?? 'the input';
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

function declined(remark: string): Finding {
  return { outcome: 'not-applicable', remark };
}

export interface WireCase {
  readonly testCase: ClientCase;
  readonly exchange: Exchange;
  readonly reading: RequestReading;
  readonly question: ClientInput;
}

/** Null if the request is no evidence for the row. */
type Look = (wire: WireCase) => Finding | null;

interface About {
  readonly body?: true;
  readonly address?: true;
}

/** Judges each request, and inputs that were never sent. `about`: without that part of the record the finding is inconclusive. */
export function wireJudge(operation: Operation | 'both', look: Look, about: About = {}): ClientJudge {
  const judge: ClientJudge = (question) => {
    const verdicts: Verdict<ClientCase>[] = [];
    for (const testCase of question.cases) {
      if (!isWireCase(testCase) || (operation !== 'both' && testCase.label.operation !== operation)) continue;
      // Push directly: a temporary list for each request would be slow with a hundred thousand requests.
      for (const exchange of testCase.exchanges) {
        const finding = findingOf({ testCase, exchange, reading: readRequest(exchange), question }, look, about);
        if (finding !== null) verdicts.push({ testCase, exchange, finding });
      }
    }
    return [...verdicts, ...unsentFindings(question.id, question.cases.filter(isAskedToSend))];
  };
  return Object.assign(judge, { eachAlone: true } as const);
}

export function bodyJudge(operation: Operation, look: Look): ClientJudge {
  return wireJudge(operation, look, { body: true });
}

/** True if the case is judged by its requests: it is no probe, and its server is trusted. */
export function isWireCase({ call: { label } }: ClientCase): boolean {
  return label.input !== 'probe' && !isUntrustedServer(label.server);
}

/** A decoding case needs no request, unless it names a requirement that its input tests. */
function isAskedToSend(testCase: ClientCase): boolean {
  return isWireCase(testCase) && (testCase.call.label.decoding === undefined || testCase.label.about !== undefined);
}

export function isUntrustedServer(server: Call['label']['server']): boolean {
  return server === 'other-authority' || server === 'wrong-name' || server === 'expired';
}

function findingOf(wire: WireCase, look: Look, about: About): Finding | null {
  const { testCase, question } = wire;
  const { label } = testCase.call;
  const open = openBy.find(({ loss, isAbout }) => lacks(testCase.call, loss) && isAbout(about, question.id) === true);
  if (open !== undefined && !open.isFailureOnly) return lackingIn(testCase, open.hint);
  if (label.input === 'forbidden' && label.about !== undefined) {
    if (label.about === question.id) return forbiddenFinding(testCase, wire.exchange);
    if (sharesItsValue(question.id, label.about)) return null;
  }
  const finding = look(wire);
  if (finding?.outcome !== 'fail') return finding;
  if (open !== undefined) return lackingIn(testCase);
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

/** True if the part is readable, possibly after repair. Then its content is judged separately. */
function isReadable(id: RequirementId, { testCase, exchange, reading }: WireCase): boolean {
  const { label } = testCase;
  const { form, payload } = reading;
  const part = requirementById(id)?.part;
  if (part === 'form' && rowsOn(part, label.operation).includes(id)) return form.kind === 'form';
  if (id === 'authentication/timestamp-seconds')
    return oddValue(parameter(reading, 'oauth_timestamp') ?? '') === undefined;
  if (id === 'recurring/csv-header-quoted') return !lacksQuotes(testCase, exchange);
  return part !== 'records' && (part !== 'content' || payload?.bytes !== undefined);
}

/** True if names and cells lack quotes although a cell needs them, which is one mistake. */
function lacksQuotes(testCase: ClientCase, exchange: Exchange): boolean {
  const batch = batchOf(testCase, exchange);
  if (batch?.headerFaults.some((fault) => fault.endsWith(withoutQuotes)) !== true) return false;
  const cells = recurringInput(testCase)?.rows.flat();
  return cells === undefined ? batch.rowFaults.length > 0 : cells.some((cell) => /[;"\r\n]/.test(cell ?? ''));
}

function lackingIn({ call: { incomplete } }: ClientCase, hint?: string): Finding {
  return { ...inconclusive(`the record lacks ${incomplete}`), hint };
}

interface OpenBy {
  readonly loss: keyof typeof losses;
  readonly isAbout: (about: About, id: RequirementId) => boolean | undefined;
  /** Only failures become inconclusive. Passes still count. */
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
  // The record still shows that the bytes are not a form.
  {
    loss: 'characters',
    isAbout: ({ body }, id) => body && requirementById(id)?.part !== 'form',
    isFailureOnly: true,
  },
  { loss: 'address', isAbout: ({ address }) => address, isFailureOnly: true },
];

/** True if the record omits bytes that the client sent. */
export function lacksBody(testCase: ClientCase): boolean {
  return lacks(testCase.call, 'requestBody') || lacks(testCase.call, 'requestEnd');
}

/** True if the bytes in the record may differ from those that were sent. */
export function isDoubtful(testCase: ClientCase): boolean {
  return openBy.some(({ loss }) => loss !== 'address' && lacks(testCase.call, loss));
}
