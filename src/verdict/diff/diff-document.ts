/** A comparison as a document for people. It leaves out empty parts. */
import { questionOf } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { groupBy } from '../../record/group-by.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Outcome } from '../../record/result/result.ts';
import {
  type Block,
  type Card,
  type Change,
  type Document,
  fact,
  type Line,
  named,
  optional,
  type Piece,
  rowAnchor,
  type Section,
  textOf,
} from '../../report/document.ts';
import { formatLabels, formatSubject } from '../../report/phrases.ts';
import { shortened } from '../../report/visible.ts';
import type {
  BehaviourChange,
  ChangeClass,
  ChangedOutcome,
  CheckedClient,
  ClientReading,
  ClientRequests,
  Difference,
  DiffVerdict,
  Impact,
  RunFacts,
  SharedCause,
} from './difference.ts';
import { formatChange, formatCompared, formatVerdict, isCause, isFailure, worstFirst } from './verdict.ts';

/** Each verdict gets the sign and the colour of this outcome. */
export const verdictOutcomes: Readonly<Record<DiffVerdict, Outcome>> = {
  safe: 'pass',
  thin: 'inconclusive',
  breaks: 'fail',
  'not known': 'inconclusive',
};

const titles: Readonly<Record<DiffVerdict, string>> = {
  safe: 'Safe: NEW can replace OLD',
  thin: 'Nothing broke, but not everything was compared',
  breaks: 'NEW breaks something that works with OLD',
  'not known': 'It is unknown whether NEW can replace OLD',
};

export function diffDocument(difference: Difference): Document {
  const { verdict, sentence, compared, impact, old, new: fresh } = difference;
  const remarks = remarksOf(difference).map((remark): Block => ({ text: remark, look: 'note' }));
  return {
    product: 'Countersign comparison',
    name: `${formatVerdict(difference)}: ${fresh.subject.name}`,
    outcome: verdictOutcomes[verdict],
    verdict: formatVerdict(difference),
    title: titles[verdict],
    counts: formatCompared(compared),
    head: [
      { text: sentence, look: 'lead' },
      ...remarks,
      { label: 'OLD', text: formatFacts(old) },
      { label: 'NEW', text: formatFacts(fresh) },
      ...firstCards(difference).map((card) => ({ card })),
    ],
    sections: [
      ...(impact === undefined ? [] : [impactSection(impact)]),
      section('requirements', 'Requirements, interactions and hazards', outcomeChanges(difference)),
      section('behaviour', 'Behaviour', behaviourChanges(difference)),
      ...causeSections(difference),
      ...unchangedOutcomes(difference),
    ],
    moreHint: '--json has them all',
    foot: 'For programs: countersign diff OLD NEW --json. The reports of both runs have the exchanges.',
  };
}

function section(anchor: string, title: string, changes: readonly Change[]): Section {
  const count = changes.filter(({ only }) => only !== 'text').length;
  return {
    anchor,
    title,
    count,
    only: count === 0 ? 'text' : undefined,
    blocks: changes.length === 0 ? [] : [{ changes }],
  };
}

function firstCards({ verdict, causes, gaps, answers, behaviour, ...changed }: Difference): Card[] {
  const broken =
    changed.newlyBroken[0] ??
    changed.newlyDetermined.find(isFailure) ??
    changed.newlyUndetermined.find(({ id }) => gaps.includes(id));
  if (broken !== undefined) {
    const { id, expected = 'what OLD showed', actual = broken.new ?? 'no verdict' } = broken;
    const cause = causeOf(broken, causes);
    const shared = cause === undefined ? 0 : cause.requirements.length + cause.interactions.length - 1;
    const more = shared > 0 ? [{ muted: ` and ${shared} more, about ${cause!.about}` }] : [];
    const blocks: Block[] = [
      { text: [{ text: id, to: rowAnchor(id) }, ...more], look: 'what-first' },
      ...textOf(requirementById(id)?.statement),
      ...textOf(cause?.change && formatChange({ ...cause, change: cause.change })),
      ...fact('Expected', { value: expected }),
      ...fact('Received', { value: actual }),
    ];
    const title = isFailure(broken) ? 'What broke first' : 'Undecided in NEW';
    return [{ outcome: 'fail', title, frame: 'first', blocks }];
  }
  const [change] = [...answers, ...behaviour]
    .filter((one) => one.class !== 'allowed')
    .sort((a, b) => worstFirst(a.class, b.class));
  if (change === undefined) {
    // If only clients break, the next section names them. So omit this card.
    if (verdict === 'breaks') return [];
    const text = 'No requirement that passes in OLD fails in NEW, and no change of behaviour is forbidden or risky.';
    return [{ outcome: verdictOutcomes[verdict], title: 'Nothing broke', frame: 'first', blocks: [{ text }] }];
  }
  const { name, old, new: now } = formatBehaviour(change);
  const values = old !== undefined && now !== undefined && { text: [old, ' became ', now] };
  return [
    {
      outcome: change.class === 'forbidden' ? 'fail' : 'inconclusive',
      title: `What changed, ${change.class}`,
      frame: 'first',
      blocks: [{ text: name, look: 'what-first' }, ...optional(values)],
    },
  ];
}

