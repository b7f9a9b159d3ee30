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

/** Under a misspelt name it is one of the secret all the same. A blank behind it may be a plus sign of its own. */
const anySignature =
  /(?<=\boauth[_.-]signature?s?(?:\\*["'])?[ \t]*[=:][ \t]*(?:\\*["'])?)(?:(?<=["'])[^"'\\]+(?=\\*["'])|[^"',;&\s}\\]+(?=[,;&}\\]|$))/gi;

/** The base64 of the 20 bytes that an HMAC-SHA1 has: a gateway may tell the one that it expected. */
const anyMac = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{27}=(?![A-Za-z0-9+/=])/g;

/** The text, of an answer or another one, with pseudonyms. Most hold nothing that is looked for, which a quicker look shows first. */
export function swept(text: string, pseudonyms: Pseudonyms, isAnswer = false): string {
  const { host, id, isSibling, namesSibling, isPrefix, times } = pseudonyms;
  let told = text;
  const signature = (found: string) => id(found, 'signature');
  if (/oauth.signature?s?\b/i.test(told)) told = told.replace(anySignature, signature);
  if (isAnswer && /[A-Za-z0-9+/]{27}=/.test(told)) told = told.replace(anyMac, signature);
  // Names under the domain of a target.
  if (namesSibling(told)) {
    told = told.replace(/[A-Za-z0-9][A-Za-z0-9.-]*/g, (token) => {
      const name = token.replace(/(?<![.-])[.-]+$/, '');
      return isSibling(name) ? `${host(name)}${token.slice(name.length)}` : token;
    });
  }
  if (/\d\.\d{1,3}\.\d{1,3}\.\d/.test(told)) {
    told = told.replace(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, (found) =>
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
  if (told.includes('@')) {
    told = told.replace(/(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, person);
    told = told.replace(/(?<=:\/\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, person);
  }
  if (/home|Users/.test(told)) told = told.replace(/(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, person);
  // The path prefix of the target in a URL. A run with a client has one for each call: a text is not searched for them one by one.
  if (told.includes('/')) {
    told = told.replace(/(?<=\/)[\w.~-]{1,64}(?=[/?]|[\s"'<>),;]|$)/g, (segment) =>
      isPrefix(segment) ? id(segment) : segment,
    );
  }
  return /\d:\d\d:\d/.test(told) ? times(told) : told;
}
