/** Each telling input changes what a signer with the mistake in question signs; an ordinary request does not. */
import { type TellingInput, tellingInputs } from '../../../generators/index.ts';
import { readEvidence } from '../../../src/autopsy/evidence.ts';
import { deviationOf } from '../../../src/autopsy/index.ts';
import { candidatesFor } from '../../../src/deviations/candidates.ts';
import type { DeviationId } from '../../../src/deviations/index.ts';
import { encodeForm } from '../../../src/protocol/index.ts';
import { expect, test } from '../../engine.ts';
import { headerOf, plainRequest } from '../../unit/autopsy/drawn.ts';

/** A mistake for each input. */
const mistakes: Readonly<Record<string, DeviationId>> = {
  'repeated-name-with-accent-and-z': 'sorted-before-encoding',
  'sub-delimiters': 'sub-delims-left-bare',
  'spaces-at-the-edges': 'values-trimmed',
  'http-on-another-port': 'port-left-out',
  'secret-with-space-plus-ampersand-percent': 'secret-not-encoded',
  plus: 'plus-as-space',
  query: 'query-left-out',
  'literal-percent-escape': 'values-decoded-once-more',
  'slash-colon-at-comma-semicolon': 'comma-left-bare',
  'empty-value': 'empty-values-left-out',
  'line-end': 'crlf-after-signing',
  'written-default-port': 'default-port-kept',
  'upper-case-in-the-path': 'path-lower-cased',
  'escape-in-the-path': 'path-decoded',
  'names-a-and-a-dash-b': 'sorted-as-joined',
  'names-with-capitals': 'sorted-case-insensitively',
  'secret-with-sub-delimiters': 'sub-delims-left-bare',
};

test('there are seventeen telling inputs, each with a mistake', () => {
  expect(tellingInputs.map(({ edge }) => edge)).toEqual(Object.keys(mistakes));
  expect(tellingInputs).toHaveLength(17);
});

for (const { edge, value } of tellingInputs) {
  test(`${edge} shows what an ordinary request hides`, () => {
    const mistake = deviationOf(mistakes[edge!]!);
    const shows = (input: TellingInput) => {
      const { mac } = signing(input);
      return mac([mistake], 'sha1') !== mac([], 'sha1');
    };
    expect([shows({ reveals: '' }), shows(value)]).toEqual([false, true]);
  });
}

function signing({ form = [], secret = '0123456789abcdef', url = {} }: TellingInput) {
  const { scheme = 'https', port, prefix = '/paynet', query } = url;
  const host = `gateway.example${port === undefined ? '' : `:${port}`}`;
  const target = `${prefix}/api/v2/close-day/1111${query === undefined ? '' : `?${query}`}`;
  const headers = [
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Authorization', headerOf(plainRequest.credentials, undefined, false)],
  ] as const;
  const body = Buffer.from(encodeForm([['day_close_request_id', 'a1b2c3d4'], ['sale_approved_count', '2'], ...form]));
  const request = { method: 'POST', scheme, host, target, headers, body };
  return candidatesFor(readEvidence(request), { consumerKey: 'shop', consumerSecret: secret, tokenSecret: '' });
}
