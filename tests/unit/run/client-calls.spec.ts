/** Calls of a client: environments, warnings on slow clients and stray requests, and the shrinking of failing calls. */

import { runClientInProcess, runOpened } from '../../../src/app/prove/run-in-process.ts';
import { usableClientDefects } from '../../../src/faults/index.ts';
import { formatNotes } from '../../../src/peer/adapter/notes.ts';
import type { ClientAlteration } from '../../../src/peer/client/client.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import { drawFor } from '../../../src/plan/seed.ts';
import type { ClientCase } from '../../../src/record/case.ts';
import { greetClient, openReference } from '../../../src/run/client/open-client.ts';
import { newPaceWarning, performClientScenario } from '../../../src/run/client/perform-client.ts';
import { expect, test } from '../../engine.ts';

type ClientContext = Parameters<typeof performClientScenario>[1];

const scenario = clientScenarios.find(({ id }) => id === 'transport/environments')!;
const edges = clientScenarios.find(({ id }) => id === 'close-day/edges')!;
const turkish = 'LC_ALL=tr_TR.UTF-8';

test('a client is started once in each other environment, one after the other', async () => {
  const { openWith, ...reference } = await openReference([]);
  const opened: string[] = [];
  let [open, mostOpen] = [0, 0];
  const { cases, suiteErrors } = await performClientScenario(scenario, {
    ...context(reference, 16),
    openWith: async (environment) => {
      opened.push(nameOf(environment));
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      const close = async () => {
        open -= 1;
      };
      return { ...(await openWith!(environment)), close };
    },
  });
  await reference.close();
  expect([mostOpen, open, suiteErrors]).toEqual([1, 0, []]);
  expect([opened.length, new Set(opened).size]).toEqual([5, 5]);
  expect(new Set(cases.map(({ number }) => number)).size).toBe(scenario.plan(drawFor('7', scenario.id, 1)).length);
});

test('a client that fails in one environment is called in the others, and one that fails in two is given up', async () => {
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
  expect([cases.length, skipped!.length]).toEqual([30, 6]);
  expect(formatNotes(notes!)).toEqual([`the client did not start with ${turkish}: no such locale`]);
});

const fault = { fault: { code: 'ended', message: 'It ended.', hint: 'Look at it.' } };

function context(reference: Pick<ClientContext, 'session' | 'gateway'>, inFlight: number): ClientContext {
  return { ...reference, seed: '7', cases: 1, inFlight, now: () => 0 };
}

function faults({ cases }: Awaited<ReturnType<typeof performClientScenario>>): number {
  return cases.filter(({ call: { adapterFault } }) => adapterFault !== undefined).length;
}

function nameOf(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join();
}

test('a client that repeats a request after its result gets one note for the scenario, and another client none', async () => {
  for (const sendsLate of [true, false]) {
    const { session, gateway, close } = await openReference([]);
    let before: string | undefined;
    const perform: typeof session.perform = async (call) => {
      if (sendsLate && before !== undefined)
        await gateway.handle(requestTo(before), { acceptAnyCertificate: false, deadlineMs: 10_000 });
      before = call.baseUrl;
      return session.perform(call);
    };
    const { notes } = await performClientScenario(edges, context({ session: { ...session, perform }, gateway }, 1));
    await close();
    const lateNotes = formatNotes(notes!).filter((note) => note.includes('arrived after the end of its call'));
    expect(lateNotes).toHaveLength(sendsLate ? 1 : 0);
  }
});

test('a client whose calls take longer than all their deadlines together is given up by name', async () => {
  for (const [limitMs, givenUp] of [
    [0, expect.stringMatching(/^The client took more than the limit of 0 s for \d+ calls of close-day\/edges/)],
    [60_000, undefined],
  ] as const) {
    let at = 0;
    const { session, gateway, close } = await openReference([]);
    const limited = { ...context({ session, gateway }, 1), limitMs, now: () => at++ };
    const record = await performClientScenario(edges, limited);
    await close();
    expect([record.givenUp, record.suiteErrors]).toEqual([givenUp, []]);
  }
});

test('a slow client gets one estimate of the time of its run, and a quick client none', () => {
  const [plan] = edges.plan(drawFor('7', edges.id, 1));
  const probe = { ...plan!, label: { ...plan!.label, input: 'probe' as const } };
  const [messages, calls]: [string[], () => number] = [[], () => 500];
  const slow = newPaceWarning(calls, 2, (sentence) => messages.push(sentence));
  for (let i = 0; i < 50; i++) for (const ms of [900, 1100]) slow(plan!, ms);
  const quick = newPaceWarning(calls, 2, (sentence) => messages.push(sentence));
  for (let i = 0; i < 50; i++) quick(i < 10 ? probe : plan!, i < 10 ? 10_000 : 700);
  expect(messages).toEqual([
    'the client takes 1.0 s for each call, so 500 calls may take 4 minutes. Use --only or --cases to shorten the run, or try --workers.',
  ]);
});

function requestTo(url: string) {
  const { host, pathname } = new URL(url);
  return { method: 'POST', scheme: 'https', host, target: pathname, headers: [], body: new Uint8Array() } as const;
}

