/** A TLS certificate for 127.0.0.1, made with the published test key. */
import forge from 'node-forge';
import { publishedIdentity } from '../../../src/mock/identity.ts';

let made: { key: string; cert: string } | undefined;

/** Key and certificate as PEM; the certificate signs itself. */
export function selfSigned(): { key: string; cert: string } {
  made ??= make();
  return made;
}

function make(): { key: string; cert: string } {
  const { privateKeyPem, publicKeyPem } = publishedIdentity;
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKeyPem);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(Date.UTC(2020, 0, 1));
  certificate.validity.notAfter = new Date(Date.UTC(2120, 0, 1));
  certificate.setSubject([{ name: 'commonName', value: '127.0.0.1' }]);
  certificate.setIssuer([{ name: 'commonName', value: '127.0.0.1' }]);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(privateKeyPem), forge.md.sha256.create());
  return { key: privateKeyPem, cert: forge.pki.certificateToPem(certificate) };
}
