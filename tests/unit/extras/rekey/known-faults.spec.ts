/** What rekey remembers of a signer's faults spares it searches, and changes nothing of what it says of a signature that it knows. */
import { KnownFaults } from '../../../../src/extras/rekey/known-faults.ts';
import { signAgain } from '../../../../src/extras/rekey/sign-again.ts';
import { encodeForm, type Pair, signRequest } from '../../../../src/protocol/index.ts';
import type { SentRequest } from '../../../../src/record/exchange.ts';
import { expect, test } from '../../../engine.ts';

const consumerSecret = 'secret of the shop';
const options = { keysOf: () => ({ consumerSecret }), issued: 'shop', salt: 'of the test' };
const fields: Pair[] = [['day_close_request_id', 'ABCDEFGH1']];

/** To a host without letters, whose spellings need not be tried. The request has `fields` in its body, and signs what is given. */
function signing(body: readonly Pair[], secret = consumerSecret): SentRequest {
  const place = { method: 'POST', scheme: 'https', host: '192.0.2.1', target: '/api/v2/close-day/1' } as const;
  const { authorization } = signRequest(
    { ...place, body },
    { consumerKey: 'shop', key: { method: 'HMAC-SHA1', consumerSecret: secret } },
    { timestamp: '1700000000', nonce: 'n1' },
  );
  return {
    ...place,
    headers: [
      ['Authorization', authorization],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: Buffer.from(encodeForm(fields)),
  };
}

const [right, unsignedBody, signedTwice] = [signing(fields), signing([]), signing([...fields, ...fields])];
const unexplained = signing(fields, 'a secret that nobody knows');
/** Its faults are single ones: pairs would only be searched for in vain. */
const newKnown = () => new KnownFaults({ depth: 1, deep: 0, work: 60_000_000 });
const again = (request: SentRequest, known = newKnown()) => signAgain(request, request, options, known);

test('a fault that a signer had before is named again where nothing is searched any more', () => {
  const known = newKnown();
  expect(again(unsignedBody, known)).toEqual(again(unsignedBody));
  for (let count = 0; count < 100; count += 1) expect(again(unexplained, known).signed).toBe('other-fault');
  expect(known.unsearched).toBe(92);
  expect(again(unsignedBody, known)).toEqual(again(unsignedBody));
  expect(again(right, known)).toEqual(again(right));
  expect(known.unsearched).toBe(92);
  expect([again(signedTwice).signed, again(signedTwice, known).signed]).toEqual(['same-fault', 'other-fault']);
});
