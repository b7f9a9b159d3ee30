/** Right answers of each kind, split into the parts that operators change. */
import type { Case, CaseLabel } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { requestTime, targets } from './requests.ts';

/** JSON as it is written: names may repeat, and numbers keep their text. */
export type JsonNode =
  | { members: [name: string, value: JsonNode][] }
  | { items: JsonNode[] }
  | { text: string }
  | { raw: string };

/** A parameter of section 2.4, as it is sent. */
export interface Parameter {
  name: string;
  /** The value without its line feed. */
  value: string;
  end: string;
  equals: string;
}

/** A body of section 2.4. */
export interface ParameterBody {
  parameters: Parameter[];
  separator: string;
  before: string;
}

export interface TabledAnswer {
  readonly kind: string;
  readonly label: CaseLabel;
  scheme?: 'http' | 'https';
  status: number;
  headers: [name: string, value: string][];
  /** The body of a close-day answer. */
  root?: JsonNode;
  /** The body of the answer to a batch. Absent if it is empty. */
  recurring?: ParameterBody;
  silence?: NonNullable<Exchange['silence']>;
  /** The last change of the body. */
  spoil: (body: Buffer) => Uint8Array;
}

const html = (): [string, string][] => [
  ['Content-Type', 'text/html;charset=utf-8'],
  ['Date', 'Wed, 31 Jan 2024 23:59:59 GMT'],
];
const twin = { scenario: 'twin', number: 0 } as const;

const closeDay = (intent: 'valid' | 'open', more: Partial<CaseLabel> = {}): CaseLabel => ({
  operation: 'close-day',
  intent,
  ...more,
});
const batch = { operation: 'process-recurring-payments' } as const;
const rightCloseDay = closeDay('valid', {
  about: 'authentication/close-day-valid-accepted',
  facts: { gate: 'open', gates: 1 },
});
const noId = { operation: 'close-day', intent: 'fault', about: 'close-day/missing-request-id-refused', twin } as const;
const rightBatch = { ...batch, intent: 'valid', about: 'authentication/recurring-valid-accepted' } as const;
const noPayload = { ...batch, intent: 'fault', about: 'recurring/missing-payload-refused', twin } as const;
const closing = 'gate is closing already';

/** One function for each kind of right answer. */
export const answerMakers: readonly (() => TabledAnswer)[] = [
  () => finished('finished', rightCloseDay),
  () => finished('finished with two gates', closeDay('valid', { facts: { gates: 2 } }), 2),
  () =>
    finished('finished with a locked gate', closeDay('valid', { facts: { gate: 'locked', gates: 1 }, twin }), 1, true),
  () => finished('finished after the lock was removed', closeDay('valid', { about: 'close-day/lock-removal' })),
  () => finished('finished after a close by hand', closeDay('valid', { about: 'close-day/manual-close' })),
  () => wrap(finished('finished in an enclosing object', closeDay('open'))),
  () => failed('error', noId, '1', 'Café is closed'),
  () => failed('error 99', closeDay('open'), '99', closing),
  () => failed('error 99 of a closing gate', closeDay('valid', { facts: { gate: 'closing' }, twin }), '99', closing),
  () => ({ ...empty('accepted with an empty body', rightBatch, 200), silence: { waitedMs: 60_000 } }),
  () => withParameters('accepted with parameters', rightBatch, 200, 0),
  () => empty('refused with an empty body', noPayload, 403),
  () => withParameters('validation error', noPayload, 200, 1),
  () => withParameters('error 500 with an id', noPayload, 403, 2),
];

export function rightAnswers(): TabledAnswer[] {
  return answerMakers.map((make) => make());
}

function finished(kind: string, label: CaseLabel, gates = 1, locked = false): TabledAnswer {
  const items = Array.from({ length: gates }, (_, at) => gate(at, locked));
  return closeDayAnswer(kind, label, { status: { text: 'finished' }, gates: { items } });
}

function closeDayAnswer(kind: string, label: CaseLabel, response: Record<string, JsonNode>): TabledAnswer {
  const serial = '00000000-0000-0000-0000-000002d9b22a';
  const root = object({ response: object(response), theRequestSerialNumber: { text: serial } });
  return { kind, label, status: 200, headers: html(), root, spoil: (body) => body };
}

function gate(at: number, locked: boolean): JsonNode {
  return object({
    gateId: { raw: String(9_007_199_254_740_993n + BigInt(at)) },
    isDayClosing: { raw: String(locked) },
    gateCloseDate: { text: 'Wed Jan 31 23:59:59 UTC 2024' },
    epntId: { raw: '1111' },
    saleApprovedCount: { text: '2' },
    saleAmount: { text: '10.42' },
    reversalApprovedCount: { text: '1' },
    reversalAmount: { text: '0.94' },
    code39: { text: '00' },
    RRN: { text: '000000000042' },
  });
}

