/** The sentences of validate(): where the fault is, what is there, and what must be there. */
import { type SchemaName, schemaNames, validate, validatePayload } from '../../../schemas/index.ts';
import { expect, test } from '../../engine.ts';
import { gate, serial } from '../rules/sample-cases.ts';

const oauth = {
  oauth_consumer_key: 'shop',
  oauth_signature_method: 'HMAC-SHA1',
  oauth_timestamp: '1669966913',
  oauth_nonce: 'y3qlvMPky7g',
  oauth_version: '1.0',
  oauth_signature: 'd/IPlITUmPcniwjA7Vckjr6WQeE=',
};

test('a finished answer fits, with members beyond the documented ones', () => {
  expect(
    sentences('close-day-finished', {
      response: { status: 'finished', gates: [{ ...gate, more: 1 }] },
      theRequestSerialNumber: serial,
      more: {},
    }),
  ).toEqual([]);
});

const wrongGates: [change: object, sentence: string][] = [
  [{ gateId: 1.5 }, 'gateId is 1.5 (number); it must be a whole number'],
  [{ isDayClosing: 'true' }, 'isDayClosing is "true" (text); it must be true or false'],
  [{ saleApprovedCount: 2 }, 'saleApprovedCount is 2 (number); it must be text (in quotes)'],
  [{ saleAmount: '10.4' }, 'saleAmount is "10.4" (text); it must be a decimal number with two fractional digits'],
  [{ code39: null }, 'code39 is null; it must be text'],
  [{ RRN: ['1'] }, 'RRN is a list of one; it must be text'],
  [
    { gateCloseDate: '2024-01-31' },
    'gateCloseDate is "2024-01-31" (text); it must be a date such as "Wed Jan 31 23:59:59 UTC 2024"',
  ],
];
test('a wrong member of a gate result is named with its value and its type', () => {
  for (const [change, sentence] of wrongGates)
    expect(sentences('gate-result', { ...gate, ...change })).toEqual([sentence]);
});

test('a member deep in an answer is named with its path', () => {
  const response = { status: 'finished', gates: [{ ...gate, gateId: '12' }] };
  const [path, value] = ['response.gates[0].gateId', '12'];
  const sentence = `${path} is "12" (text); it must be a whole number`;
  expect(validate('close-day-finished', { response, theRequestSerialNumber: serial })).toEqual([
    { path, rule: 'type', value, sentence },
  ]);
});

const { RRN: _, ...withoutRrn } = gate;
const refused = { status: 'error', errorCode: '99', errorMessage: 'gate is closing already' };
const others: readonly (readonly [name: SchemaName, value: unknown, sentence: string])[] = [
  ['gate-result', withoutRrn, 'RRN is missing'],
  [
    'close-day-finished',
    { response: { status: 'finished', gates: [] }, theRequestSerialNumber: serial },
    'response.gates is an empty list; it must be a list of one result for each gate',
  ],
  [
    'close-day-error',
    { response: refused, theRequestSerialNumber: '2d9b22a' },
    'theRequestSerialNumber is "2d9b22a" (text); it must be five groups of 8, 4, 4, 4 and 12 hexadecimal digits joined by dashes',
  ],
  [
    'authorization/process-recurring-payments',
    oauth,
    'oauth_signature_method is "HMAC-SHA1" (text); it must be "RSA-SHA256"',
  ],
  [
    'close-day-request',
    { day_close_request_id: ['a1b2c3d4', 'a1b2c3d4'] },
    'day_close_request_id is a list of 2; it must be text',
  ],
  [
    'csv-row',
    { 'client-orderid': 'order-1', 'recurring-payment-id': '1234567890', 'amount-from': '1.00' },
    'the value is an object; it must be a row with amount, or with amount-from and amount-to, or with amount-sequence',
  ],
];

test('each fault has one sentence, and a zero-padded serial number is none', () => {
  for (const [name, value, sentence] of others) expect(sentences(name, value), name).toEqual([sentence]);
  expect(sentences('close-day-error', { response: refused, theRequestSerialNumber: serial })).toEqual([]);
});

test('a long value is cut in the sentence and whole in the fault', () => {
  const [fault] = validate('csv-row', {
    'client-orderid': 'A'.repeat(129),
    'recurring-payment-id': '1',
    amount: '1.00',
  });
  expect(fault!.sentence).toBe(
    `client-orderid is "${'A'.repeat(60)}"… (text of 129 characters); it must be at most 128 characters long`,
  );
  expect(fault!.value).toBe('A'.repeat(129));
});

test('a message has the length of a list in words', () => {
  const plan = { formatVersion: 1, profiles: ['strict', 'strict'], clients: [{ name: 'x', only: [] }] };
  expect(validate('matrix-plan', plan).map(({ sentence }) => sentence)).toEqual([
    'profiles is a list of 2; it must not contain an item twice',
    'clients[0].only is an empty list; it must not be empty',
  ]);
});

/** Schemas of texts as received, before they are parsed. */
const bodies: readonly SchemaName[] = ['form-body', 'recurring-parameters-body'];

const lists: readonly SchemaName[] = ['command-output/adapter-check', 'command-output/listing'];

test('every schema refuses what is not an object, or not a list, in one sentence', () => {
  for (const name of schemaNames.filter((one) => !bodies.includes(one))) {
    const kind = lists.includes(name) ? 'a list' : 'an object';
    for (const value of [null, 'text', 42, kind === 'a list' ? {} : []])
      expect(sentences(name, value)[0], name).toMatch(new RegExp(`^the value is .+; it must be ${kind}$`));
  }
  for (const name of bodies) expect(validate(name, 42).length, name).toBeGreaterThan(0);
});

test('a value that is too deep to be checked is one fault, and not the end of the stack', () => {
  const deep = JSON.parse(`${'{"a":['.repeat(100_000)}${']}'.repeat(100_000)}`);
  for (const name of schemaNames) {
    expect(validate(name, { format: 'countersign-report', further: deep })).toEqual([
      { path: '', rule: 'beyond', value: undefined, sentence: 'lists or objects are nested more than 500 deep' },
    ]);
  }
});

test('a text that is too long for a pattern is one fault of a file, in words; of a payload its schema says nothing', () => {
  const long = `payload=${'A'.repeat(10_000_000)}`;
  expect(sentences('form-body', long)).toEqual(['one of its texts is too long to be checked']);
  expect(() => validatePayload('form-body', long)).toThrow(RangeError);
});

function sentences(name: SchemaName, value: unknown): string[] {
  return validate(name, value).map((fault) => fault.sentence);
}
