/** A guard with its own ledger, answers to the requests that pass it, and options and configurations of live runs. */
import type { Exchange, Header, SentRequest } from '../../../src/record/exchange.ts';
import type { Limits } from '../../../src/run/allowance/budget.ts';
import { newGuard, newPace } from '../../../src/run/allowance/guard.ts';
import { openLedger } from '../../../src/run/allowance/ledger.ts';
import { completeRunOptions, type RunOptions } from '../../../src/run/options/run-options.ts';
import type { LiveConfig } from '../../../src/run/target/live-config.ts';
import { type Site, siteOf } from '../../../src/run/target/site.ts';
import { publishedConfig } from '../../../src/run/target/target.ts';
import { test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { file } from '../app/signed-call.ts';

export const target = 'https://gateway.example';

export const site = siteOf({
  environment: 'integration',
  target,
  endpointId: '1',
  states: {},
  recurring: [{ id: '2', amount: '1.00' }],
});

/** Totals of a gateway without sales. */
export const totals = {
  sale_approved_count: '0',
  sale_approved_sum: '0.00',
  reversal_approved_count: '0',
  reversal_approved_sum: '0.00',
};

/** Options of a live run that sends nothing, with the published profile as its configuration. */
export function liveOptions(config: Partial<LiveConfig> = {}, options: Partial<RunOptions> = {}) {
  const target = 'http://127.0.0.1:1';
  const { credentials: _, ...published } = publishedConfig;
  const live = { config: { ...published, target, ...config }, ledger: '/nowhere', holder: 1 };
  return { ...completeRunOptions({ target, seed: '7', runId: 'r', ...options }, 0, '/nowhere'), live };
}

/** Writes the configuration of a live run with these lines. Returns its path, and the variables of its secrets. */
export function writeConfig(target: string, ...more: readonly string[]) {
  const lines = [
    ...['environment: integration', `target: ${target}`, 'endpoint-id: "1111"', ...more],
    `credentials: { consumer-key: shop, consumer-secret: "${'$'}{SECRET}", private-key: "${'$'}{KEY}" }`,
  ];
  const config = file(test.info().outputPath('countersign.config.yaml'), `${lines.join('\n')}\n`);
  return { config, env: { SECRET: 'secret-of-a-live-run', KEY: privatePemOf(shopKeys) } };
}

interface Options {
  site?: Partial<Site>;
  run?: string;
  begins?: boolean;
  write?: NonNullable<Parameters<typeof openLedger>[2]>['write'];
}

/** Opens the ledger at that path and begins the run, unless it has begun. */
export function guardAt(path: string, limits: Limits, { run = 'run', begins = true, site: more, write }: Options = {}) {
  const ledger = openLedger(path, run, { write });
  if (begins) ledger.begin(target, '1', limits.allow);
  const pace = newPace({ rate: 1e6, now: () => 0, sleep: async () => {} });
  return { ledger, liveGuard: newGuard({ limits, pace, ledger, site: { ...site, ...more } }) };
}

export const closeDay: SentRequest = {
  method: 'POST',
  scheme: 'https',
  host: 'gateway.example',
  target: '/api/v2/close-day/1',
  headers: [],
  body: Buffer.from('day_close_request_id=12345678'),
};

export function answer(status: number, body = '', headers: readonly Header[] = []) {
  return async (request: SentRequest): Promise<Exchange> => ({
    request,
    response: { status, reason: '', headers, body: Buffer.from(body) },
    startedAt: 0,
    durationMs: 1,
  });
}

export function noAnswer(kind: NonNullable<Exchange['failure']>['kind']) {
  const failure = { kind, message: kind };
  return async (request: SentRequest): Promise<Exchange> => ({ request, failure, startedAt: 0, durationMs: 1 });
}
