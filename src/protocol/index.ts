/** Public interface of the protocol layer: converts between bytes and values, without I/O or clock. */
export { decodeBase64, encodeBase64 } from './base64.ts';
export * from './close-day.ts';
export { type CsvOptions, type CsvTable, type DecodedCsv, decodeCsv, encodeCsv } from './csv.ts';
export { decodeForm, encodeForm, type Pair } from './form.ts';
export { isJsonObject, JsonNumber, type JsonObject, type JsonValue, readJson } from './json.ts';
export { readPrivateKey, readPublicKey } from './keys.ts';
export {
  baseString,
  baseStringUri,
  collectParameters,
  normalizeParameters,
  type ParameterSources,
  queryOf,
  type RequestUrl,
} from './oauth/base-string.ts';
export { type AuthorizationHeader, parseAuthorization, printAuthorization } from './oauth/header.ts';
export {
  type SignedRequest,
  type SigningOptions,
  type SigningSteps,
  signRequest,
  type UnsignedRequest,
  unsignedSteps,
} from './oauth/sign-request.ts';
export {
  hmacKeyText,
  type SharedSecretKey,
  type SignatureMethod,
  type SigningKey,
  sign,
  type VerifyingKey,
  verifySignature,
} from './oauth/signature.ts';
export {
  formParameters,
  type KeyLookup,
  type Unverified,
  type Verification,
  type VerificationFailure,
  type Verified,
  verifyRequest,
  type WireRequest,
} from './oauth/verify-request.ts';
export { percentDecode, percentEncode } from './percent.ts';
export { ProtocolError, type ProtocolErrorCode } from './protocol-error.ts';
export * from './recurring.ts';
export { textKeepingBytes, utf8Bytes, utf8Text } from './utf8.ts';
