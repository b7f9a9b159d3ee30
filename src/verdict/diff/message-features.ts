/** Features of messages that two runs can compare: parts and forms by case, never the values of one run. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Case } from '../../record/case.ts';
import type { Exchange, Header } from '../../record/exchange.ts';
import { answerReadings } from '../../rules/answers/acceptance.ts';

export interface ComparedAnswer {
  readonly key: string;
  readonly operation: Operation;
  /** What it means to the sender of the request. */
  readonly meaning: string;
  /** Set if the answer is recorded under an open point instead of judged by a requirement. */
  readonly openPoint?: string;
  readonly status: number;
  readonly features: Features;
  readonly exchange: number;
  /** The meaning of the message if its members are renamed by `names`, so that a renamed member is read by its name in OLD. */
  meaningWith(names: ReadonlyMap<string, string>): string;
}

/** The answers of a gateway, or the requests of a client, for cases that both runs have. */
export function commonAnswers(
  old: readonly Case[],
  fresh: readonly Case[],
  subject: 'gateway' | 'client',
): readonly [old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]] {
  const [before, now] = [answersOf(old, subject), answersOf(fresh, subject)];
  const [keys, nowKeys] = [keysOf(before), keysOf(now)];
  return [before.filter(({ key }) => nowKeys.has(key)), now.filter(({ key }) => keys.has(key))];
}

/** The place of a case in the plan, without drawn values. Numbers of cases and exchanges depend on earlier draws. */
export function labelKey({ scenario, label }: Case): string {
  const { operation, intent, about, openPoint, differsIn, edge, facts } = label;
  return JSON.stringify([
    scenario,
    operation,
    intent,
    about,
    openPoint,
    differsIn,
    edge?.generator,
    edge?.name,
    facts?.gate,
  ]);
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

/** A JSON member name precedes a colon, a parameter name precedes `=`. */
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

function keysOf(answers: readonly ComparedAnswer[]): Set<string> {
  return new Set(answers.map(({ key }) => key));
}

/** Names that may be present or absent: the headers of a message, or the members of an object. */
interface Names {
  readonly group: 'header' | 'member';
  /** The path of an object: `$.response.gates[]`, or `parameters`; empty for headers. */
  readonly path: string;
  /** In message order. Header names are in lower case. */
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

interface ComparedMessage {
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  readonly status?: number;
  readonly reason?: string;
}

/** In bytes. Longer bodies are not examined: an answer to either operation is far shorter. */
const longest = 1024 * 1024;

/** Limits of nesting and of members: only the start of an endless answer is compared. */
const [deepest, widest] = [12, 200];

/** Headers whose value differs each time, or shows a time or a size. They are not compared. */
const volatile = new Set(
  'date content-length set-cookie etag last-modified expires age via authorization host x-request-id'.split(' '),
);

/** Equal features share one object, because thousands of messages have few forms. */
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
  const text = body.length > longest ? undefined : Buffer.from(body).toString('utf8');
  const read = text === undefined ? undefined : readBody(text);
  const names: Names[] = [
    { group: 'header', path: '', names: headers.slice(0, widest).map(([name]) => name.toLowerCase()) },
  ];
  const forms: Form[] = headers
    .slice(0, widest)
    .flatMap(([name, value]): Form[] => [
      { change: 'header-spelling', name: name.toLowerCase(), value: name },
      ...(volatile.has(name.toLowerCase())
        ? []
        : [{ change: 'header-value', name: name.toLowerCase(), value } as const]),
    ]);
  if (reason !== undefined) forms.push({ change: 'reason-phrase', name: `HTTP ${status}`, value: reason });
  if (read?.kind === 'JSON') {
    look(read.value, '$', 0, { names, forms });
    forms.push(...layoutOf(text!));
  } else if (read?.kind === 'parameters') {
    names.push({ group: 'member', path: 'parameters', names: read.pairs.slice(0, widest).map(([name]) => name) });
    for (const [name, value] of read.pairs.slice(0, widest)) {
      forms.push(...valueForms(name, value.replace(/\n$/, '')));
    }
  }
  return { names, forms, body: read?.kind ?? 'another body' };
}

/** All names of the message that a policy can use. */
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

/** All elements of a list share one path, because their number is a value. */
function look(value: unknown, path: string, depth: number, into: { names: Names[]; forms: Form[] }): void {
  if (depth > deepest) return;
  if (Array.isArray(value)) {
    for (const element of value.slice(0, widest)) look(element, `${path}[]`, depth + 1, into);
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).slice(0, widest);
    into.names.push({ group: 'member', path, names: members.map(([name]) => name) });
    for (const [name, member] of members) {
      const at = `${path}.${name}`;
      into.forms.push({ change: 'member-type', name: at, value: typeOf(member) });
      if (typeof member === 'string') into.forms.push(...valueForms(at, member));
      look(member, at, depth + 1, into);
    }
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value;
}

/** Coarse enough that all values of one kind have the same form. */
function valueForms(name: string, text: string): Form[] {
  const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
  const forms: Form[] = [{ change: 'value-form', name, value: isUuid ? 'UUID' : formOf(text) }];
  // A UUID with only digits shows no case.
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

/** White space and escapes do not change a value, but clients have broken over both. */
function layoutOf(text: string): Form[] {
  const blanks = /\s/.test(text.replace(/"[\s\S]*?"(?<=(?<!\\)(?:\\\\)*")/g, '""'));
  return [
    { change: 'body-layout', name: 'white space', value: blanks ? 'between tokens' : 'none' },
    {
      change: 'body-layout',
      name: 'escapes',
      value: /\\u(?:00[2-7]|0[4-9a-f]|[1-9a-f])/i.test(text) ? '\\u escapes' : 'none',
    },
  ];
}