/** An adapter in which each call fails for this reason. */
function failing(reason: string): string[] {
  const offers = { ops: ['close-day'], signature_methods: ['HMAC-SHA1'], max_in_flight: 1, tls: true };
  const ready = { t: 'ready', protocol: 1, adapter: { name: 'a' }, client: { name: 'c' }, offers };
  const script = `
    const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { t, id, n } = JSON.parse(line);
      if (t === 'hello') say(${JSON.stringify(ready)});
      if (t === 'ping') say({ t: 'pong', n });
      if (t === 'case') say({ t: 'result', id, outcome: 'transport_error', reason: ${JSON.stringify(reason)} });
      if (t === 'bye') process.exit();
    });`;
  return [process.execPath, '-e', script];
}

for (const [reason, message] of [
  ['ConnectionRefusedError: [Errno 111] Connection refused', /^Call "base_url" of the case, because its port/],
  ['self-signed certificate in certificate chain', /^If the client does not trust the certificate, /],
] as const) {
  test(`a client that fails every call with ${reason} gets a hint`, async () => {
    const client = { mode: 'process', command: failing(reason), plainHttp: true, cwd: process.cwd() } as const;
    expect(await greetClient({ client, seed: '1' })).toMatchObject({
      fault: expect.stringContaining(reason),
      hint: expect.stringMatching(message),
    });
  });
}

async function performed(
  id: string,
  alteration: ClientAlteration,
  more: Partial<Pick<ClientContext, 'path' | 'shrinks' | 'onCall'>> = {},
) {
  const opened = await openReference([alteration]);
  const scenario = clientScenarios.find((one) => one.id === id)!;
  const context = { ...opened, seed: '5', cases: 25, inFlight: 8, now: () => performance.now(), ...more };
  return performClientScenario(scenario, context).finally(() => opened.close());
}

const asked = ({ call: { asked } }: ClientCase) => asked!;

test('recurring/delimiter-in-cell-bare is shrunk, and its path repeats that call alone', async () => {
  const { alteration } = usableClientDefects.find(({ id }) => id === 'recurring/delimiter-in-cell-bare')!;
  const [scenario, about] = ['recurring/odd-cells', 'recurring/csv-rows'];
  const { cases, counterexamples } = await performed(scenario!, alteration);
  const { number, path } = counterexamples!.find((one) => one.about === about)!;
  const call = cases.find((one) => one.number === number)!;
  expect(path).toContain(`${scenario}/`);
  const [cell] = /"[^"]*;[^"]*"/.exec(JSON.stringify(asked(call).input))!;
  expect(cell).toHaveLength(4);
  const repeated = await performed(scenario!, alteration, { path });
  expect(repeated.cases).toHaveLength(1);
  const { baseUrl: _, ...given } = asked(repeated.cases[0]!);
  expect(asked(call)).toMatchObject(given);
  expect(repeated.counterexamples).toEqual([{ about, number: 0, path }]);
});

test('a client that fails everywhere costs at most 120 further calls of a scenario, and none without shrinking', async () => {
  const broken: ClientAlteration = { body: () => Buffer.from('x'), signature: () => 'AAAA' };
  for (const [shrinks, max] of [
    [true, 120],
    [false, 0],
  ] as const) {
    let calls = 0;
    const onCall = () => {
      calls += 1;
    };
    const { cases, counterexamples } = await performed('close-day/generated', broken, { shrinks, onCall });
    expect(calls - 25).toBeLessThanOrEqual(max);
    expect(calls - 25 > 0).toBe(shrinks);
    expect(cases.length - 25).toBeLessThanOrEqual(counterexamples?.length ?? 0);
    expect(new Set(cases.map(({ number }) => number)).size).toBe(cases.length);
  }
});

test('a row names the smallest call and repeats it, also where the client sent nothing', async () => {
  const refuses: ClientAlteration = { refusal: () => ({ stage: 'fields', reason: 'no' }) };
  const only = ['close-day/body-is-form'];
  const { result } = await runClientInProcess({ seed: '5', cases: 3, only }, [refuses]);
  const [row] = result.results;
  expect(row?.counterexample).toEqual({ path: expect.stringMatching(/^close-day\/generated\/1\/0(:\d+)*$/) });
  expect(row?.repeat).toContain(` --path ${row?.counterexample?.path}`);
});

test('a client that reads PKCS#8 alone of a private key conforms, and it is observed', async () => {
  const opened = await openReference([]);
  const session: typeof opened.session = {
    ...opened.session,
    perform: async (call) =>
      call.auth.method === 'RSA-SHA256' && call.auth.privateKeyPem.includes('BEGIN RSA PRIVATE KEY')
        ? { reply: { outcome: 'adapter_error', reason: 'unknown form of a private key' } }
        : opened.session.perform(call),
  };
  const { result } = await runOpened({ cases: 1 }, { ...opened, session });
  expect(result.conclusion).toBe('conformant');
  const values = result.observations.filter(({ openPoint }) => openPoint === 'A2').map(({ value }) => value);
  expect(values).toEqual(['private key as PKCS#1: adapter_error']);
});
