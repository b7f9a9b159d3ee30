/** A certificate authority as PKCS#12 (RFC 7292), for runtimes that read no PEM: Java, .NET. */
import { createHmac, randomBytes } from 'node:crypto';
import forge from 'node-forge';

const { asn1 } = forge;
const { OID, OCTETSTRING, INTEGER, BMPSTRING, NULL, SEQUENCE, SET } = asn1.Type;

/** Object identifiers of RFC 7292, and the attribute by which Java distinguishes an authority to trust from any certificate. */
const oids = {
  data: '1.2.840.113549.1.7.1',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  trustedKeyUsage: '2.16.840.1.113894.746875.1.1',
  anyExtendedKeyUsage: '2.5.29.37.0',
  sha1: '1.3.14.3.2.26',
};

/** What RFC 7292 B.3 derives a key for with this number: a message authentication code. */
const forMac = 3;
const iterations = 2048;

/**
 * The file's bytes: one certificate that is to be trusted, not encrypted, since it is not a secret, and with a code made
 * from the password, since many readers insist on one.
 */
export function truststore(certificatePem: string, password: string): Uint8Array {
  const certificate = asn1.toDer(forge.pki.certificateToAsn1(forge.pki.certificateFromPem(certificatePem))).getBytes();
  const bag = sequence(
    oid(oids.certificateBag),
    explicit(sequence(oid(oids.x509Certificate), explicit(octets(certificate)))),
    asn1.create(asn1.Class.UNIVERSAL, SET, true, [
      attribute(oids.friendlyName, primitive(BMPSTRING, 'countersign')),
      attribute(oids.trustedKeyUsage, oid(oids.anyExtendedKeyUsage)),
    ]),
  );
  const safe = der(sequence(content(der(sequence(bag)))));
  const pfx = sequence(primitive(INTEGER, '\x03'), content(safe), macOf(safe, password));
  return Buffer.from(der(pfx), 'binary');
}

function macOf(safe: string, password: string): forge.asn1.Asn1 {
  const salt = randomBytes(8).toString('binary');
  const key = forge.pkcs12.generateKey(password, forge.util.createBuffer(salt), forMac, iterations, 20).getBytes();
  const mac = createHmac('sha1', Buffer.from(key, 'binary')).update(Buffer.from(safe, 'binary')).digest('binary');
  return sequence(
    sequence(sequence(oid(oids.sha1), primitive(NULL, '')), octets(mac)),
    octets(salt),
    primitive(INTEGER, asn1.integerToDer(iterations).getBytes()),
  );
}

function content(bytes: string): forge.asn1.Asn1 {
  return sequence(oid(oids.data), explicit(octets(bytes)));
}

function attribute(type: string, value: forge.asn1.Asn1): forge.asn1.Asn1 {
  return sequence(oid(type), asn1.create(asn1.Class.UNIVERSAL, SET, true, [value]));
}

function sequence(...members: forge.asn1.Asn1[]): forge.asn1.Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, SEQUENCE, true, members);
}

function explicit(member: forge.asn1.Asn1): forge.asn1.Asn1 {
  return asn1.create(asn1.Class.CONTEXT_SPECIFIC, 0, true, [member]);
}

function oid(dotted: string): forge.asn1.Asn1 {
  return primitive(OID, asn1.oidToDer(dotted).getBytes());
}

function octets(bytes: string): forge.asn1.Asn1 {
  return primitive(OCTETSTRING, bytes);
}

function primitive(type: forge.asn1.Type, bytes: string): forge.asn1.Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, type, false, bytes);
}

function der(tree: forge.asn1.Asn1): string {
  return asn1.toDer(tree).getBytes();
}