function causeSections({ causes, newlyBroken, newlyUndetermined }: Difference): Section[] {
  return causes.flatMap((cause): Section[] => {
    const list = [...newlyBroken, ...newlyUndetermined]
      .filter((one) => isCausedBy(one, cause))
      .map((one) => ({ value: nameOf(one) }));
    const title = `Only because ${formatChange({ ...cause, change: cause.change ?? 'member-went' })}`;
    const fold = { fold: title, count: list.length, blocks: [{ list }] };
    const anchor = rowAnchor(cause.about);
    return list.length === 0 ? [] : [{ anchor, title: 'Failures with one cause', only: 'page', blocks: [fold] }];
  });
}

function outcomeChanges(difference: Difference): Change[] {
  const { causes, gaps, newlyBroken, newlyUndetermined, newlyDetermined, fixed, added, retired } = difference;
  const isWorse = (one: ChangedOutcome) => newlyBroken.includes(one) || newlyUndetermined.includes(one);
  const isGap = ({ id }: ChangedOutcome) => gaps.includes(id);
  // The terminal and Markdown show the cause instead of this line, unless the line is about a failed requirement.
  const isInCause = (one: ChangedOutcome) =>
    isWorse(one) && (one.source !== 'requirement' || !isFailure(one)) && causeOf(one, causes) !== undefined;
  const isCounted = (one: ChangedOutcome) => isWorse(one) && causes.some((cause) => isCausedBy(one, cause));
  const broken = { kind: 'broken', heading: 'Newly broken', asks: true };
  const foundBroken = newlyDetermined.filter(isFailure);
  const foundPassing = newlyDetermined.filter((one) => !isFailure(one));
  const newGaps = newlyUndetermined.filter(isGap);
  const others = newlyUndetermined.filter((one) => !isGap(one));
  const groups = [
    { ...broken, all: newlyBroken },
    { kind: 'found broken', heading: 'Fails in NEW, undecided in OLD', asks: true, all: foundBroken },
    { kind: 'undecided', heading: 'Undecided in NEW, passed in OLD', asks: true, all: newGaps },
    { kind: 'fixed', heading: 'Fixed', asks: false, all: fixed },
    { kind: 'decided', heading: 'Passes in NEW, undecided in OLD', asks: false, all: foundPassing },
    { kind: 'undecided', heading: 'Undecided in NEW, without effect on the verdict', asks: false, all: others },
    { kind: 'added', heading: 'Added to the contract', asks: false, all: added },
    { kind: 'retired', heading: 'Retired from the contract', asks: false, all: retired },
  ];
  const counted = causes.map((cause): Change => {
    const count = newlyBroken.filter((one) => isCausedBy(one, cause)).length;
    return { ...broken, ...formatCause(cause, newlyBroken), only: 'text', count };
  });
  const rows = groups.flatMap(({ all, ...group }) =>
    all
      .filter((one) => !isCounted(one))
      .map((one): Change => {
        const [old, now] = [one.old, one.new].map((outcome) => outcome && { badge: outcome });
        const item = { name: nameOf(one), anchor: rowAnchor(one.id), aside: one.kind, note: formatReceived(one) };
        return { ...group, ...item, old, new: now, only: isInCause(one) ? 'page' : undefined };
      }),
  );
  return [...counted, ...rows];
}

function causeOf({ id }: ChangedOutcome, causes: readonly SharedCause[]): SharedCause | undefined {
  return causes.find(({ requirements, interactions }) => [...requirements, ...interactions].includes(id));
}

