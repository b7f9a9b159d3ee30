/** Right answers of each kind, in the parts that the operators of the tables change. */
import type { Case, CaseLabel } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { type JsonNode, object, printJson, rightCloseDayAnswer } from '../mutations/close-day-answers.ts';
import { type Parameter, type RecurringAnswer, recurringAnswerBytes } from '../mutations/recurring-answers.ts';
import { requestTime } from '../mutations/requests.ts';

export interface TabledAnswer {
  /** What kind of answer it is. */
  readonly kind: string;
  readonly label: CaseLabel;
  /** In place of https. */
  scheme?: 'http' | 'https';
  status: number;
  headers: [name: string, value: string][];
  /** The body of a close-day answer. */
  root?: JsonNode;
  /** The body of the answer to a batch; empty without. */
  recurring?: RecurringAnswer;
  silence?: NonNullable<Exchange['silence']>;
  /** What is done to the body at last. */
  spoil: (body: Buffer) => Uint8Array;
}

const closeDay = { operation: 'close-day' } as const;
const batch = { operation: 'process-recurring-payments' } as const;
const html = (): [string, string][] => [
  ['Content-Type', 'text/html;charset=utf-8'],
  ['Date', 'Wed, 31 Jan 2024 23:59:59 GMT'],
];
const twin = { scenario: 'twin', number: 0 } as const;

/** Makes each of them anew. */
export function rightAnswers(): TabledAnswer[] {
  return [
    finished('finished', {
      ...closeDay,
      intent: 'valid',
      about: 'authentication/close-day-valid-accepted',
      facts: { gate: 'open', gates: 1 },
    }),
    finished('finished with two gates', { ...closeDay, intent: 'valid', facts: { gates: 2 } }, 2),
    finished(
      'finished with a locked gate',
      { ...closeDay, intent: 'valid', facts: { gate: 'locked', gates: 1 }, twin },
      1,
      true,
    ),
    finished('finished after the lock was removed', { ...closeDay, intent: 'valid', about: 'close-day/lock-removal' }),
    finished('finished after a close by hand', { ...closeDay, intent: 'valid', about: 'close-day/manual-close' }),
    wrapped(finished('finished in an enclosing object', { ...closeDay, intent: 'open' })),
    failed(
      'error',
      { ...closeDay, intent: 'fault', about: 'close-day/missing-request-id-refused', twin },
      '1',
      'Café is closed',
    ),
    failed('error 99', { ...closeDay, intent: 'open' }, '99', 'gate is closing already'),
    failed(
      'error 99 of a closing gate',
      { ...closeDay, intent: 'valid', facts: { gate: 'closing' }, twin },
      '99',
      'gate is closing already',
    ),
    {
      ...empty(
        'accepted with an empty body',
        { ...batch, intent: 'valid', about: 'authentication/recurring-valid-accepted' },
        200,
      ),
      silence: { waitedMs: 60_000 },
    },
    withParameters(
      'accepted with parameters',
      { ...batch, intent: 'valid', about: 'authentication/recurring-valid-accepted' },
      200,
      0,
    ),
    empty(
      'refused with an empty body',
      { ...batch, intent: 'fault', about: 'recurring/missing-payload-refused', twin },
      403,
    ),
    withParameters(
      'validation error',
      { ...batch, intent: 'fault', about: 'recurring/missing-payload-refused', twin },
      200,
      1,
    ),
    withParameters(
      'error 500 with an id',
      { ...batch, intent: 'fault', about: 'recurring/missing-payload-refused', twin },
      403,
      2,
    ),
  ];
}

function finished(kind: string, label: CaseLabel, gates = 1, locked = false): TabledAnswer {
  const rolls = [1, gates - 1];
  const { root } = rightCloseDayAnswer({ below: () => rolls.shift()!, of: (list) => list[0]! });
  const answer = { kind, label, status: 200, headers: html(), root, spoil: (body: Buffer) => body };
  if (locked)
    for (const gate of gatesOf(answer)) gate.members.find(([name]) => name === 'isDayClosing')![1] = { raw: 'true' };
  return answer;
}

