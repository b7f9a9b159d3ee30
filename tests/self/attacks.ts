/** The gateways that act and say something else, and requests through the effect guard to one of them. Needs dist/. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeForm, type Pair } from '../../src/protocol/form.ts';
import { signRequest } from '../../src/protocol/oauth/sign-request.ts';
import type { SentRequest } from '../../src/record/exchange.ts';
import { newGuard, newPace } from '../../src/run/allowance/guard.ts';
import type { LedgerBalance } from '../../src/run/allowance/ledger.ts';
import { openLedger } from '../../src/run/allowance/ledger.ts';
import { type Credentials, type LiveConfig, reopenCredentials } from '../../src/run/target/live-config.ts';
import { siteOf } from '../../src/run/target/site.ts';
import { openTransport } from '../../src/run/transport/transport.ts';
import { consumer } from './live-setting.ts';

export interface Answer {
  readonly status: number;
  readonly closeDay?: string;
  readonly batch?: string;
}

export interface Behaviour {
  /** On what it acts: on everything, on what a right gateway accepts, or also on the good rows of a batch that it refuses. */
  readonly acts: 'always' | 'when accepted' | 'on good rows';
  readonly says:
    | Answer
    | 'honest'
    | 'resets first'
    | 'resets'
    | 'is silent'
    | 'answers by half'
    | 'cuts its chunks'
    | 'talks nonsense'
    | 'redirects'
    | 'says another status each time';
  /** What it says that to; everything else is answered as a right gateway does. */
  readonly about: 'accepted' | 'faulty' | 'all';
}

const closeDayError = (code: string) =>
  `{"response":{"status":"error","errorCode":"${code}","errorMessage":"no"},"theRequestSerialNumber":"1"}`;
const batchAnswer = (type: string, code: string) =>
  `type=${type}\n&serial-number=1\n&error-message=no\n&error-code=${code}\n`;

const says: Readonly<Record<string, Behaviour['says']>> = {
  'refuses as documented': { status: 200, closeDay: closeDayError('7'), batch: batchAnswer('validation-error', '12') },
  'refuses with an empty 403': { status: 403 },
  'refuses with 401': { status: 401 },
  'refuses with error 403': { status: 200, closeDay: closeDayError('403'), batch: batchAnswer('error', '403') },
  'refuses with error 99': { status: 200, closeDay: closeDayError('99'), batch: batchAnswer('error', '99') },
  'refuses with error 500': { status: 403, closeDay: closeDayError('500'), batch: batchAnswer('error', '500') },
  'says ok': { status: 200, closeDay: 'ok', batch: 'ok' },
  'resets before it acts': 'resets first',
  'resets once it has acted': 'resets',
  'is silent': 'is silent',
  'answers by half': 'answers by half',
  'cuts its chunks': 'cuts its chunks',
  'talks nonsense': 'talks nonsense',
  redirects: 'redirects',
  'says another status each time': 'says another status each time',
};

/** By what each does; the honest ones act on what they accept alone, and say so. */
export const attacks: Readonly<Record<string, Behaviour>> = {
  'is right about everything': { acts: 'when accepted', says: 'honest', about: 'all' },
  'starts the good rows of a batch that it refuses': { acts: 'on good rows', says: 'honest', about: 'all' },
  ...Object.fromEntries(
    Object.entries(says).flatMap(([name, said]) =>
      (['accepted', 'faulty', 'all'] as const).flatMap((about) => [
        [`acts on everything, and ${name} (${about})`, { acts: 'always', says: said, about }] as const,
        [`acts on what it accepts, and ${name} (${about})`, { acts: 'when accepted', says: said, about }] as const,
      ]),
    ),
  ),
};

export interface Counters {
  readonly closedDays: number;
  readonly payments: number;
  readonly cents: number;
}

export interface Zoo {
  /** Base URL of a gateway that behaves so, with counters of its own. */
  target(behaviour: Behaviour): string;
  /** What the gateway at that base URL has done. */
  did(target: string): Promise<Counters>;
  close(): void;
}

