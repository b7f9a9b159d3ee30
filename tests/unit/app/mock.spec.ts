/** `countersign mock`: what callers can rely on, and what it prints. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import https from 'node:https';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { mockDefects, variants } from '../../../src/faults/index.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import type { Pair } from '../../../src/protocol/form.ts';
import { readPrivateKey } from '../../../src/protocol/keys.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { listen } from '../../listen.ts';
import { resultOf, storedRun } from '../verdict/runs.ts';
import { type Captured, folderAt, here, oneLine, refuses, run, startLine } from './run-command.ts';
import { closeDay, file, foreignHar, pem, type Ready, readyLine, send } from './signed-call.ts';

const secret = 'a-secret-of-enough-characters';

/** Starts a mock with --json and further words, and stops it when `use` ends. Returns its exit code and output. */
async function runMock(words: readonly string[], use: (ready: Ready) => Promise<void>): Promise<Captured> {
  const mock = startLine(['mock', '--json', ...words]);
  await use(await readyLine(mock));
  mock.interrupt();
  return mock.ended;
}

/** What the mock prints at its start. */
async function startMessage(...words: string[]): Promise<Captured> {
  const mock = startLine(['mock', ...words]);
  await mock.until('err', /Ctrl\+C/);
  mock.interrupt();
  return mock.ended;
}

/** The answer to a close-day request that is signed in this way. */
const statusOf = async (...call: Parameters<typeof closeDay>) =>
  JSON.parse((await closeDay(...call)).text).response.status;

test('the first line of --json is all that a client needs to be accepted by both operations', async () => {
  const result = await runMock([], async (ready) => {
    const names = 'baseUrl controlUrl endpointId consumerKey consumerSecretFile privateKeyFile';
    expect(Object.keys(ready)).toEqual(names.split(' '));
    expect(await statusOf(ready)).toBe('finished');
    const csv = '"client-orderid";"recurring-payment-id";"amount"\norder-1;1234567890;1.00\n';
    const body: Pair[] = [['payload', Buffer.from(csv).toString('base64')]];
    const privateKey = readPrivateKey(readFileSync(ready.privateKeyFile!, 'utf8'));
    const paid = await send(ready, 'v4/process-recurring-payments', body, { method: 'RSA-SHA256', privateKey });
    expect([paid.status, paid.text]).toEqual([200, '']);
  });
  expect([result.exitCode, result.err]).toEqual([0, '']);
  expect(result.out.trimEnd().split('\n'), 'a pipe that nobody empties must not stop the mock').toHaveLength(1);
});

test('an interrupt frees its port and removes the files of the identity, which were for this user only', async () => {
  let [folder, url] = ['', ''];
  const { exitCode } = await runMock([], async ({ baseUrl, consumerSecretFile, privateKeyFile }) => {
    expect(readFileSync(consumerSecretFile, 'utf8')).toBe(publishedIdentity.consumerSecret);
    expect(readFileSync(privateKeyFile!, 'utf8')).toBe(publishedIdentity.privateKeyPem);
    for (const file of [consumerSecretFile, privateKeyFile!]) expect(statSync(file).mode & 0o777).toBe(0o600);
    [folder, url] = [join(consumerSecretFile, '..'), baseUrl];
  });
  expect([exitCode, existsSync(folder)]).toEqual([0, false]);
  await expect(fetch(url)).rejects.toThrow();
});

test('files give the mock another identity, and the private key stays with the client', async () => {
  const consumerSecretFile = file(here('secret.txt'), secret);
  const publicKeyFile = file(here('key.pem'), pem(shopKeys.publicKey));
  const flags = ['--consumer-key', 'shop', '--consumer-secret-file', consumerSecretFile];
  const { out } = await runMock([...flags, '--public-key-file', publicKeyFile, '--endpoint', '4711'], async (ready) => {
    const { baseUrl, controlUrl, ...rest } = ready;
    expect(rest).toEqual({ endpointId: '4711', consumerKey: 'shop', consumerSecretFile });
    expect(await statusOf(ready, secret)).toBe('finished');
    expect(await statusOf(ready, publishedIdentity.consumerSecret)).toBe('error');
  });
  expect(out).not.toContain(secret);
});

for (const lineEnd of ['\n', '\r\n']) {
  test(`one ${JSON.stringify(lineEnd)} at the end of a secret file is left out, with a remark`, async () => {
    const secretFile = file(here('secret.txt'), secret + lineEnd);
    const { err } = await runMock(['--consumer-secret-file', secretFile], async (ready) => {
      expect(await statusOf(ready, secret)).toBe('finished');
    });
    expect(err).toBe(`countersign: the line end at the end of the file ${secretFile} was ignored.\n`);
  });
}

