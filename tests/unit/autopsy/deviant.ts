/** A client that signs with given deviations: what it sends, and the bytes of its signature. */
import { constants, createPrivateKey, type KeyObject, privateEncrypt, sign as signBytes } from 'node:crypto';
import { candidatesFor } from '../../../src/autopsy/candidates.ts';
import type { Deviation } from '../../../src/autopsy/deviation.ts';
import { readEvidence } from '../../../src/autopsy/evidence.ts';
import type { HashName } from '../../../src/autopsy/mac.ts';
import { outputs } from '../../../src/autopsy/output.ts';
import type { WireRequest } from '../../../src/protocol/index.ts';
import { type Drawn, headerOf } from './drawn.ts';

export interface Signed {
  readonly request: WireRequest;
  /** The digest in hex, before it is signed and written. */
  readonly hex: string;
}

/** DER before the digest (RFC 8017 9.2). */
const digestInfos: Readonly<Record<HashName, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha224: '302d300d06096086480165030402040500041c',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** The request as it would be on the wire; `privateKey` for RSA-SHA256. */
export function signedWith(drawn: Drawn, deviations: readonly Deviation[], privateKey?: KeyObject): Signed {
  const ids = deviations.map(({ id }) => id);
  const twice = ids.includes('header-values-encoded-twice');
  const milliseconds = ids.includes('timestamp-signed-in-seconds-sent-in-milliseconds');
  const credentials = drawn.credentials.map(([name, value]) =>
    name === 'oauth_timestamp' && milliseconds ? ([name, `${value}123`] as const) : ([name, value] as const),
  );
  const unsigned = wire(drawn, headerOf(credentials, drawn.realm, twice));
  const candidates = candidatesFor(readEvidence(unsigned), {
    consumerKey: drawn.credentials[0]![1],
    consumerSecret: drawn.consumerSecret,
    tokenSecret: drawn.tokenSecret,
  });
  const rsa = drawn.credentials.some(([, value]) => value === 'RSA-SHA256');
  const named = ids.find((id) => /^hash-(?:md5|sha\d+)$/.test(id))?.slice(5) as HashName | undefined;
  const useRsa = rsa ? !ids.includes('hmac-instead-of-rsa') : ids.includes('rsa-instead-of-hmac');
  const hash = named ?? (rsa ? 'sha256' : 'sha1');
  let bytes: Buffer;
  let hex: string;
  if (ids.includes('plaintext-signature')) {
    const text = candidates.keyText(deviations);
    return { request: wire(drawn, headerOf([...credentials, ['oauth_signature', text]], drawn.realm, twice)), hex: text };
  }
  if (useRsa) {
    hex = candidates.digest(deviations, hash);
    bytes = rsaSignature(Buffer.from(hex, 'hex'), hash, ids, privateKey!, candidates.baseString(deviations));
  } else {
    hex = candidates.mac(deviations, hash);
    bytes = Buffer.from(hex, 'hex');
  }
  const { write } = outputs.find(({ id }) => id !== undefined && ids.includes(id)) ?? outputs[0]!;
  const header = headerOf([...credentials, ['oauth_signature', write(bytes)]], drawn.realm, twice);
  return { request: wire(drawn, header), hex };
}

function rsaSignature(digest: Buffer, hash: HashName, ids: readonly string[], key: KeyObject, base: string): Buffer {
  if (ids.includes('pss-padding')) {
    const options = { key: createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    return signBytes(hash, Buffer.from(base), options);
  }
  const content = ids.includes('digest-info-missing') ? digest : Buffer.concat([Buffer.from(digestInfos[hash], 'hex'), digest]);
  return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, content);
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
