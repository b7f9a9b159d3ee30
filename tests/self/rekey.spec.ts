/** Copies of runs for others: they have the same verdicts, and no value of the original. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requirements } from '../../contracts/requirements/index.ts';
import { runInProcess } from '../../src/app/prove/run-in-process.ts';
import { writeReport } from '../../src/app/write-report.ts';
import { rekeyRecordings } from '../../src/extras/rekey/rekey.ts';
import { clientDefects } from '../../src/faults/index.ts';
import { clientScenarios } from '../../src/plan/client/index.ts';
import { buildRecurring, encodeForm, type Pair, signRequest } from '../../src/protocol/index.ts';
import type { Result } from '../../src/record/result/result.ts';
import type { Side } from '../../src/record/run.ts';
import { toHar } from '../../src/record/write-har.ts';
import { openReference } from '../../src/run/client/open-client.ts';
import { performClientScenario } from '../../src/run/client/perform-client.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { scannerFor, secretsIn, secretText } from '../../src/run/secrets/secret.ts';
import { publishedKeys } from '../../src/run/target/published.ts';
import { concludeRun, judgeRecordings } from '../../src/verdict/conclude.ts';
import { assignSide, readRecording } from '../../src/verdict/recordings/recording.ts';
import { expect, test } from '../engine.ts';
import { shopKeys } from '../keys/index.ts';
import { here, run } from '../unit/app/run-command.ts';
import { pem } from '../unit/app/signed-call.ts';
import { judge, judgeInput } from '../unit/verdict/runs.ts';
import { scanFolder } from './scan-folder.ts';

test.describe('rekey', () => {
  const ownTexts = JSON.stringify([requirements, 'undefined']);

  /** Clients whose records are unusual: in the header, the signature, the body, the CSV or the charset. */
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
    test(`${which} of a client ${id ? `with ${id}` : 'without a defect'} gets the same verdicts after rekey @all`, async () => {
      // Each defect records another third of the scenarios.
      const har = await recordOf(id, step, Math.max(0, defects.indexOf(id ?? '')) % step);
      const recording = readRecording(har, 'record');
      const options = { salt: 'of the test', keysOf: publishedKeys, secrets: [], suiteTexts: ownTexts } as const;
      const rekeyed = rekeyRecordings([recording], options);
      const copy = harOf(rekeyed.recordings[0]!);
      expect(outcomes(readRecording(copy, 'copy'))).toEqual(outcomes(recording));
      expect(rekeyed.forbidden.flatMap(({ forms }) => [...forms]).length).toBeGreaterThan(100 / step);
      await writeFile(here('exchanges.har'), copy);
      expect(await scanFolder(here(), rekeyed.forbidden)).toEqual([]);
    });
  }

  test.describe('the record of a live client', () => {
    const consumerSecret = 'canary of the shop/+&=% itself';
    const ids = ['ORDER-of-Mrs-Example-17', '4711081542', 'REQUEST4711ABCD'];
    const flags = { 'consumer-secret': 'secret.txt', 'public-key': 'key.pub.pem' };
    const keys = () => Object.entries(flags).flatMap(([flag, name]) => [`--${flag}-file`, here(name)]);

    test.beforeEach(async () => {
      await writeFile(here('secret.txt'), consumerSecret);
      await writeFile(here('key.pub.pem'), pem(shopKeys.publicKey));
      const columns = ['client-orderid', 'recurring-payment-id', 'amount'];
      const batch = buildRecurring({ columns, rows: [[ids[0]!, ids[1]!, '1.00']] });
      const hmac = { method: 'HMAC-SHA1', consumerSecret } as const;
      const closing = request('v2/close-day', [['day_close_request_id', ids[2]!]], hmac);
      const rsa = { method: 'RSA-SHA256', privateKey: shopKeys.privateKey } as const;
      const charge = request('v4/process-recurring-payments', batch.body, rsa);
      const failure = `type=error\n&error-message=no+order+${ids[0]}+(${encodeURIComponent(consumerSecret)})\n&error-code=500\n&serial-number=0a1b2c3d-0000-0000-0000-000002d9b229\n`;
      const entries = [entry(closing, ''), entry(charge, failure)];
      await writeFile(here('traffic.har'), JSON.stringify({ log: { version: '1.2', entries } }));
    });

    test('is copied without its secrets, its ids and its host, and verifies with the published keys', async () => {
      const secrets = [secretText('the secret', consumerSecret), ...secretsIn({ privateKey: shopKeys.privateKey })];
      const all = [...secrets, ...[...ids, 'gateway.bank.test-host.com', 'shop-4711'].map((id) => secretText(id, id))];
      const judged = ['--json', '--out', here('judged')];
      const original = await run(['judge', here('traffic.har'), ...keys(), ...judged]);
      const words = ['rekey', here('traffic.har'), ...keys(), '--out', here('copy')];
      const copied = await run(words, {}, { errWidth: 80 });
      expect(copied).toMatchObject({ exitCode: 0, out: '' });
      const works = copied.err.match(/(?<=^countersign: )(?:reading|judging|replacing|writing).*(?= \.\.\.$)/gm);
      expect(works?.map((work) => work.split(' ')[0])).toEqual('reading judging replacing judging writing'.split(' '));
      expect(copied.err).toContain('2 requests signed again');
      expect(copied.err).toContain('Every requirement has the same outcome as before.');
      expect(await scanFolder(here('copy'), all)).toEqual([]);
      const rejudged = await run(['judge', here('copy'), '--json', '--out', here('again')]);
      expect(rejudged.exitCode).toBe(original.exitCode);
      const [before, after]: Result[] = [JSON.parse(original.out), JSON.parse(rejudged.out)];
      const outcomesOf = (result: Result) => result.results.map(({ id, outcome }) => ({ id, outcome }));
      expect(outcomesOf(after!)).toEqual(outcomesOf(before!));
      expect(after!.results.find(({ id }) => id === 'authentication/signature-verifies')?.outcome).toBe('pass');
      // The scan works: it finds the values in the original. A report of the original has all but the secrets.
      expect(await scanFolder(here('judged'), secrets)).toEqual([]);
      const found = (await scanFolder(here(), all)).map(({ file }) => file);
      expect(found).toEqual(expect.arrayContaining(['traffic.har', 'secret.txt']));
    });

    test('is not copied without the keys, because the signatures could not be verified', async () => {
      const refused = await run(['rekey', here('traffic.har'), '--out', here('copy')]);
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
      const values = { Host: 'gateway.bank.test-host.com', Authorization: authorization, ...more };
      const headers = Object.entries(values).map(([name, value]) => ({ name, value }));
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
    const input = { target: 'client', profile: 'rfc5849', cases: 2, seed: '5', client } as const;
    const options = completeRunOptions(input, Date.now(), '.');
    try {
      const records = [];
      for (const scenario of clientScenarios.filter((_, at) => at % step === from)) {
        const context = { ...opened, seed: '5', cases: 2, inFlight: 8, usesOracle: false, now: Date.now };
        records.push(await performClientScenario(scenario, context));
      }
      const run = concludeRun(options, records, { now: Date.now() });
      return toHar(run.cases, run.result, run.recorded);
    } finally {
      await opened.close();
    }
  }

  function harOf(recording: ReturnType<typeof readRecording>): string {
    const { cases, recorded, result } = judge('client', [recording]);
    return toHar(cases, result, recorded);
  }

  function outcomes(recording: ReturnType<typeof readRecording>) {
    const { results } = judge('client', [recording]).result;
    return results.map(({ id, outcome, blame }) => ({ id, outcome, blame }));
  }

  test('the run of a gateway is copied with all its malformed requests @all', async () => {
    const [original, copy] = [here('run'), here('copy')];
    const only = ['authentication/*', 'close-day/*', 'recurring/*'];
    const options = completeRunOptions({ cases: 1, only, out: original }, Date.now(), '.');
    await writeReport(await runInProcess(options, { usesOracle: false, overSockets: true }), options);
    expect(await readFile(join(original, 'exchanges.har'), 'utf8')).toContain('"localhost"');
    expect(await run(['rekey', original, '--out', copy])).toMatchObject({ exitCode: 0 });
  });
});

const host = 'gateway.canary-bank.com';
const consumerSecret = 'secret of the canary shop';
const startedAt = '2026-01-30T12:00:00.000Z';

/** Values that may occur anywhere in a text, by the replacement that removes them. */
const canaries = {
  names: 'node-7.db.canary-bank.com',
  addresses: '198.51.187.23',
  'addresses of IPv6': '2001:db8:ca7::4a:17',
  people: 'mrs.canary-doe@mail-of-doe.org',
  'people at home': 'canarydoe42',
  prefixes: 'c4path',
  times: 'Fri, 30 Jan 2026 11:58:37 GMT',
  'times of ISO': '2026-01-30T11:57:23',
  'times of Java': 'Fri Jan 30 11:56:41 MSK 2026',
  id: 'C4NARY-order-4711',
  host,
  consumerKey: 'c4nary-shop-key',
  nonce: 'c4naryNonce31415',
  timestamp: '1769774317',
  cookie: 'c4nary-session-8812',
} as const;

const embedded = [
  `${canaries.names} ${canaries.addresses} [${canaries['addresses of IPv6']}]:80 ${canaries.people}`,
  `/home/${canaries['people at home']}/a https://${host}/${canaries.prefixes}/x ${canaries.times}`,
  `${canaries['times of ISO']}Z ${canaries['times of Java']} ${canaries.id} ${canaries.consumerKey}`,
].join(' ');

/** Members whose text is a word of the format or a number. With another text, the file is not a recording. */
const words =
  /^(?:startedDateTime|version|encoding|_encoding|operation|intent|about|input|kind|why|format|url|outcome|ids|scheme|timestamp)$/;

/** The value with canaries after each of its texts, at any depth. */
function seeded(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return words.test(name) ? value : `${value} ${embedded}`;
  if (Array.isArray(value)) return value.map((member) => seeded(member, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, seeded(member, key)]));
}