test('the start message names all addresses, the state of each endpoint, and the file to trust', async () => {
  const { err, out } = await startMessage('--prefix', 'paynet/');
  expect(out).toBe('');
  expect(err).toMatch(/base URL {6}http:\/\/127\.0\.0\.1:\d+\/paynet\n/);
  for (const part of ['1111 open, 1112 closing, 1113 locked, 1114 open (3', 'countersign-test', 'only for tests'])
    expect(err).toContain(part);
  for (const hidden of [publishedIdentity.consumerSecret, 'control']) expect(err).not.toContain(hidden);
  const tlsMock = await startMessage('--tls', '--control-port', '0');
  expect(tlsMock.err).toMatch(/base URL {6}https:\/\/127\.0\.0\.1:\d+\n/);
  expect(tlsMock.err).toMatch(/control {7}http:\/\/127\.0\.0\.1:\d+\/ lists its routes\n/);
  expect(tlsMock.err).toMatch(/trust {9}\S+ca\.pem\n/);
});

test('each request gets a line with its decision and why it was refused', async () => {
  const mock = startLine(['mock']);
  const [, baseUrl = ''] = await mock.until('err', /base URL +(http:\S+)/);
  const [, consumerSecretFile = ''] = await mock.until('err', /secret +(\S+)/);
  const ready = { baseUrl, consumerSecretFile, endpointId: '1111', consumerKey: 'countersign-test' };
  await closeDay(ready);
  await mock.until('out', /^\d\d:\d\d:\d\d {2}POST \/api\/v2\/close-day\/1111 {2}200 accepted\n/);
  await closeDay(ready, 'not-the-secret-of-the-mock');
  await mock.until('out', /\n\d\d:\d\d:\d\d {2}POST \/api\/v2\/close-day\/1111 {2}200 refused: \S.*signature.*\n/);
  await fetch(`${baseUrl}/elsewhere%1B`);
  await mock.until('out', /GET \/elsewhere%1B {2}404 no operation has this path\n/);
  mock.interrupt();
  expect((await mock.ended).exitCode).toBe(0);
});

test('a client behind a proxy signs the public URL, and the mock verifies that URL', async () => {
  const publicUrl = 'https://gateway.example/paynet';
  await runMock(['--public-url', publicUrl], async (ready) => {
    expect(ready.publicUrl).toBe(publicUrl);
    expect([await statusOf(ready), await statusOf(ready, undefined, publicUrl)]).toEqual(['error', 'finished']);
  });
});

for (const [given, prefix] of Object.entries({ paynet: '/paynet', '/paynet/': '/paynet', '/a/b//': '/a/b', '/': '' })) {
  test(`the prefix ${given} is taken as ${JSON.stringify(prefix)}`, async () => {
    await runMock(['--prefix', given], async ({ baseUrl }) => expect(new URL(baseUrl).origin + prefix).toBe(baseUrl));
  });
}

