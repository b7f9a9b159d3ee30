/** report.html of runs of every kind, made in this process from stored runs and from the sample with all outcomes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { openPoints } from '../../contracts/open-points.ts';
import { requirementById } from '../../contracts/requirements/index.ts';
import type { Case } from '../../src/record/case.ts';
import type { Header } from '../../src/record/exchange.ts';
import { conclude } from '../../src/record/result/conclude.ts';
import type { Explanation, Result } from '../../src/record/result/result.ts';
import { htmlReport } from '../../src/report/pages/report-page.ts';
import { publishedKeys } from '../../src/run/target/published.ts';
import { judgeRecordings } from '../../src/verdict/conclude.ts';
import { baseStringOf } from '../../src/verdict/gateway-evidence.ts';
import { readRecording } from '../../src/verdict/recordings/recording.ts';
import { batchSentAgain, everything, resultOf, rows } from '../unit/report/all-outcomes.ts';
import { sampleCases } from '../unit/report/sample-cases.ts';
import { hostileValues } from './hostile-values.ts';

export type Run = { readonly result: Result; readonly cases: readonly Case[] };

export function pageOf({ result, cases }: Run): string {
  const questions = (id: string) => openPoints.find((point) => point.id === id)?.question;
  return htmlReport(result, { statements: requirementById, questions, cases, baseStringOf });
}

/** Runs by what their page shows. Each is made at its first use. */
export const runs: Readonly<Record<string, () => Run>> = {
  'conformant gateway': () => storedRun('gateway-mock'),
  'gateway that checks no signature': () => storedRun('gateway-signature-not-checked'),
  'wrong client': () => storedRun('client-absent-totals-as-null'),
  'partial run': () => {
    const { result, cases } = storedRun('gateway-mock');
    const results = result.results.filter(({ operation }) => operation === 'close-day');
    return { result: { ...result, results, conclusion: 'partial', scope: { only: ['close-day/*'] } }, cases };
  },
  'client that conforms, with a hazard': () => ({
    result: resultOf(rows.slice(0, 2), { profile: 'rfc5849', hazards: [batchSentAgain] }),
    cases: sampleCases,
  }),
  'aborted run': () => ({
    result: resultOf(rows, { conclusion: 'aborted', aborted: 'the gateway closed 20 connections in a row' }),
    cases: sampleCases,
  }),
  'all outcomes': () => ({ result: everything, cases: sampleCases }),
};

function explanation(exchange: number, value: string): Explanation {
  const baseStrings = { right: `POST&${value}`, signed: `POST&x${value}` };
  return { exchange, deviations: [], facts: [value], triedCount: 1, baseStrings };
}

/** One megabyte where no line can be broken. */
export const hugeValue = '<img/src=x/onerror=alert(1)>'.repeat(40_000).slice(0, 1024 * 1024);

/** A run on a gateway that sends these values everywhere that a report shows. */
export function hostileRun(values: readonly string[] = [...hostileValues, hugeValue]): Run {
  const [row] = rows.filter(({ outcome }) => outcome === 'fail');
  const [sample] = sampleCases;
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'));
  const results = values.map((value, index) => ({
    ...row!,
    id: index === 0 ? value : `authentication/hostile-${index}`,
    expected: value,
    actual: value,
    reason: value,
    remark: value,
    hint: value,
    repeat: value,
    explanations: [explanation(index + 1, value)],
    exchanges: [index + 1],
  }));
  const cases = values.map((value, index): Case => {
    const { request, response } = sample!.exchanges[0];
    const headers: Header[] = [
      ['X', value],
      ['Authorization', `OAuth ${value}="${value}", ${value}`],
    ];
    const exchange = {
      ...sample!.exchanges[0],
      request: { ...request, target: `/${value}`, headers, body: bytes(value) },
      response: { ...response!, reason: value, headers: [[value, value]] as const, body: bytes(value) },
    };
    return { ...sample!, scenario: value, number: index, exchanges: [exchange] };
  });
  const subject = { kind: 'gateway' as const, name: values[0]!, version: hugeValue, target: values[2]! };
  const observations = values.map((value) => ({ openPoint: 'A5', value: `${value}: ${value}`, exchanges: [1] }));
  const extra = { subject, exchangeCount: cases.length, notes: values.slice(-20), reproduce: hugeValue, observations };
  return { result: resultOf(results, { ...extra, conclusion: conclude(results, { profile: 'strict' }) }), cases };
}

const cache = new Map<string, Run>();

/** A run of tests/golden. It is judged once in a process. */
export function storedRun(name: string): Run {
  const run = cache.get(name) ?? judgeStored(name);
  cache.set(name, run);
  return run;
}

function judgeStored(name: string): Run {
  const har = brotliDecompressSync(readFileSync(join('tests', 'golden', `${name}.har.br`))).toString('utf8');
  const side = name.startsWith('client') ? 'client' : 'gateway';
  return judgeRecordings({
    header: { ...resultOf([]), subject: { kind: side, name, target: 'recording' }, profile: 'rfc5849' },
    only: [],
    recordings: [readRecording(har, name)],
    keys: { hasKeys: true, keysOf: publishedKeys },
  });
}
