/** The options of a run are somebody's file: whatever a member is changed into, they are taken or refused with a sentence. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fitting, givenOptions, refusalOf } from '../../../src/engine/given-options.ts';
import { fromJson, toJson } from '../../../src/exchange/json.ts';
import { issueCertificates } from '../../../src/local-gateway/index.ts';
import {
  completeRunOptions,
  type RunOptions,
  RunOptionsError,
  runOptionsOf,
  runVariable,
} from '../../../src/options/run-options.ts';
import { publishedProfile } from '../../../src/target/published-profile.ts';
import { expect, test } from '../../engine.ts';

const whole = completeRunOptions({ seed: '1', labels: { gateway: '4.12.0' } }, 0, '/work');
const exchange = {
  request: { method: 'GET', scheme: 'http', host: 'a', target: '/', headers: [['A', 'b']], body: Buffer.from('x') },
  response: { status: 200, reason: 'OK', headers: [], body: Buffer.alloc(0) },
  startedAt: 0,
  durationMs: 1,
} as const;
const target = 'http://127.0.0.1:1';
const certificates = issueCertificates(Date.now());
const introduction = {
  adapter: { name: 'a', version: '1' },
  client: { name: 'c', version: '1', language: 'node', languageVersion: '22' },
  offers: {
    ops: ['close-day' as const],
    signatureMethods: ['HMAC-SHA1'],
    stages: ['csv'],
    inject: ['nonce' as const],
    maxInFlight: 1,
    tls: true,
  },
};

/** Between them they have every member. */
const complete: Readonly<Record<string, RunOptions>> = {
  mock: {
    ...whole,
    challenge: '1',
    only: ['close-day/*'],
    shard: { index: 1, of: 2 },
    slow: true,
    measure: 600,
    path: '2/14:0:1',
    defects: ['close-day/lock-not-removed'],
    variants: [],
    acceptPartial: true,
    scoring: {
      failOn: 'hazard',
      require: ['close-day/*'],
      set: { name: '2026-11', ids: ['close-day/path'] },
      baseline: { file: 'known.yaml', known: [{ id: 'close-day/path', reason: 'x' }], update: true },
    },
  },
  live: {
    ...whole,
    target,
    contracts: true,
    broker: { url: 'https://broker.example', publishAs: { version: '1', branch: 'main' } },
    pacts: [{ name: 'a pact', path: '/pact.json' }],
    live: {
      config: {
        ...publishedProfile,
        target,
        ca: certificates.authority,
        versions: { 'close-day': 'v3' },
        states: { closing: '1112' },
        gates: 1,
        require: ['close-day/*'],
        credentials: { consumerKey: 'k', consumerSecret: { file: '/s' }, privateKey: { variable: 'KEY' } },
      },
      ledger: '/ledger',
      holder: 1,
      clockOffset: 0,
      limitMs: 1000,
      notes: ['a note'],
      accepted: [{ operation: 'close-day', exchange }],
      countersBefore: { closedDays: 0, startedPayments: 0, totalAmount: '0.00' },
    },
  },
  client: {
    ...whole,
    target: 'client',
    client: {
      command: ['node', 'x'],
      mode: 'process',
      plainHttp: false,
      cwd: '/',
      introduction,
      strays: true,
      certificates,
    },
  },
  attached: {
    ...whole,
    target: 'client',
    client: { command: [], mode: 'attach', port: 1, plainHttp: false, cwd: '/' },
  },
  reference: {
    ...whole,
    target: 'client',
    client: {
      command: [],
      mode: 'process',
      plainHttp: false,
      cwd: '/',
      defects: ['authentication/parts-joined-unencoded'],
    },
  },
};

const removed = Symbol('removed');
const values: readonly unknown[] = [
  removed,
  null,
  1,
  -1,
  0.5,
  1e300,
  true,
  false,
  '',
  ' ',
  'x',
  'client',
  'https://gateway.example',
  '\u0000',
  'x'.repeat(5000),
  'x\u0000y',
  '\ud800',
  [],
  [null],
  {},
  { __proto__: null, x: 1 },
];

