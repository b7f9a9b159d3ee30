/** Changes that no requirement judges: in meanings of answers, in the form of messages, in answers to open points. */
import type { IdRenames } from '../../../contracts/id-renames.ts';
import type { Operation } from '../../../contracts/operations.ts';
import type { Case } from '../../record/case.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import type { Side as Subject } from '../../record/run.ts';
import { answerReadings } from '../../rules/answers/acceptance.ts';
import type { Change, ChangeName, ComparedRun } from './difference.ts';

/** Compares messages. Also returns `names`, which policy rules can match, and `meanings` by exchange number of NEW. */
export function wireChanges(old: ComparedRun, fresh: ComparedRun) {
  if (old.cases === undefined || fresh.cases === undefined) return { changes: [] };
  const [before, raw] = commonAnswers(old.cases, fresh.cases, fresh.result.subject.kind);
  const now = readWithOldNames(before, raw);
  const meanings = new Map(now.map(({ exchange, meaning }) => [exchange, meaning]));
  const names = new Set([...before, ...now].flatMap(({ features }) => features.forms.map(({ name }) => name)));
  return { changes: behaviourChanges(before, now), compared: now.length, names: [...names], meanings };
}

/** Changes in the answers to cases that both runs have. */
export function behaviourChanges(old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]): Change[] {
  // Compare the form of an answer only with answers to the same operation that have the same meaning.
  const classOf = ({ operation, meaning }: ComparedAnswer) => `${operation} ${meaning}`;
  const cases = groupBy(old, ({ key }) => key);
  const classes = groupBy(old, classOf);
  return [
    ...[...groupBy(fresh, ({ key }) => key)].flatMap(([key, now]) => caseChanges(cases.get(key)!, now)),
    ...[...groupBy(fresh, classOf)].flatMap(([key, now]) => classChanges(classes.get(key) ?? [], now)),
  ];
}

/** Renamed members make answers unclear. Reads these with the member names of OLD, to report only the rename. */
function readWithOldNames(old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]): readonly ComparedAnswer[] {
  const meanings = new Map(old.map(({ key, meaning }) => [key, meaning]));
  const assumed = fresh.map((one) => (one.meaning === 'unclear' ? { ...one, meaning: meanings.get(one.key)! } : one));
  const names = new Map(
    behaviourChanges(old, assumed).flatMap(({ change, name, renamedTo }) =>
      change === 'member-went' && name && renamedTo ? [[lastOf(renamedTo), lastOf(name)] as const] : [],
    ),
  );
  return fresh.map((one) => (one.meaning === 'unclear' ? { ...one, meaning: one.meaningWith(names) } : one));
}

/** The last name of a path, such as `errorCode` of `$.response.errorCode`. */
export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function caseChanges(old: readonly ComparedAnswer[], fresh: readonly [ComparedAnswer, ...ComparedAnswer[]]): Change[] {
  const [{ operation, openPoint }] = fresh;
  const changesIn = (
    change: ChangeName,
    answers: readonly ComparedAnswer[],
    show: (answer: ComparedAnswer) => string,
  ): Change[] => {
    const oldValues = new Set(old.map(show));
    const newAnswers = answers.filter((answer) => !oldValues.has(show(answer)));
    if (newAnswers.length === 0) return [];
    const [before, now] = [[...oldValues].sort(), [...new Set(newAnswers.map(show))].sort()];
    return [{ change, operation, old: before, new: now, exchanges: newAnswers.map(({ exchange }) => exchange) }];
  };
  const meanings = new Set(old.map(({ meaning }) => meaning));
  const sameMeaning = fresh.filter(({ meaning }) => meanings.has(meaning));
  const wasEmpty = old.every(({ features }) => features.body === 'an empty body');
  return [
    // If the meaning of an answer to an open point changes, `answerChanges` reports this.
    ...(openPoint === undefined ? changesIn('meaning', fresh, ({ meaning }) => meaning) : []),
    ...changesIn('status', sameMeaning, ({ meaning, status }) => `${meaning} with HTTP ${status}`),
    ...changesIn(
      wasEmpty ? 'body-where-empty' : 'body-kind',
      sameMeaning,
      ({ meaning, features }) => `${meaning} with ${features.body}`,
    ),
  ];
}

