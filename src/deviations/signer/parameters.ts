/** Collects, encodes, sorts and joins parameters as clients do (RFC 5849 sections 3.4.1.1 and 3.4.1.3). */
import { createHash } from 'node:crypto';
import type { FormPiece } from '../../protocol/form.ts';
import { decodeForm } from '../../protocol/index.ts';
import type { Recipe } from '../deviation.ts';
import { decodeLeniently, fieldNames, parsePairs, type RequestEvidence, type Source } from '../evidence.ts';
import { type CollectedParameter, type Encoded, orders, type Sortable } from '../signing-options.ts';
import type { Encoder } from './encoder.ts';

type Read = (source: Source, pairs: readonly FormPiece[], times: 'once' | 'twice' | 'left-out') => CollectedParameter[];

export function collect(evidence: RequestEvidence, recipe: Recipe): readonly CollectedParameter[] {
  const read: Read = (source, pairs, times) => {
    if (times === 'left-out') return [];
    const once = pairs.map((pair) => ({ source, ...readValue(pair, source, recipe) }));
    return times === 'once' ? once : [...once, ...once.map((parameter) => ({ ...parameter }))];
  };
  const all = [
    ...headerParameters(read('header', evidence.credentials, recipe.oauth), evidence, recipe),
    ...read('query', evidence.query, recipe.query),
    ...bodyParameters(evidence, recipe, read),
    ...addedParameters(recipe, 'body'),
  ];
  const parameters = signDuplicates(applyChanges(all, recipe), recipe.duplicates);
  // For `without-equals`, see `joinParameters`.
  return recipe.empties === 'left-out' ? parameters.filter(({ value }) => value !== '') : parameters;
}

function headerParameters(sent: CollectedParameter[], evidence: RequestEvidence, recipe: Recipe): CollectedParameter[] {
  const add = (name: string, value: string): void => {
    sent.push({ source: 'header', name, value });
  };
  if (recipe.realm === 'empty') add('realm', '');
  if (recipe.realm === 'as-sent' && evidence.header.realm !== undefined) add('realm', evidence.header.realm);
  if (recipe.signature === 'empty') add('oauth_signature', '');
  const further = addedParameters(recipe, 'header').filter(({ name }) => !sent.some((one) => one.name === name));
  return [...sent, ...further].map((parameter) =>
    parameter.name === 'oauth_timestamp'
      ? { ...parameter, value: timestamp(parameter.value, recipe.timestamp) }
      : parameter,
  );
}

function addedParameters(recipe: Recipe, source: 'header' | 'body'): CollectedParameter[] {
  return decodeForm(recipe.added)
    .map(([name, value]) => ({ source, name, value }))
    .filter(({ name }) => name.startsWith('oauth_') === (source === 'header'));
}

