/**
 * `countersign doctor` against mocks with other credentials, prefix and authority: each thing that is wrong is told by
 * its name, within what is allowed.
 */
import { gatewayDefects } from '../../src/faults/index.ts';
import { newAuthority } from '../../src/mock/certificates.ts';
import { defaultWorld, type MockOptions, type RunningMock, startMock } from '../../src/mock/index.ts';
import type { DoctorFinding } from '../../src/run/target/live-config.ts';
import { expect, test } from '../engine.ts';
import { otherShopKeys, privatePemOf, shopKeys } from '../keys/index.ts';
import { run } from '../unit/app/run-command.ts';
import { file, pem } from '../unit/app/signed-call.ts';
import { testTls } from './live-setting.ts';

const secret = 'canary-secret-of-the-doctor-test';
const allowed = 'allow: { closes-day: 1, starts-payments: { count: 1, total: "1.00" } }';

interface Outcome {
  readonly exitCode: number;
  readonly findings: readonly DoctorFinding[];
  readonly text: string;
  readonly mock: RunningMock;
}

interface Setting {
  readonly mock?: MockOptions;
  readonly allow?: string;
  /** Replaces lines of the configuration by their key; undefined leaves the line out. */
  readonly lines?: Readonly<Record<string, string | undefined>>;
  readonly secret?: string;
  readonly key?: string;
  /** What the file has for the base URL. */
  readonly target?: (baseUrl: string) => string;
}

const worldWith = (consumerSecret: string) =>
  defaultWorld({ consumers: [{ consumerKey: 'shop', consumerSecret, publicKeyPem: pem(shopKeys.publicKey) }] });

/** Starts a mock, asks doctor about it with a file only, and stops it again. */
async function check({ mock: options, allow = '', lines = {}, target = String, ...files }: Setting): Promise<Outcome> {
  const mock = await startMock({ prefix: '/paynet', tls: testTls().server, world: worldWith(secret), ...options });
  const path = (name: string) => test.info().outputPath(name);
  file(path('secret.txt'), files.secret ?? `${secret}\n`);
  file(path('key.pem'), files.key ?? privatePemOf(shopKeys));
  file(path('ca.pem'), testTls().authority.certificatePem);
  const written: Record<string, string | undefined> = {
    environment: 'integration',
    target: target(mock.baseUrl),
    endpointId: '"1111"',
    unknownEndpointId: '"999999999"',
    credentials: '{ consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }',
    recurring: '[{ id: "1234567890", amount: "1.00" }]',
    ca: 'ca.pem',
    deadlineMs: '5000',
    rate: '50',
    ...lines,
  };
  const yaml = Object.entries(written).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]));
  const config = file(path('countersign.config.yaml'), `${[...yaml, allow].join('\n')}\n`);
  try {
    const { exitCode, out, err } = await run(['doctor', '--config', config, '--json']);
    expect(out + err).not.toContain(secret);
    const findings: readonly DoctorFinding[] = out === '' ? [] : JSON.parse(out).findings;
    return { exitCode, findings, text: out + err, mock };
  } finally {
    await mock.close();
  }
}

const problemsOf = ({ findings }: Outcome): string[] =>
  findings.flatMap(({ status, id }) => (status === 'problem' || status === 'unchecked' ? `${status} ${id}` : []));
const noSignature = ['unchecked signature/close-day', 'unchecked signature/process-recurring-payments'];

/** What was booked, then the worst: close-days, payments and their total. */
const effectsOf = ({ findings }: Outcome) => `${findings.at(-1)!.what.match(/\d+(?:\.\d+)?/g)}`;

test('without an allowance nothing happens, and the signatures are not green', async () => {
  const outcome = await check({});
  expect(problemsOf(outcome)).toEqual(noSignature);
  expect([outcome.exitCode, effectsOf(outcome)]).toEqual([1, '0,0,0.00,1,1,1.00']);
  expect(outcome.findings.at(-2)?.what).toContain('signature not checked: the check would have an effect');
  expect(outcome.mock.counters()).toMatchObject({ closedDays: 0, startedPayments: 0 });
  // The base URL and one unsigned request for each operation.
  expect(outcome.mock.counters().requests).toBe(3);
});