function classChanges(old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]): Change[] {
  if (old.length === 0) return [];
  const [before, now] = [summaryOf(old), summaryOf(fresh)];
  const found = [
    ...[...now.groups].flatMap(([id, group]) => {
      const oldGroup = before.groups.get(id);
      if (oldGroup === undefined) return [];
      const names = withRenames(nameChanges(oldGroup, group), [oldGroup, before.forms], [group, now.forms]);
      return [...names, ...orderChanges(oldGroup, group)];
    }),
    ...[...now.forms].flatMap(([id, form]) => formChange(before.forms.get(id), form)),
  ];
  return found.map((change) => ({ ...change, operation: fresh[0]!.operation }));
}

type GroupChange = Omit<Change, 'operation'>;

/** Counts names, and their order, in the headers of all messages or in all JSON objects at one path. */
interface Group extends Omit<Names, 'names'> {
  total: number;
  readonly exchanges: Set<number>;
  readonly present: Map<string, { times: number; readonly exchanges: Set<number> }>;
  /** The key is two names of a message, the earlier one first. `order`: all names of the first such message. */
  readonly pairs: Map<string, { readonly order: readonly string[]; readonly exchanges: Set<number> }>;
}

/** A message may have any number of names, so only the order of the first names is compared. */
const maxOrdered = 40;

interface FormValues extends Omit<Form, 'value'> {
  readonly values: Map<string, Set<number>>;
  times: number;
}

function summaryOf(answers: readonly ComparedAnswer[]) {
  const groups = new Map<string, Group>();
  const forms = new Map<string, FormValues>();
  for (const { features, exchange } of answers) {
    for (const { group, path, names } of features.names) {
      const empty = { total: 0, exchanges: new Set<number>(), present: new Map(), pairs: new Map() };
      const found = getOrAdd(groups, `${group} ${path}`, { group, path, ...empty });
      found.total += 1;
      found.exchanges.add(exchange);
      const order = [...new Set(names)];
      for (const [index, name] of order.entries()) {
        const one = getOrAdd(found.present, name, { times: 0, exchanges: new Set() });
        one.times += 1;
        one.exchanges.add(exchange);
        for (const later of index < maxOrdered ? order.slice(index + 1, maxOrdered) : []) {
          getOrAdd(found.pairs, `${name}\n${later}`, { order, exchanges: new Set() }).exchanges.add(exchange);
        }
      }
    }
    for (const { change, name, value } of features.forms) {
      const found = getOrAdd(forms, `${change} ${name}`, { change, name, values: new Map(), times: 0 });
      found.times += 1;
      getOrAdd(found.values, value, new Set()).add(exchange);
    }
  }
  return { groups, forms };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, initial: Value): Value {
  const found = map.get(key) ?? initial;
  map.set(key, found);
  return found;
}

function nameChanges(old: Group, now: Group): GroupChange[] {
  const names = new Set([...old.present.keys(), ...now.present.keys()]);
  return [...names].flatMap((name): GroupChange[] => {
    const [before, after] = [frequencyOf(old, name), frequencyOf(now, name)];
    const isNew = before === 'never' && after !== 'never';
    const isGone = after !== 'always' && (before === 'always' || (before === 'sometimes' && after === 'never'));
    if (!isNew && !isGone) return [];
    const withName = now.present.get(name)?.exchanges ?? new Set();
    const exchanges = isNew ? [...withName] : [...now.exchanges].filter((number) => !withName.has(number));
    const change: ChangeName = `${old.group}-${isNew ? 'came' : 'went'}`;
    return [{ change, name: pathOf(old, name), old: [before], new: [after], exchanges, of: now.exchanges.size }];
  });
}

const replacementFor: Readonly<Record<string, string>> = {
  'content-length': 'transfer-encoding',
  'transfer-encoding': 'content-length',
};

type Side = readonly [group: Group, forms: ReadonlyMap<string, FormValues>];