function applyChanges(all: readonly CollectedParameter[], { omitted, altered }: Recipe): readonly CollectedParameter[] {
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

function bodyParameters(evidence: RequestEvidence, recipe: Recipe, read: Read): CollectedParameter[] {
  const bytes = evidence.request.body;
  switch (recipe.body) {
    case 'body-hash':
      return bodyHash(evidence);
    case 'one-name':
      return evidence.body.length === 0 ? [] : [{ source: 'body', name: Buffer.from(bytes).toString(), value: '' }];
    case 'any-type':
      return read('body', evidence.bodyIsForm ? evidence.body : parsePairs(bytes), 'once');
    default: {
      const isCut = recipe.ending === 'final-newline-cut' && evidence.bodyIsForm && bytes.at(-1) === 0x0a;
      const pairs = isCut ? withoutFinalNewline(evidence.body) : evidence.body;
      return read('body', withoutStart(recipe.pieces === 'joined' ? rejoin(pairs) : pairs, recipe.start), recipe.body);
    }
  }
}

function withoutStart([first, ...others]: readonly FormPiece[], start: string): FormPiece[] {
  if (first === undefined) return [];
  return [first.name.startsWith(start) ? { ...first, name: first.name.slice(start.length) } : first, ...others];
}

/** Joins each piece without a known name to the field before, because a value may have an unescaped "&". */
function rejoin(pieces: readonly FormPiece[]): FormPiece[] {
  const fields: FormPiece[] = [];
  for (const piece of pieces) {
    const previous = fields.at(-1);
    if (previous === undefined || fieldNames.includes(piece.name)) {
      fields.push(piece);
      continue;
    }
    const equals = piece.writtenValue === '' ? '' : '=';
    fields[fields.length - 1] = {
      ...previous,
      value: `${previous.value}&${piece.name}${equals}${piece.value}`,
      writtenValue: `${previous.writtenValue}&${piece.writtenName}${equals}${piece.writtenValue}`,
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

function repeatAsList(form: string): Repeat {
  return (parameter, nth, all) =>
    nth === 0 ? { ...parameter, value: printList(form, ...all.map(({ value }) => value)) } : undefined;
}

function printList(form: string, ...values: readonly string[]): string {
  const [start = '', between = '', end = ''] = form.split(/[12]/);
  return form.includes('1') ? `${start}${values.join(between)}${end}` : form;
}

function signDuplicates(all: readonly CollectedParameter[], mode: Recipe['duplicates']): readonly CollectedParameter[] {
  if (mode === 'kept') return all;
  if (mode === 'copies-dropped') {
    const seen = new Set<string>();
    return all.filter(({ name, value }) => seen.size < seen.add(`${name}\0${value}`).size);
  }
  const repeat = mode in repeats ? repeats[mode as keyof typeof repeats] : repeatAsList(mode);
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
  const { name, value } = decodePair(pair, source, recipe);
  // Only the change `decoded-again` applies to header values.
  if (source === 'header') return { name, value: recipe.values === 'decoded-again' ? decodeLeniently(value) : value };
  const changedValue = (valueChanges[recipe.values] ?? ((value) => printList(recipe.values, value)))(value);
  return {
    name: recipe.names === 'lower-case' ? name.toLowerCase() : name,
    value: lineEnds[recipe.lines](name === 'payload' ? payloads[recipe.payload](changedValue) : changedValue),
  };
}

function decodePair(pair: FormPiece, source: Source, recipe: Recipe): { name: string; value: string } {
  const reading = { header: recipe.headerText, query: recipe.queryText, body: recipe.bodyText }[source];
  switch (reading) {
    case 'decoded':
      return pair;
    case 'raw':
      return { name: pair.writtenName, value: pair.writtenValue };
    case 'plus-kept':
      // Decode again only if the value has a "+", because decoding megabytes takes time.
      return pair.writtenValue.includes('+') ? { name: pair.name, value: decodeLeniently(pair.writtenValue) } : pair;
    case 'decoded-twice':
      return { name: decodeLeniently(pair.name), value: decodeLeniently(pair.value) };
  }
}

const valueChanges: Readonly<Record<string, (value: string) => string>> = {
  'as-read': (value) => value,
  trimmed: (value) => value.trim(),
  'spaces-merged': (value) => value.replace(/ {2,}/g, ' '),
  'decoded-again': decodeLeniently,
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
  const sortables = parameters.map((parameter) => sortableOf(parameter, recipe, encoder)).sort(orders[recipe.order]);
  const bareEmpties = recipe.empties === 'without-equals';
  const join = (part: (text: Encoded) => string, equals: string, ampersand: string): string => {
    const pairs = sortables.map(({ name, value }) =>
      bareEmpties && value.once === '' ? part(name) : `${part(name)}${equals}${part(value)}`,
    );
    return pairs.join(ampersand) + (recipe.end === 'ampersand' ? ampersand : '');
  };
  const joinOnce = (): string => join(({ once }) => once, '=', '&');
  switch (recipe.joined) {
    case 'bare':
      return joinOnce();
    case 'separators-bare':
      return join(({ twice }) => twice, '=', '&');
    case 'encoded-twice':
      return encoder.encodeOutside(encoder.encodeOutside(joinOnce()));
    case 'encoded':
      // If possible, join texts that are already encoded twice: encoding megabytes again takes time.
      return encoder.mustJoinFirst
        ? encoder.encodeOutside(joinOnce())
        : join(({ twice }) => twice, encoder.encodeOutside('='), encoder.encodeOutside('&'));
  }
}

function sortableOf(parameter: CollectedParameter, recipe: Recipe, encoder: Encoder): Sortable {
  const bare = parameter.source === 'header' && recipe.headerEncoding === 'none';
  const encode = (text: string, mode: Recipe['parameterEncoding']): Encoded => {
    if (mode === 'none') return { once: text, twice: encoder.encodeOutside(text) };
    return encoder.encodeBoth(mode === 'twice' ? encoder.encode(text) : text);
  };
  return {
    parameter,
    name: encode(parameter.name, recipe.nameEncoding === 'none' ? 'none' : recipe.parameterEncoding),
    value: encode(parameter.value, bare ? 'none' : recipe.parameterEncoding),
  };
}
