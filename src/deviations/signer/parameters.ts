/** Collects, encodes, sorts and joins parameters as clients do (RFC 5849 sections 3.4.1.1 and 3.4.1.3). */
import { createHash } from 'node:crypto';
import type { FormPiece } from '../../protocol/form.ts';
import { decodeForm } from '../../protocol/index.ts';
import { type CollectedParameter, type Encoded, orders, type Sortable } from '../choices.ts';
import type { Recipe } from '../deviation.ts';
import { decodedLeniently, fieldNames, type RequestEvidence, type Source, writtenPairs } from '../evidence.ts';
import type { Encoder } from './encoder.ts';

type Read = (source: Source, pairs: readonly FormPiece[], times: 'once' | 'twice' | 'left-out') => CollectedParameter[];

export function collect(evidence: RequestEvidence, recipe: Recipe): readonly CollectedParameter[] {
  const read: Read = (source, pairs, times) => {
    if (times === 'left-out') return [];
    const once = pairs.map((pair) => ({ source, ...readValue(pair, source, recipe) }));
    return times === 'once' ? once : [...once, ...once.map((parameter) => ({ ...parameter }))];
  };
  const all = [
    ...credentials(read('header', evidence.credentials, recipe.oauth), evidence, recipe),
    ...read('query', evidence.query, recipe.query),
    ...body(evidence, recipe, read),
    ...added(recipe, 'body'),
  ];
  const kept = withDuplicates(changed(all, recipe), recipe.duplicates);
  // For `without-equals`, see `joinParameters`.
  return recipe.empties === 'left-out' ? kept.filter(({ value }) => value !== '') : kept;
}

function credentials(sent: CollectedParameter[], evidence: RequestEvidence, recipe: Recipe): CollectedParameter[] {
  const add = (name: string, value: string): void => {
    sent.push({ source: 'header', name, value });
  };
  if (recipe.realm === 'empty') add('realm', '');
  if (recipe.realm === 'as-sent' && evidence.header.realm !== undefined) add('realm', evidence.header.realm);
  if (recipe.signature === 'empty') add('oauth_signature', '');
  const further = added(recipe, 'header').filter(({ name }) => !sent.some((one) => one.name === name));
  return [...sent, ...further].map((parameter) =>
    parameter.name === 'oauth_timestamp'
      ? { ...parameter, value: timestamp(parameter.value, recipe.timestamp) }
      : parameter,
  );
}

function added(recipe: Recipe, source: 'header' | 'body'): CollectedParameter[] {
  return decodeForm(recipe.added)
    .map(([name, value]) => ({ source, name, value }))
    .filter(({ name }) => name.startsWith('oauth_') === (source === 'header'));
}

function changed(all: readonly CollectedParameter[], { omitted, altered }: Recipe): readonly CollectedParameter[] {
  if (omitted === '' && altered === '') return all;
  const values = new Map(decodeForm(altered));
  return all
    .filter(({ name }) => name !== omitted)
    .map((parameter) => ({ ...parameter, value: values.get(parameter.name) ?? parameter.value }));
}

function timestamp(text: string, change: Recipe['timestamp']): string {
  if (change === 'as-sent' || !/^\d{1,15}$/.test(text)) return text;
  if (change === 'in-seconds') return text.length > 10 ? String(Math.floor(Number(text) / 1000)) : text;
  return String(Number(text) + (change === 'second-after' ? 1 : -1));
}

function body(evidence: RequestEvidence, recipe: Recipe, read: Read): CollectedParameter[] {
  const bytes = evidence.request.body;
  switch (recipe.body) {
    case 'body-hash':
      return bodyHash(evidence);
    case 'one-name':
      return evidence.body.length === 0 ? [] : [{ source: 'body', name: Buffer.from(bytes).toString(), value: '' }];
    case 'any-type':
      return read('body', evidence.bodyIsForm ? evidence.body : writtenPairs(bytes), 'once');
    default: {
      const cut = recipe.ending === 'final-newline-cut' && evidence.bodyIsForm && bytes.at(-1) === 0x0a;
      const pairs = cut ? withoutFinalNewline(evidence.body) : evidence.body;
      return read('body', withoutStart(recipe.pieces === 'joined' ? joined(pairs) : pairs, recipe.start), recipe.body);
    }
  }
}

