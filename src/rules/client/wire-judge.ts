/** What all judges of requests share: selecting the cases, and the finding if the client sent no request. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { prerequisitesOf, type RequirementId, requirementById, rowsOn } from '../../../contracts/requirements/index.ts';
import { closeDayFieldNames } from '../../protocol/index.ts';
import type { Call, ClientCase, ClientReply, ServerKind } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { lacks, type losses } from '../../record/losses.ts';
import { pluralize } from '../../record/pluralize.ts';
import {
  type Blocker,
  type ClientInput,
  type ClientJudge,
  type Finding,
  fail,
  inconclusive,
  noReply,
  pass,
  type Verdict,
} from '../judge.ts';
import { isPlainNumber, isSameNumber } from '../numbers.ts';
import { batchOf, type CellDifference } from './batch.ts';
import { closeDayInput, isSameTotal, recurringInput } from './inputs.ts';
import { oddValue, parameter, type RequestReading, readRequest } from './reading.ts';

/** The client must refuse a forbidden input or send it unchanged. But it may create a missing id, and send 1 as 1.0. */
function forbiddenFinding(testCase: ClientCase, exchange: Exchange): Finding {
  // `changedField` is for close-day, `changedCell` for batches. Each returns undefined for the other operation.
  const change = changedField(testCase, exchange) ?? changedCell(testCase, exchange);
  if (change === undefined) return inconclusive('the request cannot be read', 'subject');
  if (change === 'nothing') {
    return pass('the client does not validate: it sends a forbidden value unchanged, or creates a missing id');
  }
  const finding = fail('the input refused, or sent unchanged', change.what);
  if (change.row === undefined || change.row === testCase.label.about) return finding;
  const because: Blocker = { text: 'the client altered a value', mayBreak: [change.row], elsewhere: true };
  return { ...finding, because };
}

interface InputChange {
  readonly what: string;
  readonly row?: RequirementId;
}

/** True if both are about input values. For example, an input with a forbidden amount does not test the order id. */
function areValueRules(id: RequirementId, about: RequirementId): boolean {
  const values = /^close-day\/request-id-|^recurring\/(?:csv-rows$|client-orderid-|recurring-payment-id-|amount-)/;
  return values.test(id) && values.test(about);
}

function changedField(testCase: ClientCase, exchange: Exchange): InputChange | 'nothing' | undefined {
  const { form } = readRequest(exchange);
  const input = closeDayInput(testCase);
  if (input === undefined || form.kind === 'other') return undefined;
  for (const name of closeDayFieldNames) {
    const expected = input[name];
    const sent = form.pairs.find((pair) => pair.name === name)?.value;
    const isId = name === 'day_close_request_id';
    const isSame = isId ? expected === undefined || sent === expected : isSameTotal(expected, sent);
    if (isSame) continue;
    const row = isId ? {} : { row: `close-day/${name.replaceAll('_', '-')}` as RequirementId };
    return { what: `${name}: ${quoteValue(expected)} became ${quoteValue(sent)}`, ...row };
  }
  return 'nothing';
}

function changedCell(testCase: ClientCase, exchange: Exchange): InputChange | 'nothing' | undefined {
  const batch = batchOf(testCase, exchange);
  const input = recurringInput(testCase);
  if (batch === undefined || input === undefined) return undefined;
  const isAboutAmount = testCase.label.about?.startsWith('recurring/amount') === true;
  const changes = batch.differences.filter(
    ({ charsetOnly, column, expected, sent }) =>
      !charsetOnly &&
      !(column === 'client-orderid' && expected === '') &&
      !(column.startsWith('amount') && !isAboutAmount && isSameNumber(expected, sent)),
  );
  // Report a change of the tested value first, because the client may change other values in every request.
  const changed = changes.find((one) => requirementOf(one) === testCase.label.about) ?? changes[0];
  if (changed !== undefined) {
    const { column, expected, sent } = changed;
    return { what: `${column}: ${quoteValue(expected)} became ${quoteValue(sent)}`, row: requirementOf(changed) };
  }
  const added = batch.columns.filter((name) => !input.columns.includes(name) && !batch.extraColumns.includes(name));
  if (added.length > 0) return { what: `the column ${added.join(', ')} was added` };
  return batch.rows.length === input.rows.length
    ? 'nothing'
    : { what: `${pluralize(input.rows.length, 'row')} became ${batch.rows.length}` };
}