function formatReceived({ expected, actual }: ChangedOutcome): string {
  return [expected && `expected ${expected}`, actual && (expected ? `received ${actual}` : actual)]
    .filter(Boolean)
    .join(', ');
}

function behaviourChanges({ answers, behaviour, causes }: Difference): Change[] {
  const unexplained = behaviour
    .filter((change) => !isCause(change, causes))
    .map((change): Change => {
      const { class: kind } = change;
      const heading = `${kind[0]!.toUpperCase()}${kind.slice(1)} changes of behaviour`;
      return { ...formatBehaviour(change), heading, kind, asks: kind !== 'allowed' };
    });
  const groupFor = (kind: ChangeClass) => ({
    heading: kind === 'allowed' ? 'Other answers to open points' : 'Risky or forbidden answers to open points',
    kind,
    asks: kind !== 'allowed',
  });
  const isAllowed = (answer: BehaviourChange) => answer.class === 'allowed';
  const groups = [answers.filter(isAllowed), answers.filter((one) => !isAllowed(one))].flatMap(answerLines);
  const lines = groups.map(
    ({ name, text, count, class: level }): Change => ({ name, note: text, count, only: 'text', ...groupFor(level) }),
  );
  const rows = answers.map(
    ({ name = '', old, new: now, also = [], class: level }): Change => ({
      name: withQuestion(name),
      old: old.length === 0 ? undefined : valuesOf(old),
      new: valuesOf([...now, ...also]),
      ...{ count: 0, only: 'page', ...groupFor(level) },
    }),
  );
  return [...lines, ...rows, ...unexplained].sort((a, b) => worstFirst(a.kind as ChangeClass, b.kind as ChangeClass));
}

/** The id of an open point with its question, if this version knows the open point. */
export function withQuestion(openPoint: string): string {
  const question = questionOf(openPoint);
  return question === undefined ? openPoint : `${openPoint}: ${question}`;
}

function valuesOf(values: readonly string[]): Piece {
  return { value: values.map((value) => (value === '' ? '(empty)' : value)).join(' or ') };
}

function unchangedOutcomes({ renamed, kindChanged, stillBroken }: Difference): Section[] {
  const sections: Readonly<Record<string, readonly Line[]>> = {
    Renamed: renamed.map(({ old, new: now }) => [{ value: now }, ': was ', { value: old }]),
    'Kind changed': kindChanged.map(({ id, old, new: now }) => [{ value: id }, `: ${old} -> ${now}`]),
    'Fail in both': stillBroken.map((id) => ({ value: id })),
  };
  return Object.entries(sections)
    .filter(([, list]) => list.length > 0)
    .map(([title, list]) => ({
      ...{ anchor: rowAnchor(title), title, count: list.length },
      ...{ isFolded: true, blocks: [{ list }] },
    }));
}

function remarksOf({ unlike, comparedExchanges, idleRules = [] }: Difference): string[] {
  return [
    ...idleRules.map((rule) => `The name in a rule of the policy occurs in neither run: ${rule}`),
    ...unlike.map(({ what, old, new: now }) => `Differs: ${what} ${old} in OLD, ${now} in NEW`),
    ...(comparedExchanges === undefined
      ? ['Only verdicts and answers to open points were compared, because one of the runs has no exchanges.har']
      : []),
  ];
}

function formatFacts({ subject, startedAt, conclusion, concluded, labels, runId, suite }: RunFacts): string {
  const place = formatSubject({ ...subject, language: undefined });
  const time = startedAt.replace(/\.\d+Z$/, 'Z');
  const facts = [formatLabels({ labels }), place, time, `run ${runId}`, `suite ${suite.version}`];
  return [...facts, concluded ?? conclusion].filter((text) => text !== undefined).join(', ');
}

function nameOf({ id, source }: ChangedOutcome): string {
  const [, file, interaction] = (source === 'pact' && /^([^/]+\.json): (.*)$/s.exec(id)) || [];
  return file === undefined ? id : `${interaction} (${file})`;
}

/** True if a rename explains the outcome. For a failed requirement, `expected` or `actual` must have the old name. */
function isCausedBy(one: ChangedOutcome, { renamedTo, about, requirements, interactions }: SharedCause): boolean {
  if (renamedTo === undefined || ![...requirements, ...interactions].includes(one.id)) return false;
  const words = `${one.expected ?? ''} ${one.actual ?? ''}`.split(/[^\w-]+/);
  return one.source === 'pact' || one.new !== 'fail' || words.includes(about);
}

