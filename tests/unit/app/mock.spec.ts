/** `countersign mock`: what a caller can rely on, and what a person sees. */

import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import https from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { variants } from '../../../src/faults/variants.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import { readPrivateKey } from '../../../src/protocol/keys.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { storeClientRun } from '../extras/certificate/stored-run.ts';
import { run, startLine } from './captured.ts';
import { closeDay, file, pem, readyLine, send } from './signed-call.ts';

const secret = 'a-secret-of-enough-characters';

test('the first line of --json is all that a client needs to be accepted by both operations', async () => {
  const mock = startLine(['mock', '--json']);
  const ready = await readyLine(mock);
  expect(Object.keys(ready)).toEqual([
    ...['baseUrl', 'controlUrl', 'endpointId'],
    ...['consumerKey', 'consumerSecretFile', 'privateKeyFile'],
  ]);
  const { status, text } = await closeDay(ready);
  expect([status, JSON.parse(text).response.status]).toEqual([200, 'finished']);
  const csv = '"client-orderid";"recurring-payment-id";"amount"\norder-1;1234567890;1.00\n';
  const paid = await send(ready, 'v4/process-recurring-payments', [['payload', Buffer.from(csv).toString('base64')]], {
    method: 'RSA-SHA256',
    privateKey: readPrivateKey(readFileSync(ready.privateKeyFile!, 'utf8')),
  });
  expect([paid.status, paid.text]).toEqual([200, '']);
  mock.interrupt();
  const ended = await mock.ended;
  expect([ended.exitCode, ended.err]).toEqual([0, '']);
  expect(ended.out.trimEnd().split('\n'), 'a pipe that nobody empties must not stop the mock').toHaveLength(1);
});

test('the files of the published identity are for this user only and are gone afterwards', async () => {
  const mock = startLine(['mock', '--json']);
  const ready = await readyLine(mock);
  expect(readFileSync(ready.consumerSecretFile, 'utf8')).toBe(publishedIdentity.consumerSecret);
  expect(readFileSync(ready.privateKeyFile!, 'utf8')).toBe(publishedIdentity.privateKeyPem);
  for (const file of [ready.consumerSecretFile, ready.privateKeyFile!]) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  mock.interrupt();
  await mock.ended;
  expect(existsSync(join(ready.consumerSecretFile, '..'))).toBe(false);
});

test('an interrupt ends it and frees its port', async () => {
  const mock = startLine(['mock', '--json']);
  const { baseUrl } = await readyLine(mock);
  mock.interrupt();
  expect((await mock.ended).exitCode).toBe(0);
  await expect(fetch(baseUrl)).rejects.toThrow();
});

test('an identity of its own is taken from files, and the private key stays with the client', async () => {
  const secretFile = file(test.info().outputPath('secret.txt'), secret);
  const mock = startLine([
    ...['mock', '--json', '--consumer-key', 'shop', '--consumer-secret-file', secretFile],
    ...['--public-key-file', file(test.info().outputPath('key.pem'), pem(shopKeys.publicKey)), '--endpoint', '4711'],
  ]);
  const ready = await readyLine(mock);
  expect(ready).toEqual({
    baseUrl: ready.baseUrl,
    controlUrl: ready.controlUrl,
    endpointId: '4711',
    consumerKey: 'shop',
    consumerSecretFile: secretFile,
  });
  expect(JSON.parse((await closeDay(ready, secret)).text).response.status).toBe('finished');
  expect(JSON.parse((await closeDay(ready, publishedIdentity.consumerSecret)).text).response.status).toBe('error');
  mock.interrupt();
  expect((await mock.ended).out).not.toContain(secret);
});

for (const lineEnd of ['\n', '\r\n']) {
  test(`one ${JSON.stringify(lineEnd)} at the end of a secret file is left out, with a remark`, async () => {
    const secretFile = file(test.info().outputPath('secret.txt'), secret + lineEnd);
    const mock = startLine(['mock', '--json', '--consumer-secret-file', secretFile]);
    const ready = await readyLine(mock);
    expect(JSON.parse((await closeDay(ready, secret)).text).response.status).toBe('finished');
    mock.interrupt();
    expect((await mock.ended).err).toBe(
      `countersign: The line end at the end of ${secretFile} was left out of the secret.\n`,
    );
  });
}

