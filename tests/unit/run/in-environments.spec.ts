/** A client of another environment lives from its first call to its last, and what it does there says nothing of the others. */
import type { ClientSession } from '../../../src/peer/adapter/client-session.ts';
import { inSentences } from '../../../src/peer/adapter/notes.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import { openReference } from '../../../src/run/client/open-client.ts';
import { type ClientContext, performClientScenario } from '../../../src/run/client/perform-client.ts';
import { expect, test } from '../../engine.ts';

const scenario = clientScenarios.find(({ id }) => id === 'transport/environments')!;
const turkish = 'LC_ALL=tr_TR.UTF-8';

for (const inFlight of [1, 16]) {
  test(`of clients in other environments two are open at once, ${inFlight} calls of one at once, and each starts once`, async () => {
    const { openWith, ...reference } = await openReference([]);
    const open = new Map<ClientSession, number>();
    const opened: string[] = [];
    const most = { open: 0, atOnce: 0 };
    const { cases, suiteErrors } = await performClientScenario(scenario, {
      ...context(reference, inFlight),
      openWith: async (environment) => {
        opened.push(nameOf(environment));
        const session: ClientSession = {
          ...(await openWith!(environment)),
          perform: async (asked) => {
            expect(open.has(session)).toBe(true);
            open.set(session, open.get(session)! + 1);
            most.atOnce = Math.max(
              most.atOnce,
              [...open.values()].reduce((sum, calls) => sum + calls, 0),
            );
            const reply = await reference.session.perform(asked);
            open.set(session, open.get(session)! - 1);
            return reply;
          },
          close: async () => {
            expect(open.get(session)).toBe(0);
            open.delete(session);
          },
        };
        open.set(session, 0);
        most.open = Math.max(most.open, open.size);
        return session;
      },
    });
    await reference.close();
    expect([most.open, open.size, suiteErrors]).toEqual([2, 0, []]);
    expect(most.atOnce).toBe(Math.max(2, Math.min(inFlight, 12)));
    expect(opened.length).toBe(5);
    expect(new Set(opened).size).toBe(5);
    expect(new Set(cases.map(({ number }) => number)).size).toBe(
      scenario.plan({ cases: 1, values: () => [], generate: () => [] }).length,
    );
  });
}

test('a client that fails in one environment is asked in the others, and one that fails in two is given up', async () => {
  const { openWith, ...reference } = await openReference([]);
  const failing = (...names: readonly string[]) =>
    performClientScenario(scenario, {
      ...context(reference, 1),
      openWith: async (environment) => {
        const session = await openWith!(environment);
        return names.includes(nameOf(environment)) ? { ...session, perform: async () => fault } : session;
      },
    });
  const one = await failing(turkish);
  const all = await failing(turkish, 'TZ=Pacific/Kiritimati', 'TZ=Europe/Berlin', 'LC_ALL=de_DE.UTF-8', 'LC_ALL=C');
  await reference.close();
  expect([one.givenUp, one.cases.length, faults(one)]).toEqual([undefined, 36, 6]);
  expect(all.givenUp).toBe('It ended. Look at it.');
  expect(faults(all)).toBeLessThan(15);
});

test('where the client cannot be started in an environment its calls are left out by name', async () => {
  const { openWith, ...reference } = await openReference([]);
  const { cases, skipped, notes } = await performClientScenario(scenario, {
    ...context(reference, 16),
    openWith: (environment) =>
      nameOf(environment) === turkish ? Promise.reject(new Error('no such locale')) : openWith!(environment),
  });
  await reference.close();
  expect([cases.length, skipped.length]).toEqual([30, 6]);
  expect(inSentences(notes)).toEqual([`the client did not start with ${turkish}: no such locale`]);
});

const fault = { fault: { code: 'ended', message: 'It ended.', hint: 'Look at it.' } };

function context(reference: Pick<ClientContext, 'session' | 'gateway'>, inFlight: number): ClientContext {
  return { ...reference, seed: '7', cases: 1, inFlight, now: () => 0 };
}

function faults({ cases }: Awaited<ReturnType<typeof performClientScenario>>): number {
  return cases.filter(({ adapterFault }) => adapterFault !== undefined).length;
}

function nameOf(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join();
}