function withoutStart([first, ...others]: readonly FormPiece[], start: string): FormPiece[] {
  if (first === undefined) return [];
  return [first.name.startsWith(start) ? { ...first, name: first.name.slice(start.length) } : first, ...others];
}

/** Joins each piece without a known name to the field before, because a value may have an unescaped "&". */
function joined(pieces: readonly FormPiece[]): FormPiece[] {
  const fields: FormPiece[] = [];
  for (const piece of pieces) {
    const before = fields.at(-1);
    if (before === undefined || fieldNames.includes(piece.name)) {
      fields.push(piece);
      continue;
    }
    const equals = piece.writtenValue === '' ? '' : '=';
    fields[fields.length - 1] = {
      ...before,
      value: `${before.value}&${piece.name}${equals}${piece.value}`,
      writtenValue: `${before.writtenValue}&${piece.writtenName}${equals}${piece.writtenValue}`,
    };
  }
  return fields;
}

function bodyHash({ request, credential }: RequestEvidence): CollectedParameter[] {
  if (credential('oauth_body_hash') !== undefined) return [];
  const hash = credential('oauth_signature_method')?.endsWith('SHA256') ? 'sha256' : 'sha1';
  const value = createHash(hash).update(request.body).digest('base64');
  return [{ source: 'body', name: 'oauth_body_hash', value }];
}

function withoutFinalNewline(pairs: readonly FormPiece[]): FormPiece[] {
  return pairs.map((pair, index) => {
    if (index < pairs.length - 1) return pair;
    const cut = (text: string): string => text.replace(/\r?\n$/, '');
    const inName = pair.writtenValue === '' && pair.writtenName.endsWith('\n');
    return inName
      ? { ...pair, name: cut(pair.name), writtenName: cut(pair.writtenName) }
      : { ...pair, value: cut(pair.value), writtenValue: cut(pair.writtenValue) };
  });
}

type Repeat = (
  parameter: CollectedParameter,
  nth: number,
  all: readonly CollectedParameter[],
) => CollectedParameter | undefined;

const repeats: Readonly<Record<'first' | 'last' | 'bracketed' | 'indexed', Repeat>> = {
  first: (parameter, nth) => (nth === 0 ? parameter : undefined),
  last: (parameter, nth, all) => (nth === all.length - 1 ? parameter : undefined),
  bracketed: (parameter) => ({ ...parameter, name: `${parameter.name}[]` }),
  indexed: (parameter, nth) => ({ ...parameter, name: `${parameter.name}[${nth}]` }),
};

function printedAs(form: string): Repeat {
  return (parameter, nth, all) =>
    nth === 0 ? { ...parameter, value: printed(form, ...all.map(({ value }) => value)) } : undefined;
}

function printed(form: string, ...values: readonly string[]): string {
  const [start = '', between = '', end = ''] = form.split(/[12]/);
  return form.includes('1') ? `${start}${values.join(between)}${end}` : form;
}

function withDuplicates(all: readonly CollectedParameter[], mode: Recipe['duplicates']): readonly CollectedParameter[] {
  if (mode === 'kept') return all;
  if (mode === 'copies-dropped') {
    const seen = new Set<string>();
    return all.filter(({ name, value }) => seen.size < seen.add(`${name}\0${value}`).size);
  }
  const repeat = mode in repeats ? repeats[mode as keyof typeof repeats] : printedAs(mode);
  const byName = new Map<string, CollectedParameter[]>();
  for (const parameter of all) {
    const same = byName.get(parameter.name);
    if (same === undefined) byName.set(parameter.name, [parameter]);
    else same.push(parameter);
  }
  if (byName.size === all.length) return all;
  const repeated = [...byName.values()].filter((same) => same.length > 1);
  const changed = new Map(repeated.flatMap((same) => same.map((one, nth) => [one, repeat(one, nth, same)] as const)));
  return all.flatMap((one) => (changed.has(one) ? (changed.get(one) ?? []) : [one]));
}

