/**
 * No secret of a live target leaves the process, however hard a hostile target tries; and without redaction the scan
 * sees it.
 */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeReport } from '../../src/app/write-report.ts';
import { gatewayScenarios } from '../../src/plan/index.ts';
import { newStamp, runScenario } from '../../src/run/gateway/perform-case.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { redactorFor, type Secret, scannerFor, secretsIn } from '../../src/run/secrets/secret.ts';
import { publishedCredentials } from '../../src/run/target/published.ts';
import type { Target } from '../../src/run/target/target.ts';
import { openTransport } from '../../src/run/transport/transport.ts';
import { concludeRun } from '../../src/verdict/conclude.ts';
import { expect, test } from '../engine.ts';
import { shopKeys } from '../keys/index.ts';
import { listen } from '../listen.ts';
import { skipUnless } from '../needed.ts';
import { here, run } from '../unit/app/run-command.ts';
import { file, pem } from '../unit/app/signed-call.ts';
import { encodings } from '../unit/run/leak-scan-encodings.ts';
import { scanFolder } from './scan-folder.ts';

const consumerSecret = 'canary of the live target/+&=% "42"';
const { privateKey, publicKey } = shopKeys;
const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
let secrets: readonly Secret[] = [];

let server: Server;
let base = '';
let onRequest = () => {};

/** A target that answers every request with the secrets in all encodings, and with the received header. */
test.beforeAll(async () => {
  secrets = secretsIn({ consumerSecret, privateKey });
  // The key is long, and all its encodings together would be too long for an answer.
  const keys = ['as it is', 'in JSON', 'in base64', 'in JSON with / escaped'];
  const texts = [
    ...Object.values(encodings).map((encode) => encode(consumerSecret)),
    ...keys.map((name) => encodings[name]!(keyPem)),
  ];
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      onRequest();
      response.setHeader('Content-Type', 'text/html;charset=utf-8');
      response.setHeader('X-Echo', `${request.headers.authorization} ${encodeURIComponent(consumerSecret)}`);
      response.setHeader('Location', `/${Buffer.from(consumerSecret).toString('hex')}`);
      const errorMessage = `wrong signature: ${texts.join(' ')}`;
      const answer = {
        response: { status: 'error', errorCode: '7', errorMessage },
        theRequestSerialNumber: consumerSecret,
      };
      response.end(
        request.url?.includes('/v4/')
          ? `type=error\n&error-message=${encodeURIComponent(errorMessage)}\n&error-code=500\n`
          : JSON.stringify(answer),
      );
    });
  });
  base = `http://${(await listen(server)).host}/paynet`;
});
test.afterAll(() => new Promise((resolve) => server.close(resolve)));

test.afterEach(() => {
  onRequest = () => {};
});

/** A run like that of the command. With an empty list, nothing is redacted. */
async function runAgainstTheTarget(redacted: readonly Secret[]) {
  const transport = openTransport({ redactor: redactorFor(redacted) });
  const context = { target: target(), transport, seed: '1', fresh: newStamp };
  const records = [];
  try {
    const some = ['close-day/minimal', 'close-day/request-id-bounds', 'recurring/one-row', 'recurring/reused-nonce'];
    for (const scenario of gatewayScenarios.filter(({ id }) => some.includes(id)))
      records.push(await runScenario(scenario, context, { seed: '1', cases: 2, only: [] }));
  } finally {
    await transport.close();
  }
  const options = completeRunOptions({ target: base, out: here('run'), json: true }, Date.now(), here());
  return { options, run: concludeRun(options, records, { now: Date.now() }) };
}

function target(): Target {
  return {
    ...publishedCredentials(),
    kind: 'live',
    scheme: 'http',
    host: new URL(base).host,
    prefix: '/paynet',
    credentials: { consumerKey: 'shop', consumerSecret, privateKey, publicKeyPem: pem(publicKey) },
    endpoints: { open: '1111', unknown: 'unknown' },
    gates: {},
  };
}

test('no file of a run has a secret that its target repeats', { tag: '@all' }, async () => {
  const { options, run } = await runAgainstTheTarget(secrets);
  expect(run.cases.length).toBeGreaterThan(5);
  await writeReport(run, options, secrets);
  expect(await readdir(options.out)).toHaveLength(6);
  expect(await scanFolder(here(), secrets)).toEqual([]);
  // The answers are in the file, with replaced secrets.
  expect(await readFile(join(options.out, 'exchanges.har'), 'utf8')).toContain('xxxxxx xx xxx xxxx xxxxxx');
});

test('without redaction the run is refused, and its files are removed', async () => {
  const { options, run } = await runAgainstTheTarget([]);
  await expect(writeReport(run, options, secrets)).rejects.toThrow(/would contain the (?:consumer secret|private key)/);
  expect(await scanFolder(here(), secrets)).toEqual([]);
});

