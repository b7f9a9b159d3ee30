/** A comparison for people, on a terminal and in Markdown, and as JSON. Parts that have nothing to say are left out. */
import { countedWord } from '../../record/counted-word.ts';
import { code, details, prose, table } from '../../report/markdown.ts';
import { field, type Ink, type Paint, painter } from '../../report/terminal.ts';
import { printedJson, shortened, visible } from '../../report/visible.ts';
import { subjectAt } from '../../report/words.ts';
import type {
  AskedClient,
  BehaviourChange,
  ChangedOutcome,
  ClientReading,
  Difference,
  DiffVerdict,
  Impact,
  RunFacts,
  SharedCause,
  TakenRequests,
} from './difference.ts';
import { changeInWords, comparedInWords, isCause, isFailure, named, verdictInWords } from './verdict.ts';

/** The JSON of schemas/files/diff.json: two spaces, with a line end at the end. */
export function diffJson(difference: Difference): string {
  return printedJson(difference, 2);
}

const looks: Readonly<Record<DiffVerdict, { readonly ink: Ink; readonly sign: string }>> = {
  safe: { ink: 'green', sign: '✅' },
  thin: { ink: 'yellow', sign: '⚠️' },
  breaks: { ink: 'red', sign: '❌' },
  'not known': { ink: 'yellow', sign: '⚠️' },
};

