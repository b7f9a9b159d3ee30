/** The report of a result: what to fix first, then failures and inconclusive requirements by cause, then notes. */
import { limits } from '../../contracts/limits.ts';
import { type Dimension, dimensions } from '../../contracts/requirements/requirement.ts';
import { groupBy } from '../record/group-by.ts';
import { formatTime, pluralize } from '../record/pluralize.ts';
import { exercisedIn, fatalCause } from '../record/result/conclude.ts';
import type { Hazard, Outcome, Result, Unnoticed } from '../record/result/result.ts';
import { contractId, newHazards } from '../record/result/score.ts';
import { firstCard, groupSection } from './cause-groups.ts';
import { type Block, type Card, type Document, fact, type Line, optional, type Section, textOf } from './document.ts';
import { measuredLines } from './open-points-text.ts';
import {
  columns,
  conclusionOutcomes,
  formatAllowances,
  formatAtRisk,
  formatContracts,
  formatRun,
  offerCondition,
  type Statements,
} from './phrases.ts';
import { baselineProblems, knownFailures, scoredResult } from './scored-result.ts';

interface ResultOptions {
  readonly statements: Statements;
  readonly files?: readonly string[];
  readonly gauges?: Block;
  readonly extraSections?: readonly Section[];
}

export function resultDocument(result: Result, options: ResultOptions): Document {
  const { statements } = options;
  const { baseline, rejudged, set } = result;
  const phrases = formatRun(result);
  const scored = scoredResult(result);
  const baseOutcome = phrases.isGreen ? conclusionOutcomes[result.conclusion] : 'fail';
  const end = endOf(result, options.files ?? []);
  const contracts = contractSection(scored);
  const remarks = scored.results.flatMap(({ id, outcome, remark }): Line[] =>
    remark === undefined || outcome === 'fail' || outcome === 'error' ? [] : [[{ value: id }, ': ', { value: remark }]],
  );
  const unusual = result.observations.flatMap(({ openPoint, value, unusual: reason }): Line[] =>
    reason === undefined ? [] : [[{ value: `${openPoint} ${value}` }, `: ${reason}`]],
  );
  const observed = result.observations.map(({ openPoint, value, exchanges }): Line => {
    return [{ value: `${openPoint} ${value}` }, `: ${pluralize(exchanges.length, 'exchange')}`];
  });
  const startTime = result.startedAt.slice(0, 16).replace('T', ' ');
  const about = `About this run: ${pluralize(result.exchangeCount, 'exchange')} in ${formatTime(result.durationMs)}`;
  return {
    product: 'Countersign',
    label: 'Conclusion',
    name: `${phrases.conclusion}: ${result.subject.name}`,
    outcome: phrases.isHazardous ? 'inconclusive' : baseOutcome,
    verdict: phrases.conclusion,
    title: titleOf(result),
    counts: phrases.counts,
    head: [
      ...hazardBlocks(newHazards(result)),
      ...textOf(phrases.aborted).map((block): Block => ({ ...block, only: 'text' })),
      ...textOf(phrases.labels),
      { text: subjectLine(result) },
      { text: { muted: `${startTime} UTC, ${result.suite.name} ${result.suite.version}` }, only: 'page' },
      ...[phrases.exit, phrases.unexplained, phrases.narrowed].flatMap((note) => textOf(note && `${note}.`)),
      ...optional(options.gauges),
      ...dimensionTable(result),
      ...firstCard(result, statements).map((card) => ({ card })),
      ...fact('Effects', phrases.effects),
      ...fact('At worst', phrases.effects && phrases.worst),
      ...fact('Not ruled out', phrases.unnoticed && `${phrases.unnoticed}.`),
      { fold: `${about}, how to repeat it`, anchor: 'about', only: 'page', blocks: [...end, ...runFacts(result)] },
    ],
    sections: [
      groupSection(['Faults of the suite', 'faults'], 'error', result, statements),
      groupSection([baseline === undefined ? 'Failures' : 'New failures', 'failures'], 'fail', scored, statements),
      baselineSection(result),
      groupSection(['Inconclusive', 'inconclusive'], 'inconclusive', scored, statements),
      ...(contracts.only === undefined ? [contracts] : []),
      itemSection('flips', `Verdicts that differ from the report of countersign ${rejudged?.suite}`, flips(result)),
      { ...itemSection('known', 'Known failures', knownFailures(result)), isFolded: true },
      { ...itemSection('not-scored', `Not in the set ${set}, so not scored`, notScoredItems(result)), isFolded: true },
      listSection('unusual', 'Unusual answers to open points', unusual, 'text'),
      listSection('notes', 'Notes', phrases.notes),
      neverAroseSection(result),
      unnoticedSection(result),
      limitsSection(result),
      { ...listSection('remarks', 'Remarks', remarks, 'text'), isFolded: true },
      { ...listSection('observed', 'Observations, recorded and not judged', observed, 'markdown'), isFolded: true },
      ...measuredSection(result),
      ...(contracts.only === undefined ? [] : [contracts]),
      ...(options.extraSections ?? []),
    ].filter(({ blocks }) => blocks.length > 0),
    end,
    moreHint: options.files === undefined ? 'report.html and report.json have them' : '--verbose shows them',
    foot: 'The other files of the run have the same verdicts. exchanges.har has every byte.',
  };
}

