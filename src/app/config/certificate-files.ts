/** Keys, runs and other files of `certificate` and `verify`, with one clear sentence for each way in which they cannot be used. */
import { createHash, type KeyObject } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkingKey, newKeyPair, signingKey } from '../../extras/certificate/envelope.ts';
import {
  isFolder,
  makeFolders,
  openInParts,
  readRegularFile,
  type Unreadable,
  writeWholeFile,
} from '../../record/disk/files.ts';
import { reasonOf } from '../../record/errors.ts';
import { UsageError } from '../usage-error.ts';
import { readPemFile } from './credentials.ts';

/** Bytes of a certificate: one of a thousand requirements has a tenth of them. */
const largestCertificate = 4 * 1024 * 1024;

/** Bytes of a tested file. */
const largestArtifact = 64 * 1024 ** 3;

/** Throws UsageError. */
export async function readCertificate(path: string): Promise<Buffer> {
  const read = await readRegularFile(path, largestCertificate);
  if ('bytes' in read) return read.bytes;
  throw unreadableFile(path, read, 'Give a file that countersign certificate wrote.');
}

/** Throws UsageError. */
export async function readSigningKey(path: string, option: string): Promise<KeyObject> {
  return usable(path, signingKey(await readPemFile({ path, option }, 'private key')), {
    hint: `Give an Ed25519 key as PKCS#8 PEM to ${option}: countersign certificate --new-key writes one.`,
  });
}

/** Throws UsageError. */
export async function readCheckingKey(path: string): Promise<KeyObject> {
  return usable(path, checkingKey(await readPemFile({ path, option: '--key' }, 'public key')), {
    hint: 'Give the public Ed25519 key of the issuer, as PEM, to --key.',
  });
}

function usable(path: string, found: KeyObject | string, { hint }: { readonly hint: string }): KeyObject {
  if (typeof found !== 'string') return found;
  throw new UsageError('bad-key', `the file ${path} ${found}`, { hint });
}

/** Name and SHA-256 of a tested file. Throws UsageError. */
export async function readArtifact(
  path: string,
): Promise<{ readonly name: string; readonly digest: { readonly sha256: string } }> {
  const opened = await openInParts(path, largestArtifact);
  if ('unreadable' in opened) throw unreadableFile(path, opened, 'Give the file that was tested to --artifact.');
  if (opened.length === 0) {
    await opened.close();
    throw unreadableFile(
      path,
      { unreadable: 'is empty', because: 'kind' },
      'Give the file that was tested to --artifact.',
    );
  }
  const hash = createHash('sha256');
  const step = 4 * 1024 * 1024;
  try {
    for (let at = 0; at < opened.length; at += step) hash.update(opened.read(at, Math.min(at + step, opened.length)));
  } finally {
    await opened.close();
  }
  return { name: basename(path), digest: { sha256: hash.digest('hex') } };
}

/** Throws UsageError. */
export function refuseNoFolder(path: string, hint: string): void {
  if (isFolder(path)) return;
  const isOfRun = /^(?:report\.json|exchanges\.har)$/.test(basename(path));
  const wanted = isOfRun ? `Give the folder that it is in: ${dirname(path)}` : hint;
  throw new UsageError('unreadable-file', `${path} is not a folder`, { hint: wanted });
}

/** What a command says of a file that it cannot read. */
export function unreadableFile(path: string, { unreadable, cause }: Unreadable, hint: string): UsageError {
  return new UsageError('unreadable-file', `${path} ${unreadable}`, { hint, cause });
}

/** The file of the public key beside that of the private one. */
export function publicFileOf(privateFile: string): string {
  return `${privateFile.replace(/\.(?:pem|key)$/i, '')}.pub.pem`;
}

/** Where a pair was written. `place` is a folder, or the file of the private key. Throws UsageError; nothing is replaced. */
export async function writeNewKey(
  place: string,
): Promise<{ readonly privateFile: string; readonly publicFile: string }> {
  const inFolder = /[/\\]$/.test(place) || isFolder(place);
  const privateFile = inFolder ? join(place, 'countersign-key.pem') : place;
  const publicFile = publicFileOf(privateFile);
  if (/\.pub\.pem$/i.test(privateFile)) {
    throw new UsageError('bad-value', `--new-key ${place} has the name of a public key, and names the private one`, {
      hint: `Name it as in shop.pem: the public key is then written to shop.pub.pem.`,
    });
  }
  const { privateKey, publicKey } = newKeyPair();
  await writeNew(publicFile, publicKey, { mode: 0o644 });
  try {
    await writeNew(privateFile, privateKey, { mode: 0o600 });
  } catch (cause) {
    await rm(publicFile, { force: true });
    throw cause;
  }
  return { privateFile, publicFile };
}

/** Throws UsageError, also where there is such a file. */
export async function writeNew(path: string, text: string, { mode = 0o644 } = {}): Promise<void> {
  try {
    makeFolders(dirname(path));
    await writeWholeFile(path, text, { isNew: true, mode });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new UsageError('unwritable-file', `${path} is there already`, {
        hint: 'Name another file: nothing is replaced.',
        cause,
      });
    }
    throw new UsageError('unwritable-file', `${path} cannot be written (${reasonOf(cause)})`, {
      hint: 'Name a file in a folder that you may write to.',
      cause,
    });
  }
}