const body = [['day_close_request_id', canaries.id]] as const;
const place = { method: 'POST', scheme: 'https', host, target: `/${canaries.prefixes}/api/v2/close-day/4711` } as const;
const { authorization } = signRequest(
  { ...place, body },
  { consumerKey: canaries.consumerKey, key: { method: 'HMAC-SHA1', consumerSecret } },
  { timestamp: canaries.timestamp, nonce: canaries.nonce },
);
const pairs = { name: 'X-Note', value: 'n' };
const json = { size: 2, mimeType: 'application/json' };
const entry = {
  startedDateTime: startedAt,
  time: 1,
  comment: 'c',
  pageref: 'page_1',
  request: {
    method: 'POST',
    url: `https://${host}${place.target}`,
    httpVersion: 'HTTP/1.1',
    cookies: [{ name: 'a', value: canaries.cookie, path: '/', domain: host, comment: 'c' }],
    headers: [
      { name: 'Host', value: host },
      { name: 'Authorization', value: authorization },
      { name: 'Content-Type', value: 'application/x-www-form-urlencoded' },
      { name: 'Cookie', value: canaries.cookie },
      { name: 'Via', value: 'v' },
    ],
    queryString: [pairs],
    postData: { mimeType: 'application/x-www-form-urlencoded', params: [], text: encodeForm(body), comment: 'c' },
    comment: 'c',
  },
  response: {
    status: 200,
    statusText: 'OK',
    httpVersion: 'HTTP/1.1',
    cookies: [{ name: 'a', value: canaries.cookie }],
    headers: [pairs, { name: 'Set-Cookie', value: canaries.cookie }, { name: 'Date', value: canaries.times }],
    content: { ...json, text: `{"theRequestSerialNumber":"${canaries.id}"}`, comment: 'c' },
    redirectURL: `https://${host}/`,
    comment: 'c',
  },
  cache: { comment: 'c' },
  timings: { send: 0, wait: 1, receive: 0, comment: 'c' },
  serverIPAddress: canaries.addresses,
  connection: 'one',
};
const log = {
  version: '1.2',
  creator: { name: 'n', version: '1', comment: 'c' },
  browser: { name: 'n', version: '1' },
  pages: [{ startedDateTime: startedAt, id: 'page_1', title: 't', pageTimings: { comment: 'c' } }],
  comment: 'c',
};
const label = { operation: 'close-day', intent: 'open' };
const caseData = { scenario: 's', case: 1, number: 1, connection: '1', label };
const notSent = [{ number: 2, why: 'stopped', reason: 'r' }];
const ended = { scenario: 's', caseNumbers: [1], givenUp: 'g', unreachable: 'u', suiteErrors: ['e'], notSent };
const gateway = { misconfigured: 'm', scenarios: [ended] };
const call = {
  label: { operation: 'close-day', input: 'observed', special: 's' },
  asked: {
    baseUrl: `https://${host}/${canaries.prefixes}`,
    endpointId: '4711',
    consumerKey: canaries.consumerKey,
    input: { day_close_request_id: canaries.id },
    inject: { timestamp: canaries.timestamp, nonce: canaries.nonce },
    environment: { TZ: 'UTC' },
  },
  reply: { outcome: 'completed', reason: 'r', decoded: { kind: 'error', errorMessage: 'm' } },
};
const callData = { ...caseData, call };

