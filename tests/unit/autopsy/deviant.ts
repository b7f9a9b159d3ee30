/** A client that signs with given deviations: what it sends, and the bytes of its signature. */
import { constants, type KeyObject, privateEncrypt, sign as signBytes } from 'node:crypto';
import { candidatesFor } from '../../../src/autopsy/candidates.ts';
import type { Deviation } from '../../../src/autopsy/deviation.ts';
import { readEvidence } from '../../../src/autopsy/evidence.ts';
import { outputs } from '../../../src/autopsy/readings.ts';
import type { HashName } from '../../../src/autopsy/signer/mac.ts';
import type { Pair, WireRequest } from '../../../src/protocol/index.ts';
import { type Drawn, headerOf } from './drawn.ts';

/** DER before the digest (RFC 8017 9.2). */
const digestInfos: Readonly<Record<HashName, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha224: '302d300d06096086480165030402040500041c',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** The request as it would be on the wire; `privateKey` for RSA. */
export function signedWith(drawn: Drawn, deviations: readonly Deviation[], privateKey?: KeyObject): WireRequest {
  const ids = deviations.map(({ id }) => id);
  const twice = ids.includes('header-values-encoded-twice');
  const milliseconds = ids.includes('timestamp-signed-in-seconds-sent-in-milliseconds');
  const credentials = drawn.credentials.map(
    ([name, value]): Pair => (name === 'oauth_timestamp' && milliseconds ? [name, `${value}123`] : [name, value]),
  );
  const unsigned = wire(drawn, headerOf(credentials, drawn.realm, twice));
  const signature = signatureText(drawn, unsigned, deviations, privateKey);
  return wire(drawn, headerOf([...credentials, ['oauth_signature', signature]], drawn.realm, twice));
}

/**
 * What a client with these deviations would write as signature of a request that is on the wire already. Without the
 * private key what RSA is applied to stands for its result: enough to see whether two signatures differ.
 */
export function signatureText(
  drawn: Drawn,
  request: WireRequest,
  deviations: readonly Deviation[],
  privateKey?: KeyObject,
): string {
  const ids = deviations.map(({ id }) => id);
  const candidates = candidatesFor(readEvidence(request), {
    consumerKey: drawn.credentials[0]![1],
    consumerSecret: drawn.consumerSecret,
    tokenSecret: drawn.tokenSecret,
  });
  if (ids.includes('plaintext-signature')) return candidates.keyText(deviations);
  const rsa = drawn.credentials.some(([, value]) => value === 'RSA-SHA256');
  const named = ids.find((id) => /^hash-(?:md5|sha\d+)$/.test(id))?.slice('hash-'.length) as HashName | undefined;
  const hash = named ?? (rsa ? 'sha256' : 'sha1');
  const useRsa = rsa ? !ids.includes('hmac-instead-of-rsa') : ids.includes('rsa-instead-of-hmac');
  const bytes = useRsa
    ? rsaSignature(candidates.digest(deviations, hash), candidates.baseString(deviations), hash, ids, privateKey)
    : Buffer.from(candidates.mac(deviations, hash), 'hex');
  const { write } = outputs.find(({ id }) => id !== undefined && ids.includes(id)) ?? outputs[0]!;
  const written = write(bytes);
  return ids.includes('signature-escaped-before-header') ? encodeURIComponent(written) : written;
}

function rsaSignature(hex: string, base: string, hash: HashName, ids: readonly string[], key?: KeyObject): Buffer {
  if (ids.includes('pss-padding') && key !== undefined) {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return signBytes(hash, Buffer.from(base), { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
  }
  const content = `${ids.includes('digest-info-missing') ? '' : digestInfos[hash]}${hex}`;
  const bytes = Buffer.from(content, 'hex');
  return key === undefined ? bytes : privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes);
}

function wire(drawn: Drawn, authorization: string): WireRequest {
  return {
    method: drawn.method,
    scheme: drawn.scheme,
    host: drawn.host,
    target: drawn.target,
    headers: [
      ['Host', drawn.host],
      ['Content-Type', drawn.contentType],
      ['Authorization', authorization],
    ],
    body: Buffer.from(drawn.body),
  };
}
