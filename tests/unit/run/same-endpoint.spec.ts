/** An endpoint that is named as unknown must be unknown however a gateway reads its id. */
import { worstCaseOf } from '../../../src/run/allowance/worst-case.ts';
import { mayBeSameEndpoint, siteOf } from '../../../src/run/target/site.ts';
import { expect, test } from '../../engine.ts';

for (const id of [
  '01111',
  '0001111',
  '+1111',
  '1111.0',
  '1111x',
  '1.111e3',
  '0x457',
  '02127',
  '1_111',
  '0_2127',
  '0x4_57',
  '1,111',
  "1'111",
  '%31111',
  '\u0661\u0661\u0661\u0661',
  '\uff11111',
  '1111\u200b',
  '4294968407',
  '18446744073709552727',
]) {
  test(`${JSON.stringify(id)} may be read as 1111`, () => {
    expect(mayBeSameEndpoint('1111', id)).toBe(true);
    expect(mayBeSameEndpoint(id, '1111')).toBe(true);
  });
}

test('ids that no parser takes for each other are two endpoints', () => {
  for (const id of ['1112', '11111', '999999999', '02128', '1_112', 'x1111', 'none'])
    expect(mayBeSameEndpoint('1111', id)).toBe(false);
  expect(mayBeSameEndpoint('ABC', 'abc')).toBe(true);
});

test('nothing is sent to an unknown endpoint that may be one that exists', () => {
  const site = siteOf({
    environment: 'integration',
    target: 'https://gateway.example',
    endpointId: '1111',
    unknownEndpointId: '01111',
    states: {},
    recurring: [],
  });
  const request = { method: 'POST', scheme: 'https', host: 'gateway.example', body: Buffer.alloc(0) } as const;
  expect(worstCaseOf({ ...request, target: '/api/v2/close-day/01111' }, site)).toMatchObject({ why: 'forbidden' });
});
