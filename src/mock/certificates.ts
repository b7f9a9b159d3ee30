/** A certificate authority, its certificates (RFC 5280), and a truststore for runtimes that cannot read PEM. */
import { createHmac, createPublicKey, generateKeyPairSync, privateEncrypt, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import forge from 'node-forge';

interface LeafOptions {
  /** Host names and IP addresses in the certificate. Default: 127.0.0.1 and localhost. */
  readonly names?: readonly string[];
  /** Start and end of the validity, in milliseconds since the Unix epoch. Default: one day ago, and in 30 days. */
  readonly notBefore?: number;
  readonly notAfter?: number;
  /** The private key of the server, in PEM. Default: a new key, which takes some tenths of a second. */
  readonly key?: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** `now` is in milliseconds since the Unix epoch. `key` is in PEM; a new key takes some tenths of a second. */
export function newAuthority(now: number, key = newKey()) {
  // Most clients name only the authority in an error message, so each authority has its own name.
  const authority = `Countersign mock CA ${randomBytes(4).toString('hex')}`;
  const signingKey = signingKeyOf(key);
  const newCertificate = (keyPem: string, subject: string, extensions: object[], options: LeafOptions = {}) => {
    const certificate = forge.pki.createCertificate();
    const publicPem = createPublicKey(keyPem).export({ type: 'spki', format: 'pem' }).toString();
    certificate.publicKey = forge.pki.publicKeyFromPem(publicPem);
    // In DER, a first byte of 0x80 or more means a negative number. So start with 0x40.
    certificate.serialNumber = `40${randomBytes(15).toString('hex')}`;
    certificate.validity.notBefore = new Date(options.notBefore ?? now - dayMs);
    certificate.validity.notAfter = new Date(options.notAfter ?? now + 30 * dayMs);
    certificate.setSubject([{ name: 'commonName', value: subject }]);
    certificate.setIssuer([{ name: 'commonName', value: authority }]);
    certificate.setExtensions(extensions);
    certificate.sign(signingKey, forge.md.sha256.create());
    return certificate;
  };
  const root = newCertificate(key, authority, [
    { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  return {
    certificatePem: forge.pki.certificateToPem(root),
    issue: ({ names = ['127.0.0.1', 'localhost'], key = newKey(), ...validity }: LeafOptions = {}) => {
      const altNames = names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name }));
      const extensions = [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
        { name: 'extKeyUsage', serverAuth: true },
        { name: 'subjectAltName', altNames },
        { name: 'subjectKeyIdentifier' },
        // Strict clients, such as Python 3.13 and later, require this extension.
        { name: 'authorityKeyIdentifier', keyIdentifier: root.generateSubjectKeyIdentifier().getBytes() },
      ];
      return { key, cert: forge.pki.certificateToPem(newCertificate(key, names[0] ?? '', extensions, validity)) };
    },
  };
}

/** Signs with Node, because forge is a hundred times slower and gives the same bytes (RFC 8017 section 9.2). */
function signingKeyOf(privatePem: string): forge.pki.rsa.PrivateKey {
  const sha256Prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');
  const sign = (hash: forge.md.MessageDigest): string => {
    const digest = Buffer.from(hash.digest().getBytes(), 'latin1');
    return privateEncrypt(privatePem, Buffer.concat([sha256Prefix, digest])).toString('latin1');
  };
  return { sign } as forge.pki.rsa.PrivateKey;
}

/** Makes a key pair with Node, because the library node-forge takes several seconds. */
function newKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;
}

const { asn1 } = forge;
const { OID, OCTETSTRING, INTEGER, BMPSTRING, NULL, SEQUENCE, SET } = asn1.Type;
const { UNIVERSAL, CONTEXT_SPECIFIC } = asn1.Class;
type Asn1 = forge.asn1.Asn1;

const primitive = (type: forge.asn1.Type, bytes: string) => asn1.create(UNIVERSAL, type, false, bytes);
const oid = (dotted: string) => primitive(OID, asn1.oidToDer(dotted).getBytes());
const octets = (bytes: string) => primitive(OCTETSTRING, bytes);
const sequence = (...members: Asn1[]) => asn1.create(UNIVERSAL, SEQUENCE, true, members);
const set = (...members: Asn1[]) => asn1.create(UNIVERSAL, SET, true, members);
const explicit = (member: Asn1) => asn1.create(CONTEXT_SPECIFIC, 0, true, [member]);
const der = (tree: Asn1) => asn1.toDer(tree).getBytes();
const content = (bytes: string) => sequence(oid(oids.data), explicit(octets(bytes)));

/** Object identifiers in a PKCS#12 file (RFC 7292). Java trusts a certificate only if it has `trustedKeyUsage`. */
const oids = {
  data: '1.2.840.113549.1.7.1',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  trustedKeyUsage: '2.16.840.1.113894.746875.1.1',
  anyExtendedKeyUsage: '2.5.29.37.0',
  sha1: '1.3.14.3.2.26',
};

/** Returns an unencrypted PKCS#12 file with one trusted certificate. It has a MAC, because many readers require one. */
export function truststore(certificatePem: string, password: string): Uint8Array {
  const certificate = der(forge.pki.certificateToAsn1(forge.pki.certificateFromPem(certificatePem)));
  const bag = sequence(
    oid(oids.certificateBag),
    explicit(sequence(oid(oids.x509Certificate), explicit(octets(certificate)))),
    set(
      sequence(oid(oids.friendlyName), set(primitive(BMPSTRING, 'countersign'))),
      sequence(oid(oids.trustedKeyUsage), set(oid(oids.anyExtendedKeyUsage))),
    ),
  );
  const safe = der(sequence(content(der(sequence(bag)))));
  const pfx = sequence(primitive(INTEGER, '\x03'), content(safe), macOf(safe, password));
  return Buffer.from(der(pfx), 'binary');
}

function macOf(safe: string, password: string): Asn1 {
  // ID 3 means a key for a message authentication code (RFC 7292 appendix B.3).
  const [iterations, macKeyId] = [2048, 3];
  const salt = randomBytes(8).toString('binary');
  const key = forge.pkcs12.generateKey(password, forge.util.createBuffer(salt), macKeyId, iterations, 20).getBytes();
  const mac = createHmac('sha1', Buffer.from(key, 'binary')).update(Buffer.from(safe, 'binary')).digest('binary');
  return sequence(
    sequence(sequence(oid(oids.sha1), primitive(NULL, '')), octets(mac)),
    octets(salt),
    primitive(INTEGER, asn1.integerToDer(iterations).getBytes()),
  );
}
