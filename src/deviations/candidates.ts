/** Computes the base string, key, HMAC and digest of a client that has certain deviations. */
import { createHash, hash as hashOf, type KeyObject, sign } from 'node:crypto';
import { type Pair, parseAuthorization, percentEncode, queryOf, type WireRequest } from '../protocol/index.ts';
import { type Deviation, parts, plainRecipe, type Recipe, traitsOf } from './deviation.ts';
import { evidenceOf, type RequestEvidence } from './evidence.ts';
import { type Encoder, encoderOf } from './signer/encoder.ts';
import { collect, joinParameters } from './signer/parameters.ts';
import { type CollectedParameter, type HashName, macs, paths, secretForms, textCharsets } from './signing-options.ts';

export type Candidates = ReturnType<typeof candidatesFor>;

/** Size limit of each cache of results, in characters. */
const maxCached = 32 * 1024 * 1024;

/** Cost to collect, encode and sort one parameter. To hash one character costs 1. */
const parameterCost = 300;

/** With more parameters than this, the caches are too small, so each parameter costs more. */
const maxCachedParameters = 10_000;
const uncachedParameterCost = 1_500;

interface Piece<T> {
  readonly value: T;
  readonly key: string;
}

/** Computes what a client with a set of deviations would sign for a request. */
export function candidatesFor(evidence: RequestEvidence, secrets: Secrets) {
  let work = 0;
  const spend = (characters: number): void => {
    work += characters;
  };
  const plainEncoder = encoderOf(plainRecipe, spend);
  const encoders = cacheOf<Encoder>(() => 2 * evidence.request.body.length + 4096);
  const encoderAt = (set: readonly Deviation[]): Encoder => {
    const key = cacheKey(set, parts.encoder);
    return key === '' ? plainEncoder : encoders(key, set, () => encoderOf(recipeOf(set), spend));
  };
  const collections = cacheOf<readonly CollectedParameter[]>((all) => 100 * all.length);
  const texts = cacheOf<string>((text) => text.length);
  const uris = cacheOf<string>((text) => text.length);
  const keys = cacheOf<Buffer>((key) => key.length);
  const results = cacheOf<string>(() => 200);

  const collected = (set: readonly Deviation[]): readonly CollectedParameter[] =>
    collections(cacheKey(set, parts.collected), set, () => collect(evidence, recipeOf(set)));
  let plain: Piece<string> | undefined;
  const parameters = (set: readonly Deviation[]): Piece<string> => {
    const key = cacheKey(set, parts.parameters);
    const value = texts(key, set, () => {
      const all = collected(set);
      work += all.length * (all.length > maxCachedParameters ? uncachedParameterCost : parameterCost);
      return joinParameters(all, recipeOf(set), encoderAt(set));
    });
    plain ??= set.length === 0 ? { key, value } : parameters([]);
    // If the text is unchanged, return `plain`: its key finds the cached hash. Hashing again takes ten times as long.
    return value === plain.value ? plain : { key, value };
  };
  const uri = (set: readonly Deviation[]): Piece<string> => {
    const key = cacheKey(set, parts.uri);
    return { key, value: uris(key, set, () => encodedUri(evidence.request, recipeOf(set), encoderAt(set))) };
  };
  const secret = (set: readonly Deviation[]): Piece<Buffer> => {
    const key = cacheKey(set, parts.key);
    return { key, value: keys(key, set, () => keyBytes(secrets, recipeOf(set), encoderAt(set))) };
  };
  const baseOf = (set: readonly Deviation[], uriText: string, parameterText: string): string => {
    const recipe = changesWhole(set) ? recipeOf(set) : plainRecipe;
    const base = `${methodPart(evidence.request.method, recipe)}${uriText}&${parameterText}`;
    if (recipe.whole === 'as-is') return base;
    return recipe.whole === 'lower-case' ? base.toLowerCase() : encoderAt(set).encodeOutside(base);
  };
  const result = (
    set: readonly Deviation[],
    key: Piece<Buffer> | undefined,
    make: (base: string, recipe: Recipe) => string,
    hash: HashName,
  ): string => {
    const parameterPiece = parameters(set);
    const uriPiece = uri(set);
    const whole = changesWhole(set);
    const compute = (): string => {
      const base = baseOf(set, uriPiece.value, parameterPiece.value);
      work += base.length;
      return make(base, whole ? recipeOf(set) : plainRecipe);
    };
    if (whole || set.length > 2) return compute();
    return results([hash, parameterPiece.key, uriPiece.key, key?.key].join(), set, compute);
  };
  return {
    parameters: (set: readonly Deviation[]) => collected(set).map(({ name, value }): Pair => [name, value]),
    /** The parameters after encoding, sorting and joining (RFC 5849 section 3.4.1.3.2). */
    normalized: (set: readonly Deviation[]) =>
      joinParameters(collected(set), { ...recipeOf(set), joined: 'bare' }, encoderAt(set)),
    baseString: (set: readonly Deviation[]) => baseOf(set, uri(set).value, parameters(set).value),
    mac: (set: readonly Deviation[], hash: HashName) => {
      const key = secret(set);
      const mac = (base: string, recipe: Recipe) => macs[recipe.mac](hash, key.value, messageOf(base, hash, recipe));
      return result(set, key, (base, recipe) => mac(base, recipe).digest('hex'), hash);
    },
    /** The digest inside the RSA signature, in hex. */
    digest: (set: readonly Deviation[], hash: HashName) =>
      result(set, undefined, (base, recipe) => hashOf(hash, messageOf(base, hash, recipe), 'hex'), hash),
    keyText: (set: readonly Deviation[]) => secret(set).value.toString(),
    /** The cost of all work so far. Hashing one character costs 1. */
    work: () => work,
  };
}

