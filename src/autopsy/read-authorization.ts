/** The parameters of an Authorization header in spite of its faults, which src/rules names (RFC 5849 section 3.5.1). */

import type { WireRequest } from '../protocol/index.ts';
import { headerValues } from '../record/exchange.ts';
import { readHeader } from '../rules/client/header-reading.ts';
import type { WrittenPair } from './written-pairs.ts';

export interface ReadAuthorization {
  /** Number of Authorization header lines. */
  readonly lines: number;
  readonly realm?: string;
  /** Without `realm`. */
  readonly pairs: readonly WrittenPair[];
}

/** The parameters of the first Authorization header; none where it has another scheme and nothing of OAuth in it. */
export function readAuthorization(headers: WireRequest['headers']): ReadAuthorization {
  const lines = headerValues(headers, 'authorization');
  const [line] = lines;
  if (line === undefined) return { lines: 0, pairs: [] };
  const { isOAuth, parameters } = readHeader(line);
  if (!isOAuth && !parameters.some(({ name }) => name.startsWith('oauth_'))) return { lines: lines.length, pairs: [] };
  const realm = parameters.find(({ name }) => isRealm(name));
  return {
    lines: lines.length,
    realm: realm?.raw,
    pairs: parameters
      .filter(({ name }) => !isRealm(name))
      .map(({ name, raw, value }) => ({ name, value, writtenName: name, writtenValue: raw })),
  };
}

function isRealm(name: string): boolean {
  return name.toLowerCase() === 'realm';
}
