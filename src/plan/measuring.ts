/** Requests of `--measure`: some find out how a gateway signs, and others find its limits. */
import { createHash } from 'node:crypto';
import { type HeaderPlan, validHeader } from '../../generators/authorization.ts';
import { decodeForm, type Pair } from '../protocol/form.ts';
import { measuringId } from '../record/case.ts';
import { batchOf, closeDay } from './requests.ts';
import type { Draw, FreshHeader, RequestPlan, Scenario } from './scenario.ts';

/** The scenario of `--measure`. Its plan is empty, because its requests depend on the answers. No run can select it. */
export const measuring: Scenario = {
  id: measuringId,
  operation: 'close-day',
  title: 'Limits and forms that the document does not define',
  situation: 'open',
  effect: 'closes-day',
  shows: [],
  maxInFlight: 1,
  plan: () => [],
};

export const plainRequest: RequestPlan = closeDay({ day_close_request_id: 'measured' });

export interface SigningProbe {
  readonly name: string;
  readonly request: RequestPlan;
}

/** Each text has its own probe, so that a refused probe shows which characters are signed differently. */
const texts = [
  ' ', '+', '~', '*', '!', '!!', "'", '()', '/', ':', ',', '@', ';', '?', '-', '%41', 'é', 'e\u0301', '€', '😀', 'ä ö',
]; // biome-ignore format: a list of characters

/** The first probe is a plain request. Each other probe adds one property, usually an unknown field. */
export const probes: readonly SigningProbe[] = [
  { name: 'plain', request: plainRequest },
  ...texts.map(inBodyAndNonce),
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
  { name: 'a realm', request: { ...plainRequest, header: withRealm } },
];

function withFields(
  name: string,
  fields: readonly Pair[] | string,
  rawBody?: (encoded: string) => string,
): SigningProbe {
  const pairs = typeof fields === 'string' ? decodeForm(fields) : fields;
  return { name, request: { ...plainRequest, body: [...plainRequest.body, ...pairs], rawBody } };
}

/** Puts the text into the body and into the nonce, because a gateway may decode body and header differently. */
function inBodyAndNonce(text: string): SigningProbe {
  const { name, request } = withFields(JSON.stringify(text), [['zz', `a${text}b`]]);
  return { name, request: { ...request, header: (fresh) => header({ ...fresh, nonce: fresh.nonce + text }) } };
}

function header(fresh: FreshHeader): HeaderPlan {
  return validHeader({ operation: 'close-day', ...fresh });
}

function withRealm(fresh: FreshHeader): HeaderPlan {
  const plan = header(fresh);
  return { ...plan, parameters: [['realm', 'r'], ...plan.parameters] };
}

/** How to search for a limit. `valueAt` maps a step to a tested value. The value of step 0 is valid. */
export interface Limit {
  readonly id: string;
  readonly valueAt: (step: number) => number;
  /** The first step to test. The step doubles until a value is refused or `last` is reached. */
  readonly first: number;
  readonly last: number;
  /** Maximum relative error of the step that is found. Default 0: the limit is exact. */
  readonly tolerance?: number;
  readonly request: (value: number, draw: Draw) => RequestPlan;
}

/** The suite measures these limits first, because they can be harmless: at a closing gate, they close no day. */
export const limitsOfCloseDay: readonly Limit[] = [
  { id: 'timestamp-behind', valueAt: (step) => step, first: 60, last: 172_800, request: (value) => shifted(-value) },
  { id: 'request-id-longest', valueAt: (step) => 8 + step, first: 24, last: 248, request: withId },
  { id: 'request-id-shortest', valueAt: (step) => 8 - step, first: 1, last: 7, request: withId },
  {
    id: 'body-bytes',
    valueAt: (step) => 256 + step,
    first: 1792,
    last: 1024 * 1024 - 256,
    tolerance: 1 / 64,
    request: withBody,
  },
];

export const limitsOfBatches: readonly Limit[] = [
  { id: 'order-id-longest', valueAt: (step) => 16 + step, first: 112, last: 1008, request: withOrder },
  { id: 'payment-id-longest', valueAt: (step) => 10 + step, first: 1, last: 54, request: withPayment },
  { id: 'payment-id-shortest', valueAt: (step) => 10 - step, first: 1, last: 9, request: withPayment },
  { id: 'rows', valueAt: (step) => 1 + step, first: 1, last: 1023, request: withRows },
];

/** Measure this limit last: after a future timestamp, a gateway may refuse the current time (A3). */
export const limitAhead: Limit = { ...limitsOfCloseDay[0]!, id: 'timestamp-ahead', request: shifted };

function shifted(seconds: number): RequestPlan {
  return {
    ...plainRequest,
    header: (fresh) => header({ ...fresh, timestamp: String(Number(fresh.timestamp) + seconds) }),
  };
}

/** The id is a placeholder if its length is valid (8 to 32): each request then gets a new id of this length. */
function withId(length: number): RequestPlan {
  const letters = createHash('sha512').update(String(length)).digest('hex').repeat(2);
  return { ...closeDay({ day_close_request_id: letters.slice(0, length) }), keepsId: length < 8 || length > 32 };
}

/** Fills the body with a long count, because section 2.1 does not limit the length of a count. */
function withBody(bytes: number): RequestPlan {
  const prefixBytes = Buffer.byteLength('day_close_request_id=measured&sale_approved_count=');
  return closeDay({ day_close_request_id: 'measured', sale_approved_count: '1'.repeat(bytes - prefixBytes) });
}

function withOrder(length: number, draw: Draw): RequestPlan {
  return batchOf([measuredRow(`cs0000000000-${'A'.repeat(length)}`.slice(0, length), draw)]);
}

/** The suite sends this batch only to the mock. A live target gets only payment ids from its configuration. */
function withPayment(length: number, draw: Draw): RequestPlan {
  return batchOf([measuredRow('cs0000000000-A', draw).with(1, '1'.repeat(length))]);
}

function withRows(count: number, draw: Draw): RequestPlan {
  return batchOf(Array.from({ length: count }, (_, at) => measuredRow(`cs0000000000-${at}`, draw)));
}

function measuredRow(order: string, draw: Draw): string[] {
  return draw.payment(['', '1234567890', '1.00']).with(0, order);
}
