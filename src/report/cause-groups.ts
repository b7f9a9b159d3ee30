/** Groups failures, errors and inconclusive requirements by cause, and shows each group as a card. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { pluralize } from '../record/pluralize.ts';
import type { Cause, Explanation, Outcome, Result, ResultRow } from '../record/result/result.ts';
import { comparedValues } from './comparison.ts';
import {
  type Block,
  type Card,
  fact,
  type Line,
  optional,
  type Piece,
  rowAnchor,
  type Section,
  textOf,
} from './document.ts';
import { blames, formatRun, hintOf, type Statements, withoutReason } from './phrases.ts';
import { baselineProblems, knownFailures, scoredResult } from './scored-result.ts';
import { showSpaces } from './visible.ts';

interface CauseGroup {
  readonly cause?: Cause;
  readonly rows: readonly [ResultRow, ...ResultRow[]];
  /** Requirements that fail, or may fail, because a requirement in `rows` fails. */
  readonly followers?: readonly ResultRow[];
}

type RunData = Pick<Result, 'results' | 'causes' | 'counterfactuals'> &
  Partial<Pick<Result, 'subject' | 'exchangeCount'>>;

/** Groups requirements with this outcome by cause. The group to fix first comes first. */
export function causeGroups(result: RunData, outcome: Outcome): CauseGroup[] {
  const { results, causes = [] } = result;
  const ungrouped = new Map(results.filter((row) => row.outcome === outcome).map((row) => [row.id, row]));
  const takeRows = (ids: readonly string[]) => {
    const rows = ids.flatMap((id) => ungrouped.get(id) ?? []);
    for (const { id } of rows) ungrouped.delete(id);
    return rows;
  };
  const own = causes.filter((cause) => cause.outcome === outcome && !isKnownMistake(cause));
  const isFollowing = ({ requirement }: Cause) => outcome === 'fail' && requirement !== undefined;
  const groups = own
    .filter((cause) => !isFollowing(cause))
    .flatMap((cause): CauseGroup[] => {
      const [first, ...others] = takeRows(cause.requirements);
      return first === undefined ? [] : [{ cause, rows: [first, ...others] }];
    });
  const withFollowers = groups.map((group): CauseGroup => {
    const leads = ({ requirement }: Cause) => group.rows.some(({ id }) => id === requirement);
    const ids = own.filter((cause) => isFollowing(cause) && leads(cause)).flatMap(({ requirements }) => requirements);
    const followers = takeRows(ids);
    return followers.length === 0 ? group : { ...group, followers };
  });
  const others = [...ungrouped.values()].map((row): CauseGroup => ({ rows: [row] }));
  return [...withFollowers, ...others].sort(orderOf(result, outcome));
}

function splitFollowers({ rows, followers = [] }: CauseGroup, { causes = [], counterfactuals: [all] = [] }: RunData) {
  const isProven = ({ id }: ResultRow) =>
    all?.wouldPass.includes(id) ||
    causes.some(
      (cause) =>
        isKnownMistake(cause) && [id, rows[0].id].every((requirement) => cause.requirements.includes(requirement)),
    );
  return { proven: followers.filter(isProven), possible: followers.filter((row) => !isProven(row)) };
}

/** Sorts failures by dimension before group size: one accepted forgery is worse than many missing fields. */
function orderOf({ subject, exchangeCount = 0 }: RunData, outcome: Outcome): (a: CauseGroup, b: CauseGroup) => number {
  const isFrequent = ({ rows: [row] }: CauseGroup) =>
    Number(subject?.kind === 'client' && 3 * row.exchanges.length >= exchangeCount);
  const bySize = (a: CauseGroup, b: CauseGroup) => b.rows.length - a.rows.length;
  const rank = ({ rows: [row] }: CauseGroup) => dimensions.indexOf(row.dimension);
  return (a, b) =>
    outcome === 'fail'
      ? isFrequent(b) - isFrequent(a) || rank(a) - rank(b) || bySize(a, b)
      : bySize(a, b) || rank(a) - rank(b);
}

function firstToFix(result: RunData) {
  const groups = (['error', 'fail', 'inconclusive'] as const).flatMap((outcome) =>
    causeGroups(result, outcome).map((group) => ({ outcome, group })),
  );
  const fatal = groups.find(({ group: { cause } }) => cause?.fatal === true);
  return fatal === undefined || groups[0]!.outcome === 'error' ? groups[0] : { ...fatal, outcome: 'fail' as const };
}

