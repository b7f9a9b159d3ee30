/** What is tolerated breaks no row; where it is unusual, a remark says so. */
import { expect, test } from '@playwright/test';
import { printAuthorization } from '../../../../src/protocol/index.ts';
import { closeDay, type Draft, failing, fields, joined, passing, recurring, remarks, sent } from './sample-requests.ts';

const tolerated: readonly [string, Draft, string | undefined][] = [
  ['realm', { print: (pairs) => printAuthorization(pairs, { realm: 'any where' }) }, 'the header also holds realm'],
  [
    'an empty oauth_token that is signed',
    { parameters: (p) => [...p, ['oauth_token', '']] },
    'the header also holds an empty oauth_token',
  ],
  [
    'a charset',
    { contentType: 'application/x-www-form-urlencoded; charset=UTF-8' },
    'Content-Type is written application/x-www-form-urlencoded; charset=UTF-8',
  ],
  [
    'a content type in capitals',
    { contentType: 'Application/X-WWW-Form-Urlencoded' },
    'Content-Type is written Application/X-WWW-Form-Urlencoded',
  ],
  [
    'escapes in lower-case hexadecimal',
    { print: (p) => printAuthorization(p).replace('%3D', '%3d') },
    'escapes in lower-case hexadecimal',
  ],
  [
    'the scheme in lower case',
    { print: (pairs) => printAuthorization(pairs).replace('OAuth', 'oauth') },
    'the scheme is written oauth',
  ],
  ['no space between the parameters', { print: joined(',') }, undefined],
  ['parameters in another order', { print: (pairs) => printAuthorization([...pairs].reverse()) }, undefined],
  [
    '%20 for a space',
    { input: { ...fields, sale_approved_sum: '1 0+4' }, body: (body) => body.replace('+', '%20') },
    undefined,
  ],
  ['fields in another order', sent((pairs) => [...pairs].reverse()), undefined],
];

for (const [what, draft, remark] of tolerated) {
  test(`close-day with ${what} breaks nothing${remark === undefined ? '' : ' and is remarked'}`, () => {
    const cases = [closeDay(), closeDay(draft)];
    expect(failing(cases)).toEqual([]);
    expect(remarks(cases)).toEqual(remark === undefined ? [] : [remark]);
    expect(passing([cases[1]!])).toContain('authentication/signature-verifies');
  });
}

for (const [what, draft] of [
  ['CRLF', { csv: (text) => text.replaceAll('\n', '\r\n') }],
  ['no final line end', { csv: (text) => text.trimEnd() }],
  ['every cell in quotes', { csv: (text) => text.replaceAll(/^(order-2);(\d+);(.*)$/gm, '"$1";"$2";"$3"') }],
  ['columns in another order', { csv: (text) => text.replaceAll(/^(.*);([^;\n]*);([^;\n]*)$/gm, '$3;$1;$2') }],
] satisfies [string, Draft][]) {
  test(`a batch with ${what} breaks nothing`, () => {
    const examined = recurring(draft);
    expect(failing([recurring(), examined])).toEqual([]);
    expect(passing([examined])).toContain('recurring/csv-rows');
  });
}
