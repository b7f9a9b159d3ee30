/** The Pact contract of a client of process-recurring-payments (section 4.2). */
import { MatchersV3, type Rules, type V3Response } from '@pact-foundation/pact';
import { expect, test } from '../../engine.ts';
import { type ClientRequest, processRecurring, recurringRequest, requestOf } from './client.ts';
import { contractOf, htmlForm, type Interaction, regexRule } from './contract.ts';

test.describe.configure({ mode: 'serial' });
const contract = contractOf('recurring-payments-client');
test.afterAll(() => contract.remove());

/** Only plain values, because quoted cells, further columns and long batches are open points. */
const rows = [
  ['order-2026-0001', '1234567890', '1.00'],
  ['order-2026-0002', '1234567891', '10.42'],
];

/** The part of the answer that the client reads. `what` ends the description of the interaction. */
function readOf(state: string, what: string, request: ClientRequest, response: Interaction['response'], forms?: Forms) {
  const description = `a batch of recurring payments${what}`;
  return contract.verify({ state, description, request: requestOf(request, forms), response }, (baseUrl) =>
    processRecurring(baseUrl, request),
  );
}

type Forms = Parameters<typeof requestOf>[1];

test('an empty 200 is an accepted batch, and an empty 403 a refused one', async () => {
  const right = recurringRequest('1111', rows);
  expect(await readOf('profile exists', '', right, empty(200))).toEqual({ kind: 'accepted' });
  const wrong = recurringRequest('1111', rows, 'wrong');
  const read = await readOf('bad signature', ' with a wrong signature', wrong, empty(403));
  expect(read).toEqual({ kind: 'refused', httpStatus: 403 });
});

/** Refused requests, each with its provider state. */
const refused = [
  ['no signature', 'without a signature', recurringRequest('1111', rows, 'none')],
  ['batch without a column', 'without recurring-payment-id', withPayload('"client-orderid";"amount"\nA;1.00\n')],
  ['payload not base64', 'that is not base64', { ...withPayload(''), body: [['payload', 'not base64!']] as const }],
] as const;

for (const [state, what, request] of refused) {
  test(`a batch ${what} is an empty 403`, async () => {
    const forms = { payload: state === 'payload not base64' ? '^.*[^A-Za-z0-9+/=].*$' : '^[A-Za-z0-9+/]+={0,2}$' };
    const read = await readOf(state, ` ${what}`, request, empty(403), forms);
    expect(read).toEqual({ kind: 'refused', httpStatus: 403 });
  });
}

/** Bodies of section 2.4: each type, with each code of the types that have one. */
const bodies = [
  ['process-recurring-payment-response', undefined],
  ...(['validation-error', 'error'] as const).flatMap((type) =>
    (['200', '403', '500'] as const).map((code) => [type, code] as const),
  ),
] as const;

for (const [type, code] of bodies) {
  const what = code === undefined ? 'a response' : `${type} ${code}`;
  test(`a body of 2.4 with ${what} is read`, async () => {
    const right = recurringRequest('1111', rows);
    const state = `answers with ${what}`;
    const read = await readOf(state, ` that is answered with ${what}`, right, parameters(type, code));
    expect(read).toMatchObject({ kind: 'parameters', type });
  });
}

function withPayload(csv: string) {
  const payload = Buffer.from(csv).toString('base64');
  return { ...recurringRequest('1111', rows), body: [['payload', payload]] as const };
}

/** The status of such a body is open (A17), and so is the form of its line feeds (A18). */
function parameters(type: string, code: string | undefined): V3Response & { rules: Rules } {
  const [example, form] =
    code === undefined
      ? [
          'status=processing\n&serial-number=00000000-0000-0000-0000-000002d9b22a\n',
          'status=[^&]+\\n&serial-number=[^&]+\\n',
        ]
      : [`error-message=refused\n&error-code=${code}\n`, `error-message=[^&]*\\n&error-code=${code}\\n`];
  return {
    status: 200,
    headers: { 'Content-Type': MatchersV3.regex(htmlForm, 'text/html;charset=utf-8') },
    contentType: 'text/plain',
    body: `type=${type}\n&${example}`,
    rules: { body: [{ path: '$', rules: [regexRule(`^type=${type}\\n&${form}$`) as never] }] },
  };
}

test('the committed file has the interactions of these tests', async () => {
  await contract.expectCommitted(test.info());
});

/** Pact accepts any body where an empty one is expected, so the contract expects Content-Length 0. */
function empty(status: number): V3Response {
  return { status, headers: { 'Content-Length': '0' } };
}
