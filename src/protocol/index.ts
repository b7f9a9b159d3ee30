/** All exports of the protocol layer. It converts between bytes and values, and uses no I/O and no clock. */
export * from './base64.ts';
export * from './close-day.ts';
export * from './csv.ts';
export { decodeForm, encodeForm, type Pair } from './form.ts';
export * from './json.ts';
export { readPrivateKey, readPublicKey } from './keys.ts';
export * from './oauth/base-string.ts';
export * from './oauth/header.ts';
export * from './oauth/sign-request.ts';
export {
  hmacKeyText,
  type SharedSecretKey,
  type SignatureMethod,
  type SigningKey,
  sign,
  type VerifyingKey,
  verifySignature,
} from './oauth/signature.ts';
export * from './oauth/verify-request.ts';
export { percentDecode, percentEncode } from './percent.ts';
export * from './protocol-error.ts';
export * from './recurring.ts';
export { textKeepingBytes, utf8Bytes, utf8Text } from './utf8.ts';
