/** Names, addresses, people and times wherever they are in a text: in any header, body, note or reason. Each search is linear. */
import { isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from '../../record/hosts.ts';
import type { StandIns } from './stand-ins.ts';

/** What is looked for. Most texts hold nothing of it, which a quicker look shows first. */
export const sweeps = {
  /** Names under the domain of a target, as tokens: an escape in front of one is not part of it. */
  names: (text: string, { host, isSibling, namesSibling }: StandIns) =>
    !namesSibling(text)
      ? text
      : text.replace(/%[0-9A-Fa-f]{2}|[A-Za-z0-9][A-Za-z0-9.-]*/g, (token) => {
          const name = token.replace(/(?<![.-])[.-]+$/, '');
          return isSibling(name) ? `${host(name)}${token.slice(name.length)}` : token;
        }),
  addresses: (text: string, standIns: StandIns) => addressesOf6(addressesOf4(text, standIns), standIns),
  /** In an e-mail address, before the host of a URL, and in the path of a home folder. */
  people: (text: string, { id }: StandIns) => {
    const hasAt = text.includes('@');
    let told = text;
    if (hasAt || text.includes('%40')) {
      told = told.replace(/(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, id);
    }
    if (hasAt) told = told.replace(/(?<=:\\?\/\\?\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, id);
    if (/home|Users/.test(told)) told = told.replace(/(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, id);
    return told;
  },
  /** The path prefix of the target in a URL. A run with a client has one for each call: a text is not searched for them one by one. */
  prefixes: (text: string, { id, isPrefix }: StandIns) =>
    !/\/|%2F/i.test(text)
      ? text
      : text.replace(/(?<=\/|%2[Ff])[\w.~-]{1,64}(?=\\?[/?]|%2[Ff]|[\s"'<>),;]|$)/g, (segment) =>
          isPrefix(segment) ? id(segment) : segment,
        ),
  times: (text: string, { times }: StandIns) => (/\d(?::|%3[Aa])\d\d(?::|%3[Aa])\d/.test(text) ? times(text) : text),
} as const satisfies Readonly<Record<string, Sweep>>;

type Sweep = (text: string, standIns: StandIns) => string;

/** Gives values with stand-ins in each of their texts and bytes for what any of `some` looks for. */
export function textEditor(standIns: StandIns, some: readonly Sweep[]): <T>(value: T) => T {
  const edit = (text: string): string => {
    // An id may look like an e-mail address, and so may its stand-in: in the CSV it is under an encoding, and both have to stay equal.
    if (standIns.isStandIn(text)) return text;
    return some.reduce((told, sweep) => sweep(told, standIns), text);
  };
  return <T>(value: T) => edited(value, edit) as T;
}

function edited(value: unknown, edit: (text: string) => string): unknown {
  if (typeof value === 'string') return edit(value);
  if (value instanceof Uint8Array) {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
    const told = edit(text);
    return told === text ? value : Buffer.from(told, 'latin1');
  }
  if (typeof value !== 'object' || value === null) return value;
  // What is as it was stays the same object: of a long record most labels are in the original and in the copy.
  let isSame = true;
  const editMember = (member: unknown): unknown => {
    const told = edited(member, edit);
    isSame &&= told === member;
    return told;
  };
  const whole = Array.isArray(value)
    ? value.map(editMember)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, editMember(member)]));
  return isSame ? value : whole;
}

function addressesOf4(text: string, { host }: StandIns): string {
  if (!/\d\.\d{1,3}\.\d{1,3}\.\d/.test(text)) return text;
  return text.replace(/(?:(?<![\d.])|(?<=%[0-9A-Fa-f]{2}))\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, (found) =>
    isIPv4(found) && !isLoopback(found) ? host(found) : found,
  );
}

/** Each has two colons. */
function addressesOf6(text: string, { host }: StandIns): string {
  if (!/:[0-9A-Fa-f.]*:/.test(text)) return text;
  return text.replace(/(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,42}/g, (found) => {
    const address = found.replace(/(?<!:):$|\.$/, '');
    if (!isIPv6(address) || isLoopback(`[${address}]`)) return found;
    return `${host(address)}${found.slice(address.length)}`;
  });
}
