/** What is kept of close-day answers of megabytes: what a requirement speaks of. */
import { validateResponse } from '../../../schemas/validate-response.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { gatesOf } from '../../../src/rules/answers/close-day-body.ts';
import { judgeCases } from '../../../src/rules/index.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from './sample-cases.ts';

function answered(serial: string, gates: readonly string[]): Exchange {
  const body = Buffer.from(
    `{"response":{"status":"finished","gates":[${gates.join()}]},"theRequestSerialNumber":"${serial}"}`,
  );
  const request = {
    method: 'POST',
    scheme: 'https',
    host: 'h',
    target: '/',
    headers: [],
    body: Buffer.alloc(0),
  } as const;
  return { request, response: { status: 200, reason: 'OK', headers: [], body }, startedAt: 0, durationMs: 1 };
}

const many = Array.from({ length: 1900 }, (_, at) => `{"gateId":${at % 10},"code39":"${at % 3}","else":[${at}]}`);

test('of members that the document does not name only the names are kept', () => {
  const gates = gatesOf(answered('d', ['{"gateId":"1","gateid":1}', '{"gateId":{"a":[2]}}', ...many]))!;
  expect(JSON.stringify(gates.slice(0, 2), (_, value) => value?.text ?? value)).toBe(
    '[{"gateId":"1","gateid":null},{"gateId":{"a":["2"]}}]',
  );
});

test('a member called as one that every object has is a member like others', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const [gate] = gatesOf(answered(name, [`{"gateId":{"${name}":{"a":1}}}`, ...many]))!;
    expect(JSON.stringify(gate, (_, value) => value?.text ?? value)).toBe(`{"gateId":{"${name}":{"a":"1"}}}`);
  }
});

test('of more than 2,000 gates the first are judged, and what holds of them is not shown of the rest', () => {
  const right = Array.from({ length: 2_000 }, (_, at) => `{"gateId":${at},"isDayClosing":false}`);
  const outcomes = (...gates: string[]) => {
    const { response } = answered('f', gates);
    const facts = { gate: 'open', gates: gates.length } as const;
    const examined = sampleCase('close-day', { body: String(Buffer.from(response!.body)) }, { facts });
    return (['gate-id-type', 'finished-has-gates', 'one-result-per-gate', 'open-gate-reported'] as const).map(
      (row) => judgeCases(`close-day/${row}`, [examined])[0]!.finding.outcome,
    );
  };
  const most = Array.from({ length: 4 }, () => 'pass');
  expect(outcomes(...right)).toEqual(most);
  expect(outcomes(...right, '{"gateId":2000}')).toEqual(most.map(() => 'inconclusive'));
  expect(outcomes(...right, '{"gateId":"2000"}')).toEqual(most.map(() => 'inconclusive'));
  expect(outcomes(...right.slice(1), '{"gateId":7.0}')).toEqual(['fail', 'pass', 'fail', 'pass']);
  expect(outcomes('{"gateId":"0","isDayClosing":true}', '7', ...right)).toEqual(most.map(() => 'fail'));
});

test('blanks around semicolons of a content type cost no more than their number', () => {
  const before = process.cpuUsage();
  const outcomes = ['', '"'].map((end) => {
    const headers = [['Content-Type', `text/html${'; '.repeat(28)};charset=utf-8${end}`]] as const;
    const body = String(Buffer.from(answered('g', []).response!.body));
    return judgeCases('close-day/content-type', [sampleCase('close-day', { headers, body })])[0]!.finding.outcome;
  });
  expect(outcomes).toEqual(['pass', 'fail']);
  // With two ways to read each blank it is some 4 s.
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

test('the schemas say of many gates what they say of each by itself', () => {
  const gates = [
    '{}',
    '{"gateId":"1"}',
    '{"gateId":1.5}',
    '{"saleAmount":""}',
    '{"saleAmount":"1"}',
    '{"saleAmount":1}',
    '1',
  ];
  const heard = (some: readonly string[]) => [
    ...validateResponse('close-day', 200, answered('e', some).response!.body).keys(),
  ];
  const each = new Set(gates.flatMap((gate) => heard([gate])));
  expect(new Set(heard(gates))).toEqual(each);
  expect(new Set(heard([...gates].reverse()))).toEqual(each);
  expect(each.size).toBeGreaterThan(12);
});
