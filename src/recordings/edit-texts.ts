/** Names, addresses, people and times wherever they are in a text: in any header, body, note or reason. Each search is linear. */
import { isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from '../exchange/loopback.ts';
import type { StandIns } from './stand-ins.ts';

/** What is looked for. */
export const sweeps = {
  /** Names under the domain of a target, as tokens: an escape in front of one is not part of it. */
  names: (text: string, { host, isSibling }: StandIns) =>
    text.replace(/%[0-9A-Fa-f]{2}|[A-Za-z0-9][A-Za-z0-9.-]*/g, (token) => {
      const name = token.replace(/[.-]+$/, '');
      return isSibling(name) ? `${host(name)}${token.slice(name.length)}` : token;
    }),
  addresses: (text: string, { host }: StandIns) =>
    text
      .replace(/(?:(?<![\d.])|(?<=%[0-9A-Fa-f]{2}))\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, (found) =>
        isIPv4(found) && !isLoopback(found) ? host(found) : found,
      )
      .replace(/(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,42}/g, (found) => {
        const address = found.replace(/(?<!:):$|\.$/, '');
        if (!isIPv6(address) || isLoopback(`[${address}]`)) return found;
        return `${host(address)}${found.slice(address.length)}`;
      }),
  /** In an e-mail address, before the host of a URL, and in the path of a home folder. */
  people: (text: string, { id }: StandIns) =>
    text
      .replace(/(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, id)
      .replace(/(?<=:\\?\/\\?\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, id)
      .replace(/(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, id),
  /** The path prefix of the target in a URL. */
  prefixes: (text: string, { id, isPrefix }: StandIns) =>
    text.replace(/(?<=\/|%2[Ff])[\w.~-]{1,64}(?=\\?[/?]|%2[Ff]|[\s"'<>),;]|$)/g, (segment) =>
      isPrefix(segment) ? id(segment) : segment,
    ),
  times: (text: string, { times }: StandIns) => times(text),
} as const satisfies Readonly<Record<string, Sweep>>;

export type Sweep = (text: string, standIns: StandIns) => string;

/** The value, with stand-ins in each of its texts and bytes for what any of `some` looks for. */
export function editTexts<T>(value: T, standIns: StandIns, some: readonly Sweep[]): T {
  // An id may look like an e-mail address, and so may its stand-in: in the CSV it is under an encoding, and both have to stay equal.
  const edit = (text: string) =>
    standIns.isStandIn(text) ? text : some.reduce((told, sweep) => sweep(told, standIns), text);
  return edited(value, edit) as T;
}

function edited(value: unknown, edit: (text: string) => string): unknown {
  if (typeof value === 'string') return edit(value);
  if (value instanceof Uint8Array) return Buffer.from(edit(Buffer.from(value).toString('latin1')), 'latin1');
  if (Array.isArray(value)) return value.map((member) => edited(member, edit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, edited(member, edit)]));
}
