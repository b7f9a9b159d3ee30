/** The authority as a PKCS#12 file is read by what reads such files. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { newAuthority, truststore } from '../../../src/mock/certificates.ts';
import { expect, test } from '../../engine.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';

const password = 'countersign';

test('openssl reads the certificate of a truststore and checks its code', () => {
  skipUnless(missingPrograms('openssl').length === 0, 'openssl');
  const { certificatePem } = newAuthority(Date.now());
  const file = test.info().outputPath('ca.p12');
  writeFileSync(file, truststore(certificatePem, password));
  const read = (given: string): string =>
    execFileSync('openssl', ['pkcs12', '-in', file, '-nokeys', '-passin', `pass:${given}`], {
      stdio: 'pipe',
    }).toString();
  expect(oneLine(read(password))).toContain(oneLine(certificatePem));
  expect(() => read('another password')).toThrow();
});

test('a Java truststore takes it for an authority to trust', () => {
  skipUnless(missingPrograms('keytool').length === 0, 'keytool of Java');
  const file = test.info().outputPath('ca.p12');
  writeFileSync(file, truststore(newAuthority(Date.now()).certificatePem, password));
  const store = ['-list', '-keystore', file, '-storetype', 'PKCS12', '-storepass', password];
  expect(execFileSync('keytool', store, { stdio: 'pipe' }).toString()).toMatch(/countersign, .*trustedCertEntry/);
});

function oneLine(pem: string): string {
  return pem.replace(/\s/g, '');
}
