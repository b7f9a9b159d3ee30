/** report.html: the run as one page. */
import type { Case } from '../../record/case.ts';
import { countOutcomes } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { failsAnew, newHazards } from '../../record/result/score.ts';
import { counting, countOf, flips, knownFailures, neverArose, notScored } from '../counting.ts';
import type { Statements } from '../statements.ts';
import { shortened } from '../visible.ts';
import { conclusionInWords } from '../words.ts';
import { exchangeData } from './exchange-data.ts';
import { exchangeSection, withoutScripts } from './exchange-list.ts';
import { byCause, contractTable } from './findings.ts';
import { firstScreen } from './first-screen.ts';
import { openPoints } from './open-points.ts';
import { page } from './page.ts';
import { pictures } from './pictures.ts';
import { requirementSections } from './requirement-list.ts';
import { shownApart, staleBaseline } from './shown-apart.ts';
import { neverAroseSection, unnoticedDefects } from './unnoticed.ts';

export interface HtmlOptions {
  readonly statements: Statements;
  /** The question of an open point by its id; undefined for one that this version does not know. */
  readonly questions: (openPoint: string) => string | undefined;
  /** In the order of their numbers. */
  readonly cases: readonly Case[];
}

/** The text of report.html. */
export function htmlReport(result: Result, { statements, questions, cases }: HtmlOptions): string {
  const counted = counting(result);
  const data = exchangeData(result, cases, statements);
  const fallback = withoutScripts(data);
  return page({
    title: `${conclusionInWords(result)}: ${shortened(result.subject.name, 100)}`,
    head: firstScreen(result, statements),
    parts: partsOf(result),
    main: [
      byCause(result, 'error', statements, fallback),
      byCause(counted, 'fail', statements, fallback),
      staleBaseline(result),
      byCause(counted, 'inconclusive', statements, fallback),
      shownApart('flips', `Other verdicts than in the report of countersign ${result.rejudged?.suite}`, flips(result)),
      shownApart('known', 'Known failures', knownFailures(result)),
      shownApart('not-scored', `Later than the set ${result.set}, not scored`, notScored(result)),
      neverAroseSection(result),
      result.unnoticed === undefined ? null : unnoticedDefects(result.unnoticed),
      pictures(result, cases),
      requirementSections(result, statements),
      contractTable(result.contracts),
      openPoints(result.observations, questions),
      exchangeSection(data, result.exchangeCount, cases.length > 0),
    ],
    foot: 'The other files of the run hold the same verdicts: report.json, junit.xml, ctrf.json, summary.md. exchanges.har holds every byte.',
    ...(cases.length === 0 ? {} : { packed: data.packed }),
  });
}

function partsOf(result: Result): readonly (readonly [anchor: string, title: string, count: number])[] {
  const counts = countOutcomes(counting(result).results);
  return [
    ['hazards', 'Hazards', newHazards(result).length],
    ['faults', 'Faults', countOutcomes(result.results).error],
    ['failures', 'Failures', result.results.filter(failsAnew).length],
    ['baseline', 'Baseline', result.baseline?.problems.length ?? 0],
    ['inconclusive', 'Not determined', counts.inconclusive],
    ['flips', 'Other verdicts', flips(result).length],
    ['known', 'Known failures', knownFailures(result).length],
    ['not-scored', 'Not scored', notScored(result).length],
    ['never-arose', 'Never arose', countOf(neverArose(result))],
    ['unnoticed', 'Not ruled out', result.unnoticed?.count ?? 0],
    ['requirements', 'Requirements', result.results.length],
    ['contracts', 'Contracts', result.contracts?.length ?? 0],
    ['observations', 'Open points', result.observations.length],
    ['exchanges', 'Exchanges', result.exchangeCount],
  ];
}
