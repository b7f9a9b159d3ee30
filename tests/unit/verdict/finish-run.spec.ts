/** The result of a whole run: undetermined rows, faults of the suite, notes and counts. */
import type { Operation } from '../../../contracts/operations.ts';
import { gatewayScenarios } from '../../../src/plan/index.ts';
import type { Case } from '../../../src/record/case.ts';
import { Effects } from '../../../src/run/allowance/budget.ts';
import { completeRunOptions, headerOf } from '../../../src/run/options/run-options.ts';
import type { ScenarioRecord } from '../../../src/run/scenario-record.ts';
import { finishRun, type RunToJudge } from '../../../src/verdict/finish-run.ts';
import { gatewayEvidence } from '../../../src/verdict/gateway-evidence.ts';
import { liveNotes } from '../../../src/verdict/report-live.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain } from '../report/all-outcomes.ts';
import { type Answer, batchAnswer, errorAnswer, finished, gate, sampleCase } from '../rules/sample-cases.ts';

function runOf(records: readonly ScenarioRecord[], change: Partial<RunToJudge> = {}, profile = 'rfc5849'): RunToJudge {
  const options = completeRunOptions({ seed: '1', target: 'http://127.0.0.1:1' }, 0, '/nowhere');
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  return {
    header: { ...headerOf(options, 1), profile, effects: { predicted: nothing, recorded: nothing } },
    only: [],
    planned: gatewayScenarios,
    records,
    evidence: gatewayEvidence(records),
    ...change,
  };
}

const row = (run: RunToJudge, id: string) => finishRun(run).results.find((one) => one.id === id)!;
const record = (
  cases: ScenarioRecord['cases'],
  scenario = 'a/b',
  more: Partial<ScenarioRecord> = {},
): ScenarioRecord => ({ scenario, cases, suiteErrors: [], ...more });

test('a run without any exchange has no pass, and is partial', () => {
  const result = finishRun(runOf([]));
  expect(result.results.filter(({ outcome }) => outcome === 'pass')).toEqual([]);
  expect(result.conclusion).toBe('partial');
});

test('a requirement without its condition, or that no exchange can show, is not applicable and says why', () => {
  expect(row(runOf([]), 'close-day/totals-true').reason).toContain('inside the gateway');
  const reason = 'condition never observed';
  expect(row(runOf([]), 'close-day/closing-gate-error')).toMatchObject({ outcome: 'not-applicable', reason });
});

test('--require makes a requirement without its condition inconclusive, with a hint how to cause the condition', () => {
  const requiredRun = runOf([], { scoring: { require: ['close-day/closing-*', 'close-day/totals-true'] } });
  expect(row(requiredRun, 'close-day/closing-gate-error')).toMatchObject({
    outcome: 'inconclusive',
    blame: 'configuration',
    demanded: true,
    reason: 'condition never observed, and --require asks for it',
    hint: expect.stringContaining('states.closing'),
  });
  expect(row(requiredRun, 'close-day/locked-gate-reported').outcome).toBe('not-applicable');
  expect(row(requiredRun, 'close-day/totals-true').outcome).toBe('not-applicable');
  const { required, neverArose } = finishRun(requiredRun).exercised!;
  expect(neverArose.map(({ id }) => id)).toContain('close-day/closing-gate-error');
  expect(required).toBe(101);
});

test('hazards are in the result and never change the conclusion', () => {
  const evidence = { ...gatewayEvidence([]), hazards: () => [batchSentAgain] };
  const [plain, withHazard] = [runOf([]), runOf([], { evidence, scoring: { failOn: 'hazard' } })].map(finishRun);
  expect(withHazard).toMatchObject({ hazards: [batchSentAgain], failOn: 'hazard', conclusion: plain!.conclusion });
  expect(finishRun(runOf([], { evidence: { ...evidence, hazards: () => [] } })).hazards).toBeUndefined();
});

test('the worst finding decides, and its exchanges are named', () => {
  const bad = { ...finished({ gate: { gateId: '1' } }), number: 1 };
  const judged = row(runOf([record([finished(), bad])]), 'close-day/gate-id-type');
  expect(judged).toMatchObject({ outcome: 'fail', blame: 'subject', expected: 'a whole number', exchanges: [2] });
});

test('a deviation from an expected requirement is a remark, and a failure only under strict', () => {
  const other = record([finished({ response: { status: 'closing', gates: [gate] } })]);
  expect(row(runOf([other]), 'close-day/status-value')).toMatchObject({ outcome: 'pass', basis: 'document' });
  expect(row(runOf([other]), 'close-day/status-value').remark).toContain('closing');
  const failed = { outcome: 'fail', basis: 'profile:strict' };
  expect(row(runOf([other], {}, 'strict'), 'close-day/status-value')).toMatchObject(failed);
});

