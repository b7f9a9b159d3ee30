/** The leak scan: whether a secret is in what a run is about to leave behind, in whatever encoding and however deep. */
import { createHash } from 'node:crypto';
import { base64Runs } from './base64-runs.ts';
import { type FormFinder, formFinder } from './find-forms.ts';
import { gluedRuns } from './glued.ts';
import { inflated } from './inflated.ts';
import { allLayers, inUtf16, isText, type Layer, type Layers } from './layers.ts';
import { longestKnown, type Memory, newMemory } from './memory.ts';
import type { Secret } from './secret.ts';
import { type Cutter, cutterFor, separator } from './segments.ts';

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
  return files.flatMap(scannerFor(secrets));
}

/** Prepares the search once for many files; what one of them repeats of another is searched once. */
export function scannerFor(secrets: readonly Secret[], layers: Layers = allLayers): (file: ScannedFile) => Leak[] {
  if (secrets.length === 0) return () => [];
  const [finder, cut] = [formFinder(secrets), cutterFor(secrets)];
  let search = newSearch(finder, cut, layers);
  return ({ name, bytes }) => {
    const secret = secretIn(bytes, search, mostLayers);
    if (secret === undefined) return [];
    // What follows the secret was noted and not searched.
    search = newSearch(finder, cut, layers);
    return [{ file: name, secret }];
  };
}

interface Search {
  readonly finder: FormFinder;
  readonly cut: Cutter;
  readonly layers: Layers;
  readonly segments: Searched;
  readonly runs: Searched;
  readonly gluedRuns: Searched;
}

/** What was searched through so many layers and more; layers that can be taken off in any order come to the same. */
interface Searched {
  readonly short: Memory<number>;
  /** By digest. The short ones, of which there are many, push none of these out: what each of them holds takes long to search. */
  readonly long: Memory<number>;
}

function newSearch(finder: FormFinder, cut: Cutter, layers: Layers): Search {
  return { finder, cut, layers, segments: nothingYet(), runs: nothingYet(), gluedRuns: nothingYet() };
}

function nothingYet(): Searched {
  return { short: newMemory(), long: newMemory() };
}

function secretIn(bytes: Uint8Array, search: Search, layers: number): string | undefined {
  const found = search.finder.any(bytes);
  if (found !== undefined) return found.name;
  if (layers === 0) return undefined;
  for (const { inner, below } of innerOf(bytes, search, layers)) {
    const secret = secretIn(inner, search, Math.min(layers - 1, below));
    if (secret !== undefined) return secret;
  }
  return undefined;
}

function isNew(what: string, layers: number, { short, long }: Searched): boolean {
  // Remembered as they are, all long bodies would be in memory.
  const isShort = what.length < longestKnown;
  const [searched, key] = isShort
    ? [short, what]
    : [long, createHash('sha256').update(what, 'latin1').digest('base64')];
  if ((searched.get(key) ?? -1) >= layers) return false;
  searched.note(key, layers);
  return true;
}

interface Inner {
  readonly inner: Uint8Array;
  /** Layers that there can be in it. */
  readonly below: number;
}

/** What the bytes hold under one more layer. */
function* innerOf(bytes: Uint8Array, search: Search, budget: number): Generator<Inner> {
  const { has } = search.layers;
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const narrow = has('utf-16') ? inUtf16(given) : [];
  if (narrow.length > 0) yield { inner: joined(narrow.map(({ decoded }) => decoded)), below: mostLayers };
  if (has('packed')) for (const inner of packedIn([given])) yield { inner, below: fewLayers };
  let batch: string[] = [];
  let length = 0;
  for (const segment of search.cut(given.toString('latin1'))) {
    if (segment.length < search.finder.shortest || !isNew(segment, budget, search.segments)) continue;
    batch.push(segment);
    length += segment.length;
    if (length < searchedAtOnce) continue;
    yield* innerOfSegments(batch, search, budget);
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield* innerOfSegments(batch, search, budget);
}

/** Characters: what a small packed body holds may be long, and each layer of it is in memory at once. */
const searchedAtOnce = 256 * 1024;

function* innerOfSegments(fresh: readonly string[], search: Search, budget: number): Generator<Inner> {
  const { has, allEscapes, escapesAlone, lists, glued } = search.layers;
  const whole = asBytes(fresh);
  // First, with all layers that are left: most runs are shown again by what takes off escapes around them, with fewer.
  const texts = base64Runs(whole);
  // A secret in lines of base64 may itself be what such a run spells.
  yield { inner: asBytes(texts), below: 0 };
  const runs = texts.filter((run) => isNew(run, budget, search.runs)).flatMap((run) => decoded(run, has));
  if (has('packed')) for (const inner of packedIn(runs)) yield { inner, below: fewLayers };
  // Most runs are not base64 at all, or signatures: what they decode to is random.
  yield { inner: joined(runs), below: 0 };
  const readable = runs.filter(isText);
  if (readable.length > 0) yield { inner: joined(readable), below: mostLayers };
  for (const { decoded } of allEscapes(whole)) yield { inner: decoded, below: mostLayers };
  for (const [layer, some] of byLayer(fresh, escapesAlone)) {
    for (const { decoded } of layer(asBytes(some))) yield { inner: decoded, below: fewLayers };
  }
  for (const layer of lists) {
    const pieces = layer(whole).map(({ decoded }) => decoded);
    if (pieces.length > 0) yield { inner: joined(pieces), below: fewLayers };
    if (has('packed')) for (const inner of packedIn(pieces)) yield { inner, below: fewLayers };
  }
  // Most runs are as they were when escapes around them are taken off.
  if (glued.length > 0) {
    const unseen = asBytes(gluedRuns(whole).filter((run) => isNew(run, 0, search.gluedRuns)));
    for (const { decoded } of glued.flatMap((layer) => layer(unseen))) yield { inner: decoded, below: 0 };
  }
}

/** The segments that have something for each layer. */
function byLayer(segments: readonly string[], layersOf: (text: string) => readonly Layer[]): Map<Layer, string[]> {
  const found = new Map<Layer, string[]>();
  for (const segment of segments) {
    for (const layer of layersOf(segment)) {
      const known = found.get(layer);
      if (known === undefined) found.set(layer, [segment]);
      else known.push(segment);
    }
  }
  return found;
}

/** As base64, and as hexadecimal digits where it consists of them. */
function decoded(run: string, has: Layers['has']): Buffer[] {
  const isHex = has('hex') && run.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(run);
  return [...(has('base64') ? [Buffer.from(run, 'base64')] : []), ...(isHex ? [Buffer.from(run, 'hex')] : [])];
}

function asBytes(segments: readonly string[]): Buffer {
  return Buffer.from(segments.join(separator), 'latin1');
}

/** Only from its start can it be seen that a piece is packed. */
function packedIn(pieces: readonly Buffer[]): Buffer[] {
  return pieces.flatMap(inflated).map(({ decoded }) => decoded);
}

/** No form goes across the end of a run: the byte between is part of none. */
function joined(runs: readonly Buffer[]): Buffer {
  return Buffer.concat(runs.flatMap((run) => [run, between]));
}

const between = Buffer.from(separator, 'latin1');
