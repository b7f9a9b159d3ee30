/** The base string URI as clients build it (RFC 5849 section 3.4.1.2). */
import { percentEncode, queryOf, type WireRequest } from '../../protocol/index.ts';
import { decodedLeniently } from '../evidence.ts';
import { type Encoder, escapesOf } from './encoder.ts';
import type { Recipe } from './recipe.ts';

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

export function encodedUri(request: WireRequest, recipe: Recipe, encoder: Encoder): string {
  const uri = uriOf(request, recipe);
  if (recipe.uriEncoding === 'none') return uri;
  const once = encoder.encodeOutside(uri);
  return recipe.uriEncoding === 'once' ? once : encoder.encodeOutside(once);
}

function uriOf(request: WireRequest, recipe: Recipe): string {
  const { scheme: sent, authority, path } = split(request);
  const { name, port } = splitAuthority(authority);
  const shown: Readonly<Record<string, string>> = {
    scheme: schemeShown(sent, recipe.scheme),
    host: hostShown(name, recipe.hostCase),
    // The scheme of the request decides whether the port is the default one.
    port: portShown(port, defaultPorts[sent] ?? '', recipe.port),
    path: pathOf(path, recipe),
    query: uriQuery(request.target, recipe.uriQuery),
  };
  return recipe.uriForm.replace(/\{(scheme|host|port|path|query)\}/g, (_, part: string) => shown[part]!);
}

/** Scheme, host with port, and path. An absolute target takes precedence (RFC 9112 section 3.2.2). */
export function split({ scheme, host, target }: WireRequest): { scheme: string; authority: string; path: string } {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  const absolute = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)(.*)$/s.exec(path);
  return absolute === null
    ? { scheme: scheme.toLowerCase(), authority: host, path }
    : { scheme: absolute[1]!.toLowerCase(), authority: absolute[2]!, path: absolute[3]! };
}

export function hostOf(request: WireRequest): string {
  return splitAuthority(split(request).authority).name;
}

/** Capitalizes the letters at the positions of `A` in the pattern, so one pattern fits all hosts. */
export function spelledLike(host: string, pattern: string): string {
  return [...host].map((letter, at) => (pattern[at] === 'A' ? letter.toUpperCase() : letter.toLowerCase())).join('');
}

function splitAuthority(authority: string): { name: string; port: string } {
  const [, name = '', port = ''] = /^(.*?)(?::(\d*))?$/s.exec(authority)!;
  return { name, port };
}

function hostShown(name: string, mode: Recipe['hostCase']): string {
  if (mode === 'as-sent') return name;
  return mode === 'lower' ? name.toLowerCase() : mode === 'upper' ? name.toUpperCase() : spelledLike(name, mode);
}

function schemeShown(sent: string, mode: Recipe['scheme']): string {
  if (mode === 'as-sent') return sent;
  return mode === 'upper-case' ? sent.toUpperCase() : mode;
}

function portShown(port: string, defaultPort: string, mode: Recipe['port']): string {
  if (mode === 'always') return `:${port === '' ? defaultPort : port}`;
  if (port === '' || mode === 'never' || (mode === 'rfc' && port === defaultPort)) return '';
  return mode === 'cut' ? `:${port}`.replace(/:(?:443|80)/, '') : `:${port}`;
}

function pathOf(sent: string, recipe: Recipe): string {
  let path = sent === '' ? '/' : sent;
  const segments = path.split('/');
  if (recipe.segments === 'without-last' && segments.length > 2) path = segments.slice(0, -1).join('/');
  if (recipe.segments === 'without-first' && segments.length > 2) path = `/${segments.slice(2).join('/')}`;
  if (recipe.path === 'lower-case') path = path.toLowerCase();
  if (recipe.path === 'decoded') path = decodedLeniently(path);
  if (recipe.path === 'encoded-again') path = path.replaceAll('%', '%25');
  if (recipe.path === 'tilde-escaped') path = path.replaceAll('~', '%7E');
  if (recipe.path === 'delimiters-escaped') path = path.replace(/[!$&'()*+,;=:@]/g, percentEncode);
  if (recipe.path === 'escaped') path = path.replace(/[^\w./%-]/gu, escaped);
  if (recipe.path === 'slash-escaped') path = path.replace(/(?<=.)\/([^/]*)$/, '%2F$1');
  if (recipe.path === 'hyphens-escaped') path = path.replace(/[^A-Za-z0-9/%]/gu, escaped);
  if (recipe.path === 'slashes-merged') path = path.replace(/\/{2,}/g, '/');
  if (recipe.slash === 'added' && !path.endsWith('/')) path += '/';
  if (recipe.slash === 'cut') path = path.replace(/\/$/, '');
  return path;
}

function escaped(character: string): string {
  return escapesOf(character, character <= '\xff' ? 'latin-1' : 'utf-8', false, '');
}

function uriQuery(target: string, mode: Recipe['uriQuery']): string {
  if (mode === 'question-mark') return '?';
  return mode === 'kept' && target.includes('?') ? `?${queryOf(target)}` : '';
}
