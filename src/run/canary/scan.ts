/** The canary scan: whether a secret stands in what a run is about to leave behind, in whatever encoding and however deep. */

import { createHash } from 'node:crypto';
import { unescaped } from '../../redaction/escapes.ts';
import { type FormFinder, formFinder } from '../../redaction/find-forms.ts';
import { escapeLayers, inflated, isText, rareLayers } from '../../redaction/layers.ts';
import type { Form, Secret } from '../../redaction/secret.ts';
import { base64Runs, withoutNul } from './base64-runs.ts';
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

/** Under an encoding that is rarely met. */
const fewLayers = 2;

/** The first secret that each file holds; empty where all are clean. Pure. */
export function scan(files: readonly ScannedFile[], secrets: readonly Secret[]): Leak[] {
  const forms = secrets.flatMap(({ name, forms }) => forms.map((form): NamedForm => ({ ...form, name })));
  if (forms.length === 0) return [];
  const finder = formFinder(forms);
  return files.flatMap(({ name, bytes }) => {
    const secret = secretIn(bytes, finder);
    return secret === undefined ? [] : [{ file: name, secret }];
  });
}

interface NamedForm extends Form {
  readonly name: string;
}

/** What was searched through so many layers and more; layers that can be taken off in any order come to the same. */
type Searched = Map<string, number>;

function secretIn(
  bytes: Uint8Array,
  finder: FormFinder<NamedForm>,
  layers = mostLayers,
  searched: Searched = new Map(),
): string | undefined {
  if (!isNew(createHash('sha1').update(bytes).digest('base64'), layers, searched)) return undefined;
  const found = finder.next(bytes, 0);
  if (found !== undefined) return found.form.name;
  if (layers === 0) return undefined;
  for (const { inner, below } of innerOf(bytes, (run) => isNew(run, layers, searched))) {
    const secret = secretIn(inner, finder, Math.min(layers - 1, below), searched);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

function isNew(what: string, layers: number, searched: Searched): boolean {
  const known = searched.get(what) ?? -1;
  if (known < layers) searched.set(what, layers);
  return known < layers;
}

interface Inner {
  readonly inner: Uint8Array;
  /** Layers that there can be in it. */
  readonly below: number;
}

/** What the bytes hold under one more layer. */
function* innerOf(bytes: Uint8Array, isNewRun: (run: string) => boolean): Generator<Inner> {
  const members = unpacked(bytes);
  for (const inner of members) yield { inner, below: mostLayers };
  if (members.length > 0) return;
  const narrow = withoutNul(bytes);
  if (narrow !== undefined) yield { inner: narrow, below: mostLayers };
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const plain = unescaped(whole, 'percent', 'string', 'entity');
  if (plain !== undefined) yield { inner: plain.decoded, below: mostLayers };
  for (const layer of escapeLayers) {
    for (const { decoded } of layer(whole)) yield { inner: decoded, below: fewLayers };
  }
  for (const layer of rareLayers) {
    const pieces = layer(whole).map(({ decoded }) => decoded);
    if (pieces.length > 0) yield { inner: joined(pieces), below: fewLayers };
    for (const inner of packedIn(pieces)) yield { inner, below: fewLayers };
  }
  const texts = base64Runs(bytes);
  // A secret in lines of base64 may itself be what such a run spells.
  yield { inner: Buffer.from(texts.join('\n'), 'latin1'), below: 0 };
  const runs = texts.filter(isNewRun).flatMap(decoded);
  for (const inner of runs.filter(looksPacked)) yield { inner, below: mostLayers };
  for (const inner of packedIn(runs)) yield { inner, below: fewLayers };
  // Most runs are no base64 at all, or signatures: what they decode to is random.
  yield { inner: joined(runs), below: 0 };
  const readable = runs.filter(isText);
  if (readable.length > 0) yield { inner: joined(readable), below: mostLayers };
}

/** As base64, and as hexadecimal digits where it consists of them. */
function decoded(run: string): Buffer[] {
  const isHex = run.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(run);
  return [Buffer.from(run, 'base64'), ...(isHex ? [Buffer.from(run, 'hex')] : [])];
}

/** Only from its start can it be seen that a piece is packed. */
function packedIn(pieces: readonly Buffer[]): Buffer[] {
  return pieces.flatMap(inflated).map(({ decoded }) => decoded);
}

/** No form goes across the end of a run: the byte between is part of none. */
function joined(runs: readonly Buffer[]): Buffer {
  return Buffer.concat(runs.flatMap((run) => [run, separator]));
}

const separator = Buffer.from([0xff]);
