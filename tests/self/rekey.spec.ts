/** `countersign rekey`: the copy of a record holds nothing of the original, and is judged row by row like it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { originalKeys } from '../../src/extras/rekey/keys.ts';
import { rekeyRecordings } from '../../src/extras/rekey/rekey.ts';
import { clientDefects } from '../../src/faults/client/index.ts';
import { clientScenarios } from '../../src/plan/client/index.ts';
import { buildRecurring, encodeForm, type Pair, signRequest } from '../../src/protocol/index.ts';
import type { Result } from '../../src/record/result/result.ts';
import { toHar } from '../../src/record/write-har.ts';
import { openReference } from '../../src/run/client/open-client.ts';
import { performClientScenario } from '../../src/run/client/perform-client.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { secretKey, secretText } from '../../src/run/secrets/secret.ts';
import { concludeRun } from '../../src/verdict/conclude.ts';
import { readRecording } from '../../src/verdict/recordings/recording.ts';
import { expect, test } from '../engine.ts';
import { shopKeys } from '../keys/index.ts';
import { run } from '../unit/app/captured.ts';
import { judgedOf } from '../unit/verdict/runs.ts';
import { scanFolder } from './scan-folder.ts';

let folder = '';
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-rekey-'));
});
test.afterEach(() => rm(folder, { recursive: true }));

/** Each stands for a way in which a record can be unusual: in its header, its signature, its body, its CSV and its charset. */
const defects = [
  'authentication/body-not-signed',
  'authentication/header-values-encoded-twice',
  'authentication/credentials-in-body',
  'authentication/consumer-key-in-capitals',
  'authentication/other-scheme',
  'recurring/payload-encoded-twice',
  'recurring/payload-plus-raw',
  'recurring/csv-header-left-out',
  'recurring/header-reordered-alone',
  'recurring/csv-in-latin-1',
  'close-day/longs-through-a-double',
];

for (const [id, step] of [[undefined, 1], ...defects.map((id) => [id, 3] as const)] as const) {
  const which = step === 1 ? 'the record' : `a record of one scenario in ${step}`;
  test(`${which} of a client ${id ? `with ${id}` : 'without a defect'} is judged alike @all`, async () => {
    // Each defect has a third of its own.
    const har = await recordOf(id, step, Math.max(0, defects.indexOf(id ?? '')) % step);
    const recording = readRecording(har, 'record');
    const options = { salt: 'of the test', keysOf: originalKeys({}), secrets: [] } as const;
    const rekeyed = rekeyRecordings([recording], options);
    const copy = harOf(rekeyed.recordings[0]!);
    expect(outcomes(readRecording(copy, 'copy'))).toEqual(outcomes(recording));
    expect(rekeyed.replaced.flatMap(({ forms }) => [...forms]).length).toBeGreaterThan(100 / step);
    await writeFile(join(folder, 'exchanges.har'), copy);
    expect(await scanFolder(folder, rekeyed.replaced)).toEqual([]);
  });
}

