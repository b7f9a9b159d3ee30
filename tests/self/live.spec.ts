/** Whole live runs against a mock: only allowed effects happen. */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { validate } from '../../schemas/index.ts';
import { gatewayDefects } from '../../src/faults/index.ts';
import {
  type About,
  type Alteration,
  type LogEntry,
  type Reply,
  type RunningMock,
  startMock,
  withHeader,
} from '../../src/mock/index.ts';
import { headerValues } from '../../src/record/exchange.ts';
import { exitCode } from '../../src/record/result/conclude.ts';
import type { Result } from '../../src/record/result/result.ts';
import { annotations, ctrfReport, junitReport } from '../../src/report/ci.ts';
import { markdownText } from '../../src/report/markdown.ts';
import { htmlReport } from '../../src/report/pages/report-page.ts';
import { resultDocument } from '../../src/report/result-document.ts';
import { terminalText } from '../../src/report/terminal.ts';
import { expect, test } from '../engine.ts';
import { file } from '../unit/app/signed-call.ts';
import { statements } from '../unit/report/all-outcomes.ts';
import { concludeLive, type LiveSetting, large, runLive, small, withLive } from './live-setting.ts';

function countersOf({ counters }: RunningMock) {
  const { closedDays, startedPayments, totalAmount } = counters();
  return { closedDays, startedPayments, totalAmount };
}

function failing({ results }: Result): string[] {
  return results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
}

