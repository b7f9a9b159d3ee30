/** Features of messages that two runs can compare: names and forms, never drawn values. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Case } from '../../record/case.ts';
import type { Exchange, ReceivedResponse } from '../../record/exchange.ts';
import { answerReadings } from '../../rules/answers/acceptance.ts';

export interface ComparedAnswer {
  readonly key: string;
  readonly operation: Operation;
  /** What the answer means, such as `accepted`. */
  readonly meaning: string;
  /** Set if no requirement judges the answer, but an open point records it. */
  readonly openPoint?: string;
  readonly status: number;
  readonly features: Features;
  readonly exchange: number;
  /** The meaning after the members of the answer are renamed. `names` maps names of NEW to names of OLD. */
  meaningWith(names: ReadonlyMap<string, string>): string;
}

/** The answers of a gateway, or the requests of a client, for cases that both runs have. */
export function commonAnswers(
  old: readonly Case[],
  fresh: readonly Case[],
  subject: 'gateway' | 'client',
): readonly [old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]] {
  const [before, now] = [answersOf(old, subject), answersOf(fresh, subject)];
  const keysOf = (answers: readonly ComparedAnswer[]) => new Set(answers.map(({ key }) => key));
  const [keys, nowKeys] = [keysOf(before), keysOf(now)];
  return [before.filter(({ key }) => nowKeys.has(key)), now.filter(({ key }) => keys.has(key))];
}

/** The place of a case in the plan. It has no case number, because numbers depend on earlier draws. */
export function labelKey({ scenario, label }: Case): string {
  const { operation, intent, about, openPoint, differsIn, edge, facts } = label;
  const place = [scenario, operation, intent, about, openPoint, differsIn];
  return JSON.stringify([...place, edge?.generator, edge?.name, facts?.gate]);
}

function answersOf(cases: readonly Case[], subject: 'gateway' | 'client'): ComparedAnswer[] {
  const featuresOf = featureReader();
  return cases.flatMap((testCase, index) => {
    const { response, request } = testCase.exchanges[0];
    const { operation, openPoint } = testCase.label;
    const message = subject === 'client' ? request : response;
    if (message === undefined) return [];
    const meaningWith = (names: ReadonlyMap<string, string>) =>
      subject === 'client' ? 'sent' : answerReadings[operation].acceptance(withNames(testCase.exchanges[0], names));
    return [
      {
        key: labelKey(testCase),
        operation,
        meaning: meaningWith(new Map()),
        meaningWith,
        openPoint,
        status: subject === 'client' ? 0 : response!.status,
        features: featuresOf(message),
        exchange: index + 1,
      },
    ];
  });
}

/** Renames JSON members, which precede a colon, and parameters, which precede `=`. */
function withNames(exchange: Exchange, names: ReadonlyMap<string, string>): Exchange {
  const { response } = exchange;
  if (names.size === 0 || response === undefined) return exchange;
  const named = Buffer.from(response.body)
    .toString('latin1')
    .replace(/"([^"\\]+)"(?=\s*:)|(?<=^|&)[\w.-]+(?==)/g, (written, member: string | undefined) => {
      const name = names.get(member ?? written);
      return name === undefined ? written : member === undefined ? name : JSON.stringify(name);
    });
  return { ...exchange, response: { ...response, body: Buffer.from(named, 'latin1') } };
}

/** The names of the headers of a message, or of the members of an object. */
interface Names {
  readonly group: 'header' | 'member';
  /** The path of an object: `$.response.gates[]`, or `parameters`; empty for headers. */
  readonly path: string;
  /** In the order of the message. Names of headers are in lower case. */
  readonly names: readonly string[];
}

export interface Form {
  readonly change: 'header-value' | 'header-spelling' | 'member-type' | 'value-form' | 'body-layout' | 'reason-phrase';
  readonly name: string;
  readonly value: string;
}

interface Features {
  readonly names: readonly Names[];
  readonly forms: readonly Form[];
  readonly body: BodyKind;
}

type BodyKind = 'an empty body' | 'a body of blanks' | 'JSON' | 'parameters' | 'another body';

type ComparedMessage = Pick<ReceivedResponse, 'headers' | 'body'> & Partial<ReceivedResponse>;

/** In bytes. Longer bodies are not compared: an answer of either operation is far shorter. */
const maxBody = 1024 * 1024;

/** Limits of nesting and of names. A larger answer is compared only up to these limits. */
const [maxDepth, maxNames] = [12, 200];

/** Headers whose value is drawn, or shows a time or a size. These values are not compared. */
const volatile = new Set(
  'date content-length set-cookie etag last-modified expires age via authorization host x-request-id'.split(' '),
);