function formatOthers(group: CauseGroup, result: RunData): string[] {
  const { proven, possible } = splitFollowers(group, result);
  const same = group.rows.length - 1 + proven.length;
  return [
    ...(same === 0 ? [] : [`and ${same} more for the same reason`]),
    ...(possible.length === 0 ? [] : [`and ${possible.length} more that may follow from it`]),
  ];
}

function isKnownMistake({ deviations, defects }: Cause): boolean {
  return deviations !== undefined || defects !== undefined;
}

export function namedCauses({ causes = [] }: RunData, id: string): string[] {
  return causes
    .filter((cause) => isKnownMistake(cause) && cause.requirements.includes(id))
    .map(({ sentence, deviations, exchanges: [simplest] }) =>
      deviations === undefined ? sentence : `${sentence}; the simplest is exchange ${simplest}`,
    );
}

/** The exchange to show: the smallest counterexample, else the simplest with a known deviation, else the first. */
export function exchangeToShow(
  { id, exchanges, counterexample }: ResultRow,
  { causes = [] }: Pick<Result, 'causes'>,
): number | undefined {
  const cause = causes.find(({ deviations, requirements }) => deviations !== undefined && requirements.includes(id));
  const own = new Set(exchanges);
  return counterexample?.exchange ?? cause?.exchanges.find((number) => own.has(number)) ?? exchanges[0];
}

/** Says how many failures would pass if the client fixed all its deviations. Returns at most one text. */
export function formatCounterfactuals({ counterfactuals = [], causes = [] }: Partial<RunData>): string[] {
  const found = causes.filter(({ deviations }) => deviations !== undefined);
  const count = (some: readonly Cause[]) => new Set(some.flatMap(({ exchanges }) => exchanges)).size;
  return counterfactuals.slice(0, 1).map(({ deviations, failing, wouldPass, notSignedAgain }) => {
    const isCorrected = ({ deviations: own = [] }: Cause) =>
      own.length > 0 && own.every((id) => deviations.includes(id));
    const corrected = count(found.filter(isCorrected));
    const requests = pluralize(notSignedAgain ?? 0, 'request');
    const unknown = notSignedAgain ? ` (without the private key, ${requests} cannot be signed again)` : '';
    const effects = [
      ...(found.length === 0 ? [] : [`${corrected} of ${pluralize(count(found), 'wrong signature')} would be correct`]),
      // Omit "0 would pass" if some signatures become correct: one signature that stays wrong keeps a failure.
      ...(wouldPass.length === 0 && corrected > 0 ? [] : [`${wouldPass.length} of ${failing} failures would pass`]),
    ].join(', and ');
    const commands = deviations.map((id) => `countersign explain ${id}`).join(', ');
    return `After a fix of ${deviations.join(' + ')}, ${effects}${unknown}. What to change: ${commands}.`;
  });
}

function sharedCause({ cause, rows }: CauseGroup): Cause | undefined {
  return rows.length > 1 || cause?.requirement !== undefined || cause?.fatal ? cause : undefined;
}

/** Makes the first letter small, so that the sentence can follow "because". Names keep their capital letter. */
function asClause(sentence: string): string {
  return sentence.replace(/^(?:An?|Any|Every|In|It|None?|Nothing|Only|The|This|With)\b/, (word) => word.toLowerCase());
}

function formatCount(rows: readonly unknown[]): string {
  return pluralize(rows.length, 'requirement');
}

/** For inconclusive requirements with a shared cause: maps each id to a text such as `3 requirements because ...`. */
export function formatCauses(result: RunData): ReadonlyMap<string, string> {
  return new Map(
    causeGroups(result, 'inconclusive').flatMap((group) => {
      const cause = sharedCause(group);
      const text = cause && `${formatCount(group.rows)} because ${asClause(cause.sentence)}`;
      return text === undefined ? [] : group.rows.map(({ id }) => [id, text] as const);
    }),
  );
}

function repeatOf([first, ...others]: CauseGroup['rows']): string | undefined {
  const only = ({ id }: ResultRow) => `--only '${id}'`;
  return others.every((row) => row.repeat === first.repeat?.replace(only(first), only(row)))
    ? first.repeat?.replace(only(first), [first, ...others].map(only).join(' '))
    : first.repeat;
}

