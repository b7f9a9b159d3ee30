/** Pages of comparisons and of a history, from stored runs and from runs with hostile values. */
import { documentPage } from '../../src/report/pages/page.ts';
import { diffDocument } from '../../src/verdict/diff/diff-document.ts';
import { diffRuns } from '../../src/verdict/diff/diff-runs.ts';
import type { ComparedRun, Impact } from '../../src/verdict/diff/difference.ts';
import { historyDocument, subjectHistories } from '../../src/verdict/diff/history.ts';
import { resultOf } from '../unit/verdict/runs.ts';
import { hostileValues } from './hostile-values.ts';
import { hugeValue, storedRun } from './report-pages.ts';

const versions = {
  '4.11': 'gateway-mock',
  '4.12': 'gateway-unusual',
  '4.13': 'gateway-gate-as-number',
  '4.13.1': 'gateway-gate-as-number',
  '4.14': 'gateway-mock',
  '4.15': 'gateway-signature-not-checked',
} as const;

function version(label: keyof typeof versions): ComparedRun {
  const { result, cases } = storedRun(versions[label]);
  const day = String(Object.keys(versions).indexOf(label) + 1).padStart(2, '0');
  return {
    cases,
    result: {
      ...result,
      runId: `run${day}`,
      startedAt: `2026-11-${day}T02:00:00.000Z`,
      labels: { gateway: label },
      subject: { kind: 'gateway', name: 'api.example', target: 'https://api.example' },
    },
  };
}

/** Pages by what they show. Each is made at its first use. */
export const comparisons: Readonly<Record<string, () => string>> = {
  'comparison that breaks': () => documentPage(diffDocument(diffRuns(version('4.12'), version('4.13')))),
  'comparison that is thin': () => documentPage(diffDocument(diffRuns(version('4.11'), version('4.12')))),
  'comparison with clients': () =>
    documentPage(diffDocument(diffRuns(version('4.11'), version('4.12'), { impact: hostileImpact }))),
  history: () => historyOf((Object.keys(versions) as (keyof typeof versions)[]).map((called) => version(called))),
  'hostile comparison': () => documentPage(diffDocument(diffRuns(...hostileRuns(), { impact: hostileImpact }))),
  'hostile history': () => historyOf(hostileRuns()),
};

function historyOf(runs: readonly ComparedRun[]): string {
  const subjects = subjectHistories(runs.map(({ result }) => ({ path: `reports/runs/${result.runId}`, result })));
  const leftOut = [{ path: hostileValues[0]!, why: hostileValues[1]! }];
  return documentPage(historyDocument({ format: 'countersign-history', formatVersion: 1, subjects, leftOut }));
}

const values = [...hostileValues, hugeValue];
const [first, second, third, fourth] = hostileValues as [string, string, string, string];

/** A run with these values everywhere that a comparison shows: answers, headers, labels, names. */
function hostileRuns(): [ComparedRun, ComparedRun] {
  const ids = values.map((_, index) => `close-day/hostile-${index}`);
  const cases = (isNew: boolean) =>
    storedRun('gateway-mock').cases.map((one, index) => {
      const { response } = one.exchanges[0];
      if (response === undefined) return one;
      const value = values[index % values.length]!.replaceAll('\u0000', '');
      const body = Buffer.from(JSON.stringify(isNew ? { [value.slice(0, 2_000)]: value } : { x: 1 }));
      const headers = isNew ? [...response.headers, [value, value] as const] : response.headers;
      return { ...one, exchanges: [{ ...one.exchanges[0], response: { ...response, headers, body } }] as const };
    });
  const run = (isNew: boolean) => {
    const rows = ids.map((id, index) => {
      const value = values[index]!;
      return [
        id,
        isNew ? { outcome: 'fail' as const, expected: value, actual: value, reason: value } : 'pass',
      ] as const;
    });
    const observations = values.map((value, index) => ({
      openPoint: 'A5',
      value: `${index}: ${isNew ? value : 'plain'}`,
      exchanges: [index + 1],
    }));
    return {
      cases: cases(isNew),
      result: resultOf(Object.fromEntries(rows), {
        observations,
        labels: { gateway: isNew ? hugeValue : third },
        subject: { kind: 'gateway' as const, name: first, target: second, version: hugeValue },
        runId: fourth,
        startedAt: `2026-01-0${isNew ? 2 : 1}T12:00:00.000Z`,
        conclusion: isNew ? ('non-conformant' as const) : ('conformant' as const),
      }),
    };
  };
  return [run(false), run(true)];
}

const hostileImpact: Impact = {
  answers: [{ operation: 'close-day', changes: values.slice(-20), class: 'risky', seen: { times: 1, exchanges: [1] } }],
  answersLeftOut: 0,
  clients: values.slice(-40).map((value, index) => ({
    name: value,
    readings: [
      index % 2 === 0
        ? { is: 'unverified', reason: value }
        : { is: 'breaks', exchange: 1, oldExchange: 1, answered: value, expected: value, read: value },
    ],
  })),
  requests: { is: 'unverified', reason: values[4]! },
};
