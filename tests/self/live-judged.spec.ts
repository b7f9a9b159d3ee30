/** Live runs: judged again from their files, compared with their forecast, and against gateways with untrue answers. */
import type { Socket } from 'node:net';
import { requirements } from '../../contracts/requirements/index.ts';
import { allowanceOf } from '../../src/app/config/target-flags.ts';
import { planText } from '../../src/app/live/live-run.ts';
import {
  failuresOf,
  type InMemoryOptions,
  liveOptionsInMemory,
  runLiveInMemory,
} from '../../src/app/prove/live-in-memory.ts';
import { gatewayDefects, mockDefects } from '../../src/faults/index.ts';
import {
  type About,
  type Alteration,
  defaultWorld,
  type Reply,
  withBody,
  withHeader,
  withoutHeader,
  withStatus,
} from '../../src/mock/index.ts';
import { readHar } from '../../src/record/read-har.ts';
import { exercisedIn } from '../../src/record/result/conclude.ts';
import type { ResultRow } from '../../src/record/result/result.ts';
import { toHar } from '../../src/record/write-har.ts';
import { resultDocument } from '../../src/report/result-document.ts';
import { terminalText } from '../../src/report/terminal.ts';
import { planRun } from '../../src/run/live/plan.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import type { LiveConfig } from '../../src/run/target/live-config.ts';
import { publishedConfig } from '../../src/run/target/target.ts';
import { judgeRecordings } from '../../src/verdict/conclude.ts';
import { keysOfCases, noticedBy, withUnknownEndpoint } from '../../src/verdict/forecast/defect-table.ts';
import { forecast } from '../../src/verdict/forecast/forecast.ts';
import { readRecording } from '../../src/verdict/recordings/recording.ts';
import { expect, test } from '../engine.ts';
import { totals } from '../unit/run/guarded.ts';
import { concludeLive, large, runLive, small, withLive } from './live-setting.ts';

for (const defect of [undefined, 'authentication/signature-not-checked']) {
  test(`judging a stored run of ${defect ?? 'a correct gateway'} with a small allowance gives the same outcomes @all`, async () => {
    const alterations = gatewayDefects.flatMap((one) =>
      one.id === defect && 'alteration' in one ? [one.alteration] : [],
    );
    await withLive({ allow: small, mock: { alterations } }, async ({ config }) => {
      const { result, cases, recorded } = await concludeLive(config);
      expect(result.results.filter(({ actual }) => actual?.startsWith('not sent: ')).length).toBeGreaterThan(0);
      const text = toHar(cases, result, recorded);
      expect(readHar(text).entries).toHaveLength(cases.length);
      const rejudged = judgeRecordings({
        header: result,
        only: [],
        recordings: [readRecording(text, 'stored')],
        keys: { hasKeys: false, keysOf: () => undefined },
      }).result;
      const verdictOf = ({ id, outcome, blame, exchanges }: ResultRow) => ({ id, outcome, blame, exchanges });
      expect(rejudged.results.map(verdictOf)).toEqual(result.results.map(verdictOf));
      expect(rejudged.conclusion).toBe(result.conclusion);
    });
  });
}

const only = requirements.filter(({ condition }) => condition !== undefined).map(({ id }) => id as string);
const configured = { totals, gates: 1, states: { closing: '1112', locked: '1113' } };

/** The requirements that never arose, with the key of the configuration that would help. */
function notArisen(extra: Partial<LiveConfig>, control = false) {
  return withLive({ allow: large, ...extra }, async ({ config, mock }) => {
    const controlUrl = control ? { controlUrl: mock.controlUrl! } : {};
    const result = await runLive({ ...config, ...controlUrl }, { only, cases: 1 });
    expect(result.conclusion).toBe('conformant');
    return exercisedIn(result).neverArose.map(({ id, hint = '' }) => [
      hint.match(/states\.\w+|totals|Set gates|control-url/)?.[0],
      id,
    ]);
  });
}