const titles = {
  error: 'A fault of the suite comes first',
  fail: 'What to fix first',
  inconclusive: 'Test these first',
} as const;

/** The card that says what to fix first. If nothing failed, it says which inconclusive requirement to resolve first. */
export function firstCard(result: Result, statements: Statements): Card[] {
  const card = (outcome: Outcome, title: string, blocks: readonly Block[]): Card[] => [
    { outcome, title, frame: 'first', blocks },
  ];
  const found = firstToFix(scoredResult(result));
  // The heading already has the reason of an aborted run, so print no card.
  if (found?.outcome === 'inconclusive' && result.conclusion === 'aborted') return [];
  if (found !== undefined) {
    const { outcome, group } = found;
    const cause = outcome === 'inconclusive' || group.cause?.fatal ? sharedCause(group) : undefined;
    const exchange = cause?.fatal ? cause.exchanges[0] : exchangeToShow(group.rows[0], result);
    const link = { text: `Show exchange ${exchange}`, to: `exchange-${exchange}` };
    return card(outcome, titles[outcome], [
      ...(cause === undefined ? firstRowBlocks(group, result, statements) : firstCauseBlocks(group, cause, result)),
      ...optional(exchange !== undefined && { text: link, only: 'page' }),
    ]);
  }
  const contract = result.contracts?.find(({ outcome }) => outcome === 'fail');
  if (contract !== undefined) {
    return card('fail', titles.fail, [
      { text: { text: contract.interaction, to: 'contracts' }, look: 'what-first' },
      { text: { value: contract.mismatches.join('; ') } },
    ]);
  }
  const isOpen = formatRun(result).hazards !== '' || result.conclusion === 'aborted';
  if (isOpen || baselineProblems(result).length > 0) return [];
  if (knownFailures(result).length > 0) {
    return card('pass', 'Nothing new to fix', [{ text: 'Every failure is in the baseline.' }]);
  }
  const passed = 'Every requirement that was tested passed.';
  const text = result.results.length === 0 ? 'No requirement was judged.' : passed;
  return card('pass', 'Nothing to fix', [{ text }]);
}

function firstCauseBlocks({ rows }: CauseGroup, cause: Cause, { aborted }: Result): Block[] {
  return [
    { text: { text: formatCount(rows), to: 'inconclusive' }, look: 'what-first' },
    ...fact('Because', withoutReason(cause.sentence, aborted)),
    ...fact('Hint', aborted === undefined || cause.fatal ? cause.hint : undefined),
  ];
}

function firstRowBlocks(group: CauseGroup, result: Result, statements: Statements): Block[] {
  const [row] = group.rows;
  const text = statements(row.id);
  const isRepeated = result.subject.kind === 'client' && row.outcome === 'fail' && row.exchanges.length > 1;
  const frequency = isRepeated ? [`in ${row.exchanges.length} of ${result.exchangeCount} exchanges`] : [];
  const extent = [...formatOthers(group, result), ...frequency].join(' ');
  const head: Block[] = [
    {
      text: [{ text: row.id, to: rowAnchor(row.id) }, ...(extent ? [{ muted: ` ${extent}` }] : [])],
      look: 'what-first',
    },
    ...textOf(text?.statement),
  ];
  const explanation = row.explanations?.find(({ deviations }) => deviations.length > 0);
  if (explanation !== undefined) {
    const causes = explanation.deviations.flatMap(({ id, summary, fix }) => [
      ...fact('Cause', `${summary.replace(/\.$/, '')} (${id}).`),
      ...fact('Fix', fix),
    ]);
    return [...head, ...causes];
  }
  const mistakes = (result.causes ?? []).filter(
    ({ defects, requirements }) => defects !== undefined && requirements.includes(row.id),
  );
  return [
    ...head,
    ...expectedAndReceived(row, result),
    ...fact('Reason', row.reason && { value: withoutReason(row.reason, result.aborted) }),
    ...mistakes.flatMap(({ sentence }) => fact('Cause', sentence)),
    ...fact('Hint', hintOf(row, text)),
  ];
}

function expectedAndReceived(row: ResultRow, { aborted }: Pick<Result, 'aborted'>): Block[] {
  const { expected } = row;
  const actual = row.actual && withoutReason(row.actual, aborted);
  if (expected !== undefined && actual !== undefined && comparedValues(expected, actual, 100) !== undefined) {
    return [{ label: 'Expected and received', compared: [expected, actual], names: ['expected', 'received'] }];
  }
  return [
    ...fact('Expected', expected === undefined ? undefined : { value: expected }),
    ...fact('Received', actual === undefined ? undefined : { value: showSpaces(actual) }),
  ];
}

