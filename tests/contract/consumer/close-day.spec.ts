/** The Pact contract of a client of close-day (sections 2.1, 2.2, 3, 4.1, 7). */
import { MatchersV3 } from '@pact-foundation/pact';
import { expect, test } from '../../engine.ts';
import { anyText, authorization, type ClientRequest, closeDay, closeDayRequest, requestOf, send } from './client.ts';
import { contractOf, failed, finished, gate, type Interaction, serial } from './contract.ts';

const { boolean, equal, string } = MatchersV3;

// All interactions are written to one file, which the last test compares.
test.describe.configure({ mode: 'serial' });
const contract = contractOf('close-day-client');
test.afterAll(() => contract.remove());

/** An id identifies one request (2.1), so each interaction has another id. */
const id = (number: number) => ({ day_close_request_id: `CloseDay2026013${number}` });
const sales = { sale_approved_count: '2', sale_approved_sum: '10.42' };
const totals = { ...sales, reversal_approved_count: '1', reversal_approved_sum: '0.94' };

const refusal = failed({ form: anyText, example: '400' }, string('the request was refused'));
const refused = { kind: 'error', errorCode: '400', serial };

/** An interaction: its state, request and answer, and what the client reads. A wrong id fits no other interaction. */
const interactions: readonly {
  readonly fact: string;
  readonly state: string;
  readonly description?: string;
  readonly request: ClientRequest;
  /** The forms of the fields, if one is wrong on purpose. */
  readonly forms?: Readonly<Record<string, string>>;
  readonly response: Interaction['response'];
  readonly read: Record<string, unknown>;
}[] = [
  {
    fact: 'a finished close-day is read gate by gate',
    state: 'gate open',
    request: closeDayRequest('1111', id(1)),
    response: finished('1111', boolean(false)),
    read: { kind: 'finished', serial, wrapped: false, gates: [gate('1111', false)] },
  },
  {
    fact: 'totals of the client may come along',
    state: 'gate open with these totals',
    description: ' with totals',
    request: closeDayRequest('1111', { ...id(2), ...totals }),
    response: finished('1111', boolean(false)),
    read: { kind: 'finished' },
  },
  {
    fact: 'a gate that stays locked is told from one that is free',
    state: 'gate stays locked',
    description: ' of a locked gate',
    request: closeDayRequest('1113', id(3)),
    response: finished('1113', equal(true)),
    read: { kind: 'finished', serial, wrapped: false, gates: [gate('1113', true)] },
  },
  {
    fact: 'a gate that is already closing is error 99',
    state: 'gate closing',
    description: 'a request to close a day that is being closed',
    request: closeDayRequest('1112', id(4)),
    response: failed({ form: '^99$', example: '99' }, 'gate is closing already'),
    read: { kind: 'error', errorCode: '99', errorMessage: 'gate is closing already', serial },
  },
  {
    fact: 'a wrong signature is an error, never a finished day',
    state: 'bad signature',
    description: ' with a wrong signature',
    request: closeDayRequest('1111', id(5), 'wrong'),
    response: failed({ form: anyText, example: '403' }, string('the signature does not verify')),
    read: { kind: 'error', errorCode: '403', serial },
  },
  {
    fact: 'each of several gates has a result',
    state: 'several gates',
    description: ' of several gates',
    request: closeDayRequest('1114', id(6)),
    response: finished('1114', boolean(false), 3),
    read: { kind: 'finished', gates: [{}, {}, {}] },
  },
  {
    fact: 'a request without a signature is an error, never a finished day',
    state: 'no signature',
    description: ' without a signature',
    request: closeDayRequest('1111', id(7), 'none'),
    response: refusal,
    read: refused,
  },
  {
    fact: 'a request with an id of seven characters is an error, never a finished day',
    state: 'id too short',
    description: ' with an id of seven characters',
    request: closeDayRequest('1111', { day_close_request_id: 'Close31' }),
    forms: { day_close_request_id: '^[A-Za-z0-9]{1,7}$' },
    response: refusal,
    read: refused,
  },
  {
    fact: 'a request without an id is an error, never a finished day',
    state: 'no id',
    description: ' without an id',
    request: { ...closeDayRequest('1111', id(8)), body: [['sale_approved_count', '2']] },
    forms: { sale_approved_count: anyText },
    response: refusal,
    read: refused,
  },
];

for (const { fact, state, description: more = '', request, forms, response, read } of interactions) {
  test(fact, async () => {
    const description = more.startsWith('a ') ? more : `a request to close the day${more}`;
    const interaction = { state, description, request: requestOf(request, forms), response };
    expect(await contract.verify(interaction, (baseUrl) => closeDay(baseUrl, request))).toMatchObject(read);
  });
}

const right = closeDayRequest('1111', id(1));
type Sent = readonly [what: string, request: ClientRequest, header?: (value: string) => string, contentType?: string];
const formType = 'application/x-www-form-urlencoded';

const mismatches: readonly Sent[] = [
  ['an id of seven characters', closeDayRequest('1111', { day_close_request_id: 'Close31' })],
  ['an id with a hyphen', closeDayRequest('1111', { day_close_request_id: 'Close-20260131' })],
  ['a field that 2.1 does not name', { ...right, body: [...right.body, ['currency', 'EUR']] }],
  ['a header without a nonce', right, (value) => value.replace(/oauth_nonce="[^"]*", */, '')],
  ['the signature method of the other operation', right, (value) => value.replace('HMAC-SHA1', 'RSA-SHA256')],
  ['a signature that is not percent-encoded', right, (value) => value.replace('%3D', '=')],
  ['another content type', right, (value) => value, 'text/plain'],
];

const matches: readonly Sent[] = [
  ['another id', closeDayRequest('1111', { day_close_request_id: 'a1b2c3d4' })],
  ['an id with letters outside of ASCII', closeDayRequest('1111', { day_close_request_id: 'Tagesschlußß31' })],
  ['no white space between the parameters', right, (value) => value.replaceAll(', ', ',')],
  ['other white space between the parameters', right, (value) => value.replaceAll(', ', ' ,\t').replace(' ', '  ')],
  ['the parameters in another order', right, reversedParameters],
  ['a realm and the scheme in small letters', right, (value) => value.replace('OAuth ', 'oauth realm="a b", ')],
  ['a content type with a charset', right, (value) => value, `${formType}; charset=UTF-8`],
  ['a content type in capitals', right, (value) => value, formType.toUpperCase()],
];

for (const [what, ...sent] of mismatches) {
  test(`the contract refuses ${what}`, async () => {
    await expect(sendTo(...sent)).rejects.toThrow('The following request was incorrect');
  });
}

for (const [what, ...sent] of matches) {
  test(`the contract takes ${what}`, async () => {
    expect((await sendTo(...sent)).status).toBe(200);
  });
}

/** Sends the request to the first interaction of a separate contract, so that nothing is written to the Pact file. */
async function sendTo(request: ClientRequest, header?: (value: string) => string, contentType?: string) {
  const other = contractOf('other');
  const common = { state: 'gate open', description: 'a request to close the day', request: requestOf(right) };
  const interaction = { ...common, response: finished('1111', boolean(false)) };
  const use = (baseUrl: string) =>
    send(baseUrl, request, header?.(authorization(request, 'http', new URL(baseUrl).host)), contentType);
  return other.verify(interaction, use).finally(() => other.remove());
}

function reversedParameters(header: string): string {
  return `OAuth ${header.slice('OAuth '.length).split(', ').reverse().join(', ')}`;
}

test('the committed file has the interactions of these tests', async () => {
  await contract.expectCommitted(test.info());
});