test('a live run lists requirements that never arose; with a complete configuration, only those of a mock remain @all', async () => {
  const bare = await notArisen({});
  expect(bare.map(([key]) => key)).toEqual(
    expect.arrayContaining(['totals', 'Set gates', 'states.closing', 'states.locked']),
  );
  const remaining = await notArisen(configured);
  expect(remaining).toEqual(bare.filter(([key]) => key === 'control-url'));
  expect(await notArisen(configured, true)).toEqual([]);
});

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
  // One allowance runs all defects, and each other allowance a ninth of them.
  const ninth = at < 3 ? at : at - 1;
  const defects = at === 3 ? mockDefects : mockDefects.filter((_, place) => place % 9 === ninth);
  test(`with closes-day ${days} and starts-payments ${payments}, the forecast is right for ${defects.length} defects @all`, async () => {
    const options = optionsOf(days, payments, config);
    const { cases } = await runLiveInMemory(options, []);
    const predicted = noticedBy(withUnknownEndpoint(keysOfCases(cases), options.live), counting);
    const missed: string[] = [];
    for (const { id, breaks, alteration } of defects) {
      const run = await runLiveInMemory(options, [alteration]);
      const verdicts = failuresOf(
        breaks.filter((row) => counting.has(row)),
        run,
      );
      if ([...verdicts.values()].every(({ size }) => size === 0)) missed.push(id);
    }
    const known = defects.map(({ id }) => id).filter((id) => !predicted.notKnown.includes(id));
    expect(missed.filter((id) => known.includes(id))).toEqual(predicted.unnoticed.filter((id) => known.includes(id)));
    expect(predicted.notKnown.length).toBeLessThan(mockDefects.length / 25);
    // The forecast before the run equals the forecast after it.
    const planned = forecast(options);
    const performed = forecast(options, { cases });
    expect(planned).toEqual(performed);
    expect(performed.groups.flatMap((group) => group.defects).sort()).toEqual([...predicted.unnoticed].sort());
  });
}

function optionsOf(days: number, payments: number, config: object): InMemoryOptions {
  const allow = { 'closes-day': days, 'starts-payments': { count: payments, total: `${payments}.00` } };
  return liveOptionsInMemory({ seed: 'forecast' }, { allow, ...config });
}

const settings: Readonly<Record<string, object>> = {
  'recurring: saved-amount': { recurring: publishedConfig.recurring },
  'recurring: a second profile': { recurring: publishedConfig.recurring },
  'states: closing': { states: { closing: '1112' } },
  'states: locked': { states: { locked: '1113' } },
  'unknown-endpoint-id': { unknownEndpointId: '999999999' },
};

