/** The addresses and profiles of a live target that a run may use. Amounts are in cents. Pure. */
import type { PathVersions } from '../../../contracts/operations.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { LiveConfig } from './live-config.ts';

export interface Site {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Path before /api/ without a trailing slash; may be empty. */
  readonly prefix: string;
  readonly versions?: PathVersions | undefined;
  /** Endpoints that may receive requests with an effect. */
  readonly endpointIds: ReadonlySet<string>;
  /** True if the configured environment is `integration`. If false, the run sends no signed request. */
  readonly integration: boolean;
  readonly unknownEndpointId?: string;
  /** Maximum charge of each recurring profile, in cents. `saved`: for a row without a readable amount. */
  readonly profiles: ReadonlyMap<string, { readonly amount: number; readonly saved?: number }>;
  /** The maximum charge of one payment, in cents. */
  readonly maxCharge: number;
}

export function siteOf(config: Pick<LiveConfig, 'target'> & Partial<LiveConfig>): Site {
  const { environment, endpointId, states = {}, unknownEndpointId, recurring = [], versions } = config;
  const { protocol, host, pathname } = new URL(config.target);
  const endpoints = [endpointId, states.closing, states.locked].filter((id) => id !== undefined);
  const profiles = recurring.map(
    ({ id, amount, savedAmount = '' }) => [id, { amount: centsOf(amount)!, saved: centsOf(savedAmount) }] as const,
  );
  return {
    scheme: protocol === 'https:' ? 'https' : 'http',
    host,
    prefix: pathname.replace(/\/+$/, ''),
    endpointIds: new Set(endpoints),
    integration: environment === 'integration',
    unknownEndpointId,
    versions,
    profiles: new Map(profiles),
    maxCharge: Math.max(0, ...profiles.flatMap(([, { amount, saved = 0 }]) => [amount, saved])),
  };
}

/** True if a gateway may read both ids as the same endpoint, such as `12` and `012`. */
export function mayBeSameEndpoint(one: string, other: string): boolean {
  if (canonicalEndpoint(one) === canonicalEndpoint(other)) return true;
  const numbers = new Set(numbersOf(normalizeId(one)));
  return numbersOf(normalizeId(other)).some((number) => numbers.has(number));
}

/** Normalizes escapes, letter case, full-width characters and digits of all scripts. Drops blanks and leading zeros. */
function canonicalEndpoint(id: string): string {
  return normalizeId(id).replace(/^0+(?=.)/, '');
}

function normalizeId(id: string): string {
  return withoutEscapes(id)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cf}\p{Cc}]+/gu, '')
    .replace(/\p{Nd}/gu, asciiDigit);
}

function withoutEscapes(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Normalizes the target (RFC 3986 section 6.2). All names of this machine become one host. */
export function canonicalTarget(target: string, endpointId = ''): string {
  const url = new URL(target);
  const defaultPort = url.protocol === 'https:' ? '443' : '80';
  const prefix = withoutEscapes(url.pathname).replace(/\/+/g, '/').replace(/\/$/, '');
  return `${url.protocol}//${canonicalHost(url)}:${url.port || defaultPort}${prefix} ${canonicalEndpoint(endpointId)}`;
}

function canonicalHost({ hostname }: URL): string {
  const name = hostname.replace(/\.+$/, '');
  const mappedIpv4 = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(name);
  const [high, low] = [mappedIpv4?.[1], mappedIpv4?.[2]].map((digits) => Number.parseInt(digits ?? '', 16));
  const host = mappedIpv4 === null ? name : [high! >> 8, high! & 255, low! >> 8, low! & 255].join('.');
  // These names also reach this machine (RFC 1122 section 3.2.1.3, RFC 6761).
  const isLocal = isLoopback(host) || /^(?:0\.0\.0\.0|\[::\]|.+\.localhost)$/.test(host);
  return isLocal ? 'loopback' : host;
}

/** Converts a digit of any script to ASCII. The ten digits of a script have consecutive codes, the zero first. */
function asciiDigit(digit: string): string {
  let zero = digit.codePointAt(0)!;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0)! - zero < 9) zero -= 1;
  return String(digit.codePointAt(0)! - zero);
}

/** Integers that a gateway may read in an id: `12a` as 12, `010` as 8 or 10, a large number cut to 64 or 32 bits. */
function numbersOf(id: string): string[] {
  const texts = [id, id.replace(/(?<=[\da-fox])[_,'](?=[\da-f])/gi, '')];
  const wholes = texts.flatMap((text) => /^[+-]?(\d+)/.exec(text)?.[1] ?? []);
  const octals = texts.flatMap((text) => /^[+-]?0([0-7]+)/.exec(text)?.[1] ?? []);
  const floats = texts.map(Number).filter(Number.isSafeInteger).map(Math.abs);
  const values = [...wholes, ...octals.map((digits) => `0o${digits}`), ...floats].map(BigInt);
  return values.flatMap((value) => [value, BigInt.asUintN(64, value), BigInt.asUintN(32, value)].map(String));
}

/** Cents of a decimal such as `1.00` or `12`. More than two decimals round up. Undefined for other text. */
export function centsOf(text: string): number | undefined {
  const match = /^(\d{1,13})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const decimals = match[2] ?? '';
  const roundUp = /[1-9]/.test(decimals.slice(2)) ? 1 : 0;
  return Number(match[1]) * 100 + Number(decimals.slice(0, 2).padEnd(2, '0')) + roundUp;
}

export function formatCents(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
