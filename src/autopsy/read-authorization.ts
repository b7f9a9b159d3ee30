/** Reads an Authorization header in spite of its faults, and says which they are (RFC 5849 section 3.5.1). */
import { ProtocolError, parseAuthorization, type WireRequest } from '../protocol/index.ts';
import { decodedLeniently, type WrittenPair } from './written-pairs.ts';

export interface ReadAuthorization {
  /** Number of Authorization header lines. */
  readonly lines: number;
  /** What the strict reader objects to. */
  readonly fault?: {
    readonly code: 'other-scheme' | 'repeated-parameter' | 'malformed-header';
    readonly detail: string;
  };
  readonly realm?: string;
  /** Without `realm`. */
  readonly pairs: readonly WrittenPair[];
}

const looseParameter = /([^\s=",]+)[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",]*))/g;

/** The parameters of the first Authorization header. */
export function readAuthorization(headers: WireRequest['headers']): ReadAuthorization {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value);
  const [line] = lines;
  if (line === undefined) return { lines: 0, pairs: [] };
  const fault = faultOf(line);
  if (fault?.code === 'other-scheme') return { lines: lines.length, fault, pairs: [] };
  const all = pairsOf(line.replace(/^\s*oauth[\s,]*/i, ''));
  const realm = all.find(({ name }) => name.toLowerCase() === 'realm');
  return {
    lines: lines.length,
    ...(fault === undefined ? {} : { fault }),
    ...(realm === undefined ? {} : { realm: realm.writtenValue }),
    pairs: all.filter(({ name }) => name.toLowerCase() !== 'realm'),
  };
}

function faultOf(line: string): ReadAuthorization['fault'] {
  try {
    parseAuthorization(line);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const code = error.code === 'other-scheme' || error.code === 'repeated-parameter' ? error.code : 'malformed-header';
    return { code, detail: error.message };
  }
}

function pairsOf(text: string): WrittenPair[] {
  return [...text.matchAll(looseParameter)].map(([, name = '', quoted, bare = '']) => {
    const value = quoted ?? bare;
    return { name: decodedLeniently(name), value: decodedLeniently(value), writtenName: name, writtenValue: value };
  });
}