test('a person is told where everything is and which state each endpoint is in', async () => {
  const mock = startLine(['mock', '--prefix', 'paynet/']);
  await mock.until('err', /Ctrl\+C/);
  mock.interrupt();
  const { err, out } = await mock.ended;
  expect(out).toBe('');
  expect(err).toMatch(/base URL {6}http:\/\/127\.0\.0\.1:\d+\/paynet\n/);
  expect(err).toContain('1111 open, 1112 closing, 1113 locked, 1114 open (3 gates)');
  expect(err).toContain('consumer key  countersign-test');
  expect(err).toContain('for tests only');
  expect(err).not.toContain(publishedIdentity.consumerSecret);
});

test('each request gets a line with its decision and why it was refused', async () => {
  const mock = startLine(['mock']);
  const [, baseUrl] = await mock.until('err', /base URL +(http:\S+)/);
  const [, secretFile] = await mock.until('err', /secret +(\S+)/);
  const ready = {
    baseUrl: baseUrl!,
    endpointId: '1111',
    consumerKey: 'countersign-test',
    consumerSecretFile: secretFile!,
  };
  await closeDay(ready);
  await mock.until('out', /^\d\d:\d\d:\d\d {2}POST \/api\/v2\/close-day\/1111 {2}200 accepted\n/);
  await closeDay(ready, 'not-the-secret-of-the-mock');
  await mock.until('out', /\n\d\d:\d\d:\d\d {2}POST \/api\/v2\/close-day\/1111 {2}200 refused: \S.*signature.*\n/);
  await fetch(`${baseUrl}/elsewhere%1B`);
  await mock.until('out', /GET \/elsewhere%1B {2}404 no operation has this path\n/);
  mock.interrupt();
  expect((await mock.ended).exitCode).toBe(0);
});

test('a client behind a proxy signs the public URL, and that is what is checked', async () => {
  const publicUrl = 'https://gateway.example/paynet';
  const mock = startLine(['mock', '--json', '--public-url', publicUrl]);
  const ready = await readyLine(mock);
  expect(ready.publicUrl).toBe(publicUrl);
  expect(JSON.parse((await closeDay(ready)).text).response.status).toBe('error');
  const signed = await closeDay(ready, undefined, publicUrl);
  expect(JSON.parse(signed.text).response.status).toBe('finished');
  mock.interrupt();
  await mock.ended;
});

for (const [given, prefix] of [
  ['paynet', '/paynet'],
  ['/paynet/', '/paynet'],
  ['/a/b//', '/a/b'],
  ['/', ''],
]) {
  test(`the prefix ${given} is taken as ${JSON.stringify(prefix)}`, async () => {
    const mock = startLine(['mock', '--json', '--prefix', given!]);
    const { baseUrl } = await readyLine(mock);
    expect(new URL(baseUrl).origin + prefix).toBe(baseUrl);
    mock.interrupt();
    await mock.ended;
  });
}