test('--tls serves HTTPS, and a client needs only the file of its authority to trust it', async () => {
  let file = '';
  await runMock(['--tls'], async ({ baseUrl, caFile }) => {
    expect(baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    file = caFile!;
    const ca = readFileSync(file, 'utf8');
    expect(ca).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(ca, 'the key of the authority is nowhere').not.toContain('PRIVATE');
    const statuses = [await statusOverTls(baseUrl, ca), await statusOverTls(baseUrl, undefined)];
    expect(statuses).toEqual([404, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);
  });
  expect(existsSync(file)).toBe(false);
});

test('a TLS connection without a request gives one line on standard error: who, why, and what to do', async () => {
  const mock = startLine(['mock', '--tls', '--port', '0']);
  const [, port] = await mock.until('err', /127\.0\.0\.1:(\d+)\n(?:.*\n)*.*Ctrl\+C\n/);
  const raw = (bytes: Uint8Array) =>
    new Promise<void>((closed) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
      socket.on('error', () => {}).resume();
      socket.once('close', () => closed());
    });
  const from = '127\\.0\\.0\\.1:\\d+: ';
  await statusOverTls(`https://127.0.0.1:${port}`, undefined);
  await mock.until(
    'err',
    new RegExp(`^${from}A client connected and disconnected .*\\. Let the client trust /\\S+ca\\.pem\\.$`, 'm'),
  );
  await raw(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await mock.until('err', new RegExp(`^${from}A client sent HTTP, but the mock expects HTTPS\\. .* --tls\\.$`, 'm'));
  await raw(Buffer.from('not TLS at all'));
  await mock.until('err', new RegExp(`^${from}The TLS handshake of a client failed \\([a-z ]+\\)\\. The mock`, 'm'));
  mock.interrupt();
  await mock.ended;
});

test('--host localhost puts that name into base URL and certificate, and listens only on loopback', async () => {
  await runMock(['--tls', '--host', 'localhost'], async ({ baseUrl, caFile }) => {
    expect(baseUrl).toMatch(/^https:\/\/localhost:\d+$/);
    expect(await statusOverTls(baseUrl, readFileSync(caFile!, 'utf8'))).toBe(404);
  });
  expect((await run(['mock', '--host', '0.0.0.0'])).exitCode).toBe(2);
});

test('the control interface of --json moves the gate that a client meets', async () => {
  let url = '';
  await runMock([], async (ready) => {
    url = ready.controlUrl!;
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, signal: AbortSignal.timeout(9_000) };
    expect((await fetch(`${url}/endpoints/1111/gates/7101/closing`, init)).status).toBe(200);
    expect(JSON.parse((await closeDay(ready)).text).response.errorCode).toBe('99');
  });
  await expect(fetch(url)).rejects.toThrow();
});

/** The status of GET /, or the code of the error. */
function statusOverTls(baseUrl: string, ca: string | undefined): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = https.get(baseUrl, { ca, agent: false, timeout: 10_000 }, (answer) => {
      resolve(answer.resume().statusCode ?? 0);
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer within the limit')));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

test('a defect and a variant can be switched on', async () => {
  const [defect] = mockDefects;
  await runMock(['--defect', defect!.id, '--variant', variants[0]!.id], async () => {});
  await runMock(['--variant', 'refusal-401'], async (ready) =>
    expect((await closeDay(ready, 'not-the-secret-of-the-mock')).status).toBe(401),
  );
});

const [secretFlag, keyFlag] = ['--consumer-secret-file FOLDER/given.txt', '--public-key-file FOLDER/given.txt'];

/** FOLDER stands for the folder of the test. `content` is that of given.txt in this folder. */
const mistakes: Readonly<Record<string, readonly [flags: string, says: RegExp, content?: string]>> = {
  'no such secret': ['--consumer-secret-file FOLDER/absent.txt', /absent\.txt does not exist\. Check --con/],
  'a folder as secret': ['--consumer-secret-file FOLDER', /is a folder\. Name a file with --consumer-secret-/],
  'an empty secret file': [secretFlag, /file \S+given\.txt is empty\./, ''],
  'a secret file with two lines': [secretFlag, /more than one line/, `${secret}\n${secret}\n`],
  'a secret file of a megabyte': [secretFlag, /is larger than 64 KB/, 'x'.repeat(1_000_000)],
  'no such key': ['--public-key-file FOLDER/absent.pem', /absent\.pem does not exist\. Check --public-key-/],
  'a private key as public key': [keyFlag, /holds a private key, but the public one/, privatePemOf(shopKeys)],
  'a public URL without a scheme': ['--public-url gate.example', /gate\.example.*https:\/\//],
  'a public URL with a query': ['--public-url https://gate.example/?a=1', /\?a=1/],
  'a prefix with a query': ['--prefix /a?b', /\/a\?b.*\/paynet/],
  'a port that is none': ['--port 65536', /65536.*0 to 65535/],
  'a control port that is none': ['--control-port -1', /control-port.*-1.*0 to 65535/],
  'one port for both of them': ['--port 45455 --control-port 45455', /the same port 45455\./],
  'an empty consumer key': ['--consumer-key ', /consumer-key is empty/],
  'an endpoint id with a slash': ['--endpoint a/b', /a\/b is not an endpoint id/],
  'a consumer key of two lines': ['--consumer-key a\nb', /consumer key/],
  'an unknown variant': ['--variant refusal-41', /Did you mean refusal-401/],
};

for (const [name, [flags, message, content]] of Object.entries(mistakes)) {
  test(`${name} is refused in one sentence with exit code 2`, async () => {
    const folder = folderAt();
    if (content !== undefined) file(here('given.txt'), content);
    const withoutSecret = new RegExp(`^(?!.*(?:${secret}|PRIVATE KEY))`);
    const words = flags.split(' ').map((word) => word.replace('FOLDER', folder));
    await refuses(['mock', '--json', ...words], message, oneLine, withoutSecret);
  });
}

test('a port in use is named, and another one is proposed', async () => {
  const other = createServer();
  const { port } = await listen(other);
  try {
    const message = new RegExp(`port ${port} on 127.0.0.1 is in use.*0 for any`);
    await refuses(['mock', '--json', '--port', String(port)], message);
  } finally {
    other.close();
  }
});

test('--like with the run of a client says to give one of a gateway', async () => {
  const subject = { kind: 'client', name: 'c', target: 'local gateway' } as const;
  const folder = storedRun('of-a-client', resultOf({}, { subject }), foreignHar());
  const says = 'countersign: this is a run of a client, not of a gateway. Name a run of a gateway';
  await refuses(['mock', '--like', folder], says);
});
