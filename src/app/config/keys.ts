/** Reads secrets and keys from files, and chooses the keys that verify recorded signatures. */
import type { KeyObject } from 'node:crypto';
import { credentialOf } from '../../autopsy/facts.ts';
import { readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { parseKey } from '../../protocol/keys.ts';
import { readRegularFile } from '../../record/disk/files.ts';
import { casesOf } from '../../record/run.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';
import { type DoctorFinding, doubtIds, examineSecret } from '../../run/target/live-config.ts';
import { publishedKeys } from '../../run/target/published.ts';
import type { KnownKeys } from '../../verdict/client/client-evidence.ts';
import type { Recording } from '../../verdict/recordings/recording.ts';

const maxFileBytes = 64 * 1024;

type Remark = (sentence: string) => void;

/** Throws UsageError for a problem that is not in `doubtIds`. Prints each other finding that is not `ok`. */
export function refuseProblems(findings: readonly DoctorFinding[], remark: Remark): void {
  for (const { id, status, what, hint } of findings) {
    if (status === 'problem' && !doubtIds.has(id)) throw new UsageError(what, hint);
    if (status !== 'ok') remark(`${what}.\n${hint ?? ''}`.trimEnd());
  }
}

export function parseConsumerKey(text: string): string {
  refuseIf(text === '' || /[\p{C}\p{Zl}\p{Zp}]/u.test(text))`
    the consumer key of --consumer-key is empty or has control characters
    Write it on one line, as the operator of the gateway issued it.`;
  return text;
}

/** Reads a PEM file as text. `option` and `what` name the file in errors. Throws UsageError. */
export async function readPemFile(path: string, option: string, what: string): Promise<string> {
  const bytes = await readBytes(path, option, what);
  try {
    // Some editors write a byte-order mark, which this decoder drops.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw usageError(cause)`${path} is not UTF-8 text
      Check ${option}: it needs a PEM file.`;
  }
}

async function readBytes(path: string, option: string, what: string): Promise<Uint8Array> {
  const found = await readRegularFile(path, maxFileBytes);
  if ('bytes' in found) return found.bytes;
  const hint = found.reason === 'kind' ? `Name a file with ${option}.` : `Check ${option}.`;
  throw new UsageError(`the ${what} file ${path} ${found.unreadable}`, hint, found.cause);
}

type KeyFlags = Partial<
  Record<'consumerKey' | 'consumerSecretFile' | 'tokenSecretFile' | 'publicKeyFile', string | undefined>
>;

interface LoadedKeys {
  readonly consumerSecret?: string;
  readonly tokenSecret?: string;
  readonly publicKey?: KeyObject;
  readonly publicKeyPem?: string;
}

/** Reads key files. Throws UsageError, also for a secret below `shortest` characters or a key below `bits` bits. */
export async function readKeyFiles(
  { consumerSecretFile, tokenSecretFile, publicKeyFile }: KeyFlags,
  remark: Remark,
  { shortest: minLength, bits: minBits }: { readonly shortest?: number; readonly bits?: number } = {},
): Promise<LoadedKeys> {
  const readSecret = async (path: string, option: string, min: number | undefined): Promise<string> => {
    const { secret, findings } = examineSecret(await readBytes(path, option, 'secret'), `the file ${path}`, min);
    refuseProblems(findings, remark);
    return secret!;
  };
  const secrets = {
    ...(consumerSecretFile !== undefined && {
      consumerSecret: await readSecret(consumerSecretFile, '--consumer-secret-file', minLength),
    }),
    ...(tokenSecretFile !== undefined && {
      tokenSecret: await readSecret(tokenSecretFile, '--token-secret-file', 0),
    }),
  };
  if (publicKeyFile === undefined) return secrets;
  const examination = parseKey(await readBytes(publicKeyFile, '--public-key-file', 'public key'), 'public', minBits);
  const name = `the public key file ${publicKeyFile}`;
  if ('problem' in examination) throw new UsageError(`${name} ${examination.problem.what}`, examination.problem.hint);
  for (const { what, hint } of examination.remarks) remark(`${name} ${what}; it was read.\n${hint}`);
  const publicKeyPem = examination.key.export({ type: 'spki', format: 'pem' }).toString();
  return { ...secrets, publicKeyPem, publicKey: readPublicKey(publicKeyPem, minBits) };
}

/** Reads the key files. Warns if no recorded request has the given consumer key. Throws UsageError. */
export async function readUserKeys(
  flags: KeyFlags,
  remark: Remark,
  { recordings }: { readonly recordings: readonly Recording[] },
): Promise<LoadedKeys> {
  const { consumerKey } = flags;
  const checkedKey = consumerKey === undefined ? undefined : parseConsumerKey(consumerKey);
  if (checkedKey !== undefined && !hasConsumerKey(recordings, (key) => key === checkedKey)) {
    const name = JSON.stringify(checkedKey);
    remark(`no request has the consumer key ${name}, so no signature is checked with the keys.\nCheck --consumer-key.`);
  }
  return readKeyFiles(flags, remark);
}

function hasConsumerKey(recordings: readonly Recording[], matches: (consumerKey: string) => boolean): boolean {
  const exchanges = recordings.flatMap(casesOf).flatMap((testCase) => testCase.exchanges);
  return exchanges.some(({ request }) => matches(credentialOf(request, 'oauth_consumer_key') ?? ''));
}

/** The keys that verify signatures: the keys of the user for `consumerKey`, published keys for other consumer keys. */
export function judgingKeys(
  { consumerSecret, publicKey }: LoadedKeys,
  consumerKey: string | undefined,
  recordings: readonly Recording[],
): KnownKeys {
  const keys: VerifyingKey[] = [
    ...(consumerSecret === undefined ? [] : [{ method: 'HMAC-SHA1', consumerSecret } as const]),
    ...(publicKey === undefined ? [] : [{ method: 'RSA-SHA256', publicKey } as const]),
  ];
  if (keys.length === 0) {
    const isPublished = hasConsumerKey(recordings, (key) => publishedKeys(key) !== undefined);
    return { hasKeys: isPublished, keysOf: isPublished ? publishedKeys : () => undefined };
  }
  // Without --consumer-key, the keys of the user verify all signatures.
  return {
    hasKeys: true,
    keysOf: (key) => (consumerKey === undefined || key === consumerKey ? keys : publishedKeys(key)),
  };
}