const [first] = publishedConfig.recurring;
const bare = { recurring: [{ id: first!.id, amount: first!.amount }], states: {}, unknownEndpointId: undefined };
for (const [days, payments, config, has] of [
  [0, 0, bare, ['more', 'setting']],
  [1, 2, {}, ['more', 'setting', 'whole']],
  [2, 3, bare, ['more', 'setting', 'whole']],
  [3, 0, { recurring: [] }, ['more', 'setting', 'whole']],
] as const) {
  test(`each offer for closes-day ${days} and starts-payments ${payments} finds as many defects as it promises @all`, async () => {
    const { groups, allowances } = forecast(optionsOf(days, payments, config));
    const unnoticed = groups.flatMap(({ defects }) => defects);
    expect(allowances.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...has]));
    // Without a recurring payment to charge, the command refuses payments.
    const hasPayments = allowances.flatMap(({ allow }) => allow).some((value) => value.startsWith('starts-payments='));
    expect(hasPayments).toBe(!('recurring' in config && config.recurring.length === 0));
    const perEffect = allowances.map(({ more, effects = 0 }) => more / effects);
    expect(perEffect).toEqual([...perEffect].sort((a, b) => b - a));
    for (const { allow, set, more, kind } of allowances.filter((one) => one.kind !== 'plenty')) {
      // An offer extends the allowance, and has a total for its payments.
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

/** An answer to both operations. */
const answerAs =
  (status: number, closeDay = '', batch = '') =>
  (reply: Reply, { operation }: About): Reply =>
    withBody(withStatus(reply, status), operation === 'close-day' ? closeDay : batch);

const refuses = (status: number, code: string, type = 'error') =>
  answerAs(
    status,
    `{"response":{"status":"error","errorCode":"${code}","errorMessage":"no"},"theRequestSerialNumber":"1"}`,
    `type=${type}\n&serial-number=1\n&error-message=no\n&error-code=${code}\n`,
  );

const untrue: Readonly<Record<string, (reply: Reply, about: About) => Reply>> = {
  'refuses as documented': refuses(200, '12', 'validation-error'),
  'refuses with an empty 403': answerAs(403),
  'refuses with 401': answerAs(401),
  'refuses with error 403': refuses(200, '403'),
  'refuses with error 99': refuses(200, '99'),
  'refuses with error 500': refuses(403, '500'),
  'says ok': answerAs(200, 'ok', 'ok'),
  'resets the connection': (reply) => ({ ...reply, cutAfter: 0 }),
  'is silent': (reply) => ({ ...reply, delayMs: 200 }),
  'answers by half': (reply, about) => ({ ...refuses(200, '7')(reply, about), cutAfter: 5 }),
  'cuts its chunks': (reply, about) => ({
    ...withoutHeader(answerAs(403, 'type=error', 'type=error')(reply, about), 'Content-Length'),
    cutAfter: 5,
  }),
  'talks nonsense': (reply, { request }) => {
    (request.arrival!.connection as Socket).end('nonsense\r\n\r\n');
    // The client closes the connection, so the mock never writes this reply.
    return { ...reply, delayMs: 60_000 };
  },
  // The first answers are right: no run starts without them.
  'says another status each time': (reply, about) => {
    const serial = (about.serial ?? 0) - defaultWorld().serial;
    return serial <= 2 ? reply : answerAs(200 + ((serial * 37) % 400))(reply, about);
  },
  redirects: (reply) => withHeader(answerAs(307)(reply, {} as About), 'Location', '/'),
};

/** Gives an untrue answer to the faulty requests, to the accepted ones, or to all. With `acts`, acts on faulty ones. */
function liar(answer: (typeof untrue)[string], about: 'faulty' | 'accepted' | 'all', acts: boolean): Alteration {
  let isFaulty = false;
  return {
    reads: (request) => {
      isFaulty = false;
      return request;
    },
    accepts: () => {
      isFaulty = true;
      return acts;
    },
    writes: (reply, found) => {
      const isAboutFaulty = isFaulty || found.decision === 'refused';
      return found.operation === undefined || (about !== 'all' && (about === 'faulty') !== isAboutFaulty)
        ? reply
        : answer(reply, found);
    },
  };
}

/** Refuses each batch with a wrong number of cells in a row, but starts the payments of the other rows. */
const startGoodRows: Alteration = {
  skips: ['csv-cells'],
  refuses: ({ form, batch }, { counters }) => {
    if (!batch().broken.has('csv-cells')) return undefined;
    const payload = Buffer.from(form.find(([name]) => name === 'payload')![1], 'base64').toString();
    const [header, ...rows] = payload.trimEnd().split('\n');
    const cellsOf = (row: string) => row.replaceAll('"', '').split(';');
    const good = rows.map(cellsOf).filter(({ length }) => length === cellsOf(header!).length);
    counters.startedPayments += good.length;
    counters.totalAmount = String(Number(counters.totalAmount) + good.reduce((sum, row) => sum + Number(row[2]), 0));
    return 'a row is wrong';
  },
};

const resets = untrue['resets the connection']!;
const gateways: readonly (readonly [name: string, liar?: Alteration, actsOnFaulty?: boolean])[] = [
  ['is right about everything'],
  ...Object.entries(untrue).flatMap(([name, answer]) => [
    [`acts on what fails authentication, and ${name} about all`, liar(answer, 'all', true), true] as const,
    [`acts on what fails authentication, and ${name} about faulty ones`, liar(answer, 'faulty', true), true] as const,
    [`acts on what it accepts, and ${name} about that`, liar(answer, 'accepted', false)] as const,
  ]),
  ['resets each connection before it acts', { ...liar(resets, 'all', false), refuses: () => 'reset' }],
  ['resets right requests before it acts', { ...liar(resets, 'accepted', false), refuses: () => 'reset' }],
  ['starts the good rows of a batch that it refuses', startGoodRows],
];

for (const [at, [name, alteration, actsOnFaulty = false]] of gateways.entries()) {
  const tag = at < 2 ? [] : ['@all'];
  test(`a gateway that ${name} does no more than the worst case of plan, terminal and report`, { tag }, async () => {
    const mock = { tls: undefined, alterations: alteration === undefined ? [] : [alteration] } as never;
    // A run sends a wrong batch of several payments only if its allowance has room for them.
    const isPartial = alteration === startGoodRows;
    const allow = isPartial ? { ...small, 'starts-payments': { count: 6, total: '6.00' } } : small;
    await withLive({ allow, mock }, async (setting) => {
      const { ca: _, ...rest } = setting.config;
      const config = { ...rest, deadlineMs: name.includes('is silent') ? 50 : 20_000 };
      const rows = 'recurring/csv-row-length-enforced';
      const only = isPartial ? [rows] : ['authentication/*', 'recurring/many-rows-accepted', rows];
      const { target } = config;
      const options = completeRunOptions({ target, seed: 'live', cases: 3, only }, Date.now(), '/nowhere');
      const plan = planRun({ ...options, live: { config } });
      const result = await runLive(config, { only }).catch((cause: Error) => cause);
      const { closedDays, startedPayments: payments, totalAmount } = setting.mock.counters();
      const expectAtMost = (max: typeof small) => {
        expect(closedDays).toBeLessThanOrEqual(max['closes-day']);
        expect(payments).toBeLessThanOrEqual(max['starts-payments'].count);
        expect(Number(totalAmount)).toBeLessThanOrEqual(Number(max['starts-payments'].total));
      };
      const planned = plan.ifRefusalsAreUntrue;
      expectAtMost(planned);
      const printed = planText(plan, { path: '', reach: '' }).replace(/\n {10,}/g, ' ');
      expect(printed).toContain(`at worst        ${formatEffects(planned)} if refused requests`);
      // The run believes ten refusals of each operation, and sends one request of each to the unknown endpoint.
      const worstCounts = [planned['closes-day'], planned['starts-payments'].count];
      if (!isPartial) expect(worstCounts).toEqual([1 + 10 + 1, 2 + 10 + 1]);
      // If the first answers are not of a gateway, the run ends.
      if (result instanceof Error) return expect(closedDays + payments).toBeLessThanOrEqual(2);
      const { recorded, unclear, ledger, ifRefusalsAreUntrue: worst } = result.effects;
      expectAtMost(worst!);
      expect(worst!['closes-day']).toBeLessThanOrEqual(planned['closes-day']);
      expect(worst!['starts-payments'].count).toBeLessThanOrEqual(planned['starts-payments'].count);
      expect(recorded['closes-day'] + unclear!['closes-day']).toBe(ledger!['closes-day']);
      expect(recorded['starts-payments'] + unclear!['starts-payments']).toBe(ledger!['starts-payments'].count);
      const text = terminalText(resultDocument(result, { statements: () => undefined }), {
        colour: false,
        width: 400,
        most: Number.POSITIVE_INFINITY,
      });
      expect(text).toContain(`up to ${formatEffects(worst!)}`);
      expect(text).toContain(`closes-day ${recorded['closes-day']}`);
      // The lies have effects beyond the allowance.
      if (at === 1) expect(closedDays).toBeGreaterThan(small['closes-day']);
      if (isPartial) expect(payments).toBeGreaterThan(recorded['starts-payments']);
      // Without effects of faulty requests, the ledger has all effects.
      if (!actsOnFaulty) expectAtMost(ledger!);
      if (alteration === undefined) {
        expect([closedDays, payments, totalAmount]).toEqual([1, 2, '2.00']);
        expect([recorded['closes-day'], recorded['starts-payments']]).toEqual([1, 2]);
        expect(ledger!['starts-payments'].total).toBe('2.00');
      }
    });
  });
}

function formatEffects(effects: typeof small): string {
  const { count, total } = effects['starts-payments'];
  return `closes-day ${effects['closes-day']}, starts-payments ${count} with a total of ${total}`;
}