test.describe('a command', () => {
  const config = (credentials: string) =>
    file(
      here('countersign.config.yaml'),
      `environment: integration\ntarget: ${base}\nendpoint-id: "1111"\nunknown-endpoint-id: "unknown"\ncredentials: ${credentials}\nallow: { closes-day: 1 }\nrate: 50\n`,
    );
  const env = { SHOP_SECRET: consumerSecret, SHOP_KEY: keyPem, COUNTERSIGN_DEBUG: '1' };
  const fromEnvironment = `{ consumer-key: shop, consumer-secret: "$${'{SHOP_SECRET}'}", private-key: "$${'{SHOP_KEY}'}" }`;
  const fromFiles = '{ consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }';

  test.beforeEach(() => {
    file(here('secret.txt'), consumerSecret);
    file(here('key.pem'), keyPem);
    file(here('key.pub.pem'), pem(publicKey));
  });

  for (const [what, line] of [
    ['that is right', fromFiles],
    [
      'with the secret itself in the file',
      `{ consumer-key: shop, consumer-secret: ${JSON.stringify(consumerSecret)}, private-key-file: key.pem }`,
    ],
    ['with the files exchanged', '{ consumer-key: shop, consumer-secret-file: key.pem, private-key-file: secret.txt }'],
    ['that is no YAML behind the secret', `{ consumer-key: shop, consumer-secret: ${JSON.stringify(consumerSecret)} ]`],
    [
      'with the secret as the consumer key',
      `{ consumer-key: ${JSON.stringify(consumerSecret)}, consumer-secret-file: secret.txt, private-key-file: key.pem }`,
    ],
  ] as const) {
    test(`doctor with a configuration ${what} prints no secret`, async () => {
      const path = config(line);
      const { out, err } = await run(['doctor', '--config', path], env);
      expect(out + err).not.toBe('');
      expect(found(out, err)).toEqual([]);
    });
  }

  test('judge and rekey of traffic that holds a secret repeat none', { tag: '@all' }, async () => {
    const { options, run: recorded } = await runAgainstTheTarget([]);
    await writeReport(recorded, options, []);
    const files = ['--consumer-secret-file', here('secret.txt'), '--public-key-file', here('key.pub.pem')];
    const keys = ['--consumer-key', 'shop', ...files];
    for (const command of ['judge', 'rekey']) {
      const out = here(command);
      const words = [command, options.out, ...keys, '--out', out, ...(command === 'judge' ? ['--json'] : [])];
      const told = await run(words, env);
      const secret = secretsIn({ consumerSecret });
      expect(found(told.out, told.err, secret)).toEqual([]);
      expect(told.exitCode).not.toBe(2);
      expect(existsSync(out) ? (await readdir(out)).length : 0).toBe(told.exitCode === 3 ? 0 : 6);
      if (existsSync(out)) expect(await scanFolder(out, secret)).toEqual([]);
    }
  });

  for (const [where, line] of Object.entries({ files: fromFiles, variables: fromEnvironment })) {
    test(`gateway with secrets in ${where} leaves none, in files, on the terminal and in argv @all`, async () => {
      skipUnless(existsSync('/proc/self/cmdline'), 'the arguments of processes under /proc');
      const [path, out] = [config(line), here('run')];
      const processes = new Map<string, string>();
      onRequest = () => {
        for (const [pid, text] of argumentsOf(out)) processes.set(pid, text);
      };
      const words = ['gateway', '--config', path, '--only', 'authentication/*-unsigned-refused', '--cases', '1'];
      const ended = await promisify(execFile)(process.execPath, ['dist/src/app/main.cjs', ...words, '--out', out], {
        // What doctor spent in other tests is not counted here. With DEBUG the engine prints what it sends to its
        // workers.
        env: { ...process.env, XDG_STATE_HOME: here('state'), ...env, DEBUG: 'pw:test:protocol' },
        timeout: 100_000,
        maxBuffer: 1 << 26,
      }).catch((cause: { stdout: string; stderr: string }) => cause);
      // The engine and one worker.
      expect(processes.size).toBe(2);
      expect(found([...processes.values()].join('\n'), '')).toEqual([]);
      // Both processes had the secrets: the requests were signed, and the repeated secrets were redacted.
      expect(ended.stdout).toContain('authentication/');
      expect(ended.stderr).toContain('pw:test:protocol');
      expect(found(ended.stdout, ended.stderr)).toEqual([]);
      expect(await readdir(out)).toHaveLength(6);
      expect(await readdir(here('state', 'countersign'))).toHaveLength(1);
      expect(await scanFolder(here(), secrets)).toEqual([
        ...['key.pem', 'secret.txt'].map((file) => expect.objectContaining({ file })),
      ]);
      expect(await readFile(join(out, 'exchanges.har'), 'utf8')).toContain('oauth_consumer_key=\\"shop');
    });
  }

  function found(out: string, err: string, wanted: readonly Secret[] = secrets) {
    const texts = [
      { name: 'standard output', bytes: Buffer.from(out) },
      { name: 'standard error', bytes: Buffer.from(err) },
    ];
    return texts.flatMap(scannerFor(wanted));
  }
});

/** The arguments of all processes of the run that writes into this folder, by process id. */
function argumentsOf(out: string): [pid: string, text: string][] {
  return readdirSync('/proc').flatMap((pid): [string, string][] => {
    try {
      const text = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/environ`, 'utf8') : '';
      const [, options = ''] = /\bCOUNTERSIGN_RUN=([^\0]+)/.exec(text) ?? [];
      const isOurs = options !== '' && readFileSync(options, 'utf8').includes(out);
      return isOurs ? [[pid, readFileSync(`/proc/${pid}/cmdline`, 'utf8')]] : [];
    } catch {
      return [];
    }
  });
}