/** Merges two changes into one rename: a name is gone, and a name of the same kind is new in the same messages. */
function withRenames(found: readonly GroupChange[], [old, oldForms]: Side, [now, newForms]: Side): GroupChange[] {
  const [removed, added] = ['went', 'came'].map((suffix) => found.filter(({ change }) => change.endsWith(suffix)));
  const kind = (forms: Side[1], name = '') =>
    ['member-type', 'value-form'].map((of) => [...(forms.get(`${of} ${name}`)?.values.keys() ?? [])].sort()).join('; ');
  const place = (group: Group, name = '') => [...group.present.keys()].findIndex((one) => pathOf(group, one) === name);
  const isRename = (dropped: GroupChange, other: GroupChange) => {
    const exchanges = new Set(dropped.exchanges);
    if (!other.exchanges.every((number) => exchanges.has(number))) return false;
    if (old.group === 'header') return replacementFor[dropped.name ?? ''] === other.name;
    const isSame = kind(oldForms, dropped.name) === kind(newForms, other.name);
    return isSame && exchanges.size === other.exchanges.length;
  };
  const newNames = new Map<GroupChange, GroupChange>();
  for (const dropped of removed!) {
    const candidates = added!.filter((other) => isRename(dropped, other));
    const [first] = candidates;
    const isOnly = candidates.length === 1 && removed!.filter((other) => isRename(other, first!)).length === 1;
    const other = isOnly ? first : candidates.find(({ name }) => place(now, name) === place(old, dropped.name));
    if (other !== undefined) newNames.set(dropped, other);
  }
  const used = new Set(newNames.values());
  return found
    .filter((one) => !used.has(one))
    .map((one) => (newNames.has(one) ? { ...one, renamedTo: newNames.get(one)!.name } : one));
}

function frequencyOf({ present, total }: Group, name: string): 'never' | 'sometimes' | 'always' {
  const times = present.get(name)?.times ?? 0;
  if (times === 0) return 'never';
  return times === total ? 'always' : 'sometimes';
}