function readValue(pair: FormPiece, source: Source, recipe: Recipe): { name: string; value: string } {
  const { name, value } = asRead(pair, source, recipe);
  // Only the change `decoded-again` applies to header values.
  if (source === 'header') return { name, value: recipe.values === 'decoded-again' ? decodedLeniently(value) : value };
  const own = (changes[recipe.values] ?? ((value) => printed(recipe.values, value)))(value);
  return {
    name: recipe.names === 'lower-case' ? name.toLowerCase() : name,
    value: lineEnds[recipe.lines](name === 'payload' ? payloads[recipe.payload](own) : own),
  };
}

function asRead(pair: FormPiece, source: Source, recipe: Recipe): { name: string; value: string } {
  const reading = { header: recipe.headerText, query: recipe.queryText, body: recipe.bodyText }[source];
  switch (reading) {
    case 'decoded':
      return pair;
    case 'raw':
      return { name: pair.writtenName, value: pair.writtenValue };
    case 'plus-kept':
      // Decode again only if the value has a "+", because decoding megabytes takes time.
      return pair.writtenValue.includes('+') ? { name: pair.name, value: decodedLeniently(pair.writtenValue) } : pair;
    case 'decoded-twice':
      return { name: decodedLeniently(pair.name), value: decodedLeniently(pair.value) };
  }
}

const changes: Readonly<Record<string, (value: string) => string>> = {
  'as-read': (value) => value,
  trimmed: (value) => value.trim(),
  'spaces-merged': (value) => value.replace(/ {2,}/g, ' '),
  'decoded-again': decodedLeniently,
};

const payloads: Readonly<Record<Recipe['payload'], (value: string) => string>> = {
  'as-read': (value) => value,
  'base64-decoded': (value) => Buffer.from(value, 'base64').toString(),
  unpadded: (value) => value.replace(/(?<!=)=+$/, ''),
  'url-safe': (value) => value.replaceAll('+', '-').replaceAll('/', '_'),
};

const lineEnds: Readonly<Record<Recipe['lines'], (value: string) => string>> = {
  'as-read': (value) => value,
  'crlf-to-lf': (value) => value.replaceAll('\r\n', '\n'),
  'lf-to-crlf': (value) => value.replace(/\r?\n/g, '\r\n'),
  removed: (value) => value.replace(/\r?\n/g, ''),
};

export function joinParameters(parameters: readonly CollectedParameter[], recipe: Recipe, encoder: Encoder): string {
  const pieces = parameters.map((parameter) => pieceOf(parameter, recipe, encoder)).sort(orders[recipe.order]);
  const bareEmpties = recipe.empties === 'without-equals';
  const join = (part: (text: Encoded) => string, equals: string, ampersand: string): string => {
    const pairs = pieces.map(({ name, value }) =>
      bareEmpties && value.once === '' ? part(name) : `${part(name)}${equals}${part(value)}`,
    );
    return pairs.join(ampersand) + (recipe.end === 'ampersand' ? ampersand : '');
  };
  const joined = (): string => join(({ once }) => once, '=', '&');
  switch (recipe.joined) {
    case 'bare':
      return joined();
    case 'separators-bare':
      return join(({ twice }) => twice, '=', '&');
    case 'encoded-twice':
      return encoder.encodeOutside(encoder.encodeOutside(joined()));
    case 'encoded':
      // If possible, join texts that are already encoded twice: encoding megabytes again takes time.
      return encoder.wholeOnly
        ? encoder.encodeOutside(joined())
        : join(({ twice }) => twice, encoder.encodeOutside('='), encoder.encodeOutside('&'));
  }
}

function pieceOf(parameter: CollectedParameter, recipe: Recipe, encoder: Encoder): Sortable {
  const bare = parameter.source === 'header' && recipe.headerEncoding === 'none';
  const encode = (text: string, how: Recipe['parameterEncoding']): Encoded => {
    if (how === 'none') return { once: text, twice: encoder.encodeOutside(text) };
    return encoder.both(how === 'twice' ? encoder.encode(text) : text);
  };
  return {
    parameter,
    name: encode(parameter.name, recipe.nameEncoding === 'none' ? 'none' : recipe.parameterEncoding),
    value: encode(parameter.value, bare ? 'none' : recipe.parameterEncoding),
  };
}