const withDefect = (defect: string): MockOptions => ({
  alterations: gatewayDefects.flatMap(({ id, alteration }) => (id === `authentication/${defect}` ? [alteration] : [])),
});
const another = 'another-secret-than-the-right-one';
const oneUnchecked = ['unchecked signature/process-recurring-payments'];
type Counters = Partial<ReturnType<RunningMock['counters']>>;
const limited: [name: string, given: Setting, notRight: string[], effects: string, counters: Counters][] = [
  [
    'with one close-day and one payment allowed everything is right, and no more than that happens',
    { allow: allowed },
    [],
    '1,1,1.00,2,2,2.00',
    { closedDays: 1, startedPayments: 1, totalAmount: '1.00' },
  ],
  [
    'allowing one operation leaves the other unchecked',
    { allow: 'allow: { closes-day: 1 }' },
    oneUnchecked,
    '1,0,0.00,2,1,1.00',
    { closedDays: 1, startedPayments: 0 },
  ],
  [
    'a payment above the total is not sent',
    { allow: allowed, lines: { recurring: '[{ id: "1", amount: "1.01" }]' } },
    oneUnchecked,
    '1,0,0.00,2,1,1.01',
    { closedDays: 1, startedPayments: 0 },
  ],
  [
    'a gateway that takes anything gets no more than what is allowed',
    { allow: allowed, secret: another, mock: withDefect('signature-not-checked') },
    [],
    '1,1,1.00,2,2,2.00',
    { closedDays: 1, startedPayments: 1 },
  ],
  [
    '404 at the unknown endpoint: the prefix is wrong',
    // The mock answers under /paynet.
    { allow: allowed, target: (baseUrl) => baseUrl.replace('/paynet', '/wrong') },
    ['problem path/prefix', ...noSignature],
    '0,0,0.00,1,1,1.00',
    { closedDays: 0, startedPayments: 0 },
  ],
  [
    'only HMAC refused: the secret is wrong',
    { allow: allowed, secret: another },
    ['problem signature/secret'],
    // What refuses the right request may refuse anything: that counts as done.
    '1,1,1.00,2,2,2.00',
    { closedDays: 0, startedPayments: 1 },
  ],
  [
    'after an unsigned request that was accepted nothing more is sent to the unknown endpoint',
    { allow: allowed, mock: withDefect('unsigned-close-day-accepted') },
    ['problem path/accepted', ...noSignature],
    '1,0,0.00,1,0,0.00',
    // The base URL, and the one that was accepted.
    { requests: 2, closedDays: 1, startedPayments: 0 },
  ],
];
for (const [name, setting, expected, effects, counters] of limited) {
  test(name, async () => {
    const told = await check(setting);
    expect([told.exitCode, problemsOf(told)]).toEqual([expected.length === 0 ? 0 : 1, expected]);
    expect(effectsOf(told)).toBe(effects);
    expect(told.mock.counters()).toMatchObject(counters);
  });
}

const [day, key] = [24 * 60 * 60 * 1000, privatePemOf(otherShopKeys)];
const issued = (more: object) => testTls().authority.issue({ key, ...more });
const [yesterday, tomorrow] = [Date.now() - day, Date.now() + day];
const badCertificates: [name: string, finding: string, tls: () => { key: string; cert: string }][] = [
  ['expired', 'problem tls/expired', () => issued({ notBefore: yesterday - day, notAfter: yesterday })],
  ['not yet valid', 'problem tls/not-yet-valid', () => issued({ notBefore: tomorrow })],
  ['for another name', 'problem tls/name', () => issued({ names: ['gateway.example'] })],
  ['of a stranger', 'problem tls/authority', () => newAuthority(Date.now(), privatePemOf(shopKeys)).issue({ key })],
];
for (const [name, finding, tls] of badCertificates) {
  test(`a certificate that is ${name} is reported, and nothing is sent`, async () => {
    const told = await check({ allow: allowed, mock: { tls: tls() } });
    if (finding.endsWith('name')) expect(told.text).toContain('is for gateway.example, not for 127.0.0.1"');
    const problems = problemsOf(told).filter((line) => !line.startsWith('unchecked'));
    expect([told.exitCode, problems]).toEqual([3, [finding]]);
    expect(told.mock.counters().requests).toBe(0);
  });
}

