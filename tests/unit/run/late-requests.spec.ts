/** What a client sends when its call has ended is in no verdict, and the run says so: performed by the reference client, which has no process. */
import { inSentences } from '../../../src/peer/adapter/notes.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import { drawFor } from '../../../src/plan/seed.ts';
import { openReference } from '../../../src/run/client/open-client.ts';
import { paceTeller, performClientScenario } from '../../../src/run/client/perform-client.ts';
import { expect, test } from '../../engine.ts';

for (const [what, sendsLate] of [
  ['a client that repeats a request behind its result', true],
  ['one that does not', false],
] as const) {
  test(`${what} is told of ${sendsLate ? 'once a scenario' : 'nothing'}`, async () => {
    const { session, gateway, close } = await openReference([]);
    let before: string | undefined;
    const perform: typeof session.perform = async (asked) => {
      if (sendsLate && before !== undefined) await gateway.handle(requestTo(before));
      before = asked.baseUrl;
      return session.perform(asked);
    };
    const scenario = clientScenarios.find(({ id }) => id === 'close-day/edges')!;
    const context = { session: { ...session, perform }, gateway, seed: '7', cases: 1, inFlight: 1, now: () => 0 };
    const { notes } = await performClientScenario(scenario, context);
    await close();
    expect(inSentences(notes).filter((note) => note.includes('arrived behind the end of its call'))).toHaveLength(
      sendsLate ? 1 : 0,
    );
  });
}

test('a client whose calls take longer than all their deadlines together is given up by name, and not where it was the last call', async () => {
  const scenario = clientScenarios.find(({ id }) => id === 'close-day/edges')!;
  const records = [];
  for (const limitMs of [0, 60_000]) {
    let at = 0;
    const now = () => at++;
    const { session, gateway, close } = await openReference([]);
    records.push(
      await performClientScenario(scenario, { session, gateway, seed: '7', cases: 1, inFlight: 1, limitMs, now }),
    );
    await close();
  }
  expect(records.map(({ givenUp, suiteErrors }) => ({ givenUp, suiteErrors }))).toEqual([
    {
      givenUp: expect.stringMatching(
        /^The client took more than 0 s for \d+ calls of close-day\/edges, which is the limit/,
      ),
      suiteErrors: [],
    },
    { givenUp: undefined, suiteErrors: [] },
  ]);
});

test('how long a run with a slow client takes is said once, and of a quick one nothing', () => {
  const [plan] = clientScenarios.find(({ id }) => id === 'close-day/edges')!.plan(drawFor('7', 'close-day/edges', 1));
  const probe = { ...plan!, label: { ...plan!.label, input: 'probe' as const } };
  const told: string[] = [];
  const slow = paceTeller(500, 2, (sentence) => told.push(sentence));
  for (let i = 0; i < 50; i++) for (const ms of [900, 1100]) slow(plan!, ms);
  const quick = paceTeller(500, 2, (sentence) => told.push(sentence));
  for (let i = 0; i < 50; i++) quick(i < 10 ? probe : plan!, i < 10 ? 10_000 : 700);
  expect(told).toEqual([
    'the client takes 1.0 s for a call so far, and the run has 500 calls: it may take 4 minutes. --only and --cases make it shorter, --workers may.',
  ]);
});

function requestTo(url: string) {
  const { host, pathname } = new URL(url);
  return { method: 'POST', scheme: 'https', host, target: pathname, headers: [], body: new Uint8Array() } as const;
}