const states = { closing: '1112', locked: '1113' };
const controlled = ({ controlUrl }: RunningMock) => ({ controlUrl: controlUrl! });
for (const [name, extra, only, tag] of [
  ['a control interface', controlled, [], ['@all']],
  ['a control interface, judged only on its gates,', controlled, ['close-day/*gate*'], []],
] as const) {
  test(`a correct gateway with effects allowed and ${name} is conformant`, { tag: [...tag] }, async () => {
    await withLive({ allow: large }, async ({ config, mock }) => {
      const result = await runLive({ ...config, ...extra(mock) }, { only });
      expect(result.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([]);
      expect(result.conclusion).toBe('conformant');
      expect(validate('report', result)).toEqual([]);
      expect(result.effects.ledger!['closes-day']).toBeGreaterThanOrEqual(mock.counters().closedDays);
      expect(result.effects.predicted['closes-day']).toBeGreaterThanOrEqual(mock.counters().closedDays);
      expect(result.notes?.filter((note) => note.startsWith('Reconciliation'))).toEqual([]);
      const determined = ['closing-gate-error', 'locked-gate-reported'].map(
        (what) => result.results.find(({ id }) => id === `close-day/${what}`)?.outcome,
      );
      expect(determined).toEqual(['pass', 'pass']);
    });
  });
}

test('the answer of a closing gate is judged together with one request to the open gate', async () => {
  const alterations = alterationsOf(/^close-day\/closing-gate-other-code$/);
  await withLive({ allow: large, mock: { alterations } }, async ({ config, mock }) => {
    const result = await runLive({ ...config, states }, { only: ['close-day/closing-gate-*'] });
    expect(failing(result)).toEqual(['close-day/closing-gate-error']);
    expect(countersOf(mock).closedDays).toBe(1);
  });
});

test('without an allowance nothing happens, and the report lists the requests that were not sent, with reasons @all', async () => {
  await withLive({}, async ({ config, mock }) => {
    const result = await runLive(config);
    expect(countersOf(mock)).toEqual({ closedDays: 0, startedPayments: 0, totalAmount: '0' });
    expect(result.conclusion).toBe('partial');
    const gaps = result.results.filter(({ outcome }) => outcome === 'inconclusive');
    expect(new Set(gaps.map(({ blame }) => blame))).toEqual(new Set(['configuration']));
    const wrongKey = gaps.find(({ id }) => id === 'authentication/close-day-wrong-key-refused');
    expect(wrongKey?.actual).toBe('not sent: the request could close a day, and allow has no closes-day');
    // The hint of a requirement would not help here. The hint is an allowance, if more allowance would help.
    const hints = new Set(gaps.map(({ hint }) => hint));
    expect(hints).toEqual(new Set([expect.stringContaining('--allow closes-day=N'), undefined]));
    expect(exitCode({ ...result, acceptPartial: true })).toBe(0);
    const nothing = { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' }, unclear: 0 };
    expect(result.effects.ledger).toEqual(nothing);
    const unsent = result.effects.notSent!.reduce((total, { cases }) => total + cases, 0);
    expect(unsent).toBeGreaterThan(300);
    // One unsigned request for each operation. Other requests went to no operation.
    expect(result.exchangeCount).toBe(2);
  });
});

test('with an allowance of one close-day, the trusted refusals are sent before it, and it confirms them', async () => {
  await withLive({ allow: small }, async ({ config, mock }) => {
    const result = await runLive({ ...config, states });
    expect(countersOf(mock)).toEqual({ closedDays: 1, startedPayments: 2, totalAmount: '2.00' });
    const row = (what: string) => result.results.find(({ id }) => id === what);
    expect(row('authentication/close-day-valid-accepted')?.outcome).toBe('pass');
    for (const operation of ['close-day', 'recurring']) {
      const of = (what: string) => row(`authentication/${operation}-${what}-refused`)?.outcome;
      expect(['unsigned', 'wrong-key', 'altered-body'].map(of)).toEqual(['pass', 'pass', 'pass']);
    }
    expect(row('authentication/close-day-altered-uri-refused')).toMatchObject({
      outcome: 'inconclusive',
      blame: 'configuration',
      actual: expect.stringContaining('only 10 refusals of close-day are trusted (trust-refusals)'),
    });
    expect(row('close-day/closing-gate-error')?.actual).toContain('at a closing gate, error 99 is not trusted');
    expect(result.effects.recorded).toEqual({ 'closes-day': 1, 'starts-payments': 2 });
    expect(result.effects.ledger).toMatchObject({ 'closes-day': 1, unclear: 0 });
    // Ten refusals, and one request to the unknown endpoint.
    const untrue = { 'closes-day': 13, 'starts-payments': { count: 14, total: '14.00' } };
    expect(result.effects.ifRefusalsAreUntrue).toEqual(untrue);
    // Every inconclusive requirement is in exactly one cause, and a cause about the allowance says how to extend it.
    const causes = result.causes!.filter(({ outcome }) => outcome === 'inconclusive');
    const open = result.results.filter(({ outcome }) => outcome === 'inconclusive').map(({ id }) => id);
    expect(causes.flatMap(({ requirements }) => requirements).sort()).toEqual(open.sort());
    const aboutAllowance = causes.filter(({ sentence }) => /allow\.|allow has/.test(sentence));
    expect(aboutAllowance[0]!.requirements.length).toBeGreaterThan(3);
    expect(aboutAllowance[0]!.sentence).toMatch(/^a request was not sent: .*allow/);
    for (const { hint } of aboutAllowance) expect(hint).toMatch(/--allow starts-payments=N\/TOTAL|trust-refusals/);
    expect(causes.length).toBeLessThan(10);
  });
});

for (const days of [1, 2, 500]) {
  test(`a whole run with closes-day ${days} at a lenient gateway needs a baseline to pass, and has only booked effects @all`, async () => {
    const count = days === 500 ? 800 : days;
    const allow = { 'closes-day': days, 'starts-payments': { count, total: `${count}.00` } };
    const alterations = alterationsOf(/^authentication\/timestamp-not-needed$/);
    await withLive({ allow, trustRefusals: 100, mock: { alterations } }, async ({ config, mock }) => {
      const { result, conclude: again } = await concludeLive(config);
      const rows = failing(result);
      expect(rows).toEqual(['close-day', 'recurring'].map((one) => `authentication/${one}-missing-timestamp-refused`));
      expect(exitCode({ ...result, acceptPartial: true })).toBe(1);
      const { effects, notes } = result;
      expect(countersOf(mock).closedDays).toBeLessThanOrEqual(Math.min(effects.ledger!['closes-day'], days));
      expect(countersOf(mock).startedPayments).toBeLessThanOrEqual(effects.ledger!['starts-payments'].count);
      expect(effects.recorded['closes-day']).toBe(countersOf(mock).closedDays);
      expect(notes?.join('\n')).toMatch(
        /^The target accepted \d+ requests? that it must refuse, each with its effect: /m,
      );
      const right = result.results.find(({ id }) => id === 'authentication/close-day-valid-accepted')?.outcome;
      expect(right).toBe(days === 1 ? 'inconclusive' : 'pass');
      const baseline = { file: 'known.yaml', known: rows.map((id) => ({ id, reason: 'agreed' })) };
      // With one day, perform the run a second time on the same ledger.
      const scoring = { baseline };
      const known = days === 1 ? await runLive(config, { scoring }) : again({ scoring }).result;
      const text = terminalText(resultDocument(known, { statements }), { colour: false, width: 200 });
      expect(text).toContain(
        days === 500 ? 'Every failure is in the baseline: exit code 0' : 'exit code 1, or 0 with --accept-partial',
      );
      expect([failing(known), exitCode(known)]).toEqual([rows, days === 500 ? 0 : 1]);
      expect(exitCode({ ...known, acceptPartial: true })).toBe(0);
    });
  });
}

for (const [defect, row, effect] of [
  ['unsigned-close-day-accepted', 'authentication/close-day-unsigned-refused', { closedDays: 1, startedPayments: 2 }],
  ['unsigned-batch-accepted', 'authentication/recurring-unsigned-refused', { closedDays: 1, startedPayments: 1 }],
] as const) {
  test(`${defect} at the unknown endpoint is a finding, and ends the requests there`, { tag: '@all' }, async () => {
    const alterations = alterationsOf(new RegExp(`^authentication/${defect}$`));
    const arrived: string[] = [];
    const log = ({ target }: LogEntry) => arrived.push(target);
    await withLive({ allow: small, mock: { alterations, log } }, async ({ config, mock }) => {
      const result = await runLive(config, { only: ['authentication/*'] });
      expect(failing(result)).toEqual([row]);
      expect([result.conclusion, exitCode(result)]).toEqual(['non-conformant', 1]);
      expect(result.results.find(({ id }) => id === row)?.exchanges).toHaveLength(1);
      expect(arrived.filter((target) => target.endsWith('/999999999')).length).toBe(defect.includes('batch') ? 2 : 1);
      expect(result.notes?.join('\n')).toMatch(/^Endpoint 999999999 accepts requests/m);
      // The accepted request uses the allowance. The batch had no payment.
      expect(countersOf(mock)).toMatchObject(effect);
      expect(result.effects.recorded).toEqual({ 'closes-day': 1, 'starts-payments': effect.startedPayments });
      expect(result.effects.ledger).toMatchObject({ 'closes-day': 1, 'starts-payments': { count: 2 } });
    });
  });
}

/** A run against a mock that ends at a deadly request, after its answer if it `answers`. */
function runUntilDeath(
  isDeadly: (authorization: string) => boolean,
  answers: boolean,
  given: Parameters<typeof runLive>[1],
  isControlled = false,
): Promise<Result> {
  let close = async () => {};
  const dies = (reply: Reply, { request }: About) => {
    if (!isDeadly(headerValues(request.headers, 'authorization')[0] ?? '')) return reply;
    const connection = request.arrival!.connection as Socket;
    connection.once('close', () => close());
    if (!answers) connection.destroy();
    return withHeader(reply, 'Connection', 'close');
  };
  return withLive({ allow: large, mock: { alterations: [{ writes: dies }] } }, async ({ config, mock }) => {
    close = mock.close;
    // The control interface survives the gateway.
    const control = await startMock({ control: { port: 0 }, world: mock.world });
    const { controlUrl } = isControlled ? controlled(control) : {};
    const target = { ...config, unknownEndpointId: undefined, controlUrl };
    return runLive(target as never, given).finally(control.close);
  });
}

for (const [name, answers] of [
  ['ends the gateway', false],
  ['is the last answered request', true],
] as const) {
  test(`after a request that ${name}, the report names this request first`, { tag: '@all' }, async () => {
    const result = await runUntilDeath(
      (authorization) => /oauth_signature="[^"]*%(?![0-9A-F]{2})/.test(authorization),
      answers,
      { only: ['authentication/*'] },
    );
    const sentence = expect.stringMatching(/^gone after exchange \d+: a percent sign without an escape as the signa/);
    expect(result.results.find(({ actual }) => actual?.startsWith('gone after'))).toMatchObject({
      id: 'authentication/close-day-wrong-signature-refused',
      outcome: 'inconclusive',
      blame: 'subject',
      actual: sentence,
      hint: expect.stringContaining("--except 'authentication/close-day-wrong-signature-refused'"),
    });
    expect([result.conclusion, exitCode(result), failing(result)]).toEqual(['partial', 1, []]);
    expect(result.causes![0]).toMatchObject({ sentence, hint: expect.stringContaining('--except') });
    const open = result.results.filter(({ outcome }) => outcome === 'inconclusive');
    expect(open.filter(({ blame }) => blame === 'environment')).toEqual([]);
    // No report proposes a run that would send the request again.
    const cause = result.causes![0]!.sentence;
    expect(result.unnoticed!.allowances).toEqual([]);
    const text = terminalText(resultDocument(result, { statements }), { colour: false, width: 200, most: Infinity });
    expect(text).toContain(`Conclusion: partial, ${cause}`);
    expect(text.slice(text.indexOf('What to fix first'))).toMatch(/^What to fix first\n.*\n +because +gone after/);
    expect(markdownText(resultDocument(result, { statements }))).toContain('**What to fix first**');
    const page = htmlReport(result, { statements, questions: () => undefined, cases: [] } as never);
    for (const part of [`The gateway is ${cause}`, 'What to fix first']) expect(page).toContain(part);
    expect(page).not.toContain('Nothing failed');
  });
}

test('a gateway that ends at a request of an open point is not green @all', async () => {
  const isDeadly = (authorization: string) =>
    Number(/oauth_timestamp="(\d+)"/.exec(authorization)?.[1]) > Date.now() / 1000 + 3000;
  const result = await runUntilDeath(isDeadly, false, { acceptPartial: true }, true);
  expect([failing(result), result.conclusion, exitCode(result)]).toEqual([[], 'partial', 1]);
  const open = result.results.filter(({ outcome }) => outcome === 'inconclusive').map(({ id }) => id);
  expect(open).toContain('authentication/close-day-valid-accepted');
  const { sentence } = result.causes!.find(({ fatal }) => fatal)!;
  expect(sentence).toMatch(/^gone after exchange \d+: timestamp-in-/);
  const said = `The gateway is ${sentence}.`;
  expect(junitReport(result, { statements })).toContain(`<error type="partial" message="${said}">`);
  expect(ctrfReport(result, { statements })).toContain(`"message": "${said}"`);
  expect(annotations(result)).toContain(`::error title=Countersign%3A gone::${said}`);
});

test('a wrong secret ends the run with a diagnosis, and no requirement fails', { tag: '@all' }, async () => {
  await withLive({ allow: large }, async (setting) => {
    const result = await runLive(withWrongSecret(setting));
    expect(result.conclusion).toBe('aborted');
    expect(exitCode(result)).toBe(3);
    expect(result.aborted).toContain('most likely the consumer secret is wrong');
    expect(failing(result)).toEqual([]);
    expect(countersOf(setting.mock)).toEqual({ closedDays: 0, startedPayments: 1, totalAmount: '1.00' });
  });
});

for (const [after, conclusion, blame] of [
  // Before the first request to an operation, there is no request to name.
  [1, 'aborted', 'environment'],
  [60, 'partial', 'subject'],
  [200, 'partial', 'subject'],
] as const) {
  test(`if the mock stops after ${after} requests, no requirement fails, and the run is ${conclusion} @all`, async () => {
    let [arrived, mock]: [number, RunningMock | undefined] = [0, undefined];
    const log = () => {
      arrived += 1;
      if (arrived === after + 3) void mock?.close();
    };
    await withLive({ allow: large, mock: { log } }, async (setting) => {
      mock = setting.mock;
      const result = await runLive(setting.config);
      expect([result.conclusion, exitCode(result)]).toEqual([conclusion, conclusion === 'aborted' ? 3 : 1]);
      const isGone = result.causes!.some(({ sentence }) => /^gone after exchange \d+: /.test(sentence));
      expect(isGone).toBe(blame === 'subject');
      expect(failing(result)).toEqual([]);
      expect(validate('report', result)).toEqual([]);
      const open = result.results.filter(({ outcome }) => outcome === 'inconclusive');
      expect(open.filter((one) => one.blame !== blame && one.blame !== 'configuration')).toEqual([]);
    });
  });
}

function alterationsOf(ids: RegExp): readonly Alteration[] {
  return gatewayDefects.filter(({ id }) => ids.test(id)).map(({ alteration }) => alteration);
}

/** The configuration with a wrong secret. */
function withWrongSecret({ config, folder }: LiveSetting): LiveSetting['config'] {
  const consumerSecret = { file: file(join(folder, 'wrong.txt'), 'another-secret-than-the-right-one') };
  return { ...config, credentials: { ...config.credentials!, consumerSecret } };
}