export async function openZoo(): Promise<Zoo> {
  const path = fileURLToPath(new URL('attacking-gateway.mjs', import.meta.url));
  const child: ChildProcess = fork(path, [JSON.stringify(consumer)], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  let runs = 0;
  return {
    target(behaviour) {
      runs += 1;
      return `http://127.0.0.1:${port}/${runs}/${Buffer.from(JSON.stringify(behaviour)).toString('base64url')}`;
    },
    async did(target) {
      const run = target.split('/')[3]!;
      child.send(run);
      for (;;) {
        const [told] = (await once(child, 'message')) as [{ run: string; did: Counters }];
        if (told.run === run) return told.did;
      }
    },
    close: () => child.disconnect(),
  };
}

export const believed = 2;
const allow = { 'closes-day': 3, 'starts-payments': { count: 6, total: '6.00' } };

/** Wrong and right requests of both operations to it, as a run sends them; what the ledger makes of the answers. */
export async function askBehindGate(target: string, config: LiveConfig, folder: string): Promise<LedgerBalance> {
  const ledger = openLedger(join(folder, `${target.split('/')[3]}.jsonl`), 'run');
  ledger.begin(target, '1111', allow);
  const transport = openTransport({ deadlineMs: config.deadlineMs });
  const pace = newPace({ rate: 1e6, sleep: async () => {} });
  const site = siteOf({ ...config, target });
  const gate = newGuard({ site, limits: { allow, trustRefusals: believed }, ledger, pace });
  const keys = await reopenCredentials(config.credentials!, {});
  const ask = async (request: SentRequest, purpose: { readonly settles?: boolean } = {}) =>
    gate.send(request, { what: 'x', ...purpose }, (sent) => transport.send(sent));
  const closeDay = (more: Partial<Planned> = {}) =>
    planned(target, { path: '/api/v2/close-day/1111', body: [['day_close_request_id', fresh(16)]], ...more }, keys);
  const batch = (rows: readonly string[], more: Partial<Planned> = {}) =>
    planned(target, { path: '/api/v4/process-recurring-payments/1111', body: [['payload', csv(rows)]], ...more }, keys);
  try {
    await ask(closeDay({ unsigned: true, path: '/api/v2/close-day/999999999' }));
    for (let wrong = 0; wrong < believed + 1; wrong += 1) await ask(closeDay({ unsigned: true }));
    for (let wrong = 0; wrong < believed + 1; wrong += 1) await ask(batch([good()], { unsigned: true }));
    await ask(batch([good(), bad()]));
    await ask(closeDay(), { settles: true });
    await ask(batch([good()]), { settles: true });
    await ask(batch([good(), good()]));
    return ledger.balance();
  } finally {
    await transport.close();
  }
}

interface Planned {
  readonly path: string;
  readonly body: readonly Pair[];
  readonly unsigned?: boolean;
}

let count = 0;
function fresh(length: number): string {
  count += 1;
  return String(count).padStart(length, '1');
}
const good = () => `"${fresh(8)}";"1234567890";"1.00"`;
const bad = () => `"${fresh(129)}";"1234567890";"1.00"`;
const csv = (rows: readonly string[]) =>
  Buffer.from(['"client-orderid";"recurring-payment-id";"amount"', ...rows].join('\n')).toString('base64');

function planned(
  target: string,
  { path, body, unsigned }: Planned,
  { consumerSecret, privateKey }: Credentials,
): SentRequest {
  const url = new URL(target + path);
  const sent = { method: 'POST', scheme: 'http', host: url.host, target: url.pathname } as const;
  const key = path.includes('close-day')
    ? ({ method: 'HMAC-SHA1', consumerSecret } as const)
    : ({ method: 'RSA-SHA256', privateKey } as const);
  const stamp = { timestamp: String(Math.floor(Date.now() / 1000)), nonce: fresh(32) };
  const authorization = () =>
    signRequest({ ...sent, body }, { consumerKey: consumer.consumerKey, key }, stamp).authorization;
  return {
    ...sent,
    headers: [
      ...(unsigned ? [] : [['Authorization', authorization()] as const]),
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: Buffer.from(encodeForm(body)),
  };
}