function pathOf({ path }: Group, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function orderChanges(old: Group, now: Group): GroupChange[] {
  const reverseOf = (pair: string) => old.pairs.get(pair.split('\n').reverse().join('\n'));
  const swaps = [...now.pairs].filter(([pair]) => !old.pairs.has(pair) && reverseOf(pair) !== undefined);
  const [first] = swaps;
  if (first === undefined) return [];
  const [earlier, later] = [reverseOf(first[0])!.order, first[1].order];
  const commonNames = (order: readonly string[], other: readonly string[]) =>
    order.filter((name) => other.includes(name)).join(', ');
  const exchanges = [...new Set(swaps.flatMap(([, one]) => [...one.exchanges]))];
  const change: ChangeName = `${old.group}-order`;
  const name = old.path || undefined;
  return [{ change, name, old: [commonNames(earlier, later)], new: [commonNames(later, earlier)], exchanges }];
}

function formChange(old: FormValues | undefined, now: FormValues): GroupChange[] {
  if (old === undefined) return [];
  const { change, name } = now;
  const added = [...now.values].filter(([value]) => !old.values.has(value));
  if (added.length === 0 || (change === 'header-value' && (isRandom(old) || isRandom(now)))) return [];
  const exchanges = [...new Set(added.flatMap(([, numbers]) => [...numbers]))];
  return [{ change, name, old: [...old.values.keys()].sort(), new: added.map(([value]) => value).sort(), exchanges }];
}

/** If a header has more different values than this, its values count as random. */
const maxValues = 4;

function isRandom({ name, values, times }: FormValues): boolean {
  const isStable = ['content-type', 'connection', 'keep-alive', 'transfer-encoding'].includes(name);
  return values.size > maxValues || (!isStable && times < 3 * values.size);
}

/** Finds changed answers to open points. `ids`: from old to new id. `meanings`: from exchange number of NEW. */
export function answerChanges(
  old: ComparedRun,
  fresh: ComparedRun,
  ids: IdRenames['ids'],
  meanings?: ReadonlyMap<number, string>,
): Change[] {
  const before = questionsOf(old, fresh, ids);
  return [...questionsOf(fresh, old, {}, meanings)].flatMap(([id, now]): Change[] => {
    const previous = before.get(id);
    if (previous === undefined) return [];
    const newAnswers = [...now.answers].filter(([answer]) => !previous.answers.has(answer));
    const dropped = [...previous.answers.keys()].filter((answer) => !now.answers.has(answer));
    // If an answer such as `accepted` is in both runs, it depends on other details. So report no changed acceptance.
    const isDecided = dropped.length === previous.answers.size && newAnswers.length === now.answers.size;
    if (newAnswers.length === 0 || (!isDecided && acceptance.test(newAnswers[0]![0]))) return [];
    const withQuestion = (answer: string) => (now.question === '' ? answer : `${now.question}: ${answer}`);
    const exchanges = newAnswers.flatMap(([, numbers]) => numbers);
    return [
      {
        change: 'open-answer',
        name: now.openPoint,
        old: dropped.map(withQuestion),
        new: newAnswers.map(([answer]) => withQuestion(answer)),
        exchanges,
        operation: fresh.cases?.[(exchanges[0] ?? 0) - 1]?.label.operation,
      },
    ];
  });
}

const acceptance = /^(?:accepted|refused|past-authentication|unclear)\b/;

interface Question {
  readonly openPoint: string;
  readonly question: string;
  readonly answers: Map<string, number[]>;
}

/** The answers of a run to open points. If both runs have exchanges, ignores cases that only one run has. */
function questionsOf(
  { result, cases }: ComparedRun,
  other: ComparedRun,
  ids: IdRenames['ids'],
  meanings: ReadonlyMap<number, string> = new Map(),
): Map<string, Question> {
  const keys = cases && other.cases && new Set(other.cases.map(labelKey));
  const questions = new Map<string, Question>();
  for (const { openPoint: reported, value, exchanges } of result.observations) {
    const openPoint = ids[reported] ?? reported;
    const { question, answer } = splitAnswer(maskRandom(value));
    if (answer.startsWith('undetermined')) continue;
    for (const exchange of exchanges) {
      const testCase = keys && cases?.[exchange - 1];
      if (keys !== undefined && (testCase === undefined || !keys.has(labelKey(testCase)))) continue;
      const id = `${openPoint} ${testCase?.label.operation} ${question}`;
      const { answers } = getOrAdd(questions, id, { openPoint, question, answers: new Map() });
      const resolved = answer === 'unclear' ? (meanings.get(exchange) ?? answer) : answer;
      getOrAdd(answers, resolved, []).push(exchange);
    }
  }
  return questions;
}

/** Splits an observation at the last colon before any quote. Without such a colon, `question` is empty. */
export function splitAnswer(value: string): { readonly question: string; readonly answer: string } {
  const quote = value.indexOf("'");
  const colon = value.lastIndexOf(': ', quote === -1 ? value.length : quote);
  if (colon === -1) return { question: '', answer: value };
  return { question: value.slice(0, colon), answer: value.slice(colon + 2) };
}

function maskRandom(value: string): string {
  const plain = value.replace(/a body of \d+ bytes/g, 'a body');
  const quote = plain.indexOf("'");
  if (quote === -1 || !plain.endsWith("'")) return plain;
  return plain.slice(0, quote) + plain.slice(quote).replace(/[\da-f-]{8,}|\d+/gi, '…');
}

export interface ComparedAnswer {
  readonly key: string;
  readonly operation: Operation;
  readonly meaning: string;
  /** Set if no requirement judges the answer, but an open point records it. */
  readonly openPoint?: string;
  readonly status: number;
  readonly features: Features;
  readonly exchange: number;
  /** The meaning of the answer after its members are renamed. `names`: from each new name (key) to the old name. */
  meaningWith(names: ReadonlyMap<string, string>): string;
}

/** The answers of a gateway, or the requests of a client, for cases that both runs have. */
export function commonAnswers(
  old: readonly Case[],
  fresh: readonly Case[],
  subject: Subject,
): readonly [old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]] {
  const [before, now] = [answersOf(old, subject), answersOf(fresh, subject)];
  const inBoth = (answers: typeof before, others: typeof before) => {
    const keys = new Set(others.map(({ key }) => key));
    return answers.filter(({ key }) => keys.has(key));
  };
  return [inBoth(before, now), inBoth(now, before)];
}

/** Identifies a planned case in both runs. Leaves out the case number, because it depends on random values. */
function labelKey({ scenario, label }: Case): string {
  const { operation, intent, about, openPoint, differsIn, edge, facts } = label;
  const place = [scenario, operation, intent, about, openPoint, differsIn];
  return JSON.stringify([...place, edge?.generator, edge?.name, facts?.gate]);
}