/** Recordings with canaries. Some members must be right, so one of two entries keeps its signature and body. */
const texts: Readonly<Record<string, { side: Side; text: string }>> = {
  'of another tool': { side: 'client', text: textOf([entry, withParts(entry)]) },
  'of a run against a gateway': {
    side: 'gateway',
    text: textOf([seededWith(seeded(caseData)), { ...entry, _countersign: caseData }], { _gateway: seeded(gateway) }),
  },
  'of a run with a client': {
    side: 'client',
    text: textOf([seededWith({ ...callData, call: seeded(call) })], {
      _client: { calls: [], skipped: [{ ids: ['close-day/path'], reason: embedded }], language: embedded },
    }),
  },
};

function textOf(entries: unknown[], more: object = {}): string {
  return JSON.stringify({ log: { ...(seeded(log) as object), ...more, entries } });
}

function seededWith(_countersign: unknown): object {
  return { ...(withParts(entry) as object), _countersign };
}

/** Puts canaries into every text of the entry, and into the query of the URL. */
function withParts(given: typeof entry): unknown {
  const all = seeded(given) as typeof entry;
  const url = `${given.request.url}?note=${encodeURIComponent(embedded)}&oauth_nonce=${canaries.nonce}`;
  const headers = given.request.headers.map(({ name, value }) => ({
    name,
    value: name === 'Host' || name === 'Authorization' ? value : `${value} ${embedded}`,
  }));
  return { ...all, request: { ...all.request, method: 'POST', url, headers } };
}

