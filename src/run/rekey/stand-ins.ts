/** The stand-ins of one bundle: whatever is met again gets the same one again. */
import { createHash } from 'node:crypto';
import { publishedIdentity, reservedIdentity } from '../../mock/identity.ts';
import { isLoopback } from '../loopback.ts';
import { prefixAlias } from './prefix-alias.ts';

export interface StandIns {
  /** Of an order, a payment, a request, an endpoint, a gate or an answer. */
  id(value: string): string;
  /** The consumer key that the credentials belong to becomes the published one; another one stays another one. */
  consumerKey(value: string): string;
  /** Of a host name with or without a port; addresses of this machine stay. */
  host(authority: string): string;
  /** Everything that was replaced so far, with its stand-in. */
  replaced(): readonly (readonly [original: string, standIn: string])[];
}

/** `salt` is random and kept by nobody. `issued` is the consumer key of the credentials; published ones stay as they are. */
export function newStandIns(salt: string, issued: string | undefined): StandIns {
  const replaced = new Map<string, string>();
  const noted = (original: string, standIn: string): string => {
    if (original !== standIn) replaced.set(original, standIn);
    return standIn;
  };
  const published = [publishedIdentity.consumerKey, reservedIdentity.consumerKey];
  return {
    id: (value) => noted(value, prefixAlias(value, salt)),
    consumerKey: (value) => {
      if (published.includes(value)) return value;
      return noted(value, value === issued ? publishedIdentity.consumerKey : prefixAlias(value, salt));
    },
    host: (authority) => {
      const [, name = '', port = ''] = /^(.*?)(:\d*)?$/.exec(authority)!;
      return isHere(name) ? authority : `${noted(name, hostAlias(name, salt))}${port}`;
    },
    replaced: () => [...replaced],
  };
}

function isHere(name: string): boolean {
  return !URL.canParse(`http://${name}/`) || isLoopback(new URL(`http://${name}/`));
}

/** As long, in the same letter case, and under a name that nobody can own (RFC 2606 section 2). */
function hostAlias(name: string, salt: string): string {
  if (/^[\d.]+$/.test(name)) return name.replace(/\d+/g, (octet) => '100'.slice(0, octet.length));
  const end = name.length > 8 ? '.example' : name.length > 5 ? '.test' : '';
  const key = createHash('sha256').update(`${salt}\0host\0${name.toLowerCase()}`).digest('hex');
  const letters = Array.from(key.repeat(8), (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join('');
  const alias = `${letters.slice(0, name.length - end.length)}${end}`;
  return Array.from(alias, (letter, at) => (/[A-Z]/.test(name[at]!) ? letter.toUpperCase() : letter)).join('');
}