test('a fault of the suite aborts the run, and is the error of the requirements that its scenario shows', () => {
  const suiteErrors = ['the base strings of suite and oracle differ'];
  const result = finishRun(runOf([record([], 'close-day/minimal', { suiteErrors })]));
  const rows = result.results.filter(({ outcome }) => outcome === 'error');
  expect(rows.map(({ id, blame }) => [id, blame])).toContainEqual(['authentication/close-day-valid-accepted', 'suite']);
  expect(result.conclusion).toBe('aborted');
});

test('a fault of the suite in a scenario that shows no requirement also aborts the run, and is named', () => {
  const broken = record([], 'close-day/framings', { suiteErrors: ['it ended as timedOut'] });
  const result = finishRun(runOf([broken]));
  expect(result.conclusion).toBe('aborted');
  expect(result.aborted).toBe('the suite itself failed in close-day/framings: it ended as timedOut');
});

test('an aborted run blames the environment for requirements that no exchange shows', () => {
  const undecided = {
    outcome: 'inconclusive',
    blame: 'environment',
    actual: 'requests that could test this requirement were not sent: why',
  };
  const sent = record([finished()]);
  expect(row(runOf([sent], { aborted: 'why' }), 'close-day/error-has-code')).toMatchObject(undecided);
  expect(row(runOf([sent]), 'close-day/error-has-code')).toMatchObject({ blame: 'subject' });
  const id = 'authentication/close-day-unsigned-refused';
  const refused = [record([errorAnswer({ errorCode: '403' }, { intent: 'fault', about: id })])];
  const evidence = gatewayEvidence(refused, { aborted: 'why' });
  expect(row(runOf(refused, { aborted: 'why', evidence }), id).blame).toBe('environment');
  expect(row(runOf(refused), id).blame).toBe('configuration');
  // What was not sent about another row is no reason for this one.
  const notAllowed = { number: 1, about: id, why: 'allow', reason: 'too little' } as const;
  const unsent = [record([], 'close-day/unsigned', { notSent: [notAllowed] })];
  expect(row(runOf(unsent, { aborted: 'why' }), 'close-day/serial-present')).toMatchObject(undecided);
  expect(row(runOf(unsent, { aborted: 'why' }), id)).toMatchObject({ actual: 'not sent: too little' });
});

test('a forbidden request is no reason for an open requirement if valid requests were answered', () => {
  const notSent = [
    { number: 1, about: 'recurring/missing-amount-refused', why: 'forbidden', reason: 'no amount' },
  ] as const;
  const neverSent = record([], 'recurring/missing-fields', { notSent });
  const refused = record([batchAnswer({ status: 403 })], 'recurring/one-row');
  const id = 'recurring/success-status-200';
  expect(row(runOf([neverSent]), id)).toMatchObject({ blame: 'configuration', actual: 'not sent: no amount' });
  const open = {
    outcome: 'inconclusive',
    blame: 'subject',
    actual: 'no answer contains what the requirement is about',
  };
  expect(row(runOf([neverSent, refused]), id)).toMatchObject(open);
  expect(row(runOf([neverSent, refused]), 'recurring/missing-amount-refused').actual).toBe('not sent: no amount');
  const notAllowed = { number: 1, why: 'allow', reason: 'too little' } as const;
  const left = { ...refused, notSent: [notAllowed] };
  expect(row(runOf([neverSent, left]), id)).toMatchObject({ actual: 'not sent: too little' });
});

test('a narrowed run has only the selected requirements, and names its scope', () => {
  const result = finishRun(runOf([record([finished()])], { only: ['close-day/serial-*'] }));
  const serials = ['present', 'type', 'shape'].map((what) => `close-day/serial-${what}`);
  expect(result.results.map(({ id }) => id)).toEqual(serials);
  expect(result.scope).toEqual({ only: ['close-day/serial-*'] });
});

test('a failure has a command that repeats its smallest case, with its options before the command of the adapter', () => {
  const found = { about: 'close-day/gate-id-type', number: 1, path: 'close-day/generated/1/0:0' };
  const run = runOf([{ ...record([finished({ gate: { gateId: '1' } })]), counterexamples: [found] }]);
  const header = { ...run.header, reproduce: 'npx countersign client --seed 1 -- node adapter.mjs' };
  const command = `npx countersign client --seed 1 --only '${found.about}' --path ${found.path} -- node adapter.mjs`;
  expect(row({ ...run, header }, found.about).repeat).toBe(command);
  const reproduce =
    "npx countersign client --only close-day/gate-id-type --except 'close-day/serial-*' --seed 1 -- node adapter.mjs";
  expect(row({ ...run, header: { ...header, reproduce } }, found.about).repeat).toBe(command);
});

