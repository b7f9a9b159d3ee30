/** What a run is said to let through is exactly what it lets through: held against runs with each defect. */
import { requirements } from '../../contracts/requirements/index.ts';
import { allowanceOf } from '../../src/app/config/target-flags.ts';
import {
  type InMemoryOptions,
  liveOptionsInMemory,
  runLiveInMemory,
  verdictsOn,
} from '../../src/app/prove/live-in-memory.ts';
import { mockDefects } from '../../src/faults/index.ts';
import { publishedProfile } from '../../src/run/target/published.ts';
import { forecast } from '../../src/verdict/forecast/forecast.ts';
import { keysOfCases, noticedBy, withUnknownEndpoint } from '../../src/verdict/forecast/shown-by.ts';
import { expect, test } from '../engine.ts';
import { runLive, startLive } from './live-setting.ts';

/** Days and payments, and what the target has: another seed than those of the table. */
const places = { unknownEndpointId: '999999999', controlUrl: 'http://127.0.0.1:2' };
const ten = [
  [0, 0, {}],
  [1, 0, {}],
  [0, 1, places],
  [2, 3, {}],
  [6, 6, places],
  [15, 15, {}],
  [0, 75, {}],
  [50, 0, places],
  [90, 160, places],
  [500, 1000, places],
] as const;

const counting = new Set<string>(
  requirements.filter(({ side, kind }) => side === 'gateway' && kind === 'required').map(({ id }) => id),
);

for (const [at, [days, payments, config]] of ten.entries()) {
  // One allowance has all defects, each other one a ninth of them: so each defect is tried with two.
  const isWhole = at === 3;
  const ninth = mockDefects.filter((_, place) => place % 9 === (at < 3 ? at : at - 1));
  const defects = isWhole ? mockDefects : ninth;
  test(`with closes-day ${days} and starts-payments ${payments} the forecast holds for ${defects.length} defects @all`, async () => {
    const options = optionsOf(days, payments, config);
    const { cases } = await runLiveInMemory(options, []);
    const said = noticedBy(withUnknownEndpoint(keysOfCases(cases), options.live), counting);
    const lets: string[] = [];
    for (const { id, breaks, alteration } of defects) {
      const run = await runLiveInMemory(options, [alteration]);
      const verdicts = verdictsOn(
        breaks.filter((row) => counting.has(row)),
        run,
      );
      if ([...verdicts.values()].every(({ size }) => size === 0)) lets.push(id);
    }
    const known = defects.map(({ id }) => id).filter((id) => !said.notKnown.includes(id));
    expect(lets.filter((id) => known.includes(id))).toEqual(said.unnoticed.filter((id) => known.includes(id)));
    // Few of all: one in 25.
    expect(said.notKnown.length).toBeLessThan(mockDefects.length / 25);
    // Before the run the plan says the same as the answers do after it.
    const planned = forecast(options);
    const performed = forecast(options, { cases });
    expect(planned).toEqual(performed);
    expect(performed.groups.flatMap((group) => group.defects).sort()).toEqual([...said.unnoticed].sort());
  });
}

function optionsOf(days: number, payments: number, config: object): InMemoryOptions {
  const allow = { 'closes-day': days, 'starts-payments': { count: payments, total: `${payments}.00` } };
  return liveOptionsInMemory({ seed: 'forecast' }, { allow, ...config });
}

const settings: Readonly<Record<string, object>> = {
  'recurring: saved-amount': { recurring: publishedProfile.recurring },
  'recurring: a second profile': { recurring: publishedProfile.recurring },
  'states: closing': { states: { closing: '1112' } },
  'states: locked': { states: { locked: '1113' } },
  'unknown-endpoint-id': { unknownEndpointId: '999999999' },
};

