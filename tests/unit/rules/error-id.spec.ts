/** The place of the error ID that comes with code 500 is open: a header may have it. */
import { expect, test } from '@playwright/test';
import type { Case } from '../../../src/record/case.ts';
import type { Header } from '../../../src/record/exchange.ts';
import { gatewayJudges } from '../../../src/rules/index.ts';
import { observe } from '../../../src/rules/observe.ts';
import { disagreementsOnAnswers } from '../../../src/rules/schema-crosscheck.ts';
import { batchAnswer, parameterAnswer } from './sample-cases.ts';

const id = 'recurring/error-id-with-500';
const html: Header = ['Content-Type', 'text/html;charset=utf-8'];
const failed = { type: 'error', status: 'error', 'serial-number': '1', 'error-message': 'internal error' };

function coded(code: string, ...headers: Header[]): Case {
  return parameterAnswer({ ...failed, 'error-code': code }, { headers: [html, ...headers] });
}

/** What the row says of the answer with code 500, beside other answers. */
function said(cases: readonly Case[]) {
  const verdicts = gatewayJudges[id]({ id, cases, twinOf: () => undefined });
  expect(disagreementsOnAnswers(id, cases, verdicts)).toEqual([]);
  return verdicts.map(({ finding }) => finding);
}

test('an error ID in a header of its own is one: its place is open', () => {
  for (const name of ['X-Error-Id', 'X-Failure', 'Request-Id']) {
    const cases = [coded('403'), coded('500', [name, 'a7f3-1'])];
    expect(said(cases)).toEqual([expect.objectContaining({ outcome: 'pass', remark: expect.stringContaining(name) })]);
  }
});

test('a header that every answer has decides nothing where it may be an ID, and is none otherwise', () => {
  const outcome = (...[name, value]: Header) => said([coded('403', [name, 'b']), coded('500', [name, value])])[0]!;
  for (const name of ['X-Request-Id', 'CF-RAY', 'x-amzn-trace', 'X-Correlation-ID'])
    expect(outcome(name, 'a7f3-1'), name).toMatchObject({ outcome: 'inconclusive', blame: 'unspecified' });
  for (const name of ['X-Powered-By', 'X-RateLimit-Remaining', 'Server', 'X-Backend'])
    expect(outcome(name, 'node 17'), name).toMatchObject({ outcome: 'fail' });
});

test('what HTTP has headers for, a blank one and the code itself are no error ID', () => {
  for (const header of [
    ['Retry-After', '120'],
    ['Set-Cookie', 'sid=17'],
    ['X-Error-Id', ' '],
    ['X-Error-Code', '500'],
    ['X-Status', '500 Internal'],
    ['X-Error', 'true'],
    ['X-Valid', 'no'],
    ['Age', '0'],
    ['X-Cache', 'Error from 17'],
    ['Proxy-Status', 'origin; error=17'],
  ] satisfies Header[])
    expect(said([coded('403'), coded('500', header)]), header[0]).toMatchObject([{ outcome: 'fail' }]);
});

test('in the body counts what says that it is one, with a remark what other answers lack, and nothing that they have', () => {
  const body = (code: string, change: Readonly<Record<string, string>>) =>
    parameterAnswer({ ...failed, 'error-code': code, ...change }, { headers: [html] });
  const message = 'error-message';
  for (const [other, own, outcome] of [
    [{}, { 'error-id': 'a7f3' }, { outcome: 'pass' }],
    [{ errorRef: 'b' }, { errorRef: 'a' }, { outcome: 'pass' }],
    [{}, { retry: 'no' }, { outcome: 'pass', remark: expect.stringContaining('parameter retry') }],
    [{ retry: 'yes' }, { retry: 'no' }, { outcome: 'inconclusive', blame: 'unspecified' }],
    [{}, { [message]: 'error a7f3' }, { outcome: 'pass', remark: expect.stringContaining('error-message') }],
    [{ [message]: 'wait 30 s' }, { [message]: 'retry in 30 s' }, { outcome: 'inconclusive', blame: 'unspecified' }],
    [{ [message]: 'error b1' }, { [message]: 'error a7f3' }, { outcome: 'pass' }],
    [{}, { [message]: 'error 500' }, { outcome: 'fail' }],
  ] satisfies [Record<string, string>, Record<string, string>, object][])
    expect(said([body('403', other), body('500', own)]), JSON.stringify(own)).toMatchObject([outcome]);
});

test('without another answer beside it a header counts by its name', () => {
  expect(said([coded('500', ['X-Error-Id', '17'])])).toMatchObject([{ outcome: 'pass' }]);
  expect(said([coded('500', ['X-Backend', '17'])])).toMatchObject([{ outcome: 'fail' }]);
});

test('the place of the ID is observed, and a blank parameter is none', () => {
  const places = (examined: Case) =>
    observe([examined])
      .filter(({ openPoint }) => openPoint === 'A20')
      .map(({ value }) => value);
  expect(places(coded('500', ['X-Error-Id', '17']))).toEqual(['header X-Error-Id']);
  expect(places(coded('500'))).toEqual(['nowhere']);
  const beside = observe([coded('403'), coded('500', ['X-Failure', 'a7f3-1'])]).find(
    ({ openPoint }) => openPoint === 'A20',
  );
  expect(beside?.value).toBe('header X-Failure');
  const blank = batchAnswer({ body: 'type=error\n&error-code=500\n&error-message=no\n&error-id=+\n' });
  expect(places(blank)).toEqual(['nowhere']);
});

test('a header beside a body without an ID leaves the second voice its say, unless the row rests on it', () => {
  const cases = [coded('403'), coded('500', ['X-RateLimit', 'low'])];
  const passing = [{ examined: cases[1]!, finding: { outcome: 'pass' } }] as const;
  expect(disagreementsOnAnswers(id, cases, passing)).toHaveLength(1);
  const remarked = [{ examined: cases[1]!, finding: { outcome: 'pass', remark: 'in a header' } }] as const;
  expect(disagreementsOnAnswers(id, cases, remarked)).toEqual([]);
});