function subjectLine(result: Result): Line {
  const { subject, profile, set, seed } = result;
  const at: Line = [`${subject.kind} `, { value: formatRun(result).subject }, ' at ', { value: subject.target }];
  const rest = `, profile ${profile}${set === undefined ? '' : `, set ${set}`}, seed ${seed}`;
  return [...(subject.target === 'mock' ? ['the built-in mock'] : at), rest];
}

function titleOf(result: Result): string {
  const { conclusion, subject } = result;
  const { aborted = '', conclusion: concluded } = formatRun(result);
  // Omit the counts, because a page prints them below the title.
  const restWithoutCounts = concluded.slice(conclusion.length).replace(/(exercised): [^,]*/, '$1');
  if (conclusion === 'conformant') return `The ${subject.kind} conforms${restWithoutCounts}`;
  if (conclusion === 'non-conformant') return `The ${subject.kind} does not conform${restWithoutCounts}`;
  if (conclusion === 'aborted') return aborted.replace(/^[a-z]/, (first) => first.toUpperCase());
  const fatal = fatalCause(result);
  return fatal === undefined
    ? 'Nothing failed, but some requirements are inconclusive'
    : `The ${subject.kind} is ${fatal.sentence}`;
}

const maxHazards = 3;

/** A card for each hazard. In a terminal and in Markdown, consecutive cards with the same hint show it only once. */
export function hazardBlocks(hazards: readonly Omit<Hazard, 'known'>[]): Block[] {
  const extra = hazards.length - maxHazards;
  const cards = hazards.map(({ id, sentence, atRisk, hint, exchanges }, at): Block => {
    const isLast = at === maxHazards - 1 || hazards[at + 1]?.hint !== hint;
    const blocks: Block[] = [
      { text: { strong: sentence } },
      ...fact('At risk', formatAtRisk(atRisk)),
      ...fact('Exchanges', exchanges.length === 0 ? undefined : { exchanges }),
      ...fact('Hint', hint, isLast ? undefined : 'page'),
    ];
    const card: Card = { outcome: 'fail', title: ['HAZARD ', { value: id }], frame: 'hazard', blocks };
    return { card, only: at < maxHazards ? undefined : 'page' };
  });
  return extra > 0 ? [...cards, { text: `… and ${pluralize(extra, 'more hazard')}.`, only: 'text' }] : cards;
}

function dimensionTable({ dimensions: all }: Result): Block[] {
  const used = dimensions.filter((name) => columns.some((outcome) => all[name][outcome] > 0));
  if (used.length === 0) return [];
  const cell = (name: Dimension, badge: Outcome): readonly Line[] => {
    const count = all[name][badge];
    return [count === 0 ? { muted: '.' } : { badge, word: String(count) }];
  };
  const rows = used.map((name) => ({ cells: [[name], ...columns.map((outcome) => cell(name, outcome))] }));
  return [{ table: { label: 'Dimensions', head: ['', ...columns], rows }, only: 'text' }];
}

