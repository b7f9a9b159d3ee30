/** `countersign mock`: what a caller can rely on, and what a person sees. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import https from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { variants } from '../../../src/faults/variants.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import { readPrivateKey } from '../../../src/protocol/keys.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { startLine } from './captured.ts';
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
