/** Cases for judges: a right exchange of each kind, with changes that a test chooses. */
import type { Operation } from '../../../contracts/operations.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Case, CaseLabel } from '../../../src/record/case.ts';
import type { Header } from '../../../src/record/exchange.ts';
import { judgeCases } from '../../../src/rules/index.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: readonly Header[];
  readonly body?: string | Buffer;
  readonly scheme?: 'http' | 'https';
  readonly host?: string;
  readonly failure?: 'reset' | 'timeout' | 'unreachable' | 'not-sent';
}

/** A case with this answer. If it is undefined, no response was received. */
export function sampleCase(operation: Operation, answer: Answer | undefined, label: Partial<CaseLabel> = {}): Case {
  const { scheme = 'http', host = '127.0.0.1:8080', status = 200, headers = [], body = '', failure } = answer ?? {};
  const target = `/api/v2/${operation}/1111`;
  const request = { method: 'POST', scheme, host, target, headers: [], body: Buffer.alloc(0) };
  const outcome =
    answer === undefined || failure !== undefined
      ? { failure: { kind: failure ?? 'timeout', message: '127.0.0.1:8080 did not answer within 10000 ms' } }
      : { response: { status, reason: '', headers, body: Buffer.from(body as string) } };
  return {
    scenario: 'sample/scenario',
    number: 0,
    label: { operation, intent: 'valid', ...label },
    exchanges: [{ request, ...outcome, startedAt: 0, durationMs: 1 }],
  };
}

/** The outcomes of all verdicts on a requirement. */
export const outcomesOf = (id: RequirementId, ...cases: readonly Case[]): readonly string[] =>
  judgeCases(id, cases).map(({ finding }) => finding.outcome);

export const html: Header = ['Content-Type', 'text/html;charset=utf-8'];

export const gate = {
  gateId: 9007199254740991,
  isDayClosing: false,
  gateCloseDate: 'Tue Nov 03 23:59:59 UTC 2026',
  epntId: 1111,
  saleApprovedCount: '2',
  saleAmount: '10.42',
  reversalApprovedCount: '1',
  reversalAmount: '0.94',
  code39: '00',
  RRN: '000000000001',
};

export const serial = '00000000-0000-0000-0000-000002d9b22a';

type Members = Readonly<Record<string, unknown>>;

/** A finished answer with these members in response, root or its only gate. Undefined leaves a member out. */
export function finished(
  change: { response?: Members; root?: Members; gate?: Members; status?: number; headers?: readonly Header[] } = {},
  label: Partial<CaseLabel> = {},
): Case {
  const response = { status: 'finished', gates: [{ ...gate, ...change.gate }], ...change.response };
  const body = JSON.stringify({ response, theRequestSerialNumber: serial, ...change.root });
  return sampleCase('close-day', { status: change.status, headers: change.headers ?? [html], body }, label);
}

/** An error answer, by default error 99. */
export function errorAnswer(response: Members = {}, label: Partial<CaseLabel> = {}, status = 200): Case {
  const right = { status: 'error', errorCode: '99', errorMessage: 'gate is closing already' };
  const body = JSON.stringify({ response: { ...right, ...response }, theRequestSerialNumber: serial });
  return sampleCase('close-day', { status, headers: [html], body }, label);
}

const empty: readonly Header[] = Object.entries({ 'Content-Length': '0', 'Keep-Alive': 'timeout=60' });

/** An answer to a batch, by default the empty 200. */
export function batchAnswer(answer: Answer = {}, label: Partial<CaseLabel> = {}): Case {
  return sampleCase('process-recurring-payments', { headers: empty, ...answer }, label);
}

/** A body of 2.4 with these parameters. Each value ends with a line feed. */
export function parameterAnswer(parameters: Readonly<Record<string, string>>, answer: Answer = {}): Case {
  const body = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}\n`);
  return batchAnswer({ headers: [html], body: body.join('&'), ...answer });
}