/** Days and payments, and a configuration that names as little as one can. */
const [first] = publishedProfile.recurring;
const bare = { recurring: [{ id: first!.id, amount: first!.amount }], states: {}, unknownEndpointId: undefined };
for (const [days, payments, config, has] of [
  [0, 0, bare, ['more', 'setting']],
  [1, 2, {}, ['more', 'setting', 'whole']],
  [2, 3, bare, ['more', 'setting', 'whole']],
  [3, 0, { recurring: [] }, ['more', 'setting', 'whole']],
] as const) {
  test(`each lever beside closes-day ${days} and starts-payments ${payments} brings what it is said to bring @all`, async () => {
    const { groups, allowances } = forecast(optionsOf(days, payments, config));
    const unnoticed = groups.flatMap(({ defects }) => defects);
    expect(new Set(allowances.map(({ kind }) => kind))).toEqual(
      new Set([...has, ...allowances.map(({ kind }) => kind)]),
    );
    // Without a profile that may be charged the command refuses them.
    const offersPayments = allowances
      .flatMap(({ allow }) => allow)
      .some((value) => value.startsWith('starts-payments='));
    expect(offersPayments).toBe(!('recurring' in config && config.recurring.length === 0));
    const perEffect = allowances.map(({ more, effects = 0 }) => more / effects);
    expect(perEffect).toEqual([...perEffect].sort((a, b) => b - a));
    for (const { allow, set, more, kind } of allowances.filter((one) => one.kind !== 'plenty')) {
      // No total of nothing, and nothing that is allowed already.
      const allowed = allowanceOf(allow);
      if (kind !== 'setting') expect(allowed).not.toEqual(optionsOf(days, payments, config).live.config.allow);
      if ((allowed?.['starts-payments'].count ?? 0) > 0)
        expect(Number(allowed!['starts-payments'].total)).toBeGreaterThan(0);
      const trust = /^trust-refusals: (\d+)$/.exec(set ?? '')?.[1];
      const key = Object.keys(settings).find((name) => set?.startsWith(name));
      const given = trust === undefined ? settings[key ?? ''] : { trustRefusals: Number(trust) };
      expect([set, given === undefined]).toEqual([set, kind !== 'setting']);
      const greater = optionsOf(days, payments, { ...config, ...given, ...(allowed && { allow: allowed }) });
      const { cases, options } = await runLiveInMemory(greater, []);
      const { noticed } = noticedBy(withUnknownEndpoint(keysOfCases(cases), options.live), counting);
      expect([set ?? allow, unnoticed.filter((id) => noticed.includes(id)).length]).toEqual([set ?? allow, more]);
      expect(more).toBeGreaterThan(0);
    }
  });
}

test('after a run that accepted a wrong request, the offers count that it will be accepted again', async () => {
  const { alteration } = mockDefects.find(({ id }) => id === 'authentication/timestamp-not-needed')!;
  const performed = async (trustRefusals: number, days: number, payments: number) => {
    const { options, cases } = await runLiveInMemory(optionsOf(days, payments, { trustRefusals }), [alteration]);
    const { noticed } = noticedBy(withUnknownEndpoint(keysOfCases(cases), options.live), counting);
    return { noticed: noticed.length, allowances: forecast(options, { cases }).allowances };
  };
  const run = await performed(99, 1, 2);
  const offers = run.allowances.filter(({ kind }) => kind === 'more');
  expect(offers.length).toBeGreaterThan(0);
  for (const { allow, more } of offers) {
    const { 'closes-day': days, 'starts-payments': payments } = allowanceOf(allow)!;
    const next = await performed(99, days, payments.count);
    expect([allow, next.noticed - run.noticed >= more]).toEqual([allow, true]);
  }
});

test('a run over sockets says the same as one in memory, and lets through what it says', { tag: '@all' }, async () => {
  const allow = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };
  const concluded = async (id?: string) => {
    const alterations = mockDefects.flatMap((defect) => (defect.id === id ? [defect.alteration] : []));
    const setting = await startLive({ allow, unknownEndpointId: undefined, mock: { alterations } });
    try {
      return await runLive(setting.config);
    } finally {
      await setting.close();
    }
  };
  const { unnoticed, conclusion } = await concluded();
  expect(conclusion).toBe('partial');
  const lets = unnoticed!.groups.flatMap(({ defects }) => defects);
  expect(lets.length).toBe(unnoticed!.count);
  expect(lets).toContain('close-day/request-id-length-not-checked');
  for (const id of ['authentication/signature-not-checked', lets.at(-1)!]) {
    expect([id, (await concluded(id)).conclusion]).toEqual([id, lets.includes(id) ? 'partial' : 'non-conformant']);
  }
});
