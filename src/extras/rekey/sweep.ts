/** Names, addresses, people and times wherever they are in a text: in any header, body, note or reason. Each search is linear. */
import { isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from '../../record/hosts.ts';
import type { Pseudonyms } from './pseudonyms.ts';

/** Gives values with an edit of each of their texts, and of each of their bytes as a character. What is as it was stays the same object. */
export function inTexts(edit: (text: string) => string): <T>(value: T) => T {
  const edited = (value: unknown): unknown => {
    if (typeof value === 'string') return edit(value);
    if (value instanceof Uint8Array) {
      const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
      const told = edit(text);
      return told === text ? value : Buffer.from(told, 'latin1');
    }
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, edited(member)] as const);
    if (members.every(([name, member]) => member === (value as Record<string, unknown>)[name])) return value;
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  return <T>(value: T) => edited(value) as T;
}

/** The text with pseudonyms. Most hold nothing that is looked for, which a quicker look shows first. */
export function swept(text: string, { host, id, isSibling, namesSibling, isPrefix, times }: Pseudonyms): string {
  let told = text;
  // Names under the domain of a target, as tokens: an escape in front of one is not part of it.
  if (namesSibling(told)) {
    told = told.replace(/%[0-9A-Fa-f]{2}|[A-Za-z0-9][A-Za-z0-9.-]*/g, (token) => {
      const name = token.replace(/(?<![.-])[.-]+$/, '');
      return isSibling(name) ? `${host(name)}${token.slice(name.length)}` : token;
    });
  }
  if (/\d\.\d{1,3}\.\d{1,3}\.\d/.test(told)) {
    told = told.replace(/(?:(?<![\d.])|(?<=%[0-9A-Fa-f]{2}))\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, (found) =>
      isIPv4(found) && !isLoopback(found) ? host(found) : found,
    );
  }
  // An address of IPv6 has two colons.
  if (/:[0-9A-Fa-f.]*:/.test(told)) {
    told = told.replace(/(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,42}/g, (found) => {
      const address = found.replace(/(?<!:):$|\.$/, '');
      if (!isIPv6(address) || isLoopback(`[${address}]`)) return found;
      return `${host(address)}${found.slice(address.length)}`;
    });
  }
  // In an e-mail address, before the host of a URL, and in the path of a home folder.
  const person = (found: string) => id(found);
  if (/@|%40/.test(told)) {
    told = told.replace(/(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, person);
    told = told.replace(/(?<=:\\?\/\\?\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, person);
  }
  if (/home|Users/.test(told)) told = told.replace(/(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, person);
  // The path prefix of the target in a URL. A run with a client has one for each call: a text is not searched for them one by one.
  if (/\/|%2F/i.test(told)) {
    told = told.replace(/(?<=\/|%2[Ff])[\w.~-]{1,64}(?=\\?[/?]|%2[Ff]|[\s"'<>),;]|$)/g, (segment) =>
      isPrefix(segment) ? id(segment) : segment,
    );
  }
  return /\d(?::|%3[Aa])\d\d(?::|%3[Aa])\d/.test(told) ? times(told) : told;
}