test.describe('a live run', () => {
  type Given = Answer & { readonly operation?: Operation; readonly durationMs?: number; readonly sent?: string };

  function cases(count: number, make: (at: number) => Given): Case[] {
    return Array.from({ length: count }, (_, at): Case => {
      const { operation = 'close-day', durationMs = 50, sent = '', ...more } = make(at);
      const sample = sampleCase(operation, { status: 403, scheme: 'https', host: 'gateway.example', ...more });
      const [exchange] = sample.exchanges;
      const request = { ...exchange.request, target: `/api/v2/${operation}/1`, body: Buffer.from(sent) };
      return { ...sample, number: at, exchanges: [{ ...exchange, request, startedAt: at, durationMs }] };
    });
  }

  const refusal = (at: number) =>
    `{"response":{"status":"error","errorCode":"403","errorMessage":"no"},"theRequestSerialNumber":"${at}"}`;
  const closed = (sales: number) => {
    const gates = `[{"saleApprovedCount":${sales}}]`;
    return { status: 200, body: `{"response":{"status":"finished","gates":${gates}},"theRequestSerialNumber":"x"}` };
  };
  const paid = (...ids: readonly string[]) => {
    const payload = Buffer.from(`"client-orderid"\n${ids.join('\n')}\n`).toString('base64');
    return {
      operation: 'process-recurring-payments',
      status: 200,
      sent: `payload=${encodeURIComponent(payload)}`,
    } as const;
  };

  const { none } = Effects;
  const notesOn = (some: readonly Case[], spent = none, countersBefore?: object, countersAfter?: object) => {
    const wronglyAccepted = { closesDay: [], payments: [] };
    const end = { balance: { spent, carried: none, byDoctor: none, wronglyAccepted, unclear: 0 }, countersAfter };
    return liveNotes({ only: [], live: { countersBefore } } as never, some, end as never, {} as never);
  };

  test('ten or more answers that something else may have made give notes', () => {
    const fast = (host: string) => cases(12, (at) => ({ status: 200, body: refusal(at), durationMs: 1.5, host }));
    expect(notesOn(fast('gateway.example'))).toEqual([
      'All 12 refusals arrived within 2 ms: something in front of the gateway may have made them.',
    ]);
    expect(notesOn(fast('127.0.0.1:8443'))).toEqual([]);
    expect(notesOn(cases(20, (at) => ({ status: 200, body: refusal(at) })))).toEqual([]);
    expect(notesOn(cases(9, () => ({})))).toEqual([]);
    expect(notesOn(cases(10, () => ({})))).toEqual([
      'No answer had a body that the document describes, so no body was judged.',
      'All 10 answers are identical.',
    ]);
  });

  test('a mock that counted more than the ledger is reported', () => {
    const before = { closedDays: 5, startedPayments: 5, totalAmount: '5.00' };
    const notesAfter = (after?: object) =>
      notesOn(
        cases(1, () => ({})),
        new Effects(1, 2, 200),
        before,
        after,
      );
    const after = { closedDays: 6, startedPayments: 7, totalAmount: '7' };
    expect(notesAfter(after)).toEqual([]);
    expect(notesAfter({ ...after, closedDays: 7 })).toEqual([
      'Reconciliation: the target counted 2 closed days, the ledger 1.',
    ]);
    expect(notesAfter()).toEqual([]);
  });

  test('a close-day that reports fewer sales than were accepted since the last one is reported', () => {
    const run = (sales: number) => cases(3, (at) => [closed(0), paid('a', 'b'), closed(sales)][at]!);
    expect(notesOn(run(2))).toEqual([]);
    expect(notesOn(run(1))).toEqual([
      'Reconciliation: 2 payments were accepted at endpoint 1 between two close-days, and the second close-day reports 1.',
    ]);
  });

  test('a gateway that counts no batch gives three notes, and one note with the number of the others', () => {
    const of = (closings: number) => notesOn(cases(2 * closings + 1, (at) => (at % 2 === 1 ? paid('a') : closed(0))));
    const notes = of(5);
    expect(notes.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/: 1 payment was accepted .* reports 0\.$/)));
    expect(notes[3]).toBe('Reconciliation: 2 more close-days report fewer payments than were accepted.');
    expect([notes.length, of(4).length]).toEqual([4, 4]);
  });
});
