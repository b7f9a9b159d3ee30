/** What a client's requests show about open points is recorded, each value once. */
import type { ClientCase } from '../../../../src/record/case.ts';
import { splitBaseUrl } from '../../../../src/rules/client/asked.ts';
import { observeClient } from '../../../../src/rules/observe.ts';
import { hostNotes, junkNotes } from '../../../../src/verdict/client/client-evidence.ts';
import { expect, test } from '../../../engine.ts';
import { closeDay, fields, recurring, withCall } from './sample-requests.ts';

const values = (cases: readonly ClientCase[]) =>
  observeClient(cases).map(({ openPoint, value }) => `${openPoint} ${value}`);

test('the form of header, body and CSV is recorded', () => {
  expect(values([closeDay({ input: { ...fields, sale_approved_sum: '1 0' } }), recurring()])).toEqual([
    'A1 a space in the form body is sent as +',
    'A4 parameters in the order consumer_key, signature_method, timestamp, nonce, version, signature',
    'A4 parameters separated by ", "',
    'A12 cells of data are bare',
    'A12 lines end in LF',
    'A12 the last line ends too',
  ]);
});

test('other forms of the CSV are told apart', () => {
  const csv = (text: string) =>
    text
      .replaceAll(/^(order-2);(\d+);(.*)$/gm, '"$1";"$2";"$3"')
      .replaceAll('\n', '\r\n')
      .trimEnd();
  expect(values([recurring({ csv })])).toEqual(
    expect.arrayContaining([
      'A12 cells of data are some in quotes',
      'A12 lines end in CRLF',
      'A12 the last line has no end',
    ]),
  );
});

test('a silent retry is seen', () => {
  const examined = closeDay();
  const retried = { ...examined, exchanges: [examined.exchanges[0]!, closeDay().exchanges[0]!] };
  expect(values([retried])).toContain('A36 close-day: 2 requests for one call');
  expect(values([examined]).filter((value) => value.startsWith('A36'))).toEqual([]);
});

test('a person is told of what came beside the requests and is none, once for each thing that is wrong with it', () => {
  const [length, line] = ['a request that is not HTTP: its body is longer', 'a request that is not HTTP: its line'];
  const call = (number: number, incomplete: string) => withCall({ ...closeDay(), number }, { incomplete });
  const calls = [closeDay(), call(3, length), call(4, line), call(5, length), { ...call(6, line), exchanges: [] }];
  expect(junkNotes(calls)).toEqual([
    expect.stringMatching(/^In 2 calls there arrived, .* its body is longer: see .* case 3 \(close-day\)\.$/),
    expect.stringMatching(/^In 1 call there arrived, .* its line: see .* case 4 \(close-day\)\.$/),
  ]);
});

test('a person is told of a Host header that is not the address called, and not of another way to write it', () => {
  const { call, exchanges } = closeDay();
  const { authority } = splitBaseUrl(call.asked!.baseUrl);
  const named = (host: string, target = '/p1'): ClientCase => {
    const request = { ...exchanges[0]!.request, host, target };
    return { ...closeDay(), number: 3, exchanges: [{ ...exchanges[0]!, request }] };
  };
  const notes = (...calls: ClientCase[]) => hostNotes(calls);
  expect(notes(closeDay(), named(authority.toUpperCase()), named('other', `https://${authority}/p1`))).toEqual([]);
  const asked = { ...call.asked!, baseUrl: 'http://127.0.0.1:80/p1' };
  const plain = withCall(named('127.0.0.1'), { asked });
  expect(notes(plain)).toEqual([]);
  expect(notes(named('other.example'), named('other.example'))).toEqual([
    expect.stringMatching(/^In 2 calls .* case 3 \(close-day\) it is other\.example, and the address is /),
  ]);
});

test('what a client does with an answer that misbehaves is recorded', () => {
  const label = { input: 'probe', misbehaviour: 'reset' } as const;
  expect(values([closeDay({ label, reply: { outcome: 'transport_error' } })])).toEqual([
    'A36 close-day, reset: 1 request, the client reported transport_error',
  ]);
});
