/** What `--measure` asks: requests in which ways to sign differ, and limits with the requests that reach them. Pure. */
import { createHash } from 'node:crypto';
import { rightHeader } from '../../generators/authorization.ts';
import { decodeForm, type Pair } from '../protocol/form.ts';
import { measuringId } from '../record/case.ts';
import { closeDay, payments, recurring } from './requests.ts';
import type { Draw, RequestPlan, Scenario } from './scenario.ts';

/** Its requests depend on the answers, so that it has no plan; it is not one of those that are selected. */
export const measuring: Scenario = {
  id: measuringId,
  operation: 'close-day',
  title: 'What the gateway takes where the document is silent, in numbers',
  situation: 'open',
  effect: 'closes-day',
  shows: [],
  inFlight: 1,
  plan: () => [],
};

/** Its id is renewed for every request. */
export const plainRequest: RequestPlan = closeDay({ day_close_request_id: 'measured' });

export interface SigningProbe {
  readonly name: string;
  readonly request: RequestPlan;
}

/** One character each, since a gateway that reads one of them in its own way shows that by itself. */
const characters = [
  ' ', '+', '~', '*', '!', '!!', "'", '()', '/', ':', ',', '@', ';', '?', '-', '%41', 'é', 'e\u0301', '€', '😀', 'ä ö',
]; // biome-ignore format: a list of characters

/** The plainest first, and then each with as little besides as shows a difference: further fields above all, which a gateway may leave unread. */
export const probes: readonly SigningProbe[] = [
  { name: 'plain', request: plainRequest },
  ...characters.map((one) => both(one, `a${one}b`)),
  withFields('a + in the body', [['zz', 'a b']], (body) => body.replace('%20', '+')),
  withFields('a space as %20', [['zz', 'a b']], (body) => body.replace('+', '%20')),
  withFields('lower-case escapes in the body', [['zz', 'a/b']], (body) => body.replace('%2F', '%2f')),
  withFields('spaces around a value', [['zz', ' ab ']]),
  withFields('an empty value', [['zz', '']]),
  withFields('a name twice', 'zz=b&zz=a'),
  withFields('a name and its value twice', 'zz=a&zz=a'),
  withFields('capitals in a name', 'ZZ=a&zy=a'),
  withFields('a space in a name', [['z z', 'a']]),
  withFields('names that begin alike', 'zz=a&zz-=a&zz0=a'),
  withFields('names with numbers', 'zz10=a&zz9=a'),
  withFields('names that sort otherwise once encoded', 'zz:=a&zzA=a'),
  withFields('names beside those of oauth', 'aa=a&p=a&zz=a'),
  withFields('a line feed', [['zz', 'a\nb']]),
  withFields('a carriage return and a line feed', [['zz', 'a\r\nb']]),
  withFields('a line feed at the end', [['zz', 'a\n']]),
  { name: 'a query', request: { ...plainRequest, query: 'yy=b&xx=a' } },
  { name: 'a query with a space', request: { ...plainRequest, query: 'yy=a+b' } },
  { name: 'a realm', request: { ...plainRequest, header: (right) => header(right, '', [['realm', 'r']]) } },
];

function withFields(
  name: string,
  fields: readonly Pair[] | string,
  rawBody?: (encoded: string) => string,
): SigningProbe {
  const pairs = typeof fields === 'string' ? decodeForm(fields) : fields;
  const request = { ...plainRequest, body: [...plainRequest.body, ...pairs] };
  return { name, request: rawBody === undefined ? request : { ...request, rawBody } };
}

/** In the body and in a parameter of the header: one may be read otherwise than the other. */
function both(character: string, value: string): SigningProbe {
  return {
    name: JSON.stringify(character),
    request: {
      ...plainRequest,
      body: [...plainRequest.body, ['zz', value]],
      header: (right) => header(right, character, []),
    },
  };
}

