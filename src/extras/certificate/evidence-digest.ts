/** Digests of the files of a run: one for each file, one for all files, and one for each block, to locate a change. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type OpenFile, openInParts, type Unreadable } from '../../record/disk/files.ts';
import { maxHarBytes } from '../../record/har.ts';
import { CertificateError, certificateError } from './envelope.ts';

export interface Sha256 {
  readonly sha256: string;
}

export interface EvidenceDigest {
  /** SHA-256 of the output of `sha256sum` for the sorted files. Each line is `<digest>  <name>` and a line feed. */
  readonly digest: Sha256;
  readonly files: readonly EvidenceFile[];
}

export interface EvidenceFile {
  readonly name: string;
  readonly digest: Sha256;
  readonly annotations: {
    readonly bytes: number;
    readonly blockBytes: number;
    /** The first 8 hex digits of the SHA-256 of each block. They only locate a change; `digest` detects it. */
    readonly blocks: string;
  };
}

/** The evidence must contain these files, because the verdicts depend on them. */
export const requiredFiles = ['exchanges.har', 'report.json'] as const;

const missingReason: Unreadable['unreadable'] = 'does not exist';

const maxBlocks = 256;
const blockDigits = 8;

/** Returns the digests of the named files that exist. For an unreadable file, throws the error of `errorFor`. */
export async function digestFiles(
  folder: string,
  names: readonly string[],
  errorFor: (path: string, reason: Unreadable) => Error,
): Promise<EvidenceDigest> {
  const files: EvidenceFile[] = [];
  for (const name of [...names].sort()) {
    const path = join(folder, name);
    const opened = await openInParts(path, maxHarBytes);
    if (!('unreadable' in opened)) files.push(await useAndClose(opened, () => digestFile(name, opened)));
    else if (opened.unreadable !== missingReason) throw errorFor(path, opened);
  }
  return { digest: { sha256: digestOf(files) }, files };
}

/** Returns one digest for all files, in the given order. */
export function digestOf(files: readonly Pick<EvidenceFile, 'name' | 'digest'>[]): string {
  const lines = files.map(({ name, digest }) => `${digest.sha256}  ${name}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Returns the names of unchanged and of missing files. Throws CertificateError for a changed or unreadable file. */
export async function compareEvidence(folder: string, { files }: EvidenceDigest) {
  const same: string[] = [];
  const missing: string[] = [];
  for (const file of files) {
    const path = join(folder, file.name);
    const opened = await openInParts(path, maxHarBytes);
    if (!('unreadable' in opened)) {
      await useAndClose(opened, () => compareFile(path, opened, file));
      same.push(file.name);
    } else if (opened.unreadable === missingReason) missing.push(file.name);
    else throw evidenceError(path, opened);
  }
  return { same, missing };
}

/** The error for an unreadable file: `unreadable-evidence` if this user may not read it, else `changed-evidence`. */
export function evidenceError(path: string, { unreadable, reason }: Unreadable): CertificateError {
  const sentence = `${path} ${unreadable}`;
  if (reason !== 'rights') return changed(sentence);
  return new CertificateError('unreadable-evidence', sentence, 'Let this user read the files of the evidence.');
}

function compareFile(path: string, opened: OpenFile, file: EvidenceFile): void {
  const { bytes, blockBytes } = file.annotations;
  // Do not read a file that is much longer than the original: its length proves that it was changed.
  if (opened.length > 2 * bytes + blockBytes) throw changed(`${path} has ${opened.length} bytes instead of ${bytes}`);
  const now = digestFile(file.name, opened, blockBytes);
  if (now.digest.sha256 !== file.digest.sha256) throw changed(`${path} was changed ${placeOfChange(file, now)}`);
}

function changed(message: string): CertificateError {
  return certificateError('changed-evidence')`
    ${message}
    Ask the issuer of the certificate for the original files.`;
}

function placeOfChange({ annotations: then }: EvidenceFile, { annotations: now }: EvidenceFile): string {
  const blocks = (text: string) => text.match(/.{8}/g) ?? [];
  const [before, after] = [blocks(then.blocks), blocks(now.blocks)];
  const first = before.findIndex((block, index) => block !== after[index]);
  const at = (first === -1 ? before.length : first) * then.blockBytes;
  const length = now.bytes === then.bytes ? '' : ` (it has ${now.bytes} bytes instead of ${then.bytes})`;
  if (first === -1 && now.bytes === then.bytes) return 'in more than one place';
  return `between byte ${at} and byte ${Math.min(at + then.blockBytes, Math.max(now.bytes, then.bytes)) - 1}${length}`;
}

/** Computes the digests of a file in blocks of `fixedBlockBytes` bytes. The default is at most `maxBlocks` blocks. */
export function digestFile(name: string, file: OpenFile, fixedBlockBytes?: number): EvidenceFile {
  const blockBytes = fixedBlockBytes ?? Math.max(256, 2 ** Math.ceil(Math.log2(file.length / maxBlocks)));
  const fileHash = createHash('sha256');
  const blocks: string[] = [];
  for (let start = 0; start < file.length; start += blockBytes) {
    const block = file.read(start, Math.min(start + blockBytes, file.length));
    fileHash.update(block);
    blocks.push(createHash('sha256').update(block).digest('hex').slice(0, blockDigits));
  }
  const annotations = { bytes: file.length, blockBytes, blocks: blocks.join('') };
  return { name, digest: { sha256: fileHash.digest('hex') }, annotations };
}

async function useAndClose<T>(file: OpenFile, use: () => T): Promise<T> {
  try {
    return use();
  } finally {
    await file.close();
  }
}
