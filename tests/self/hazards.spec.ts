/** Clients that charge twice, in whole runs: each is shown as a hazard with the amount at risk, and a conforming one is not. */
import { runOpened } from '../../src/app/prove/run-in-process.ts';
import { clientDefects } from '../../src/faults/client/index.ts';
import type { ClientSession, SessionReply } from '../../src/peer/adapter/messages.ts';
import type { ClientAlteration } from '../../src/peer/client/client.ts';
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

const [again, refused] = ['hazard/batch-sent-again after ', 'hazard/unanswered-told-as-refused after '];
const two = 'a reset connection: 2 payments, 2.00 in total, may be charged again.';
const one = 'no answer in time: 1 payment of 1.00 may be charged again.';
const four = 'status 503 with Retry-After: 0: 4 payments, 4.00 in total, may be charged again.';
const nonce = 'authentication/nonce-unique';
type Wrap = (perform: Perform) => Perform;
const clients: readonly (readonly [string, readonly ClientAlteration[], Wrap, string[], hazards: string[]])[] = [
  ['conforms', [], unchanged, [], []],
  ['repeats the same bytes', [sameBytes], unchanged, [nonce], [again + two]],
  ['repeats with a new nonce', [], withNewNonce, [], [again + two, again + one]],
  ['has a library that repeats', [library], unchanged, [nonce], [again + four]],
  ['says refused where no answer came', [], toldAsRefused, [], [refused + two, refused + one]],
];

for (const [what, alterations, wrap, fails, hazards] of clients) {
  test(`a client that ${what} has its hazards, and fails only what it breaks`, async () => {
    const opened = await openReference(alterations);
    const { session } = opened;
    const perform = wrap(session.perform);
    const client = { ...opened, session: { ...session, perform } };
    const { result } = await runOpened({ seed: '7', cases: 3 }, client);
    const failed = result.results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    const found = (result.hazards ?? [])
      .filter(({ operation }) => operation === 'process-recurring-payments')
      .map(({ id, sentence }) => `${id} ${/after .*/.exec(sentence)}`);
    expect(failed).toEqual(fails);
    expect(found).toEqual(expect.arrayContaining(hazards));
    if (hazards.length === 0) expect(result.hazards).toBeUndefined();
  });
}