const secrets = Object.entries(canaries).map(([name, text]) => secretText(name, text));

/** Names of the planted texts that still occur in the files that `rekey` wrote. */
function leaksIn({ side, text }: { side: Side; text: string }): string[] {
  const recording = assignSide(readRecording(text, `c4nary of ${host}.har`), side);
  const keysOf = () => [{ method: 'HMAC-SHA1', consumerSecret } as const];
  const options = { salt: 'of the test', issued: canaries.consumerKey, secrets: [], keysOf };
  const rekeyed = rekeyRecordings([recording], options);
  const input = judgeInput(side, [recording]);
  const subject = { kind: side, name: host, target: `https://${host}/${canaries.prefixes}` };
  const header = rekeyed.header({ ...input.header, subject });
  const copy = judgeRecordings({ ...input, header, recordings: rekeyed.recordings });
  const written = [toHar(copy.cases, copy.result, copy.recorded), JSON.stringify(copy.result)].join('\n');
  return secrets
    .filter((secret) => scannerFor([secret])({ name: 'copy', bytes: Buffer.from(written) }).length > 0)
    .map(({ name }) => name);
}

for (const [name, recording] of Object.entries(texts)) {
  test(`the copy of a recording ${name} holds none of the canaries that were in every text of it @all`, () => {
    for (const { forms } of secrets) expect(recording.text).toContain(String([...forms][0]!.bytes));
    expect(leaksIn(recording)).toEqual([]);
  });
}
