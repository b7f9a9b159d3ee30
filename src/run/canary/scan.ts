/** The canary scan: whether a secret stands in what a run is about to leave behind, in whatever encoding and however deep. */
import { type FormFinder, formFinder } from '../../redaction/find-forms.ts';
import type { Form, Secret } from '../../redaction/secret.ts';
import { base64Runs, withoutNul } from './base64-runs.ts';
import { unescaped } from './unescape.ts';
import { looksPacked, unpacked } from './unpack.ts';

export interface ScannedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Leak {
  /** Name of the file. */
  readonly file: string;
  /** Name of the secret: what it is, never what it says. */
  readonly secret: string;
}

/** Layers that are taken off one after the other: a body in base64 in a line of an attachment in an archive has four. */
const mostLayers = 5;

/** The first secret that each file holds; empty where all are clean. Pure. */
export function scan(files: readonly ScannedFile[], secrets: readonly Secret[]): Leak[] {
  const forms = secrets.flatMap(({ name, forms }) => forms.map((form): NamedForm => ({ ...form, name })));
  if (forms.length === 0) return [];
  const finder = formFinder(forms);
  return files.flatMap(({ name, bytes }) => {
    const secret = secretIn(bytes, finder, mostLayers);
    return secret === undefined ? [] : [{ file: name, secret }];
  });
}

interface NamedForm extends Form {
  readonly name: string;
}

function secretIn(bytes: Uint8Array, finder: FormFinder<NamedForm>, layers: number): string | undefined {
  const found = finder.next(bytes, 0);
  if (found !== undefined) return found.form.name;
  if (layers === 0) return undefined;
  for (const { inner, isText } of innerOf(bytes)) {
    const secret = secretIn(inner, finder, isText ? layers - 1 : 0);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

interface Inner {
  readonly inner: Uint8Array;
  /** Whether there can be more layers in it. */
  readonly isText: boolean;
}

/** What the bytes hold under one more layer. */
function* innerOf(bytes: Uint8Array): Generator<Inner> {
  const members = unpacked(bytes);
  for (const inner of members) yield { inner, isText: true };
  if (members.length > 0) return;
  const narrow = withoutNul(bytes);
  if (narrow !== undefined) yield { inner: narrow, isText: true };
  const plain = unescaped(bytes);
  if (plain !== undefined) yield { inner: plain, isText: true };
  const texts = base64Runs(bytes);
  // A secret in lines of base64 may itself be what such a run spells.
  yield { inner: Buffer.from(texts.join('\n'), 'latin1'), isText: false };
  const runs = texts.flatMap(decoded);
  for (const inner of runs.filter(looksPacked)) yield { inner, isText: true };
  // Most runs are no base64 at all, or signatures: what they decode to is random.
  yield { inner: joined(runs), isText: false };
  const readable = runs.filter(isText);
  if (readable.length > 0) yield { inner: joined(readable), isText: true };
}

/** As base64, and as hexadecimal digits where it consists of them. */
function decoded(run: string): Buffer[] {
  const isHex = run.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(run);
  return [Buffer.from(run, 'base64'), ...(isHex ? [Buffer.from(run, 'hex')] : [])];
}

/** No control characters but those of lines. */
function isText(run: Uint8Array): boolean {
  return run.every((byte) => byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** No form goes across the end of a run: the byte between is part of none. */
function joined(runs: readonly Buffer[]): Buffer {
  return Buffer.concat(runs.flatMap((run) => [run, separator]));
}

const separator = Buffer.from([0xff]);
