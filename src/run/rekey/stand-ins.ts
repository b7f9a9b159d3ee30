/** The stand-ins of one bundle: whatever is met again gets the same one again. */
import { createHash } from 'node:crypto';
import { isLoopback } from '../../exchange/loopback.ts';
import { type Identity, publishedIdentity, reservedIdentity } from '../../mock/identity.ts';
import { percentEncode } from '../../protocol/index.ts';
import { prefixAlias } from './prefix-alias.ts';

export interface StandIns {
  /** Of an order, a payment, a request, an endpoint, a gate or an answer. */
  id(value: string): string;
  /** The consumer key that the credentials belong to becomes the published one; another one stays another one. */
  consumerKey(value: string): string;
  /** Of a host name with or without a port; addresses of this machine stay. */
  host(authority: string): string;
  /** Whether the text is replaced wherever it stands. */
  isKnown(text: string): boolean;
  /** Everything that was replaced so far, with its stand-in. */
  replaced(): readonly (readonly [original: string, standIn: string])[];
}

/** `salt` is random and kept by nobody. `issued` is the consumer key of the credentials; published ones stay as they are. `known` are texts that are replaced wherever they stand. */
export function newStandIns(
  salt: string,
  issued: string | undefined,
  known: ReadonlySet<string> = new Set(),
): StandIns {
  const replaced = new Map<string, string>();
  const noted = (original: string, standIn: string): string => {
    if (original !== standIn) replaced.set(original, standIn);
    return standIn;
  };
  return {
    id: (value) => noted(value, prefixAlias(value, salt)),
    consumerKey: (value) =>
      identityBehind(value) === undefined
        ? noted(value, issuedAlias(value, issued) ?? prefixAlias(value, salt))
        : value,
    host: (authority) => {
      const [, name = '', port = ''] = /^(.*?)(:\d*)?$/.exec(authority)!;
      return isHere(name) ? authority : `${noted(name, hostAlias(name, salt))}${port}`;
    },
    isKnown: (text) => known.has(text),
    replaced: () => [...replaced],
  };
}

/** The published identity whose consumer key the text is, whatever a client made of that; undefined where it is none. */
export function identityBehind(consumerKey: string): Identity | undefined {
  return [publishedIdentity, reservedIdentity].find((one) => variantOf(consumerKey, one.consumerKey) !== undefined);
}

/** The consumer key that the text is, whatever a client made of that: the issued one or a published one. */
export function issuedKeyBehind(consumerKey: string, issued: string | undefined): string | undefined {
  if (issued !== undefined && variantOf(consumerKey, issued) !== undefined) return issued;
  return identityBehind(consumerKey)?.consumerKey;
}

/** The published key in the form in which the issued one stands there; undefined for another key. */
function issuedAlias(value: string, issued: string | undefined): string | undefined {
  const variant = issued === undefined ? undefined : variantOf(value, issued);
  if (variant === undefined) return undefined;
  // Only a key with reserved characters can show what became of them.
  const { consumerKey } = /[^A-Za-z0-9\-._~]/.test(issued!) ? reservedIdentity : publishedIdentity;
  return variant(consumerKey);
}

/** What was done to a key to get that text: nothing, letter case, or percent-encoding. */
function variantOf(text: string, key: string): ((key: string) => string) | undefined {
  const variants = [
    (one: string) => one,
    upper,
    lower,
    percentEncode,
    (one: string) => percentEncode(percentEncode(one)),
  ];
  return variants.find((variant) => variant(key) === text);
}

function upper(text: string): string {
  return text.toUpperCase();
}

function lower(text: string): string {
  return text.toLowerCase();
}

function isHere(name: string): boolean {
  return !URL.canParse(`http://${name}/`) || isLoopback(name);
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