function requirementOf({ column, sent }: CellDifference): RequirementId {
  if (column === 'amount' && sent !== '' && !isPlainNumber(sent)) return 'recurring/amount-numeric';
  return column === 'recurring-payment-id' ? 'recurring/recurring-payment-id-length' : 'recurring/csv-rows';
}

function quoteValue(value: string | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

function unsentVerdicts(id: RequirementId, cases: readonly ClientCase[]): Verdict<ClientCase>[] {
  return cases.flatMap((testCase) => {
    if (testCase.exchanges.length > 0 || requirementOnInput(testCase.call) !== id) return [];
    const finding = isDeclined(testCase.call) ? judgeDeclined(testCase.call) : judgeMissingRequest(testCase.call);
    return finding === null ? [] : [{ testCase, finding }];
  });
}

function isDeclined({ reply, adapterFault }: Call): boolean {
  return adapterFault === undefined && (reply?.outcome === 'refused_locally' || reply?.outcome === 'unsupported');
}

/** The requirement that judges a call for which the client sent no request. */
function requirementOnInput(call: Call): RequirementId {
  const { operation, about } = call.label;
  if (about !== undefined) return about;
  if (!isDeclined(call)) return `${operations[operation].area}/path`;
  return [...rowsOn('records', operation), ...rowsOn('form', operation)][0]!;
}

function judgeMissingRequest({ label, reply, adapterFault, incomplete }: Call): Finding | null {
  const missing = incomplete === undefined ? 'no request arrived' : `the record lacks ${incomplete}`;
  if (adapterFault !== undefined) return noReply(adapterFault);
  if (reply === undefined) return label.input === 'observed' ? null : inconclusive(missing);
  const reason = reasonOf(reply);
  if (reply.outcome === 'adapter_error') return inconclusive(`the adapter failed${reason}`, 'subject');
  if (reply.outcome === 'completed') return inconclusive(`the client reports an answer, but ${missing}`, 'subject');
  if (incomplete !== undefined) return inconclusive(missing, 'subject');
  return inconclusive(`no request arrived: the client could not connect${reason}`);
}

function reasonOf({ reason }: ClientReply): string {
  return reason === undefined ? '' : `: ${reason}`;
}

function judgeDeclined({ label: { input }, reply, asked }: Call): Finding | null {
  const isRefused = reply!.outcome === 'refused_locally';
  const reason = reasonOf(reply!);
  if (input === 'forbidden' && isRefused) return pass();
  if (input === 'hardening' || input === 'forbidden') {
    const what = isRefused ? 'declines an unusual input' : 'does not support the input';
    return { outcome: 'not-applicable', remark: `the client ${what}${reason}` };
  }
  if (input !== 'mandatory') return null;
  if (!isRefused) return inconclusive(`the client does not support the input${reason}`, 'configuration');
  const text = JSON.stringify(asked?.input) ?? 'the input';
  const excerpt = text.length <= 200 ? text : `${text.slice(0, 200)}…`;
  return fail(`a request with ${excerpt}`, `the client refused the input${reason}`);
}

export interface WireCase {
  readonly testCase: ClientCase;
  readonly exchange: Exchange;
  readonly reading: RequestReading;
  readonly judgeInput: ClientInput;
}

/** Null if the request is no evidence for the requirement. */
export type RequestJudge = (wire: WireCase) => Finding | null;

interface Needs {
  readonly body?: true;
  readonly address?: true;
}

/** The returned judge calls `judgeRequest` for each request. It also judges inputs for which no request was sent. */
export function wireJudge(operation: Operation | 'both', judgeRequest: RequestJudge, needs: Needs = {}): ClientJudge {
  const isSelected = (testCase: ClientCase) =>
    isJudgeable(testCase) && (operation === 'both' || testCase.label.operation === operation);
  const judge: ClientJudge = (judgeInput) => [
    ...judgeInput.cases.filter(isSelected).flatMap((testCase) =>
      testCase.exchanges.flatMap((exchange) => {
        const wire = { testCase, exchange, reading: readRequest(exchange), judgeInput };
        const finding = findingOf(wire, judgeRequest, needs);
        return finding === null ? [] : [{ testCase, exchange, finding }];
      }),
    ),
    ...unsentVerdicts(judgeInput.id, judgeInput.cases.filter(mustSend)),
  ];
  return Object.assign(judge, { isPerCase: true } as const);
}

/** False for probes, and for cases with a server certificate that the client must not trust. */
export function isJudgeable({ call: { label } }: ClientCase): boolean {
  return label.input !== 'probe' && untrustedCertificate(label) === undefined;
}

/** True if the client must send a request. A case that tests only the decoding of an answer needs no request. */
function mustSend(testCase: ClientCase): boolean {
  return isJudgeable(testCase) && (testCase.call.label.decoding === undefined || testCase.label.about !== undefined);
}

/** The certificate of a server that a client must not trust. Undefined for a trusted server. */
export function untrustedCertificate({ server = 'ordinary' }: Call['label']): string | undefined {
  return untrustedCertificates[server];
}

const untrustedCertificates: Partial<Record<ServerKind, string>> = {
  'other-authority': 'a certificate of another authority',
  'wrong-name': 'a certificate for another name',
  expired: 'an expired certificate',
};

function findingOf(wire: WireCase, judgeRequest: RequestJudge, needs: Needs): Finding | null {
  const { testCase, judgeInput } = wire;
  const { label } = testCase.call;
  const gap = gaps.find(({ loss, matters }) => lacks(testCase.call, loss) && matters(needs, judgeInput.id) === true);
  if (gap !== undefined && !gap.isFailureOnly) return lossFinding(testCase, gap.hint);
  if (label.input === 'forbidden' && label.about !== undefined) {
    if (label.about === judgeInput.id) return forbiddenFinding(testCase, wire.exchange);
    if (areValueRules(judgeInput.id, label.about)) return null;
  }
  const finding = judgeRequest(wire);
  if (finding?.outcome !== 'fail') return finding;
  if (gap !== undefined) return lossFinding(testCase);
  const { actual = '' } = finding;
  const hint = finding.hint ?? (actual.length > 200 ? undefined : oddValue(actual.replace(/, [^,]*$/, ''))?.fix);
  const mayBreak = prerequisitesOf(judgeInput.id).filter((id) => !isReadable(id, wire));
  return { ...finding, hint, ...(mayBreak.length > 0 && { because: { text: 'the part cannot be read', mayBreak } }) };
}

/** True if judges can read the part of the request that requirement `id` is about. */
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

/** True if the client probably writes no quotes at all, neither around column names nor around cells that need them. */
function lacksQuotes(testCase: ClientCase, exchange: Exchange): boolean {
  const batch = batchOf(testCase, exchange);
  if (batch?.hasBareNames !== true) return false;
  const cells = recurringInput(testCase)?.rows.flat();
  return cells === undefined ? batch.rowFaults.length > 0 : cells.some((cell) => /[;"\r\n]/.test(cell ?? ''));
}

function lossFinding({ call: { incomplete } }: ClientCase, hint?: string): Finding {
  return { ...inconclusive(`the record lacks ${incomplete}`), hint };
}

interface Gap {
  readonly loss: keyof typeof losses;
  readonly matters: (needs: Needs, id: RequirementId) => boolean | undefined;
  /** True if a pass still counts, and only a failure becomes inconclusive. */
  readonly isFailureOnly?: boolean;
  readonly hint?: string;
}

const gaps: readonly Gap[] = [
  { loss: 'requestBody', matters: ({ body }) => body },
  { loss: 'requestEnd', matters: ({ body }) => body },
  { loss: 'requestPart', matters: ({ body }) => body, isFailureOnly: true },
  {
    loss: 'authorization',
    matters: (_, id) => /^authentication\/|\/authorization-sent$/.test(id),
    hint: 'The recorder seems to have removed sensitive data. Record again with sensitive data. Browsers have an export command for this, and other tools have an option.',
  },
  // Even if characters are lost, one sees whether the body is a form. So the loss does not matter for the part `form`.
  { loss: 'characters', matters: ({ body }, id) => body && requirementById(id)?.part !== 'form', isFailureOnly: true },
  { loss: 'address', matters: ({ address }) => address, isFailureOnly: true },
];

/** True if the record may lack bytes that the client sent, or may have other bytes instead. */
export function hasLosses(testCase: ClientCase): boolean {
  return gaps.some(({ loss }) => loss !== 'address' && lacks(testCase.call, loss));
}
