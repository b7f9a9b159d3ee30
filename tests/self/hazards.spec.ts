/** Clients that charge twice, in whole runs: each is shown as a hazard with the amount at risk, and a conforming one is not. */

import { concludeOpened } from '../../src/app/prove/run-in-process.ts';
import { clientDefects } from '../../src/faults/client/index.ts';
import type { ClientSession, SessionReply } from '../../src/peer/adapter/client-session.ts';
import type { ClientAlteration } from '../../src/peer/client/index.ts';
import { headerValues } from '../../src/record/exchange.ts';
import { openReference } from '../../src/run/client/open-client.ts';
import { expect, test } from '../engine.ts';

type Perform = ClientSession['perform'];

const unchanged = (perform: Perform): Perform => perform;

/** Asks the client once more, so that it signs with a new nonce. */
const withNewNonce =
  (perform: Perform): Perform =>
  async (asked) => {
    const first = await perform(asked);
    return first.reply?.outcome === 'transport_error' ? perform(asked) : first;
  };

const toldAsRefused =
  (perform: Perform): Perform =>
  async (asked) => {
    const told = await perform(asked);
    if (told.reply?.outcome !== 'transport_error') return told;
    return { ...told, reply: { outcome: 'completed', decoded: { kind: 'refused', http_status: 403 } } } as SessionReply;
  };

/** As HTTP libraries do by default. */
const library: ClientAlteration = {
  send: (send) => async (request, connection) => {
    for (let left = 2; ; left--) {
      const answer = await send(request, connection);
      const asksAgain = headerValues(answer.response?.headers ?? [], 'retry-after')[0] === '0';
      if (left === 0 || answer.response?.status !== 503 || !asksAgain) return answer;
    }
  },
};

const sameBytes = clientDefects.find(({ id }) => id === 'authentication/retried-as-signed-before')!.alteration!;

const clients: readonly [
  what: string,
  alterations: readonly ClientAlteration[],
  wrap: (perform: Perform) => Perform,
  fails: readonly string[],
  hazards: readonly string[],
][] = [
  ['conforms', [], unchanged, [], []],
  [
    'repeats the same bytes',
    [sameBytes],
    unchanged,
    ['authentication/nonce-unique'],
    ['hazard/batch-sent-again after a reset connection: 2 payments, 2.00 in total, may be charged again.'],
  ],
  [
    'repeats with a new nonce',
    [],
    withNewNonce,
    [],
    [
      'hazard/batch-sent-again after a reset connection: 2 payments, 2.00 in total, may be charged again.',
      'hazard/batch-sent-again after no answer in time: 1 payment of 1.00 may be charged again.',
    ],
  ],
  [
    'has a library that repeats',
    [library],
    unchanged,
    ['authentication/nonce-unique'],
    ['hazard/batch-sent-again after status 503 with Retry-After: 0: 4 payments, 4.00 in total, may be charged again.'],
  ],
  [
    'says refused where no answer came',
    [],
    toldAsRefused,
    [],
    [
      'hazard/unanswered-told-as-refused after a reset connection: 2 payments, 2.00 in total, may be charged again.',
      'hazard/unanswered-told-as-refused after no answer in time: 1 payment of 1.00 may be charged again.',
    ],
  ],
];

for (const [what, alterations, wrap, fails, hazards] of clients) {
  test(`a client that ${what} has its hazards, and fails only what it breaks`, async () => {
    const opened = await openReference(alterations);
    const { session } = opened;
    const perform = wrap(session.perform);
    const client = { ...opened, session: { ...session, perform } };
    const { result } = await concludeOpened({ seed: '7', cases: 3 }, client);
    const failed = result.results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    const found = (result.hazards ?? [])
      .filter(({ operation }) => operation === 'process-recurring-payments')
      .map(({ id, sentence }) => `${id} ${/after .*/.exec(sentence)}`);
    expect(failed).toEqual(fails);
    expect(found).toEqual(expect.arrayContaining([...hazards]));
    if (hazards.length === 0) expect(result.hazards).toBeUndefined();
  });
}