function formatCause(
  { about, change, name, renamedTo, requirements, interactions, ofInteractions }: SharedCause,
  newlyBroken: readonly ChangedOutcome[],
): Pick<Change, 'name' | 'note'> {
  const failing = newlyBroken.filter(({ id, source }) => source === 'requirement' && requirements.includes(id));
  const others = requirements.length - failing.length;
  const broken = interactions.length;
  const parts = [
    broken > 0 && `${broken} of ${ofInteractions} Pact interactions no longer ${broken === 1 ? 'holds' : 'hold'}`,
    failing.length > 0 && `${pluralize(failing.length, 'requirement')} ${failing.length === 1 ? 'fails' : 'fail'}`,
    others > 0 && `${others} ${others === 1 ? 'is' : 'are'} undecided`,
  ];
  return {
    name: parts.filter(Boolean).join(', '),
    note: change === undefined ? about : formatChange({ change, name: name ?? about, renamedTo }),
  };
}

function formatBehaviour(one: BehaviourChange): Pick<Change, 'name' | 'note'> & { old?: Piece; new?: Piece } {
  const { change, operations, old, new: now, seen, renamedTo } = one;
  if (change === 'meaning') {
    return { name: `${formatMeaning(one)} (meaning)`, note: `${operations.join(' and ')}${reasonOf(one)}` };
  }
  const where = [seen && formatTimes(seen), operations.length === 1 && `of ${operations[0]}`].filter(Boolean).join(' ');
  const first = seen?.exchanges[0] === undefined ? '' : `, first in exchange ${seen.exchanges[0]}`;
  const note = `${where}${first}${reasonOf(one)}`;
  const format = (values: readonly string[]) =>
    valuesOf(/-(?:came|went)$/.test(change) ? values.map((share) => shares[share] ?? share) : values);
  const values = renamedTo === undefined ? { old: format(old), new: format(now) } : {};
  return { name: `${formatChange(one)} (${change})`, note, ...values };
}

function reasonOf({ because }: BehaviourChange): string {
  return because === undefined ? '' : `, because ${because}`;
}

function formatTimes({ times, of = times }: NonNullable<BehaviourChange['seen']>): string {
  return times === of ? pluralize(times, 'exchange') : `${times} of ${of} exchanges`;
}

const shares: Readonly<Record<string, string>> = {
  always: 'always present',
  sometimes: 'present in some',
  never: 'never present',
};

function formatMeaning({ old, new: now, seen }: BehaviourChange): string {
  const [were, are] = [old, now].map((all) => all.map((meaning) => meanings[meaning] ?? meaning).join(' or '));
  if (seen?.times === 1) return `1 request that was ${were} is now ${are}`;
  const times = seen === undefined ? '' : `${seen.times} `;
  return `${times}requests that were ${were} are now ${are}`;
}

const meanings: Readonly<Record<string, string>> = {
  'past-authentication': 'refused after authentication',
  unclear: 'answered unclearly',
};

/** One line for all answers to one open point, with the first answer as an example. */
export function answerLines(answers: readonly BehaviourChange[]) {
  return [...groupBy(answers, ({ name }) => name!)].map(([name, [first, ...others]]) => ({
    class: first.class,
    count: 1 + others.length,
    name: formatChange(first),
    text: [
      `${first.class}${reasonOf(first)}`,
      ...(first.also ?? []).map((one) => `answered with ${one}`),
      ...(others.length === 0 ? [] : [`${others.length} more to ${name}`]),
    ].join('; '),
  }));
}

const maxColumns = 6;

/** A column of the table: how clients read one kind of answer, or how NEW answers their requests for one operation. */
interface Column {
  readonly text: string;
  /** Undefined if the client sends no request for the operation. */
  readonly get: (client: CheckedClient) => ClientReading | ClientRequests | undefined;
}

