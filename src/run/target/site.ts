/** Which addresses and profiles of a live target a run may use, with amounts in cents. Pure. */
import type { PathVersions } from '../../../contracts/operations.ts';
import type { LiveConfig } from './live-config.ts';

export interface Place {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Path before /api/ without a trailing slash; may be empty. */
  readonly prefix: string;
  readonly versions?: PathVersions | undefined;
}

export interface Site extends Place {
  /** Endpoints that may receive requests with an effect. */
  readonly endpointIds: ReadonlySet<string>;
  /** If false, no signed request is sent to either operation. */
  readonly integration: boolean;
  readonly unknownEndpointId?: string;
  readonly profiles: Profiles;
}

export type Profiles = ReadonlyMap<string, Chargeable>;

/** The maximum charges of a recurring profile, in cents. */
interface Chargeable {
  readonly amount: number;
  readonly saved?: number;
}

export function maxCharge(profiles: Profiles): number {
  return Math.max(0, ...[...profiles.values()].map(({ amount, saved = 0 }) => Math.max(amount, saved)));
}

export function addressOf(baseUrl: string): Pick<Place, 'scheme' | 'host' | 'prefix'> {
  const { protocol, host, pathname } = new URL(baseUrl);
  return { scheme: protocol === 'https:' ? 'https' : 'http', host, prefix: pathname.replace(/\/+$/, '') };
}

export function siteOf(config: Pick<LiveConfig, 'target' | 'states' | 'recurring'> & Partial<LiveConfig>): Site {
  const { environment, endpointId, states, unknownEndpointId, recurring, versions } = config;
  const endpoints = [endpointId, states.closing, states.locked].filter((id) => id !== undefined);
  return {
    ...addressOf(config.target),
    endpointIds: new Set(endpoints),
    integration: environment === 'integration',
    unknownEndpointId,
    versions,
    profiles: new Map(
      recurring.map(({ id, amount, savedAmount = '' }) => [
        id,
        { amount: centsOf(amount)!, saved: centsOf(savedAmount) },
      ]),
    ),
  };
}

/** True if a gateway may read both ids as one endpoint: their canonical texts or possible numbers are equal. */
export function mayBeSameEndpoint(one: string, other: string): boolean {
  if (canonicalEndpoint(one) === canonicalEndpoint(other)) return true;
  const numbers = new Set(numbersOf(plain(one)));
  return numbersOf(plain(other)).some((number) => numbers.has(number));
}

/** Removes differences in escapes, case, blanks, width, digit script and leading zeros. */
export function canonicalEndpoint(id: string): string {
  return plain(id).replace(/^0+(?=.)/, '');
}

function plain(id: string): string {
  return withoutEscapes(id)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cf}\p{Cc}]+/gu, '')
    .replace(/\p{Nd}/gu, asciiDigit);
}

export function withoutEscapes(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** The ten digits of each script have consecutive codes. So the value is the distance from the zero of the script. */
function asciiDigit(digit: string): string {
  let zero = digit.codePointAt(0)!;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0)! - zero < 9) zero -= 1;
  return String(digit.codePointAt(0)! - zero);
}

/** All integers that a parser may read: a numeric prefix, octal, without separators, the lowest 32 or 64 bits. */
function numbersOf(id: string): string[] {
  const texts = [id, id.replace(/(?<=[\da-fox])[_,'](?=[\da-f])/gi, '')];
  const wholes = texts.flatMap((text) => /^[+-]?(\d+)/.exec(text)?.[1] ?? []);
  const octals = texts.flatMap((text) => /^[+-]?0([0-7]+)/.exec(text)?.[1] ?? []);
  const floats = texts.map(Number).filter(Number.isSafeInteger);
  const values = [
    ...wholes.map(BigInt),
    ...octals.map((digits) => BigInt(`0o${digits}`)),
    ...floats.map((float) => BigInt(Math.abs(float))),
  ];
  return values.flatMap((value) => [value, BigInt.asUintN(64, value), BigInt.asUintN(32, value)].map(String));
}

/** Cents of a decimal such as `1.00` or `12`. More than two decimals round up. Undefined for other text. */
export function centsOf(text: string): number | undefined {
  const match = /^(\d{1,13})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const decimals = match[2] ?? '';
  const rest = /[1-9]/.test(decimals.slice(2)) ? 1 : 0;
  return Number(match[1]) * 100 + Number(decimals.slice(0, 2).padEnd(2, '0')) + rest;
}

export function inDecimals(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