export function groupSection(
  [title, anchor]: readonly [string, string],
  outcome: 'error' | 'fail' | 'inconclusive',
  result: Result,
  statements: Statements,
): Section {
  const groups = causeGroups(result, outcome);
  const notes = outcome === 'fail' && groups.length > 0 ? formatCounterfactuals(result) : [];
  const cards = groups.map((group, at) => ({ card: groupCard(group, result, statements, at < 12) }));
  return {
    anchor,
    title,
    count: groups.reduce((sum, { rows, followers = [] }) => sum + rows.length + followers.length, 0),
    maxBytes: { error: 6_000, fail: 22_000, inconclusive: 8_000 }[outcome],
    blocks: [...notes.map((text): Block => ({ text, look: 'note' })), ...cards],
  };
}

function groupCard(group: CauseGroup, result: Result, statements: Statements, inPage: boolean): Card {
  const { rows, followers = [] } = group;
  const [first] = rows;
  const cause = first.outcome === 'inconclusive' ? sharedCause(group) : undefined;
  const exchange = exchangeToShow(first, result);
  const { proven, possible } = splitFollowers(group, result);
  const evidence: Block[] = [
    ...fact('Follows', linksTo(proven.map(({ id }) => id))),
    ...optional(possible.length > 0 && { label: 'May follow', list: possible.map(followerLine) }),
    ...optional(exchange !== undefined && { evidence: exchange, inPage }),
  ];
  const others = followers.length === 0 ? '' : `${formatOthers({ ...group, rows: [first] }, result).join(', ')}: `;
  const because = `${others}${formatReason(group, cause, result)}`;
  const head = { outcome: first.outcome, because, count: rows.length + followers.length };
  if (cause !== undefined) {
    const title = formatCount(rows);
    const blame = cause.requirement === undefined ? first.blame : 'subject';
    const place = blame && blames[blame];
    return { ...head, title, place, blocks: [...sharedBlocks(group, cause, result), ...evidence] };
  }
  const textsOf = ({ id }: ResultRow): Block[] => [
    ...textOf(statements(id)?.statement),
    ...namedCauses(result, id).flatMap((named) => fact('Cause', named)),
  ];
  if (rows.length === 1) {
    const blame = first.blame === undefined ? '' : `, ${blames[first.blame]}`;
    const place = first.outcome === 'inconclusive' ? `${first.kind}${blame}` : formatPlace(first);
    const link: Block = { text: [{ text: first.id, to: rowAnchor(first.id) }, { muted: ` ${place}` }], only: 'page' };
    const blocks = [link, ...textsOf(first), ...rowBlocks(first, result, statements), ...evidence];
    return { ...head, title: { value: first.id }, place, blocks };
  }
  const cards = rows.map((row): Block => {
    const title = { text: row.id, to: rowAnchor(row.id) };
    const expected = isExplained(row) || row.expected === undefined ? undefined : { value: row.expected };
    const blocks = [...textsOf(row), ...fact('Expected', expected), ...fact('Hint', hintOf(row, statements(row.id)))];
    return { card: { outcome: row.outcome, title, place: formatPlace(row), blocks } };
  });
  const common = { ...first, expected: undefined, hint: '', repeat: repeatOf(rows) };
  const shared = rowBlocks(common, result, () => undefined);
  const all: Block = { text: `All ${rows.length}:` };
  return { ...head, title: formatCount(rows), blocks: [...cards, all, ...shared, ...evidence] };
}

function formatReason({ rows, followers = [] }: CauseGroup, cause: Cause | undefined, { aborted }: Result): string {
  const [{ outcome, explanations, actual, reason = 'no reason was given' }] = rows;
  const knownReason = cause?.sentence ?? explanations?.[0]?.deviations[0]?.summary;
  const text = showSpaces(withoutReason(knownReason ?? actual ?? reason, aborted));
  if (knownReason !== undefined || actual === undefined) return `because ${asClause(text)}`;
  if (outcome === 'inconclusive') return text;
  const isShared = [...rows, ...followers].every((row) => row.actual === actual);
  return `${isShared ? '' : 'the first '}received ${text}`;
}