test('--tls speaks HTTPS, and the file of its authority is all that a client needs to trust it', async () => {
  const mock = startLine(['mock', '--json', '--tls']);
  const ready = await readyLine(mock);
  expect(ready.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const ca = readFileSync(ready.caFile!, 'utf8');
  expect(ca).toMatch(/^-----BEGIN CERTIFICATE-----/);
  expect(ca, 'the key of the authority is nowhere').not.toContain('PRIVATE');
  expect([await statusOverTls(ready.baseUrl, ca), await statusOverTls(ready.baseUrl, undefined)]).toEqual([
    404,
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ]);
  mock.interrupt();
  await mock.ended;
  expect(existsSync(ready.caFile!)).toBe(false);
});

test('a TLS connection without a request is one line on standard error: who, why, and what to do', async () => {
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
  await mock.until('err', new RegExp(`^${from}A client connected and left .*\\. Have it trust /\\S+ca\\.pem\\.$`, 'm'));
  await raw(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await mock.until(
    'err',
    new RegExp(`^${from}A client spoke HTTP where the mock speaks HTTPS\\. .* without --tls\\.$`, 'm'),
  );
  await raw(Buffer.from('not TLS at all'));
  await mock.until(
    'err',
    new RegExp(`^${from}The TLS handshake of a client failed \\([a-z ]+\\)\\. The mock speaks TLS`, 'm'),
  );
  mock.interrupt();
  await mock.ended;
});

test('--host localhost puts that name into base URL and certificate, and listens on loopback alone', async () => {
  const mock = startLine(['mock', '--json', '--tls', '--host', 'localhost']);
  const { baseUrl, caFile } = await readyLine(mock);
  expect(baseUrl).toMatch(/^https:\/\/localhost:\d+$/);
  expect(await statusOverTls(baseUrl, readFileSync(caFile!, 'utf8'))).toBe(404);
  mock.interrupt();
  await mock.ended;
  const refused = startLine(['mock', '--host', '0.0.0.0']);
  expect((await refused.ended).exitCode).toBe(2);
});

test('a person is told which file to trust and where the control interface is', async () => {
  const mock = startLine(['mock', '--tls', '--control-port', '0']);
  await mock.until('err', /Ctrl\+C/);
  mock.interrupt();
  const { err } = await mock.ended;
  expect(err).toMatch(/base URL {6}https:\/\/127\.0\.0\.1:\d+\n/);
  expect(err).toMatch(/control {7}http:\/\/127\.0\.0\.1:\d+\/ lists its routes\n/);
  expect(err).toMatch(/trust {9}\S+ca\.pem\n/);
});

test('without --json and --control-port there is no control interface', async () => {
  const mock = startLine(['mock']);
  await mock.until('err', /Ctrl\+C/);
  mock.interrupt();
  expect((await mock.ended).err).not.toContain('control');
});

test('the control interface of --json moves the gate that a client meets', async () => {
  const mock = startLine(['mock', '--json']);
  const ready = await readyLine(mock);
  const signal = AbortSignal.timeout(10_000);
  const asked = { method: 'POST', headers: { 'Content-Type': 'application/json' }, signal };
  const moved = await fetch(`${ready.controlUrl}/endpoints/1111/gates/7101/closing`, asked);
  expect(moved.status).toBe(200);
  expect(JSON.parse((await closeDay(ready)).text).response.errorCode).toBe('99');
  mock.interrupt();
  await mock.ended;
  await expect(fetch(ready.controlUrl!)).rejects.toThrow();
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
  const defect = gatewayDefects.find(({ alteration }) => alteration.skips !== undefined)!;
  const mock = startLine(['mock', '--json', '--defect', defect.id, '--variant', variants[0]!.id]);
  expect((await readyLine(mock)).endpointId).toBe('1111');
  mock.interrupt();
  expect((await mock.ended).exitCode).toBe(0);
  const refusal401 = startLine(['mock', '--json', '--variant', 'refusal-401']);
  expect((await closeDay(await readyLine(refusal401), 'not-the-secret-of-the-mock')).status).toBe(401);
  refusal401.interrupt();
  await refusal401.ended;
});

const shortKey = () => pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
const curveKey = () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

interface Mistake {
  readonly name: string;
  readonly args: (folder: string) => string[];
  readonly says: RegExp;
}

const secretFrom = (content: string | Buffer) => (folder: string) => [
  '--consumer-secret-file',
  file(join(folder, 'given.txt'), content),
];
const keyFrom = (content: string) => (folder: string) => [
  '--public-key-file',
  file(join(folder, 'given.pem'), content),
];

const mistakes: Mistake[] = [
  {
    name: 'a secret file that does not exist',
    args: (folder) => ['--consumer-secret-file', join(folder, 'absent.txt')],
    says: /secret file \S+absent\.txt does not exist\. Check --consumer-secret-file\./,
  },
  {
    name: 'a folder as secret file',
    args: (folder) => ['--consumer-secret-file', folder],
    says: /is a folder\. Give a file to --consumer-secret-file\./,
  },
  { name: 'an empty secret file', args: secretFrom(''), says: /secret file \S+given\.txt is empty\./ },
  { name: 'a secret file with a line end only', args: secretFrom('\n'), says: /is empty\./ },
  { name: 'a secret of 15 characters', args: secretFrom('123456789012345\n'), says: /fewer than 16 characters\./ },
  { name: 'a secret file with two lines', args: secretFrom(`${secret}\n${secret}\n`), says: /more than one line/ },
  {
    name: 'a secret file that is not UTF-8',
    args: secretFrom(Buffer.from(secret, 'utf16le').fill(0xff, 0, 2)),
    says: /is not UTF-8 text\./,
  },
  { name: 'a secret file of a megabyte', args: secretFrom('x'.repeat(1_000_000)), says: /is larger than 64 KB/ },
  {
    name: 'a public key file that does not exist',
    args: (folder) => ['--public-key-file', join(folder, 'absent.pem')],
    says: /public key file \S+absent\.pem does not exist\. Check --public-key-file\./,
  },
  { name: 'a public key file without a key', args: keyFrom('hello'), says: /given\.pem holds no public key in PEM/ },
  {
    name: 'a key of 1024 bits',
    args: (folder) => keyFrom(shortKey())(folder),
    says: /given\.pem holds .*1024 bits.*2048/,
  },
  {
    name: 'a key that is not RSA',
    args: (folder) => keyFrom(curveKey())(folder),
    says: /given\.pem holds .*\bec\b.*RSA/,
  },
  {
    name: 'a private key as public key',
    args: keyFrom(privatePemOf(shopKeys)),
    says: /holds a private key where the public one belongs\. Take the public half/,
  },
  {
    name: 'a public URL without a scheme',
    args: () => ['--public-url', 'gate.example'],
    says: /gate\.example.*https:\/\//,
  },
  { name: 'a public URL with a query', args: () => ['--public-url', 'https://gate.example/?a=1'], says: /\?a=1/ },
  { name: 'a prefix with a query', args: () => ['--prefix', '/a?b'], says: /\/a\?b.*\/paynet/ },
  { name: 'a port that is none', args: () => ['--port', '65536'], says: /65536.*0 to 65535/ },
  { name: 'a port that is no number', args: () => ['--port', '0x50'], says: /0x50.*0 to 65535/ },
  { name: 'a control port that is none', args: () => ['--control-port', '-1'], says: /control-port.*-1.*0 to 65535/ },
  {
    name: 'one port for gateway and control',
    args: () => ['--port', '45455', '--control-port', '45455'],
    says: /port 45455 is asked for twice\. Give gateway and control a port each\./,
  },
  { name: 'an empty consumer key', args: () => ['--consumer-key', ''], says: /consumer-key is empty/ },
  { name: 'an endpoint id with a slash', args: () => ['--endpoint', 'a/b'], says: /a\/b is not an endpoint id/ },
  { name: 'a consumer key of two lines', args: () => ['--consumer-key', 'a\nb'], says: /consumer key/ },
  { name: 'a consumer key that hides', args: () => ['--consumer-key', 'a\u202eb'], says: /consumer key/ },
  { name: 'an endpoint id that leads elsewhere', args: () => ['--endpoint', '..'], says: /is not an endpoint id/ },
  {
    name: 'an unknown defect',
    args: () => ['--defect', 'qqqqqqqqq'],
    says: /no defect qqqqqqqqq\. countersign list defects/,
  },
  { name: 'an unknown variant', args: () => ['--variant', 'refusal-41'], says: /Did you mean refusal-401/ },
];

for (const { name, args, says } of mistakes) {
  test(`${name} is refused in one sentence with exit code 2`, async () => {
    mkdirSync(test.info().outputPath(), { recursive: true });
    const { exitCode, out, err } = await run(['mock', '--json', ...args(test.info().outputPath())]);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(says);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
    expect(err).not.toContain(secret);
    expect(err).not.toContain('PRIVATE KEY');
  });
}

test('a port in use is named, and another one is proposed', async () => {
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  const { port } = other.address() as AddressInfo;
  const { exitCode, err } = await run(['mock', '--json', '--port', String(port)]);
  await new Promise((closed) => other.close(closed));
  expect(exitCode).toBe(2);
  expect(err).toContain(`port ${port} on 127.0.0.1 is in use`);
  expect(err).toContain('0 for any');
});

test('--like with the run of a client says to give one of a gateway', async () => {
  const folder = test.info().outputPath('of-a-client');
  await storeClientRun(folder);
  const { exitCode, err } = await run(['mock', '--like', folder]);
  expect([exitCode, err]).toEqual([
    2,
    'countersign: the run examined a client, and not a gateway. Give a run of a gateway, or leave --side out where it is given.\n',
  ]);
});