function recipeOf(set: readonly Deviation[]): Recipe {
  const recipe: Recipe = { ...plainRecipe };
  for (const { change } of set) Object.assign(recipe, change);
  return recipe;
}

function changesWhole(set: readonly Deviation[]): boolean {
  return set.some((deviation) => (traitsOf(deviation).parts & parts.whole) !== 0);
}

function methodPart(sent: string, { method }: Recipe): string {
  if (method === 'left-out') return '';
  if (method === 'lower-case') return `${sent.toLowerCase()}&`;
  if (method === 'capitalized') return `${sent.slice(0, 1).toUpperCase()}${sent.slice(1).toLowerCase()}&`;
  return `${method === 'upper-case' ? sent.toUpperCase() : method}&`;
}

/** Returns a cache key for one part of the computation: the deviations that affect this part. */
function cacheKey(set: readonly Deviation[], part: number): string {
  const changing = set.map(traitsOf).filter(({ parts }) => (parts & part) !== 0);
  return changing.map(({ index }) => ` ${index}`).join('');
}

type Cached<T> = (key: string, set: readonly Deviation[], make: () => T) => T;

/** Caches the results of at most one deviation, and the last result of a larger set. Later sets need only these. */
function cacheOf<T>(sizeOf: (value: T) => number): Cached<T> {
  const cache = new Map<string, T>();
  let size = 0;
  let last: { readonly key: string; readonly value: T } | undefined;
  return (key, set, make) => {
    const found = cache.get(key);
    if (found !== undefined) return found;
    if (last?.key === key) return last.value;
    const value = make();
    if (set.length > 1) {
      last = { key, value };
      return value;
    }
    size += sizeOf(value);
    if (size > maxCached) {
      cache.clear();
      size = sizeOf(value);
    }
    cache.set(key, value);
    return value;
  };
}

export type Signer = ReturnType<typeof signerOf>;

/** Returns a signer for a request. The Authorization header must be valid, but its signature is ignored. */
export function signerOf(
  request: WireRequest,
  { consumerKey, consumerSecret }: Pick<Secrets, 'consumerKey' | 'consumerSecret'>,
) {
  const [, line = ''] = request.headers.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  const { realm, parameters } = parseAuthorization(line);
  const pairs = parameters.map(([name, value]) => ({
    name,
    value,
    writtenName: percentEncode(name),
    writtenValue: percentEncode(value),
  }));
  const evidence = evidenceOf(request, { lines: 1, pairs, realm });
  const candidates = candidatesFor(evidence, { consumerKey, consumerSecret, tokenSecret: '' });
  return {
    ...candidates,
    sign: (set: readonly Deviation[]) => Buffer.from(candidates.mac(set, 'sha1'), 'hex').toString('base64'),
    signRsa: (set: readonly Deviation[], privateKey: KeyObject) =>
      sign('sha256', Buffer.from(candidates.baseString(set)), privateKey).toString('base64'),
  };
}

function messageOf(base: string, hash: HashName, recipe: Recipe): string | Uint8Array {
  const text = recipe.message === '{}' ? base : recipe.message.replace('{}', () => base);
  const message = recipe.messageCharset === 'utf-8' ? text : textCharsets[recipe.messageCharset](text);
  if (recipe.prehash === 'none') return message;
  const digest = createHash(hash).update(message).digest();
  return recipe.prehash === 'bytes' ? digest : digest.toString(recipe.prehash);
}