function followerLine({ id, actual, reason = '' }: ResultRow): Line {
  const detail: Piece[] = actual === undefined ? [` ${reason}`] : [' received ', { value: showSpaces(actual) }];
  return [{ text: id, to: rowAnchor(id) }, ...detail];
}

function sharedBlocks({ rows }: CauseGroup, cause: NonNullable<CauseGroup['cause']>, result: Result): Block[] {
  const { requirement, exchanges, hint } = cause;
  return [
    ...fact('Because', withoutReason(cause.sentence, result.aborted)),
    ...fact('Fix first', requirement === undefined ? undefined : { text: requirement, to: rowAnchor(requirement) }),
    ...(['required', 'expected', 'probe'] as const).flatMap((kind) =>
      fact(kind, linksTo(rows.flatMap((row) => (row.kind === kind ? [row.id] : [])))),
    ),
    ...fact('Exchanges', exchanges.length === 0 ? undefined : { exchanges }),
    ...rows.flatMap(({ explanations = [] }) => explanations.flatMap(explanationBlocks)),
    // The heading already has the reason of an aborted run, so print no hint.
    ...fact('Hint', result.aborted === undefined ? hint : undefined),
  ];
}

function linksTo(ids: readonly string[]): Line | undefined {
  return ids.length === 0
    ? undefined
    : ids.flatMap((id, at) => [...(at === 0 ? [] : [', ']), { text: id, to: rowAnchor(id) }]);
}

/** All facts about a requirement. Each fact has a label, such as `Reason`. */
export function rowBlocks(row: ResultRow, result: Pick<Result, 'aborted'>, statements: Statements): Block[] {
  const { firstStage: stage, exchanges, counterexample, repeat } = row;
  const smallest = counterexample?.exchange === undefined ? undefined : { exchanges: [counterexample.exchange] };
  return [
    ...(isExplained(row) ? [] : expectedAndReceived(row, result)),
    ...fact('Reason', row.reason && { value: withoutReason(row.reason, result.aborted) }),
    ...fact('Remark', row.remark && { value: row.remark }),
    ...fact('Step', stage && `First difference: ${stage.stage} in exchange ${stage.exchange}.`),
    ...optional(
      stage && {
        label: 'At that step',
        compared: [stage.expected, stage.actual],
        names: ['expected', 'received'],
      },
    ),
    ...(row.explanations ?? []).flatMap(explanationBlocks),
    ...fact('Hint', hintOf(row, statements(row.id))),
    ...fact('Exchanges', exchanges.length === 0 ? undefined : { exchanges }),
    ...fact('Smallest case', smallest, 'page'),
    ...(repeat === undefined ? [] : [{ label: 'Repeat', command: repeat }]),
  ];
}

/** True if known deviations explain the wrong signature. */
function isExplained({ explanations = [] }: ResultRow): boolean {
  return explanations.some(({ deviations }) => deviations.length > 0);
}

function explanationBlocks(one: Explanation): Block[] {
  const { exchange, baseStrings, baseString, deviations, alternatives = [], dialects = [], facts, triedCount } = one;
  const mistakes = deviations.map(({ id, summary, fix }) => `${summary} (${id}) ${fix}`);
  const library = dialects.length === 0 ? [] : [`Known to sign this way: ${dialects.join(', ')}.`];
  const tried = `None of ${triedCount.toLocaleString('en-US')} sets of known deviations gives this signature.`;
  const unexplained = triedCount === 0 || baseString !== undefined ? facts : [tried, ...facts];
  const reasons = baseString === undefined && mistakes.length > 0 ? [...mistakes, ...library] : unexplained;
  return [
    ...fact('Why', [`Exchange ${exchange}:`, ...reasons].join(' ')),
    ...alternatives.flatMap((ids) => fact('Or', `${ids.join(' + ')}, which gives the same bytes`)),
    ...optional(baseString !== undefined && { label: 'Signed', code: baseString }),
    ...optional(
      baseStrings && {
        label: 'Base strings',
        compared: [baseStrings.right, baseStrings.signed],
        names: ['correct', 'signed'],
        isLong: true,
      },
    ),
    ...[...new Set(deviations.flatMap(({ snippet }) => snippet ?? []))].map((code) => ({ label: 'Do', code })),
  ];
}

function formatPlace(row: ResultRow): string {
  return `${row.kind}, ${row.dimension}, section ${row.section}, by ${row.basis}`;
}
