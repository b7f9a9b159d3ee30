/** What a client sends when its call has ended is in no verdict, and the run says so: performed by the reference client, which has no process. */
import { openReference } from '../../../src/client-run/open-client.ts';
import { performClientScenario } from '../../../src/client-run/perform-client.ts';
import { clientScenarios } from '../../../src/scenarios/client/index.ts';
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
    const context = { session: { ...session, perform }, gateway, seed: '7', cases: 1, inFlight: 1 };
    const { notes } = await performClientScenario(scenario, context);
    await close();
    expect(notes.filter((note) => note.includes('arrived behind the end of its call'))).toHaveLength(sendsLate ? 1 : 0);
  });
}

function requestTo(url: string) {
  const { host, pathname } = new URL(url);
  return { method: 'POST', scheme: 'https', host, target: pathname, headers: [], body: new Uint8Array() } as const;
}