test.describe('the record of a live client', () => {
  const consumerSecret = 'canary of the shop/+&=% itself';
  const ids = ['ORDER-of-Mrs-Example-17', '4711081542', 'REQUEST4711ABCD'];
  const flags = { 'consumer-secret': 'secret.txt', 'public-key': 'key.pub.pem' };
  const keys = () => Object.entries(flags).flatMap(([flag, name]) => [`--${flag}-file`, join(folder, name)]);

  test.beforeEach(async () => {
    await writeFile(join(folder, 'secret.txt'), consumerSecret);
    await writeFile(join(folder, 'key.pub.pem'), shopKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const columns = ['client-orderid', 'recurring-payment-id', 'amount'];
    const batch = buildRecurring({ columns, rows: [[ids[0]!, ids[1]!, '1.00']] });
    const hmac = { method: 'HMAC-SHA1', consumerSecret } as const;
    const closing = request('v2/close-day', [['day_close_request_id', ids[2]!]], hmac);
    const rsa = { method: 'RSA-SHA256', privateKey: shopKeys.privateKey } as const;
    const charge = request('v4/process-recurring-payments', batch.body, rsa);
    const failure = `type=error\n&error-message=no+order+${ids[0]}+(${encodeURIComponent(consumerSecret)})\n&error-code=500\n&serial-number=0a1b2c3d-0000-0000-0000-000002d9b229\n`;
    const entries = [entry(closing, ''), entry(charge, failure)];
    await writeFile(join(folder, 'traffic.har'), JSON.stringify({ log: { version: '1.2', entries } }));
  });

  test('is copied with a line for each part of it where somebody watches', async () => {
    const files = [join(folder, 'traffic.har'), ...keys()];
    const alone = await run(['rekey', ...files, '--out', join(folder, 'alone')]);
    const watched = await run(['rekey', ...files, '--out', join(folder, 'watched')], {}, { isWatched: true });
    const search = 'writing the copy, and searching it for what was replaced';
    const works = ['reading the run', 'judging the run', 'judging the copy', search];
    expect(watched.err).toBe(works.map((work) => `countersign: ${work} ...\n`).join('') + alone.err);
  });

  test('is copied without its secrets, its ids and its host, and verifies with the published keys', async () => {
    const secrets = [secretText('the secret', consumerSecret), secretKey('the key', shopKeys.privateKey)];
    const all = [...secrets, ...[...ids, 'gateway.bank.test-host.com', 'shop-4711'].map((id) => secretText(id, id))];
    const judged = ['--json', '--out', join(folder, 'judged')];
    const original = await run(['judge', join(folder, 'traffic.har'), ...keys(), ...judged]);
    const copied = await run(['rekey', join(folder, 'traffic.har'), ...keys(), '--out', join(folder, 'copy')]);
    expect(copied).toMatchObject({ exitCode: 0, out: '' });
    expect(copied.err).toContain('2 requests verify again');
    expect(copied.err).toContain('Every requirement has the outcome that it had.');
    expect(await scanFolder(join(folder, 'copy'), all)).toEqual([]);
    const again = await run(['judge', join(folder, 'copy'), '--json', '--out', join(folder, 'again')]);
    expect(again.exitCode).toBe(original.exitCode);
    const [before, after]: Result[] = [JSON.parse(original.out), JSON.parse(again.out)];
    const outcomesOf = (result: Result) => result.results.map(({ id, outcome }) => ({ id, outcome }));
    expect(outcomesOf(after!)).toEqual(outcomesOf(before!));
    expect(after!.results.find(({ id }) => id === 'authentication/signature-verifies')?.outcome).toBe('pass');
    // The scan itself sees: the original holds everything, and its report all but the secrets.
    expect(await scanFolder(join(folder, 'judged'), secrets)).toEqual([]);
    const found = (await scanFolder(folder, all)).map(({ file }) => file);
    expect(found).toEqual(expect.arrayContaining(['traffic.har', 'secret.txt']));
  });

  test('is not copied without the keys, since nobody could tell which signatures were right', async () => {
    const refused = await run(['rekey', join(folder, 'traffic.har'), '--out', join(folder, 'copy')]);
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain('--consumer-secret-file');
  });

  function request(path: string, body: readonly Pair[], key: Parameters<typeof signRequest>[1]['key']) {
    const host = 'gateway.bank.test-host.com';
    const target = { method: 'POST', scheme: 'https', host, target: `/paynet/api/${path}/4711` };
    const fresh = { timestamp: '1700000000', nonce: path.length.toString() };
    const { authorization } = signRequest({ ...target, body }, { consumerKey: 'shop-4711', key }, fresh);
    return { url: `https://${target.host}${target.target}`, authorization, body: encodeForm(body) };
  }

  function entry({ url, authorization, body }: ReturnType<typeof request>, answer: string) {
    const more = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': String(body.length) };
    const given = { Host: 'gateway.bank.test-host.com', Authorization: authorization, ...more };
    const headers = Object.entries(given).map(([name, value]) => ({ name, value }));
    return {
      startedDateTime: '2026-01-31T12:00:00.000Z',
      time: 1,
      request: { method: 'POST', url, headers, postData: { text: body } },
      response: { status: 200, statusText: 'OK', headers: [], content: { size: answer.length, text: answer } },
    };
  }
});

async function recordOf(defect: string | undefined, step: number, from: number): Promise<string> {
  const alterations = clientDefects.filter(({ id }) => id === defect).map(({ alteration }) => alteration);
  const opened = await openReference(alterations);
  const client = { command: [], mode: 'process', plainHttp: false, cwd: '.' } as const;
  const given = { target: 'client', profile: 'rfc5849', cases: 2, seed: '5', client } as const;
  const options = completeRunOptions(given, Date.now(), '.');
  try {
    const records = [];
    for (const scenario of clientScenarios.filter((_, at) => at % step === from)) {
      const context = { ...opened, seed: '5', cases: 2, inFlight: 8, secondVoice: false, now: () => performance.now() };
      records.push(await performClientScenario(scenario, context));
    }
    const run = concludeRun(options, records, { now: Date.now() });
    return toHar(run.cases, run.result, run.recorded);
  } finally {
    await opened.close();
  }
}

function harOf(recording: ReturnType<typeof readRecording>): string {
  const { cases, recorded, result } = judgedOf('client', [recording]);
  return toHar(cases, result, recorded);
}

function outcomes(recording: ReturnType<typeof readRecording>) {
  const { results } = judgedOf('client', [recording]).result;
  return results.map(({ id, outcome, blame }) => ({ id, outcome, blame }));
}

test('the run of a gateway on this machine is copied, whatever it says of this machine', { tag: '@all' }, async () => {
  const [original, copy] = [join(folder, 'run'), join(folder, 'copy')];
  await run(['gateway', '--only', 'authentication/close-day-wrong-key-refused', '--cases', '1', '--out', original]);
  expect(await readFile(join(original, 'exchanges.har'), 'utf8')).toContain('"localhost"');
  expect(await run(['rekey', original, '--out', copy])).toMatchObject({ exitCode: 0 });
});