/** Returns one object for equal features, because thousands of messages have few forms. */
function featureReader(): (message: ComparedMessage) => Features {
  const known = new Map<string, Features>();
  return (message) => {
    const features = featuresOf(message);
    const key = JSON.stringify(features);
    const found = known.get(key) ?? features;
    known.set(key, found);
    return found;
  };
}

function featuresOf({ headers, body, status, reason }: ComparedMessage): Features {
  const text = body.length > maxBody ? undefined : Buffer.from(body).toString('utf8');
  const read = text === undefined ? undefined : readBody(text);
  const spelled = headers
    .slice(0, maxNames)
    .map(([name, value]) => ({ name: name.toLowerCase(), spelling: name, value }));
  const names: Names[] = [{ group: 'header', path: '', names: spelled.map(({ name }) => name) }];
  const forms: Form[] = spelled.flatMap(({ name, spelling, value }): Form[] => [
    { change: 'header-spelling', name, value: spelling },
    ...(volatile.has(name) ? [] : [{ change: 'header-value', name, value } as const]),
  ]);
  if (reason !== undefined) forms.push({ change: 'reason-phrase', name: `HTTP ${status}`, value: reason });
  if (read?.kind === 'JSON') {
    addMembers(read.value, '$', 0, { names, forms });
    forms.push(...layoutOf(text!));
  } else if (read?.kind === 'parameters') {
    const pairs = read.pairs.slice(0, maxNames);
    names.push({ group: 'member', path: 'parameters', names: pairs.map(([name]) => name) });
    forms.push(...pairs.flatMap(([name, value]) => valueForms(name, value.replace(/\n$/, ''))));
  }
  return { names, forms, body: read?.kind ?? 'another body' };
}

/** All names that a rule of a policy can match. */
export function namesIn({ names, forms }: Features): string[] {
  const placed = names.flatMap((of) => of.names.map((name) => (of.path.startsWith('$') ? `${of.path}.${name}` : name)));
  return [...placed, ...forms.map(({ name }) => name)];
}

type ReadBody =
  | { readonly kind: 'JSON'; readonly value: object }
  | { readonly kind: 'parameters'; readonly pairs: readonly (readonly [string, string])[] }
  | { readonly kind: 'an empty body' | 'a body of blanks' | 'another body' };

function readBody(text: string): ReadBody {
  if (text === '') return { kind: 'an empty body' };
  if (text.trim() === '') return { kind: 'a body of blanks' };
  if (/^\s*[[{]/.test(text)) {
    try {
      return { kind: 'JSON', value: JSON.parse(text) as object };
    } catch {
      return { kind: 'another body' };
    }
  }
  if (/^[\w.-]+=/.test(text)) return { kind: 'parameters', pairs: [...new URLSearchParams(text)] };
  return { kind: 'another body' };
}

/** Adds the members of a JSON value. All elements of a list have one path, so a longer list is no change. */
function addMembers(value: unknown, path: string, depth: number, into: { names: Names[]; forms: Form[] }): void {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const element of value.slice(0, maxNames)) addMembers(element, `${path}[]`, depth + 1, into);
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).slice(0, maxNames);
    into.names.push({ group: 'member', path, names: members.map(([name]) => name) });
    for (const [name, member] of members) {
      const at = `${path}.${name}`;
      into.forms.push({ change: 'member-type', name: at, value: typeOf(member) });
      if (typeof member === 'string') into.forms.push(...valueForms(at, member));
      addMembers(member, at, depth + 1, into);
    }
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value;
}

/** The form of a value, coarse enough that drawn values of one kind have the same form. */
function valueForms(name: string, text: string): Form[] {
  const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
  const forms: Form[] = [{ change: 'value-form', name, value: isUuid ? 'UUID' : formOf(text) }];
  // If a UUID has no letters, it cannot show whether letters are small or capital.
  if (isUuid && /[a-f]/i.test(text)) {
    const letters = /[a-f]/.test(text) ? 'small letters' : 'capitals';
    forms.push({ change: 'value-form', name: `${name}, its letters`, value: letters });
  }
  return forms;
}

function formOf(text: string): string {
  if (text === '') return 'empty';
  if (/^\d+$/.test(text)) return 'digits';
  return /^[\d.:TZ+ -]+$/.test(text) ? 'digits and signs' : 'text';
}

/** White space and escapes change no value, but some clients cannot read them, so compare the layout too. */
function layoutOf(text: string): Form[] {
  const blanks = /\s/.test(text.replace(/"[\s\S]*?"(?<=(?<!\\)(?:\\\\)*")/g, '""'));
  const escapes = /\\u(?:00[2-7]|0[4-9a-f]|[1-9a-f])/i.test(text);
  return [
    { change: 'body-layout', name: 'white space', value: blanks ? 'between tokens' : 'none' },
    { change: 'body-layout', name: 'escapes', value: escapes ? '\\u escapes' : 'none' },
  ];
}