export function object(members: Record<string, JsonNode>): { members: [string, JsonNode][] } {
  return { members: Object.entries(members) };
}

export function printJson(node: JsonNode): string {
  if ('raw' in node) return node.raw;
  if ('text' in node) return JSON.stringify(node.text);
  if ('items' in node) return `[${node.items.map(printJson).join(',')}]`;
  return `{${node.members.map(([name, value]) => `${JSON.stringify(name)}:${printJson(value)}`).join(',')}}`;
}

export function gatesOf({ root }: TabledAnswer): { members: [string, JsonNode][] }[] {
  const gates = root === undefined ? undefined : membersNamed(root, 'gates')[0]?.[1];
  return gates !== undefined && 'items' in gates ? (gates.items as { members: [string, JsonNode][] }[]) : [];
}

/** All members with that name, at any depth. */
export function membersNamed(node: JsonNode, name: string): [string, JsonNode][] {
  if ('items' in node) return node.items.flatMap((item) => membersNamed(item, name));
  if (!('members' in node)) return [];
  return node.members.flatMap((member) => [...(member[0] === name ? [member] : []), ...membersNamed(member[1], name)]);
}

export function isClosing({ label }: TabledAnswer): boolean {
  return label.facts?.gate === 'closing';
}

/** True for all answers with error 99, which need no closing gate. */
export function isError99({ kind }: TabledAnswer): boolean {
  return kind.startsWith('error 99');
}

function failed(kind: string, label: CaseLabel, code: string, message: string): TabledAnswer {
  const texts = { status: { text: 'error' }, errorCode: { text: code }, errorMessage: { text: message } };
  return closeDayAnswer(kind, label, texts);
}

function wrap(answer: TabledAnswer): TabledAnswer {
  return { ...answer, root: object({ body: answer.root! }) };
}

function empty(kind: string, label: CaseLabel, status: number): TabledAnswer {
  const headers: [string, string][] = [
    ['Content-Length', '0'],
    ['Keep-Alive', 'timeout=60'],
    ['Connection', 'keep-alive'],
  ];
  return { kind, label, status, headers, spoil: (body) => body };
}

function withParameters(kind: string, label: CaseLabel, status: number, which: 0 | 1 | 2): TabledAnswer {
  const pairs = [
    { type: 'process-recurring-payment-response', status: 'processing', 'serial-number': '0042' },
    { type: 'validation-error', 'error-message': 'No+such+profile', 'error-code': '403' },
    { type: 'error', 'error-message': 'internal%20error', 'error-code': '500', 'error-id': 'a1' },
  ][which]!;
  const parameters = Object.entries(pairs).map(([name, value]): Parameter => ({ name, value, end: '\n', equals: '=' }));
  const recurring = { parameters, separator: '&', before: '' };
  return { kind, label, status, headers: [...html(), ['Keep-Alive', 'timeout=60']], recurring, spoil: (body) => body };
}

/** The serial-number of an earlier answer to an accepted batch. */
export const earlierSerial = '0041';

/** The case to judge, after a case that it needs: the accepted twin of a refusal, or an answer with another serial-number. */
export function casesOf(answer: TabledAnswer): readonly Case[] {
  const testCase: Case = { scenario: 'table', number: 1, label: answer.label, exchanges: [exchangeOf(answer)] };
  if (answer.kind === 'accepted with parameters') {
    const before = withParameters('earlier', answer.label, 200, 0);
    before.recurring!.parameters[2]!.value = earlierSerial;
    return [{ ...testCase, number: 0, exchanges: [exchangeOf(before)] }, testCase];
  }
  if (answer.label.twin === undefined) return [testCase];
  const right =
    answer.label.operation === 'close-day' ? finished('twin', testCase.label) : empty('twin', testCase.label, 200);
  const label = { operation: answer.label.operation, intent: 'valid' } as const;
  return [{ ...twin, label, exchanges: [exchangeOf(right)] }, testCase];
}

function exchangeOf({
  scheme = 'https',
  status,
  headers,
  root,
  recurring,
  silence,
  label,
  spoil,
}: TabledAnswer): Exchange {
  const body = spoil(Buffer.from(root === undefined ? printParameters(recurring) : printJson(root)));
  const to = { method: 'POST', scheme, host: 'gateway.test', target: targets[label.operation] } as const;
  return {
    request: { ...to, headers: [], body: Buffer.alloc(0) },
    response: { status, reason: '', headers, body },
    startedAt: requestTime * 1000,
    durationMs: 1,
    ...(silence === undefined ? {} : { silence }),
  };
}

function printParameters(
  { parameters, separator, before }: ParameterBody = { parameters: [], separator: '', before: '' },
) {
  return before + parameters.map(({ name, value, end, equals }) => name + equals + value + end).join(separator);
}