const unusable: [name: string, given: Pick<Setting, 'secret' | 'key' | 'lines'>, findings: string[]][] = [
  ['secret that is missing', { lines: { credentials: credentialsIn('none.txt', 'key.pem') } }, ['secret/missing']],
  ['secret that is too short', { secret: 'short\n' }, ['secret/short']],
  ['key that is missing', { lines: { credentials: credentialsIn('secret.txt', 'none.pem') } }, ['private-key/missing']],
  ['authority that is none', { lines: { ca: 'secret.txt' } }, ['ca/unreadable']],
];
for (const [name, given, findings] of unusable) {
  test(`a configuration that names a ${name} gives exit code 2, and all other findings`, async () => {
    const told = await check({ allow: allowed, ...given });
    expect([told.exitCode, told.mock.counters().closedDays]).toEqual([2, 0]);
    expect(told.findings.filter(({ status }) => status === 'problem').map(({ id }) => id)).toEqual(findings);
    expect(told.findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['reachable', 'path', 'clock']));
  });
}

test('a certificate that ends soon is a remark with the days that are left', async () => {
  const told = await check({ mock: { tls: testTls().authority.issue({ key, notAfter: Date.now() + 3.5 * day }) } });
  const remark = { status: 'remark', what: 'the certificate expires in 3 days' };
  expect(told.findings.find(({ id }) => id === 'tls/ends-soon')).toMatchObject(remark);
});

test('HTTP to an HTTPS port, and HTTPS to an HTTP port, are reported', async () => {
  const http = await startMock();
  const https = await startMock({ tls: testTls().server });
  try {
    const toHttp = await run(['doctor', '--json', '--target', http.baseUrl.replace('http:', 'https:')]);
    const toHttps = await run(['doctor', '--json', '--target', https.baseUrl.replace('https:', 'http:')]);
    expect([toHttp.exitCode, toHttps.exitCode]).toEqual([3, 3]);
    expect(problemsIn(toHttp.out)).toEqual(['tls/none']);
    expect(problemsIn(toHttps.out)).toEqual(['reachable/http']);
  } finally {
    await Promise.all([http.close(), https.close()]);
  }
});

test('a secret in quotes is a problem until an accepted signature shows that the quotes belong to it', async () => {
  const quoted = `"${secret}"`;
  expect(problemsOf(await check({ secret: quoted }))[0]).toBe('problem secret/quotes');
  const told = await check({ secret: quoted, allow: allowed, mock: { world: worldWith(quoted) } });
  expect([told.exitCode, problemsOf(told)]).toEqual([0, []]);
  expect(told.findings.find(({ id }) => id === 'secret/quotes')?.status).toBe('remark');
});

test('production gets no signed request, and an allowance for it is refused before the first connection', async () => {
  const harmless = await check({ lines: { environment: 'production' } });
  expect(problemsOf(harmless)).toEqual(noSignature);
  const refused = await check({ lines: { environment: 'production' }, allow: allowed });
  expect(refused.text).toContain('the environment is production, and effects are allowed');
  expect([refused.exitCode, refused.mock.counters().requests]).toEqual([2, 0]);
});

function credentialsIn(secretFile: string, keyFile: string): string {
  return `{ consumer-key: shop, consumer-secret-file: ${secretFile}, private-key-file: ${keyFile} }`;
}

function problemsIn(json: string): string[] {
  const { findings } = JSON.parse(json) as { findings: DoctorFinding[] };
  return findings.filter(({ status }) => status === 'problem').map(({ id }) => id);
}