for (const [name, options] of Object.entries(complete)) {
  test(`the options of a run are taken as they are written: ${name}`, () => {
    expect(given(JSON.parse(toJson(options)))).toMatchObject({ runId: options.runId });
  });

  test(`a member that is missing, or anything else, is a sentence of bearable length or taken: ${name}`, () => {
    const wrong: unknown[] = [];
    let refused = 0;
    for (const path of pathsOf(JSON.parse(toJson(options)))) {
      for (const value of values) {
        const told = given(altered(JSON.parse(toJson(options)), path, value));
        if (typeof told !== 'string') continue;
        refused += 1;
        if (
          !/^the (file|options of the run in) \/.* \S.*[^.]$/s.test(told) ||
          told.length > 500 ||
          foreign.test(told)
        ) {
          wrong.push([path.join('.'), value, told]);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(200);
  });
}

/** What node and its libraries say. */
const foreign = /undefined|\bat .*:\d+:\d+|Invalid URL|ERR_|PEM routines|Cannot read|\u0000/;

const contradictory: Readonly<Record<string, readonly [options: object, says: string]>> = {
  'a client that is not described': [{ target: 'client' }, 'target needs client, which is missing'],
  'a live target that is not described': [{ target }, 'target needs live, which is missing'],
  'a client beside the mock': [{ client: complete.client!.client }, 'client is given, and target is something else'],
  'another target than the configuration': [
    { target: 'http://127.0.0.1:2', live: complete.live!.live },
    'live.config.target is another one than target',
  ],
  'a pattern that matches nothing': [
    { only: ['close-day/status-200', 'x'] },
    'only[1] matches no requirement of a gateway',
  ],
  'a shard beyond the last': [{ shard: { index: 3, of: 2 } }, 'shard.index is 3, and shard.of only 2'],
  'more shards than scenarios': [
    { only: ['close-day/status-200'], shard: { index: 1, of: 64 } },
    'shard.of is 64, and there are',
  ],
  'a defect that nobody knows': [{ defects: ['x'] }, 'there is nothing that defects[0] is the id of'],
  'a relative folder': [{ out: 'report' }, 'out is not an absolute path'],
};

for (const [name, [members, says]] of Object.entries(contradictory)) {
  test(`${name} is refused`, () => {
    expect(given({ ...JSON.parse(toJson(whole)), ...members })).toContain(says);
  });
}

test('an unusable program or certificate of a client is refused', () => {
  const ofClient = (members: object) =>
    given({ ...complete.client, client: { ...complete.client!.client, ...members } });
  expect(ofClient({ command: [''] })).toContain('client.command names no program');
  expect(ofClient({ command: ['a\u0000'] })).toContain(
    'client.command[0] is "a\\u0000" (text); it must be text without NUL',
  );
  const shown = { ...certificates.shown, expired: 'x' };
  expect(ofClient({ certificates: { ...certificates, shown } })).toContain('client.certificates.shown.expired is no');
});

/** The options as they were read, or the message of the error. */
function given(value: object): RunOptions | string {
  try {
    return fitting(runOptionsOf(fromJson(JSON.stringify(value)), 'the file /x'), '/x');
  } catch (cause) {
    if (!(cause instanceof RunOptionsError)) throw cause;
    return cause.message;
  }
}

/** Of every member, outermost first. */
function pathsOf(value: unknown, above: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [[...above, name], ...pathsOf(member, [...above, name])]);
}

function altered(whole: object, path: readonly string[], value: unknown): object {
  let at = whole as Record<string, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = path.at(-1)!;
  if (value !== removed) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return whole;
}

test('the engine by itself says what is wrong in a file in one line that is short and does nothing to a terminal', () => {
  const path = test.info().outputPath('run-options.json');
  mkdirSync(dirname(path), { recursive: true });
  for (const member of ['\u202e\u001b[2J', 'x'.repeat(5000)]) {
    writeFileSync(path, toJson({ ...whole, [member]: 1 }));
    const refused = thrownBy(() => givenOptions({ [runVariable]: path }));
    expect(refused).toBeInstanceOf(RunOptionsError);
    expect(refusalOf(refused as RunOptionsError)).toMatch(/^countersign: [ -~…]{100,1300}\n$/u);
  }
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (cause) {
    return cause;
  }
}