function listSection(anchor: string, title: string, list: readonly Line[], medium?: Section['only']): Section {
  return { anchor, title, count: list.length, only: medium, blocks: optional(list.length > 0 && { list }) };
}

type ReportItem = ReturnType<typeof knownFailures>[number];

function notScoredItems({ results, contracts = [] }: Result): ReportItem[] {
  return [
    ...results.map(({ id, outcome, notScored, actual }) => ({ id, outcome, notScored, received: actual })),
    ...contracts.map((row) => ({ ...row, id: contractId(row), received: row.mismatches.join('; ') })),
  ].flatMap(({ id, outcome, notScored, received }) =>
    notScored === true ? [{ id, sentence: outcome, ...(outcome === 'pass' ? {} : { received }) }] : [],
  );
}

function flips({ rejudged }: Result): ReportItem[] {
  return (rejudged?.flips ?? []).map(({ id, before = 'not judged', now = 'not judged', why }) => ({
    id,
    sentence: `${before} -> ${now}: ${why}`,
  }));
}

function itemSection(anchor: string, title: string, all: readonly ReportItem[]): Section {
  const lines = all.map(({ id, sentence, received }): Line => {
    return [{ value: id }, `: ${sentence}`, ...(received === undefined ? [] : ['; received: ', { value: received }])];
  });
  return { ...listSection(anchor, title, lines), maxBytes: 2_000 };
}

function baselineSection(result: Result): Section {
  const problems = baselineProblems(result);
  const cards = problems.map(({ id, sentence, lines }): Block => {
    const code = optional(lines.length > 0 && { code: lines.join('\n'), language: 'yaml' });
    return { card: { outcome: 'fail', title: { value: id }, blocks: [{ text: sentence }, ...code] } };
  });
  const title = `Entries to correct in ${result.baseline?.file}`;
  return { anchor: 'baseline', title, short: 'Baseline', count: problems.length, maxBytes: 2_000, blocks: cards };
}

function contractSection({ contracts = [] }: Result): Section {
  const passed = contracts.filter(({ outcome }) => outcome === 'pass');
  const cards = contracts
    .filter((one) => !passed.includes(one))
    .map(({ outcome, interaction, state, pact, mismatches }): Block => {
      const list = mismatches.map((value) => ({ value }));
      const place = `${outcome} in state "${state}" of ${pact}`;
      return { card: { outcome, title: { value: interaction }, place, blocks: [{ list }] } };
    });
  const list = passed.map((one): Line => [{ strong: one.interaction }, ` in state "${one.state}" of ${one.pact}`]);
  const fold = `${passed.length} of ${contracts.length} interactions passed`;
  return {
    anchor: 'contracts',
    title: 'Pact contracts',
    count: cards.length || passed.length,
    maxBytes: 5_000,
    only: cards.length === 0 ? 'page' : undefined,
    blocks: [...cards, ...optional(passed.length > 0 && { fold, only: 'page', blocks: [{ list }] })],
  };
}

function neverAroseSection(result: Result): Section {
  const rows = result.conclusion === 'aborted' ? [] : exercisedIn(result).neverArose;
  const groups = groupBy(rows, ({ hint, reason }) => hint ?? reason);
  const folds = [...groups].map(([fold, group]): Block => {
    return { fold, count: group.length, blocks: [{ list: group.map(({ id }) => ({ value: id })) }] };
  });
  const note =
    'This run could not test these requirements, so it has no verdict on them. With --require they are inconclusive.';
  return {
    anchor: 'never-arose',
    title: 'Required, but never tested',
    short: 'Never tested',
    count: rows.length,
    isFolded: true,
    blocks: rows.length === 0 ? [] : [{ text: note, only: 'page' }, ...folds],
  };
}

