/** Certificates of a mock, judged by node's TLS and openssl: right ones are trusted, each wrong one is refused for its own reason. */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import https from 'node:https';
import { type Authority, type LeafOptions, newAuthority } from '../../../src/mock/certificates.ts';
import { startMock } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { otherShopKeys, privatePemOf, shopKeys } from '../../keys/index.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';

const now = Date.now();
const dayMs = 86_400_000;
const authorities = new Map<string, Authority>();

/** Made once for each name, with a kept key: a new one takes a while, and so does each of a server. */
function authority(name = 'one'): Authority {
  const made = authorities.get(name) ?? newAuthority(now, privatePemOf(name === 'one' ? shopKeys : otherShopKeys));
  authorities.set(name, made);
  return made;
}

/** What a client that trusts `ca` meets under that host name: a status, or the code of the error. */
async function call(leaf: LeafOptions, host: string, ca = authority().certificatePem): Promise<number | string> {
  const mock = await startMock({ tls: authority().issue({ key: privatePemOf(otherShopKeys), ...leaf }) });
  const agent = new https.Agent({ ca });
  try {
    return await new Promise((resolve) => {
      const options = { host, port: mock.port, agent, timeout: 10_000, lookup: loopback };
      const sent = https.get(options, (answer) => resolve(answer.resume().statusCode ?? 0));
      sent.on('timeout', () => sent.destroy(new Error('no answer within the limit')));
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  } finally {
    agent.destroy();
    await mock.close();
  }
}

/** Every name is this machine: no test asks a name server. */
const loopback: https.RequestOptions['lookup'] = (_, options, done) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);

test('a client trusts what its authority has issued for the host and the time, and nothing else', async () => {
  for (const host of ['127.0.0.1', 'localhost']) expect(await call({}, host)).toBe(404);
  const other = authority('other').certificatePem;
  expect(await call({}, '127.0.0.1', other)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  const expired = { notBefore: now - 2 * dayMs, notAfter: now - dayMs };
  expect(await call(expired, '127.0.0.1')).toBe('CERT_HAS_EXPIRED');
  expect(await call({ notBefore: now + dayMs }, '127.0.0.1')).toBe('CERT_NOT_YET_VALID');
});

test('a certificate for other names is refused for its names, and taken under them', async () => {
  const leaf = { names: ['gateway.example', '192.0.2.1'] };
  expect(await call(leaf, '127.0.0.1')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await call(leaf, 'gateway.example')).toBe(404);
});

test('the chain has what strict clients ask for', () => {
  const certificate = new X509Certificate(authority().issue().cert);
  const ca = new X509Certificate(authority().certificatePem);
  expect([certificate.ca, ca.ca]).toEqual([false, true]);
  expect(certificate.checkIssued(ca)).toBe(true);
  expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1, DNS:localhost');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(new Set([certificate.serialNumber, authority().issue().cert, ca.serialNumber]).size).toBe(3);
});

test('openssl verifies it by the strict rules of RFC 5280', () => {
  skipUnless(missingPrograms('openssl').length === 0, 'openssl');
  const [ca, leaf] = ['ca.pem', 'leaf.pem'].map((name) => test.info().outputPath(name));
  writeFileSync(ca!, authority().certificatePem);
  writeFileSync(leaf!, authority().issue().cert);
  const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_ip', '127.0.0.1', '-CAfile', ca!, leaf!];
  expect(execFileSync('openssl', args, { timeout: 10_000 }).toString()).toBe(`${leaf}: OK\n`);
});