interface Secrets {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

function keyBytes(secrets: Secrets, recipe: Recipe, encoder: Encoder): Buffer {
  const parts: Readonly<Record<string, Buffer>> = {
    secret: encodeKeyPart(changeSecret(secrets.consumerSecret, recipe.secret), recipe, encoder),
    token: encodeKeyPart(tokenSecret(secrets, recipe.token), recipe, encoder),
    key: Buffer.from(encoder.encodeSecret(secrets.consumerKey)),
  };
  const pieces = recipe.keyForm.split(/\{(secret|token|key)\}/);
  const key = Buffer.concat(pieces.map((piece, at) => (at % 2 === 0 ? Buffer.from(piece) : parts[piece]!)));
  return recipe.keyCharset === 'utf-8' ? key : textCharsets[recipe.keyCharset](key.toString());
}

function encodeKeyPart(secret: Buffer | string, recipe: Recipe, encoder: Encoder): Buffer {
  const binary = recipe.secret === 'base64-decoded' || recipe.secret === 'hex-decoded';
  if (typeof secret !== 'string' || binary || recipe.secretEncoding === 'none') return Buffer.from(secret);
  const once = encoder.encodeSecret(secret);
  return Buffer.from(recipe.secretEncoding === 'twice' ? encoder.encodeSecret(once) : once);
}

function changeSecret(secret: string, form: Recipe['secret']): Buffer | string {
  return form in secretForms ? secretForms[form as keyof typeof secretForms](secret) : form.replace('{}', () => secret);
}

/** The token secret that a client uses. If `form` is a text such as `null`, it replaces an empty token secret. */
function tokenSecret({ consumerSecret, tokenSecret: issued }: Secrets, form: Recipe['token']): string {
  if (form === 'consumer-secret') return consumerSecret;
  return form === 'left-out' ? '' : form === 'as-issued' || issued !== '' ? issued : form;
}

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

function encodedUri(request: WireRequest, recipe: Recipe, encoder: Encoder): string {
  const { scheme: sent, authority, path } = splitUrl(request);
  const { name, port } = splitAuthority(authority);
  const uriParts: Readonly<Record<string, string>> = {
    scheme: recipe.scheme === 'as-sent' ? sent : recipe.scheme === 'upper-case' ? sent.toUpperCase() : recipe.scheme,
    host: signedHost(name, recipe.hostCase),
    // The default port depends on the sent scheme, even if the client signs another scheme.
    port: signedPort(port, defaultPorts[sent] ?? '', recipe.port),
    path: signedPath(path, recipe),
    query: signedQuery(request.target, recipe.uriQuery),
  };
  const uri = recipe.uriForm.replace(/\{(scheme|host|port|path|query)\}/g, (_, part: string) => uriParts[part]!);
  if (recipe.uriEncoding === 'none') return uri;
  const once = encoder.encodeOutside(uri);
  return recipe.uriEncoding === 'once' ? once : encoder.encodeOutside(once);
}

/** Splits the URL of a request, without its query. An absolute target replaces scheme and host (RFC 9112 3.2.2). */
export function splitUrl({ scheme, host, target }: WireRequest): { scheme: string; authority: string; path: string } {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  const absolute = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)(.*)$/s.exec(path);
  return absolute === null
    ? { scheme: scheme.toLowerCase(), authority: host, path }
    : { scheme: absolute[1]!.toLowerCase(), authority: absolute[2]!, path: absolute[3]! };
}

export function hostOf(request: WireRequest): string {
  return splitAuthority(splitUrl(request).authority).name;
}

/** Returns the host in capital letters where the pattern has an `A`, and in small letters elsewhere. */
export function applyCasing(host: string, pattern: string): string {
  return [...host].map((letter, at) => (pattern[at] === 'A' ? letter.toUpperCase() : letter.toLowerCase())).join('');
}

function splitAuthority(authority: string): { name: string; port: string } {
  const [, name = '', port = ''] = /^(.*?)(?::(\d*))?$/s.exec(authority)!;
  return { name, port };
}

function signedHost(name: string, mode: Recipe['hostCase']): string {
  if (mode === 'as-sent') return name;
  return mode === 'lower' ? name.toLowerCase() : mode === 'upper' ? name.toUpperCase() : applyCasing(name, mode);
}

function signedPort(port: string, defaultPort: string, mode: Recipe['port']): string {
  if (mode === 'always') return `:${port === '' ? defaultPort : port}`;
  if (port === '' || mode === 'never' || (mode === 'rfc' && port === defaultPort)) return '';
  return mode === 'cut' ? `:${port}`.replace(/:(?:443|80)/, '') : `:${port}`;
}

function signedPath(sent: string, recipe: Recipe): string {
  const segments = (sent === '' ? '/' : sent).split('/');
  if (segments.length > 2 && recipe.segments === 'without-last') segments.pop();
  else if (segments.length > 2 && recipe.segments === 'without-first') segments.splice(1, 1);
  const path = paths[recipe.path](segments.join('/'));
  if (recipe.slash === 'added' && !path.endsWith('/')) return `${path}/`;
  return recipe.slash === 'cut' ? path.replace(/\/$/, '') : path;
}

function signedQuery(target: string, mode: Recipe['uriQuery']): string {
  if (mode === 'question-mark') return '?';
  return mode === 'kept' && target.includes('?') ? `?${queryOf(target)}` : '';
}