function unnoticedSection(result: Result): Section {
  const { unnoticed } = result;
  const section = { anchor: 'unnoticed', title: 'Not ruled out', count: unnoticed?.count };
  if (unnoticed === undefined) return { ...section, blocks: [] };
  const { groups, notKnown, side = 'gateway' } = unnoticed;
  const fold = (name: string, ids: readonly string[]): Block => {
    return { fold: name, only: 'page', blocks: [{ list: ids.map((value) => ({ value })) }] };
  };
  const summary = `${groups.map(formatGroup).join('; ')}. report.json and report.html list the defects.`;
  return {
    ...section,
    isFolded: true,
    blocks: [
      { text: `If the ${side} had only one of these defects, no requirement would fail.`, only: 'page' },
      ...optional(groups.length > 0 && { text: summary, only: 'text' }),
      ...formatAllowances(unnoticed).flatMap(({ flags, where, benefit }): Block[] => [
        { text: `A run with this option ${where}${benefit}, ${offerCondition}:` },
        { command: flags },
      ]),
      ...groups.map((group) => fold(formatGroup(group), group.defects)),
      ...optional(notKnown.length > 0 && fold(`not known: ${notKnown.length}`, notKnown)),
    ],
  };
}

function formatGroup({ operation, dimension, defects }: Unnoticed['groups'][number]): string {
  return `${operation === 'both' ? 'both operations' : operation}, ${dimension}: ${defects.length}`;
}

function limitsSection({ subject, measured }: Result): Section {
  const isTested = { mock: subject.target === 'mock', measured: measured !== undefined };
  const lines = limits
    .filter(({ side, unless }) => side === subject.kind && !(unless && isTested[unless]))
    .map(({ topic, detail }): Line => [{ strong: topic.replaceAll('`', '') }, `: ${detail.replaceAll('`', '')}`]);
  const fold: Block = { fold: 'Even if every requirement passes', count: lines.length, blocks: [{ list: lines }] };
  return { anchor: 'limits', title: 'What this run does not show', count: lines.length, only: 'page', blocks: [fold] };
}

function measuredSection({ measured }: Result): Section[] {
  if (measured === undefined) return [];
  const [title = '', ...lines] = measuredLines(measured);
  return [{ anchor: 'measured', title, only: 'text', blocks: [{ code: lines.join('\n') }] }];
}

function runFacts(result: Result): Block[] {
  const { subject, baseline, set, startedAt, runId } = result;
  return [
    ...fact('Subject', { value: `${subject.kind} ${formatRun(result).subject}` }),
    ...fact('Target', { value: subject.target }),
    ...fact('Set', set),
    ...fact('Baseline', baseline?.file),
    ...fact('Started', startedAt.replace('T', ' ')),
    ...fact('Run', runId),
  ];
}

function endOf(result: Result, files: readonly string[]): Block[] {
  const { results, contracts, observations, rejudged, exchangeCount, durationMs, edges = [], reproduce } = result;
  const notApplicable = results.filter((row) => row.outcome === 'not-applicable').length;
  const kinds = groupBy(edges, ({ generator }) => generator).size;
  const cases = edges.reduce((total, one) => total + one.cases, 0);
  const unusual = `${edges.length} unusual or faulty values of ${pluralize(kinds, 'kind')} were sent, in ${pluralize(cases, 'request')}`;
  const same = `every verdict is the same as in the report of countersign ${rejudged?.suite}`;
  return [
    ...fact('Not applicable', notApplicable > 0 ? String(notApplicable) : undefined),
    ...fact('Contracts', contracts && formatContracts(contracts)),
    ...fact('Unusual values', edges.length === 0 ? undefined : unusual),
    ...fact('Observed', `${pluralize(observations.length, 'answer')} to open points, recorded and not judged`),
    ...fact('Judged again', rejudged?.flips.length === 0 ? same : undefined),
    ...fact('Traffic', `${pluralize(exchangeCount, 'exchange')} in ${(durationMs / 1000).toFixed(1)} s`),
    ...fact('Latency', formatRun(result).latency),
    ...fact('Files', files.join(', ')),
    { label: 'Repeat', command: reproduce },
  ];
}
