/** Secrets and keys from files, and those that recorded signatures are verified with. */
import type { KeyObject } from 'node:crypto';
import { consumerKeyOf, exchangesOf } from '../../extras/rekey/keys.ts';
import { readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { examineKey } from '../../protocol/keys.ts';
import { readRegularFile } from '../../record/disk/files.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { UsageError, usageError } from '../../run/options/usage-error.ts';
import { examineSecret, onlyDoubts } from '../../run/target/credentials.ts';
import type { DoctorFinding } from '../../run/target/examination.ts';
import { publishedKeys } from '../../run/target/published.ts';
import type { KnownKeys } from '../../verdict/client/client-evidence.ts';
import type { Recording } from '../../verdict/recordings/recording.ts';

/** No key or secret is longer; a bigger file was given by mistake. */
const largestFileBytes = 64 * 1024;

interface CredentialFile {
  readonly path: string;
  /** What the path was given with, such as `--public-key-file` or `credentials.privateKeyFile`; errors name it. */
  readonly option: string;
}

/** Where remarks go: worth a sentence, but not errors. */
type SayRemark = (sentence: string) => void;

/**
 * The secret in a file. `shortest` is the least number of characters: where nothing is signed and nothing is written, as in an
 * autopsy, any secret is as good as it was to its issuer.
 *
 * @throws UsageError if the file cannot be read, or holds none that can be used
 */
export async function readSecretFile(file: CredentialFile, remark: SayRemark, shortest?: number): Promise<string> {
  const { secret, findings } = examineSecret(await readBytes(file, 'secret'), `the file ${file.path}`, shortest);
  refuseProblems(findings, remark);
  return secret!;
}

/** Throws UsageError for the first problem; what is only doubtful is a remark. */
export function refuseProblems(findings: readonly DoctorFinding[], remark: SayRemark): void {
  for (const { id, status, what, hint } of findings) {
    if (status === 'problem' && !onlyDoubts.has(id)) throw new UsageError(what, hint);
    if (status !== 'ok') remark(`${what[0]?.toUpperCase()}${what.slice(1)}.${hint === undefined ? '' : ` ${hint}`}`);
  }
}

/**
 * The RSA public key in a file, as SPKI PEM.
 *
 * @throws UsageError if the file cannot be read or holds no RSA public key of at least `bits` bits, 2048 by default
 */
export async function readPublicKeyFile(file: CredentialFile, remark: SayRemark, bits?: number): Promise<string> {
  const examined = examineKey(await readBytes(file, 'public key'), 'public', bits);
  const name = `the public key file ${file.path}`;
  if ('problem' in examined) {
    const { what, hint } = examined.problem;
    throw new UsageError(`${name} ${what}`, hint);
  }
  for (const { what, hint } of examined.remarks) remark(`${name} ${what}; it was read. ${hint}`);
  return examined.key.export({ type: 'spki', format: 'pem' }).toString();
}

/** The value of `--consumer-key`. Throws UsageError where no header can hold it, or its characters are invisible. */
export function checkedConsumerKey(text: string): string {
  if (text !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return text;
  throw usageError()`the consumer key of --consumer-key is empty or holds control characters
    It has to be one line, as the operator of the gateway issued it.`;
}

/** The text of a PEM file. Throws UsageError if it cannot be read. */
export async function readPemFile(file: CredentialFile, what: string): Promise<string> {
  return decode(await readBytes(file, what), file);
}

async function readBytes(file: CredentialFile, what: string): Promise<Uint8Array> {
  const found = await readRegularFile(file.path, largestFileBytes);
  if ('bytes' in found) return found.bytes;
  const { unreadable, because, cause } = found;
  const hint = because === 'kind' ? `Give a file to ${file.option}.` : `Check ${file.option}.`;
  throw new UsageError(`the ${what} file ${file.path} ${unreadable}`, hint, cause);
}

function decode(bytes: Uint8Array, file: CredentialFile): string {
  try {
    // A byte-order mark at the start is dropped: an editor wrote it, it was not typed.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw usageError(cause)`${file.path} is not UTF-8 text
      Save it as UTF-8 without formatting, or check ${file.option}; keys have to be PEM.`;
  }
}

interface KeyFlags {
  readonly consumerKey?: string;
  readonly consumerSecretFile?: string;
  readonly tokenSecretFile?: string;
  readonly publicKeyFile?: string;
}

/** What the files hold; a member is absent where no file was named. */
export interface ReadKeys {
  readonly consumerSecret?: string;
  readonly tokenSecret?: string;
  readonly publicKey?: KeyObject;
  readonly publicKeyPem?: string;
}

/** `shortest` and `bits`: what a secret and a key must have at least. Throws UsageError for a file that is not what it is given for. */
export async function readKeyFiles(
  { consumerSecretFile, tokenSecretFile, publicKeyFile }: KeyFlags,
  remark: SayRemark,
  { shortest, bits }: { readonly shortest?: number; readonly bits?: number } = {},
): Promise<ReadKeys> {
  const secret = (path: string | undefined, option: string, least?: number) =>
    path === undefined ? undefined : readSecretFile({ path, option }, remark, least);
  const consumerSecret = await secret(consumerSecretFile, '--consumer-secret-file', shortest);
  const tokenSecret = await secret(tokenSecretFile, '--token-secret-file', 0);
  const keyFile = publicKeyFile && { path: publicKeyFile, option: '--public-key-file' };
  const publicKeyPem = keyFile && (await readPublicKeyFile(keyFile, remark, bits));
  return {
    ...(consumerSecret !== undefined && { consumerSecret }),
    ...(tokenSecret !== undefined && { tokenSecret }),
    ...(publicKeyPem && { publicKeyPem, publicKey: readPublicKey(publicKeyPem, bits) }),
  };
}

/** The same of recordings. Throws UsageError for a consumer key that can be none, too. */
export async function readGivenKeys(
  given: KeyFlags,
  remark: SayRemark,
  { recordings }: { readonly recordings: readonly Recording[] },
): Promise<ReadKeys> {
  const { consumerKey } = given;
  if (consumerKey !== undefined) checkedConsumerKey(consumerKey);
  const strange = strangeConsumerKey(consumerKey, recordings);
  if (strange !== undefined) remark(strange);
  return readKeyFiles(given, remark);
}

/** What is told of a consumer key that was given and that no request names: a misspelt one leaves all signatures unverified. */
export function strangeConsumerKey(given: string | undefined, recordings: readonly Recording[]): string | undefined {
  const isNamed = () =>
    recordings.some((one) => exchangesOf(one).some(({ request }) => consumerKeyOf(request) === given));
  if (given === undefined || isNamed()) return undefined;
  return `no request names the consumer key ${JSON.stringify(given)} of --consumer-key, so keys that are given with it check no signature: is it spelt right?`;
}

/** The keys of the files for the consumer key of the flags, and the published ones where no file was named. */
export function judgingKeys(
  { consumerSecret, publicKey }: ReadKeys,
  consumerKey: string | undefined,
  recordings: readonly Recording[],
): KnownKeys {
  const keys: VerifyingKey[] = [
    ...(consumerSecret === undefined ? [] : [{ method: 'HMAC-SHA1', consumerSecret } as const]),
    ...(publicKey === undefined ? [] : [{ method: 'RSA-SHA256', publicKey } as const]),
  ];
  if (keys.length === 0) {
    const isPublished = (request: SentRequest) => publishedKeys(consumerKeyOf(request) ?? '') !== undefined;
    const known = recordings.some((one) => exchangesOf(one).some(({ request }) => isPublished(request)));
    return { hasKeys: known, keysOf: known ? publishedKeys : () => undefined };
  }
  // Without --consumer-key it is not known which one was issued: the keys are tried for whatever key a request names.
  return {
    hasKeys: true,
    keysOf: (named) => (consumerKey === undefined || named === consumerKey ? keys : publishedKeys(named)),
  };
}