function impactSection(impact: Impact): Section {
  const { answersLeftOut, clients, requests } = impact;
  const columns = columnsOf(impact).map((column, index) => ({ ...column, number: index + 1 }));
  const unread = columns.filter(({ get }) => clients.some((client) => (get(client)?.is ?? 'reads it') !== 'reads it'));
  const listed = unread.slice(0, maxColumns);
  const hidden = unread.length - listed.length;
  const readCount = columns.length - unread.length;
  const rest = [
    readCount > 0 && `All clients read ${pluralize(readCount, 'kind')} of answers of NEW`,
    hidden > 0 && `${pluralize(hidden, 'further kind')} of answers that not every client reads: --json has them all`,
    answersLeftOut > 0 && `No client received ${pluralize(answersLeftOut, 'further kind')} of answers`,
    requests.is !== 'sent' && `What the clients send: unverified, ${requests.reason}`,
  ].filter((text) => text !== false);
  const cellOf = (reading: ReturnType<Column['get']>): readonly Line[] => {
    const word = reading?.is ?? 'sends none';
    return [{ badge: badges[word] ?? 'pass', word }];
  };
  const rows = clients.map((client) => ({
    cells: [[{ value: shortened(client.name, 30) }], ...listed.map(({ get }) => cellOf(get(client)))],
  }));
  const reasons = [...clients.flatMap((client) => reasonsOf(client, columns)), ...rest];
  const head = ['client', ...listed.map(({ number }) => String(number))];
  const table = { label: 'Clients and answers', head, rows };
  const countOf = (wanted: string) =>
    clients.filter((client) => columns.some(({ get }) => get(client)?.is === wanted)).length;
  const unverified = countOf('unverified');
  const others = unverified === 0 ? '' : `, ${unverified} not verified everywhere`;
  return {
    anchor: 'impact',
    title: `Who breaks: ${countOf('breaks')} of ${pluralize(clients.length, 'client')}${others}`,
    short: 'Who breaks',
    blocks: [
      ...(listed.length === 0 ? [] : [{ list: listed.map(({ number, text }) => `${number} ${text}`) }, { table }]),
      { list: reasons },
    ],
  };
}

const badges: Readonly<Record<string, Outcome>> = { breaks: 'fail', unverified: 'inconclusive' };

/** Columns of requests come first, because a client reads no answer if its requests are refused. */
function columnsOf({ answers, clients, requests }: Impact): Column[] {
  const sent = new Set(clients.flatMap((client) => client.requests ?? []).map(({ operation }) => operation));
  return [
    ...[...sent].sort().map(
      (operation): Column => ({
        text: `requests for ${operation}, sent again to ${requests.is === 'sent' ? requests.to : 'NEW'}`,
        get: (client) => client.requests?.find((one) => one.operation === operation),
      }),
    ),
    ...answers.map((answer, index): Column => ({ text: formatAnswer(answer), get: ({ readings }) => readings[index] })),
  ];
}

function formatAnswer({ operation, changes, class: worst, seen }: Impact['answers'][number]): string {
  const times = pluralize(seen.times, 'exchange');
  if (changes.length === 0) return `${operation}, in the form of OLD (${times})`;
  return `${operation}: ${named(changes, 1)} (${worst}, ${times})`;
}

function reasonsOf(client: CheckedClient, columns: readonly Column[]): string[] {
  const reasons = columns.map(({ get }, index) => ({ reason: reasonFor(get(client)), number: index + 1 }));
  return [...groupBy(reasons, ({ reason }) => reason)].flatMap(([text, group]) => {
    if (text === undefined) return [];
    const numbers = group.map(({ number }) => number);
    if (numbers.length === columns.length) return `${client.name}: ${text}`;
    const where = numbers.length > 4 ? `${numbers[0]} and ${numbers.length - 1} more` : numbers.join(', ');
    return `${client.name}, ${where}: ${text}`;
  });
}

function reasonFor(reading: ClientReading | ClientRequests | undefined): string | undefined {
  if (reading === undefined || reading.is === 'reads it') return undefined;
  if (reading.is === 'unverified') return `unverified, ${reading.reason}`;
  if (!('of' in reading)) {
    const { answered, expected, read, exchange, oldExchange } = reading;
    return `breaks, because it reads ${read} instead of ${expected} in exchange ${exchange} of NEW (${answered}), but reads exchange ${oldExchange} of OLD`;
  }
  const acceptance = `NEW accepted ${reading.accepted} of ${pluralize(reading.of, 'correct request')} of this client`;
  if (reading.is === 'accepted') {
    return reading.accepted === reading.of ? undefined : `accepted, ${acceptance}; the suite did not send the others`;
  }
  const { exchange, answered } = reading;
  return `breaks, because NEW twice answered ${answered} to exchange ${exchange} of the client's run, which was correct. NEW accepts a request of the suite with the same values. ${acceptance}`;
}