/** The gate results of an answer. */
export function gatesOf({ root }: TabledAnswer): { members: [string, JsonNode][] }[] {
  const gates = root === undefined ? undefined : membersNamed(root, 'gates')[0]?.[1];
  return gates !== undefined && 'items' in gates ? (gates.items as { members: [string, JsonNode][] }[]) : [];
}

/** The members of that name, at any depth. */
export function membersNamed(node: JsonNode, name: string): [string, JsonNode][] {
  if ('items' in node) return node.items.flatMap((item) => membersNamed(item, name));
  if (!('members' in node)) return [];
  return node.members.flatMap((member) => [...(member[0] === name ? [member] : []), ...membersNamed(member[1], name)]);
}

/** Whether a gate of the endpoint was closing already. */
export function isClosing({ label }: TabledAnswer): boolean {
  return label.facts?.gate === 'closing';
}

/** Whether a gate was closing already by its state or by the message of the answer. */
export function saysClosing({ kind }: TabledAnswer): boolean {
  return kind.startsWith('error 99');
}

function failed(kind: string, label: CaseLabel, code: string, message: string): TabledAnswer {
  const answer = finished(kind, label);
  membersNamed(answer.root!, 'response')[0]![1] = object({
    status: { text: 'error' },
    errorCode: { text: code },
    errorMessage: { text: message },
  });
  return answer;
}

function wrapped(answer: TabledAnswer): TabledAnswer {
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
  const pairs: readonly (readonly [string, string])[] = [
    [
      ['type', 'process-recurring-payment-response'],
      ['status', 'processing'],
      ['serial-number', '0042'],
    ] as const,
    [
      ['type', 'validation-error'],
      ['error-message', 'No+such+profile'],
      ['error-code', '403'],
    ] as const,
    [
      ['type', 'error'],
      ['error-message', 'internal+error'],
      ['error-code', '500'],
      ['error-id', 'a1'],
    ] as const,
  ][which]!;
  const parameters = pairs.map(([name, value]): Parameter => ({ name, value, end: '\n', equals: '=' }));
  const recurring = { status, parameters, separator: '&', before: '', after: '' };
  return { kind, label, status, headers: [...html(), ['Keep-Alive', 'timeout=60']], recurring, spoil: (body) => body };
}

/** The serial-number of the answer before that to an accepted batch. */
export const earlierSerial = '0041';

/** What is judged, the last of them: before it the accepted twin that a refusal needs, or an answer with another serial-number. */
export function casesOf(answer: TabledAnswer): readonly Case[] {
  const examined: Case = { scenario: 'table', number: 1, label: answer.label, exchange: exchangeOf(answer) };
  if (answer.kind === 'accepted with parameters') {
    const before = withParameters('earlier', answer.label, 200, 0);
    before.recurring!.parameters[2]!.value = earlierSerial;
    return [{ ...examined, number: 0, exchange: exchangeOf(before) }, examined];
  }
  if (answer.label.twin === undefined) return [examined];
  const right =
    answer.label.operation === 'close-day' ? finished('twin', examined.label) : empty('twin', examined.label, 200);
  const label = { operation: answer.label.operation, intent: 'valid' } as const;
  return [{ ...twin, label, exchange: exchangeOf(right) }, examined];
}

function exchangeOf({ scheme, status, headers, root, recurring, silence, label, spoil }: TabledAnswer): Exchange {
  const written = recurring === undefined ? Buffer.alloc(0) : recurringAnswerBytes(recurring);
  const body = spoil(Buffer.from(root === undefined ? written : printJson(root)));
  const path = label.operation === 'close-day' ? '/api/v2/close-day/1111' : '/api/v4/process-recurring-payments/1111';
  return {
    request: {
      method: 'POST',
      scheme: scheme ?? 'https',
      host: 'gateway.test',
      target: path,
      headers: [],
      body: Buffer.alloc(0),
    },
    response: { status, reason: '', headers, body },
    startedAt: requestTime * 1000,
    durationMs: 1,
    ...(silence === undefined ? {} : { silence }),
  };
}