/** The text for a terminal: the verdict in the first line, all of it on one screen, with a line end at the end. */
export function diffText(
  difference: Difference,
  { colour, width: columns }: { readonly colour: boolean; readonly width: number },
): string {
  const { verdict, sentence, impact } = difference;
  const paint = painter(colour);
  const block: Block = (label, text, { labelWidth = 0, indent = 0, limit = 200 } = {}) => {
    const layout = { indent, labelWidth, width: Math.max(columns, 40) };
    return field(label, visible(shortened(text, limit)), layout).map((line) => line.trimEnd());
  };
  const mostLines = 8;
  const lines = [
    `${paint(looks[verdict].ink, paint('bold', verdictInWords(difference)))} - ${comparedInWords(difference.compared)}`,
    ...block('', sentence, { limit: 1000 }),
    ...remarksOf(difference).flatMap((remark) => block('', remark)),
    '',
    ...block('OLD', runInWords(difference.old), { labelWidth: 5 }),
    ...block('NEW', runInWords(difference.new), { labelWidth: 5 }),
    ...(impact === undefined ? [] : matrixText(impact, paint, block)),
    ...sectionsOf(difference).flatMap(({ title, count, lines: all }) => [
      '',
      paint('bold', `${title} (${count})`),
      ...all
        .slice(0, mostLines)
        .flatMap(({ name, text }) => block('', text === '' ? name : `${name}: ${text}`, { indent: 2 })),
      ...(all.length > mostLines ? [`  … and ${all.length - mostLines} more: --json has them all`] : []),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Wrapped lines of a text that may quote a subject, cut at `limit` characters. */
type Block = (
  label: string,
  text: string,
  layout?: { readonly labelWidth?: number; readonly indent?: number; readonly limit?: number },
) => string[];

const readingInks: Readonly<Record<string, Ink>> = { breaks: 'red', unverified: 'yellow' };

function matrixText(impact: Impact, paint: Paint, block: Block): string[] {
  const { title, answers, head, rows, reasons } = whoBreaks(impact);
  // A longer name would push the verdicts out of sight.
  const shown = rows.map(([name = '', ...cells]) => [visible(shortened(name, 30)), ...cells]);
  const nameWidth = Math.max(...shown.map(([name = '']) => name.length)) + 2;
  const line = ([name = '', ...cells]: readonly string[]) => {
    const words = cells.map((cell) => {
      const [padded, ink] = [cell.padEnd(12), readingInks[cell]];
      return ink === undefined ? padded : paint(ink, padded);
    });
    return `  ${name.padEnd(nameWidth)}${words.join('')}`.trimEnd();
  };
  return [
    '',
    paint('bold', title),
    ...answers.flatMap(({ number, text }) => block(number, text, { labelWidth: 4, indent: 2, limit: 500 })),
    ...(head.length === 0 ? [] : [line(['', ...head]), ...shown.map(line)]),
    ...reasons.flatMap((reason) => block('', reason, { indent: 2, limit: 500 })),
  ];
}

/** Lines of one section, clients, and characters of a value: all together stay under the 65,536 of a comment. */
const [mostLines, mostClients, valueLimit] = [12, 30, 200];

/** GitHub-flavoured Markdown, short enough for a comment on a pull request, with a line end at the end. */
export function diffMarkdown(difference: Difference): string {
  const { verdict, sentence, impact } = difference;
  const parts = [
    `## ${looks[verdict].sign} ${verdictInWords(difference)}: ${comparedInWords(difference.compared)}`,
    prose(shortened(sentence, 3 * valueLimit)),
    ...remarksOf(difference).map((remark) => `> ${prose(shortened(remark, valueLimit))}`),
    `- OLD: ${code(runInWords(difference.old), valueLimit)}\n- NEW: ${code(runInWords(difference.new), valueLimit)}`,
    ...(impact === undefined ? [] : matrixMarkdown(impact)),
    ...sectionsOf(difference).map(({ title, count, lines, asks }) => {
      const shown = lines
        .slice(0, mostLines)
        .map(({ name, text }) => `- ${code(name, valueLimit)}${text === '' ? '' : `: ${code(text, valueLimit)}`}`);
      const more = lines.length > mostLines ? [`- … and ${lines.length - mostLines} more`] : [];
      const [heading, body] = [`${title} (${count})`, [...shown, ...more].join('\n')];
      return asks ? `### ${heading}\n\n${body}` : details(heading, body);
    }),
  ];
  return `${parts.join('\n\n')}\n`;
}

function matrixMarkdown(impact: Impact): string[] {
  const { title, answers, head, rows, reasons } = whoBreaks(impact);
  const beyond = rows.length - mostClients;
  const cells = rows.slice(0, mostClients).map(([name = '', ...readings]) => [code(name, 60), ...readings]);
  const told = [
    ...reasons.slice(0, mostClients),
    ...(beyond > 0 ? [`… and ${countedWord(beyond, 'more client')}`] : []),
  ];
  return [
    `### ${title}`,
    answers.map(({ number, text }) => `${number}. ${code(text, valueLimit)}`).join('\n'),
    head.length === 0 ? '' : table(['client', ...head], cells),
    told.map((reason) => `- ${code(reason, 2 * valueLimit)}`).join('\n'),
  ].filter((part) => part !== '');
}

interface DiffSection {
  readonly title: string;
  /** How many there are; the lines may be fewer. */
  readonly count: number;
  readonly lines: readonly DiffLine[];
  /** Somebody has to look at it: no writer folds it away. */
  readonly asks: boolean;
}

/** A name, and what is said of it. Both may quote a subject. */
interface DiffLine {
  readonly name: string;
  readonly text: string;
}

/** What asks for action comes first. */
export function sectionsOf(difference: Difference): DiffSection[] {
  const { causes, newlyBroken, newlyUndetermined, newlyDetermined, answers } = difference;
  const explained = new Set(causes.flatMap(({ requirements, interactions }) => [...requirements, ...interactions]));
  const undetermined = newlyUndetermined.filter(({ id }) => !explained.has(id));
  const gaps = undetermined.filter(({ id }) => difference.gaps.includes(id));
  const others = undetermined.filter((one) => !gaps.includes(one));
  const behaviour = (wanted: BehaviourChange['class']) =>
    difference.behaviour.filter((change) => change.class === wanted && !isCause(change, causes)).map(behaviourLine);
  const section = (title: string, lines: readonly DiffLine[], count = lines.length): DiffSection => ({
    title,
    count,
    lines,
    asks: false,
  });
  const asking = [
    section(
      'Newly broken',
      [
        ...causes.flatMap((cause) => [
          causeLine(cause, newlyBroken),
          ...newlyBroken
            .filter(
              (one) => one.source === 'requirement' && cause.requirements.includes(one.id) && !follows(one, cause),
            )
            .map(brokenLine),
        ]),
        ...newlyBroken.filter(({ id }) => !explained.has(id)).map(brokenLine),
      ],
      newlyBroken.length,
    ),
    section('Fails in NEW, not determined in OLD', newlyDetermined.filter(isFailure).map(outcomeLine)),
    section('Forbidden changes of behaviour', behaviour('forbidden')),
    section(
      'Risky or forbidden answers to open points',
      answerLines(answers.filter((answer) => answer.class !== 'allowed')),
    ),
    section('Risky changes of behaviour', behaviour('risky')),
    section('Not determined in NEW, kept in OLD', linesByReason(gaps), gaps.length),
  ].map((one) => ({ ...one, asks: true }));
  return [
    ...asking,
    section('Other answers to open points', answerLines(answers.filter((answer) => answer.class === 'allowed'))),
    section('Allowed changes of behaviour', behaviour('allowed')),
    section('Fixed', difference.fixed.map(outcomeLine)),
    section('Determined in NEW alone, and kept', newlyDetermined.filter((one) => !isFailure(one)).map(outcomeLine)),
    section('No longer determined, no effect on the verdict', linesByReason(others), others.length),
    section('Added to the contract', difference.added.map(outcomeLine)),
    section('Retired from the contract', difference.retired.map(outcomeLine)),
    ...sectionsOfNames(difference),
  ].filter(({ count, lines }) => count > 0 && lines.length > 0);
}

/** What is no change of an outcome: other names, other kinds, and what fails in both. */
export function sectionsOfNames({ renamed, kindChanged, stillBroken }: Difference): DiffSection[] {
  const sections: readonly (readonly [title: string, lines: DiffLine[]])[] = [
    ['Renamed', renamed.map(({ old, new: now }) => ({ name: now, text: `was ${old}` }))],
    ['Kind changed', kindChanged.map(({ id, old, new: now }) => ({ name: id, text: `${old} -> ${now}` }))],
    ['Fail in both', stillBroken.map((id) => ({ name: id, text: '' }))],
  ];
  return sections.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : [{ title, count: lines.length, lines, asks: false }],
  );
}

/** In what the runs are not alike, and what could not be compared: one sentence each. */
export function remarksOf({ unlike, comparedExchanges, idleRules = [] }: Difference): string[] {
  return [
    ...idleRules.map((rule) => `A rule of the policy fits nothing in either run: ${rule}`),
    ...unlike.map(({ what, old, new: now }) => `Differs: ${what} ${old} in OLD, ${now} in NEW`),
    ...(comparedExchanges === undefined
      ? [
          'Exchanges were not compared: a run was given without its exchanges.har, so only verdicts and answers to open points were',
        ]
      : []),
  ];
}

/** Who was run, when, and by what it was called: `gateway api.example (https://api.example), 2026-01-31, conformant`. */
function runInWords({ subject, startedAt, conclusion, concluded, labels = {}, runId }: RunFacts): string {
  return [
    ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    subjectAt({ ...subject, language: undefined }),
    startedAt.replace(/\.\d+Z$/, 'Z'),
    `run ${runId}`,
    concluded ?? conclusion,
  ].join(', ');
}

function outcomeLine(one: ChangedOutcome): DiffLine {
  return { name: nameOf(one), text: `${transition(one)}${one.actual === undefined ? '' : `: ${one.actual}`}` };
}

/** What was not determined for one reason is one line. */
function linesByReason(changes: readonly ChangedOutcome[]): DiffLine[] {
  const reasons = new Map<string, string[]>();
  for (const one of changes) {
    const reason = one.actual ?? transition(one);
    reasons.set(reason, [...(reasons.get(reason) ?? []), nameOf(one)]);
  }
  return [...reasons].map(([text, names]) => ({ name: named(names), text }));
}

/** The id of an interaction has a colon of its own. */
function nameOf({ id, source }: ChangedOutcome): string {
  const [, file, interaction] = (source === 'pact' && /^([^/]+\.json): (.*)$/s.exec(id)) || [];
  return file === undefined ? id : `${interaction} (${file})`;
}

function transition({ old, new: now }: ChangedOutcome): string {
  if (old === undefined) return now ?? '';
  return now === undefined ? `was ${old}` : `${old} -> ${now}`;
}

function brokenLine(one: ChangedOutcome): DiffLine {
  const { expected, actual } = one;
  const said = [expected === undefined ? '' : `expected ${expected}`, actual === undefined ? '' : `received ${actual}`];
  return { name: nameOf(one), text: said.filter(Boolean).join(', ') };
}

/** Whether a new name is all that became of it: what was expected or received there is the old one. */
export function follows(one: ChangedOutcome, { renamedTo, about, requirements, interactions }: SharedCause): boolean {
  if (renamedTo === undefined || ![...requirements, ...interactions].includes(one.id)) return false;
  const said = `${one.expected ?? ''} ${one.actual ?? ''}`.split(/[^\w-]+/);
  return one.source === 'pact' || one.new !== 'fail' || said.includes(about);
}

/** What shares the cause is counted by what became of it: only some of it may be newly broken. */
function causeLine(
  { about, change, name, renamedTo, requirements, interactions, ofInteractions }: Difference['causes'][number],
  newlyBroken: readonly ChangedOutcome[],
): DiffLine {
  const failing = newlyBroken.filter(({ id, source }) => source === 'requirement' && requirements.includes(id));
  const others = requirements.length - failing.length;
  const held = interactions.length;
  const parts = [
    held > 0 && `${held} of ${ofInteractions} Pact interactions no longer ${held === 1 ? 'holds' : 'hold'}`,
    failing.length > 0 && `${countedWord(failing.length, 'requirement')} ${failing.length === 1 ? 'fails' : 'fail'}`,
    others > 0 && `${others} ${others === 1 ? 'is' : 'are'} not determined any more`,
  ];
  return {
    name: parts.filter(Boolean).join(', '),
    text: change === undefined ? about : changeInWords({ change, name: name ?? about, renamedTo }),
  };
}

/** The word that a policy has for the change is there too. */
function behaviourLine(one: BehaviourChange): DiffLine {
  const { change, operations, old, new: now, seen, because, renamedTo } = one;
  const where = operations.length === 1 ? ` of ${operations[0]}` : '';
  const why = because === undefined ? '' : `, because ${because}`;
  if (change === 'meaning') {
    return { name: `${meaningInWords(one)} (${change})`, text: `${operations.join(' and ')}${why}` };
  }
  const times = seen === undefined ? where : `${timesInWords(seen)}${where}`;
  const became = renamedTo === undefined ? (shareInWords(one) ?? `${valuesInWords(old)} -> ${valuesInWords(now)}`) : '';
  const seenIn = became === '' || seen === undefined ? times : ` (${times})`;
  return { name: `${changeInWords(one)} (${change})`, text: `${became}${seenIn}${why}` };
}

/** `1660 of 1662 exchanges`, or `12 exchanges` where all of them are meant. */
export function timesInWords({ times, of = times }: Seen): string {
  return times === of ? countedWord(times, 'exchange') : `${times} of ${of} exchanges`;
}

type Seen = NonNullable<BehaviourChange['seen']>;

/** How often a name that came or went is there in NEW; undefined of other changes. */
export function shareInWords({ change, new: [share = ''] }: BehaviourChange): string | undefined {
  const isThere = change.endsWith('-came');
  if (!isThere && !change.endsWith('-went')) return undefined;
  return shares[share] ?? (isThere ? 'now there in some' : 'now missing in some');
}

const shares: Readonly<Record<string, string>> = { always: 'now always there', never: 'now never there' };

function valuesInWords(values: readonly string[]): string {
  return values.map((value) => (value === '' ? '(empty)' : value)).join(' or ');
}

/** `97 requests that were refused are now accepted`. */
function meaningInWords({ old, new: now, seen }: BehaviourChange): string {
  const [were, are] = [old, now].map((all) => all.map((meaning) => meanings[meaning] ?? meaning).join(' or '));
  return seen?.times === 1
    ? `1 request that was ${were} is now ${are}`
    : `${seen === undefined ? '' : `${seen.times} `}requests that were ${were} are now ${are}`;
}

/** What became of a request, where its name is not a word for it. */
const meanings: Readonly<Record<string, string>> = {
  'past-authentication': 'refused after authentication',
  unclear: 'answered unclearly',
};

/** The answers to one open point in one line, the first of them as examples. */
export function answerLines(answers: readonly BehaviourChange[]): DiffLine[] {
  const points = new Map<string, BehaviourChange[]>();
  for (const answer of answers) points.set(answer.name!, [...(points.get(answer.name!) ?? []), answer]);
  return [...points].map(([name, [first, ...others]]) => ({
    name: changeInWords(first!),
    text: [
      `${first!.class}${first!.because === undefined ? '' : `, because ${first!.because}`}`,
      ...(first!.also ?? []).map((one) => `answered with ${one}`),
      ...(others.length === 0 ? [] : [`${others.length} more to ${name}`]),
    ].join('; '),
  }));
}

/** The matrix of clients and changes, in words. */
interface WhoBreaks {
  readonly title: string;
  /** What each number at the head of the table stands for. */
  readonly answers: readonly { readonly number: string; readonly text: string }[];
  /** Numbers of answers; those that every client reads have no column. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Why, for each client that breaks or is unverified, and what was not asked. May quote a subject. */
  readonly reasons: readonly string[];
}

/** Columns that a terminal has room for. */
const mostColumns = 6;

/** What a client is asked: how it reads a kind of answer, or what becomes of its requests for an operation. */
interface Column {
  readonly text: string;
  /** Undefined for a client that sends no such request. */
  readonly of: (client: AskedClient) => ClientReading | TakenRequests | undefined;
}

export function whoBreaks(impact: Impact): WhoBreaks {
  const { answersLeftOut, clients, requests } = impact;
  const columns = columnsOf(impact);
  const open = [...columns.keys()].filter((at) =>
    clients.some((client) => (columns[at]!.of(client)?.is ?? 'reads it') !== 'reads it'),
  );
  const shown = open.slice(0, mostColumns);
  const those = (wanted: string) =>
    clients.filter((client) => columns.some(({ of }) => of(client)?.is === wanted)).length;
  const [unverified, hidden, read] = [those('unverified'), open.length - shown.length, columns.length - open.length];
  const rest = [
    read > 0 && `Read by all clients: ${countedWord(read, 'kind')} of answers of NEW`,
    hidden > 0 && `${countedWord(hidden, 'further kind')} of answers that somebody does not read: --json has them all`,
    answersLeftOut > 0 && `${countedWord(answersLeftOut, 'further kind')} of answers were given to no client`,
    requests.is !== 'sent' && `What the clients send: unverified, ${requests.reason}`,
  ];
  return {
    title: `Who breaks: ${those('breaks')} of ${countedWord(clients.length, 'client')}${unverified === 0 ? '' : `, ${unverified} not verified everywhere`}`,
    answers: shown.map((at) => ({ number: String(at + 1), text: columns[at]!.text })),
    head: shown.map((at) => String(at + 1)),
    rows: clients.map((client) => [client.name, ...shown.map((at) => columns[at]!.of(client)?.is ?? 'sends none')]),
    reasons: [...clients.flatMap((client) => reasonsOf(client, columns)), ...rest.filter((text) => text !== false)],
  };
}

/** Those of requests come first: whoever is refused reads no answer. */
function columnsOf({ answers, clients, requests }: Impact): Column[] {
  const sent = [...new Set(clients.flatMap((client) => client.requests ?? []).map(({ operation }) => operation))];
  return [
    ...sent.sort().map(
      (operation): Column => ({
        text: `requests for ${operation}, sent again to ${requests.is === 'sent' ? requests.to : 'NEW'}`,
        of: (client) => client.requests?.find((one) => one.operation === operation),
      }),
    ),
    ...answers.map((answer, at): Column => ({ text: answerInWords(answer), of: ({ readings }) => readings[at] })),
  ];
}

function answerInWords({ operation, changes, class: worst, seen }: Impact['answers'][number]): string {
  const [first, ...others] = changes;
  const times = countedWord(seen.times, 'exchange');
  if (first === undefined) return `${operation}, in the form of OLD (${times})`;
  return `${operation}: ${first}${others.length === 0 ? '' : ` and ${others.length} more`} (${worst}, ${times})`;
}

/** The same reason is given once, with the numbers of all that it is true of. */
function reasonsOf(client: AskedClient, columns: readonly Column[]): string[] {
  const told = new Map<string, number[]>();
  for (const [at, { of }] of columns.entries()) {
    const why = whyNot(of(client));
    if (why !== undefined) told.set(why, [...(told.get(why) ?? []), at + 1]);
  }
  return [...told].map(([why, numbers]) => {
    const where = numbers.length > 4 ? `${numbers[0]} and ${numbers.length - 1} more` : numbers.join(', ');
    return `${client.name}${numbers.length === columns.length ? '' : `, ${where}`}: ${why}`;
  });
}

function whyNot(reading: ClientReading | TakenRequests | undefined): string | undefined {
  if (reading === undefined || reading.is === 'reads it') return undefined;
  if (reading.is === 'unverified') return `unverified, ${reading.reason}`;
  if (!('of' in reading)) {
    const { answered, expected, read, exchange, oldExchange } = reading;
    return `breaks, reads ${read} in place of ${expected} where exchange ${exchange} of NEW is ${answered}, and reads exchange ${oldExchange} of OLD`;
  }
  const taken = `NEW took ${reading.accepted} of its ${countedWord(reading.of, 'right request')}`;
  if (reading.is === 'accepted') {
    return reading.accepted === reading.of ? undefined : `accepted, ${taken}; the others were not sent`;
  }
  const { exchange, answered } = reading;
  return `breaks, exchange ${exchange} of its run was right, and NEW answers ${answered} twice; it accepts the same values as the suite writes them. ${taken}`;
}