function answersOf(cases: readonly Case[], subject: Subject): ComparedAnswer[] {
  return cases.flatMap((testCase, index) => {
    const { exchanges, label } = testCase;
    const { response, request } = exchanges[0];
    const message = subject === 'client' ? request : response;
    if (message === undefined) return [];
    const meaningWith = (names: ReadonlyMap<string, string>) =>
      subject === 'client' ? 'sent' : answerReadings[label.operation].acceptance(withNames(exchanges[0], names));
    return [
      {
        key: labelKey(testCase),
        operation: label.operation,
        meaning: meaningWith(new Map()),
        meaningWith,
        openPoint: label.openPoint,
        status: 'status' in message ? message.status : 0,
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
  const renamed = Buffer.from(response.body)
    .toString('latin1')
    .replace(/"([^"\\]+)"(?=\s*:)|(?<=^|&)[\w.-]+(?==)/g, (match, member: string | undefined) => {
      const name = names.get(member ?? match);
      if (name === undefined) return match;
      return member === undefined ? name : JSON.stringify(name);
    });
  return { ...exchange, response: { ...response, body: Buffer.from(renamed, 'latin1') } };
}

interface Names {
  readonly group: 'header' | 'member';
  /** The path of an object, such as `$.response.gates[]`; empty for headers and for parameters. */
  readonly path: string;
  /** In the order of the message. Names of headers are in lower case. */
  readonly names: readonly string[];
}

interface Form {
  readonly change: ChangeName;
  readonly name: string;
  readonly value: string;
}

interface Features {
  readonly names: Names[];
  readonly forms: Form[];
  readonly body: 'an empty body' | 'a body of blanks' | 'JSON' | 'parameters' | 'another body';
}

/** In bytes. Longer bodies are not compared: an answer of either operation is far shorter. */
const maxBodyBytes = 1024 * 1024;

/** Limits of nesting and of names. A larger answer is compared only up to these limits. */
const maxDepth = 12;
const maxNames = 200;

/** Headers whose value is random, a time or a size. These values are not compared. */
const volatile = new Set(
  'date content-length set-cookie etag last-modified expires age via authorization host x-request-id'.split(' '),
);

function featuresOf(message: ReceivedResponse | SentRequest): Features {
  const { body } = message;
  const headers = message.headers.slice(0, maxNames);
  const names: Names[] = [{ group: 'header', path: '', names: headers.map(([name]) => name.toLowerCase()) }];
  const forms: Form[] = [];
  for (const [spelling, value] of headers) {
    const name = spelling.toLowerCase();
    forms.push({ change: 'header-spelling', name, value: spelling });
    if (!volatile.has(name)) forms.push({ change: 'header-value', name, value });
  }
  if ('status' in message) {
    forms.push({ change: 'reason-phrase', name: `HTTP ${message.status}`, value: message.reason });
  }
  if (body.length > maxBodyBytes) return { names, forms, body: 'another body' };
  const text = Buffer.from(body).toString('utf8');
  if (text.trim() === '') return { names, forms, body: text === '' ? 'an empty body' : 'a body of blanks' };
  if (/^\s*[[{]/.test(text)) {
    try {
      addMembers(JSON.parse(text), '$', 0, { names, forms });
    } catch {
      return { names, forms, body: 'another body' };
    }
    return { names, forms: [...forms, ...layoutOf(text)], body: 'JSON' };
  }
  if (!/^[\w.-]+=/.test(text)) return { names, forms, body: 'another body' };
  const pairs = [...new URLSearchParams(text)].slice(0, maxNames);
  names.push({ group: 'member', path: '', names: pairs.map(([name]) => name) });
  forms.push(...pairs.flatMap(([name, value]) => valueForms(name, value.replace(/\n$/, ''))));
  return { names, forms, body: 'parameters' };
}

/** Adds the members of a JSON value. All elements of a list have one path, so a longer list is no change. */
function addMembers(value: unknown, path: string, depth: number, features: Pick<Features, 'names' | 'forms'>): void {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const element of value.slice(0, maxNames)) addMembers(element, `${path}[]`, depth + 1, features);
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).slice(0, maxNames);
    features.names.push({ group: 'member', path, names: members.map(([name]) => name) });
    for (const [name, member] of members) {
      const memberPath = `${path}.${name}`;
      features.forms.push({ change: 'member-type', name: memberPath, value: typeOf(member) });
      if (typeof member === 'string') features.forms.push(...valueForms(memberPath, member));
      addMembers(member, memberPath, depth + 1, features);
    }
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value;
}

/** Describes the form of a value so roughly that random values of one kind have the same form. */
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
