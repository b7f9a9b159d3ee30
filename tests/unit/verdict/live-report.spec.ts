/** What a live run says besides its rows: signs that it spoke with something else, and differences from what the target reports. */
import type { Case } from '../../../src/record/case.ts';
import { againstCounters, againstReports, thinEvidence } from '../../../src/verdict/report-live.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from '../rules/sample-cases.ts';

interface Given {
  readonly operation?: 'close-day' | 'process-recurring-payments';
  readonly status?: number;
  readonly body?: string;
  readonly durationMs?: number;
  readonly host?: string;
  readonly sent?: string;
}

function cases(count: number, given: (at: number) => Given): Case[] {
  return Array.from({ length: count }, (_, at): Case => {
    const {
      operation = 'close-day',
      status = 403,
      durationMs = 50,
      host = 'gateway.example',
      sent = '',
      ...more
    } = given(at);
    const {
      exchanges: [exchange],
      ...rest
    } = sampleCase(operation, { status, scheme: 'https', host, ...more });
    const request = { ...exchange.request, target: `/api/v2/${operation}/1`, body: Buffer.from(sent) };
    return { ...rest, number: at, exchanges: [{ ...exchange, request, startedAt: at, durationMs }] };
  });
}

const refusal = (at: number) =>
  `{"response":{"status":"error","errorCode":"403","errorMessage":"no"},"theRequestSerialNumber":"${at}"}`;
const closed = (sales: number) =>
  `{"response":{"status":"finished","gates":[{"saleApprovedCount":${sales}}]},"theRequestSerialNumber":"x"}`;

test('refusals that came too fast for a gateway are a sign, but not on this machine', () => {
  const quick = (host: string) => cases(12, (at) => ({ status: 200, body: refusal(at), durationMs: 1.5, host }));
  expect(thinEvidence(quick('gateway.example'))).toEqual([
    'All 12 refusals arrived within 2 ms: something in front of the gateway may have made them.',
  ]);
  expect(thinEvidence(quick('127.0.0.1:8443'))).toEqual([]);
});

test('equal answers without a body of the document are two signs', () => {
  expect(thinEvidence(cases(10, () => ({})))).toEqual([
    'No answer had a body that the document describes: no case reached a decoder.',
    'All 10 answers are identical.',
  ]);
});

test('a few cases are not a sign of anything, and ordinary ones neither', () => {
  expect(thinEvidence(cases(9, () => ({})))).toEqual([]);
  expect(thinEvidence(cases(20, (at) => ({ status: 200, body: refusal(at) })))).toEqual([]);
});

test('a mock that counted more than the ledger is reported', () => {
  const nothing = { closesDay: 0, payments: 0, cents: 0 };
  const balance = { spent: { closesDay: 1, payments: 2, cents: 200 }, carried: nothing };
  const before = { closedDays: 5, startedPayments: 5, totalAmount: '5.00' };
  const after = (days: number) => ({ closedDays: 5 + days, startedPayments: 7, totalAmount: '7' });
  expect(againstCounters(balance, before, after(1))).toEqual([]);
  expect(againstCounters(balance, before, after(2))).toEqual([
    'Reconciliation: the target counted 2 closed days, the ledger 1.',
  ]);
  expect(againstCounters(balance, before, undefined)).toEqual([]);
});

test('a close-day that reports fewer sales than were accepted since the last one is reported', () => {
  const payload = Buffer.from('"client-orderid"\na\nb\n').toString('base64');
  const run = (sales: number) =>
    cases(3, (at) =>
      at === 1
        ? { operation: 'process-recurring-payments', status: 200, sent: `payload=${encodeURIComponent(payload)}` }
        : { status: 200, body: closed(at === 0 ? 0 : sales) },
    );
  expect(againstReports(run(2))).toEqual([]);
  expect(againstReports(run(1))).toEqual([
    'Reconciliation: 2 payments were accepted at endpoint 1 between two close-days, and the second one reports 1.',
  ]);
});

test('a gateway that counts none of many batches is told of three times in full', () => {
  const payload = Buffer.from('"client-orderid"\na\n').toString('base64');
  const of = (closings: number) =>
    cases(2 * closings + 1, (at) =>
      at % 2 === 1
        ? { operation: 'process-recurring-payments', status: 200, sent: `payload=${encodeURIComponent(payload)}` }
        : { status: 200, body: closed(0) },
    );
  const told = againstReports(of(5));
  expect(told.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/: 1 payment was accepted .* reports 0\.$/)));
  expect(told[3]).toBe('Reconciliation: 2 more close-days report fewer payments than were accepted.');
  expect([told.length, againstReports(of(4)).length]).toEqual([4, 4]);
});