function header(
  right: Parameters<NonNullable<RequestPlan['header']>>[0],
  nonceEnd: string,
  further: readonly Pair[],
): ReturnType<NonNullable<RequestPlan['header']>> {
  const plan = rightHeader({ operation: 'close-day', ...right, nonce: right.nonce + nonceEnd });
  return { ...plan, parameters: [...further, ...plan.parameters] };
}

/** `at` gives the value of a step: steps count from one that is surely taken, upwards or downwards. */
export interface Limit {
  readonly id: string;
  readonly at: (step: number) => number;
  /** The first step beyond the start; each further one is twice as far. */
  readonly first: number;
  readonly last: number;
  /** Part of the value that may stay unknown; by default none does. */
  readonly tolerance?: number;
  readonly request: (value: number, draw: Draw) => RequestPlan;
}

/** Close-day first: asked of a gate that is closing, an accepted request has no effect. */
export const limitsOfCloseDay: readonly Limit[] = [
  { id: 'timestamp-behind', at: (step) => step, first: 60, last: 172_800, request: (value) => shifted(-value) },
  { id: 'request-id-longest', at: (step) => 8 + step, first: 24, last: 248, request: withId },
  { id: 'request-id-shortest', at: (step) => 8 - step, first: 1, last: 7, request: withId },
  {
    id: 'body-bytes',
    at: (step) => 256 + step,
    first: 1792,
    last: 1024 * 1024 - 256,
    tolerance: 1 / 64,
    request: withBody,
  },
];

export const limitsOfBatches: readonly Limit[] = [
  { id: 'order-id-longest', at: (step) => 16 + step, first: 112, last: 1008, request: withOrder },
  { id: 'payment-id-longest', at: (step) => 10 + step, first: 1, last: 54, request: withPayment },
  { id: 'payment-id-shortest', at: (step) => 10 - step, first: 1, last: 9, request: withPayment },
  { id: 'rows', at: (step) => 1 + step, first: 1, last: 1023, request: withRows },
];

/** A gateway may take no timestamp before the last one that it took (A3): what is ahead of the clock comes last. */
export const limitAhead: Limit = { ...limitsOfCloseDay[0]!, id: 'timestamp-ahead', request: shifted };

function shifted(seconds: number): RequestPlan {
  return {
    ...plainRequest,
    header: (right) =>
      rightHeader({ operation: 'close-day', ...right, timestamp: String(Number(right.timestamp) + seconds) }),
  };
}

/** One of a documented length is renewed for every request; any other length is asked for once. */
function withId(length: number): RequestPlan {
  const letters = createHash('sha512').update(String(length)).digest('hex').repeat(2);
  return { ...closeDay({ day_close_request_id: letters.slice(0, length) }), keepsId: length < 8 || length > 32 };
}

/** The document gives the count no greatest length (2.1). */
function withBody(bytes: number): RequestPlan {
  const others = Buffer.byteLength('day_close_request_id=measured&sale_approved_count=');
  return closeDay({ day_close_request_id: 'measured', sale_approved_count: '1'.repeat(bytes - others) });
}

function withOrder(length: number, draw: Draw): RequestPlan {
  const [, id = '', amount = ''] = draw.payment(['', '1234567890', '1.00']);
  return recurring(payments([[`cs0000000000-${'A'.repeat(length)}`.slice(0, length), id, amount]]));
}

/** Other ids than those that a configuration lists are never sent to a live target. */
function withPayment(length: number, draw: Draw): RequestPlan {
  const [, , amount = ''] = draw.payment(['', '1234567890', '1.00']);
  return recurring(payments([['cs0000000000-A', '1'.repeat(length), amount]]));
}

function withRows(count: number, draw: Draw): RequestPlan {
  const rows = Array.from({ length: count }, (_, at) => {
    const [, id = '', amount = ''] = draw.payment(['', '1234567890', '1.00']);
    return [`cs0000000000-${at}`, id, amount];
  });
  return recurring(payments(rows));
}
