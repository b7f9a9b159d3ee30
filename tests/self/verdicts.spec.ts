/** Whole runs of subjects that no row describes, of clients that charge twice, and what their verdicts rest on. */
import type { Operation } from '../../contracts/operations.ts';
import { requirements } from '../../contracts/requirements/index.ts';
import {
  newCallCache,
  newRunCache,
  runClientInProcess,
  runInProcess,
  runOpened,
} from '../../src/app/prove/run-in-process.ts';
import { alterationOf, type ClientDefect, type ClientEdit } from '../../src/faults/client/defect.ts';
import { usableClientDefects } from '../../src/faults/index.ts';
import { type Alteration, stepNames } from '../../src/mock/gateway.ts';
import { withBody, withStatus } from '../../src/mock/responses.ts';
import type { ClientSession, SessionReply } from '../../src/peer/adapter/messages.ts';
import { type ClientAlteration, operationSteps } from '../../src/peer/client/client.ts';
import { ordinaryCalls } from '../../src/plan/client/cases.ts';
import type { Decoded, LocalAnswer } from '../../src/record/case.ts';
import { headerValues } from '../../src/record/exchange.ts';
import type { Result } from '../../src/record/result/result.ts';
import { causeGroups } from '../../src/report/cause-groups.ts';
import { openReference } from '../../src/run/client/open-client.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';

/** Rows that say what a gateway refuses. */
const refusalRows: readonly string[] = requirements.flatMap(({ id, side, untestable }) =>
  side === 'gateway' && untestable === undefined && /-(?:refused|enforced)$/.test(id) ? [id] : [],
);

/** Gateways, with the possible outcomes of refusal rows. Without an accepted twin, a refusal proves nothing. */
const gateways: Readonly<Record<string, readonly [Alteration, outcomes: readonly string[]]>> = {
  'accepts everything': [{ skips: stepNames }, ['fail']],
  'refuses everything': [{ refuses: () => 'nothing is accepted' }, ['inconclusive', 'fail']],
  'answers 500': [{ writes: (reply) => withBody(withStatus(reply, 500), '') }, ['inconclusive', 'fail']],
  'answers an empty 200': [{ writes: (reply) => withBody(withStatus(reply, 200), '') }, ['inconclusive', 'fail']],
};

const repeated = newRunCache();
for (const [at, [name, [alteration, expected]]] of Object.entries(gateways).entries()) {
  test(`a gateway that ${name} passes no row about refusals`, { tag: at < 1 ? [] : ['@all'] }, async () => {
    const options = completeRunOptions({ seed: 'extremes', cases: at < 1 ? 1 : 4 }, Date.now(), '/nowhere');
    const { result } = await runInProcess(options, { alterations: [alteration], cache: repeated });
    const { conclusion, results } = result;
    const judged = results.filter(({ id }) => refusalRows.includes(id));
    expect(judged.filter(({ outcome }) => !expected.includes(outcome)).map(({ id }) => id)).toEqual([]);
    expect(judged).toHaveLength(refusalRows.length);
    expect(['partial', 'non-conformant']).toContain(conclusion);
  });
}

type ReplyAnswer = Extract<LocalAnswer, { kind: 'reply' }>;
const successOf = (operation: Operation): Decoded =>
  operationSteps[operation].read({ reason: 'OK', ...(ordinaryCalls[operation].answer as ReplyAnswer) });
const empty = { response: { status: 200, reason: 'OK', headers: [], body: new Uint8Array() } };
const clients: Readonly<Record<string, ClientAlteration>> = {
  'refuses every input': { refusal: () => ({ stage: 'input', reason: 'nothing is sent' }) },
  'sends nothing and reports success': {
    send: () => async () => empty,
    decoded: (_, { operation }) => successOf(operation),
  },
  'takes every answer for success': { decoded: (_, { operation }) => successOf(operation) },
  'decodes no answer': { decoded: () => ({ kind: 'undecodable', reason: 'nothing is read' }) },
  'reports a reset in place of each answer': {
    send: (send) => async (request, connection) => {
      await send(request, connection);
      return { failure: { kind: 'reset', message: 'the connection was reset' } };
    },
  },
};
for (const [at, [name, alteration]] of Object.entries(clients).entries()) {
  test(`a client that ${name} is never conformant`, { tag: at % 2 === 0 && at < 4 ? [] : ['@all'] }, async () => {
    const { result } = await runClientInProcess({ seed: 'extremes', cases: 4 }, [alteration]);
    const { conclusion, results } = result;
    expect(['partial', 'non-conformant']).toContain(conclusion);
    expect(results.filter(({ outcome }) => outcome === 'error')).toEqual([]);
  });
}

test.describe('hazards', () => {
  type Perform = ClientSession['perform'];

  /** Calls the client again after no answer, so that it signs with a new nonce. */
  const withNewNonce =
    (perform: Perform): Perform =>
    async (input) => {
      const first = await perform(input);
      return first.reply?.outcome === 'transport_error' ? perform(input) : first;
    };

  const reportsRefused =
    (perform: Perform): Perform =>
    async (asked) => {
      const reply = await perform(asked);
      if (reply.reply?.outcome !== 'transport_error') return reply;
      return {
        ...reply,
        reply: { outcome: 'completed', decoded: { kind: 'refused', http_status: 403 } },
      } as SessionReply;
    };

  /** Repeats a request after 503, as HTTP libraries do by default. */
  const library: ClientAlteration = {
    send: (send) => async (request, connection) => {
      for (let remaining = 2; ; remaining--) {
        const answer = await send(request, connection);
        const isRetryable = headerValues(answer.response?.headers ?? [], 'retry-after')[0] === '0';
        if (remaining === 0 || answer.response?.status !== 503 || !isRetryable) return answer;
      }
    },
  };

  const [again, refused] = ['hazard/batch-sent-again after ', 'hazard/unanswered-told-as-refused after '];
  const two = 'a reset connection: 2 payments, 2.00 in total, may be charged again.';
  const one = 'no answer in time: 1 payment of 1.00 may be charged again.';
  const four = 'status 503 with Retry-After: 0: 4 payments, 4.00 in total, may be charged again.';
  const same = (perform: Perform) => perform;
  for (const [what, alterations, wrap, fails, hazards] of [
    ['repeats with a new nonce', [], withNewNonce, [], [again + two, again + one]],
    ['has a library that repeats', [library], same, ['authentication/nonce-unique'], [again + four]],
    ['says refused after no answer', [], reportsRefused, [], [refused + two, refused + one]],
  ] as const) {
    const tag = alterations.length > 0 ? ['@all'] : [];
    test(`a client that ${what} has its hazards, and fails only what it breaks`, { tag }, async () => {
      const opened = await openReference(alterations);
      const session = { ...opened.session, perform: wrap(opened.session.perform) };
      const { result } = await runOpened({ seed: '7', cases: 3 }, { ...opened, session });
      expect(failing(result)).toEqual(fails);
      const found = result.hazards!.filter(({ operation }) => operation === 'process-recurring-payments');
      const sentences = found.map(({ id, sentence }) => `${id} ${/after .*/.exec(sentence)}`);
      expect(sentences).toEqual(expect.arrayContaining([...hazards]));
    });
  }
});

const withoutQuotes: ClientEdit = {
  csv: (_, { done }) => [done.table.columns, ...done.table.rows].map((cells) => `${cells.join(';')}\n`).join(''),
};
const decimalComma: ClientEdit = { ignoredRefusal: /./, cell: { amount: (cell) => cell.replace('.', ',') } };
const inMilliseconds: ClientEdit = { fresh: ({ timestamp, nonce }) => ({ timestamp: `${timestamp}000`, nonce }) };

/** Mistakes with their leading failures, and whether other failures follow. */
const planted: readonly (readonly [what: string, leads: readonly string[], follows: boolean, ...ClientEdit[]])[] = [
  ['a CSV without quotes', ['recurring/csv-header-quoted'], true, withoutQuotes],
  [
    'a CSV with quotes in the first row alone',
    ['recurring/csv-rows'],
    false,
    {
      csv: (_, { done }) =>
        [done.table.columns.map((name) => `"${name}"`), ...done.table.rows].map((row) => `${row.join(';')}\n`).join(''),
    },
  ],
  ['a decimal comma', ['recurring/amount-numeric'], true, decimalComma],
  ['lines that CR ends', ['recurring/csv-rows'], false, { csv: (csv) => csv.replaceAll('\n', '\r') }],
  [
    'JSON, signed as a form',
    ['close-day/body-is-form', 'recurring/payload-only'],
    true,
    { sent: ({ fields }) => ({ body: fields.length === 0 ? '' : JSON.stringify(Object.fromEntries(fields)) }) },
  ],
  [
    'a field more in another time zone',
    ['close-day/body-is-form', 'recurring/payload-only'],
    true,
    { under: /TZ=P/, fields: (pairs) => [...pairs, ['x', '1']] },
  ],
  [
    'no quotes, and milliseconds',
    ['authentication/timestamp-seconds', 'recurring/csv-header-quoted'],
    true,
    withoutQuotes,
    inMilliseconds,
  ],
  [
    'no quotes, and a payment left out',
    ['recurring/csv-header-quoted', 'recurring/csv-rows'],
    false,
    withoutQuotes,
    { rows: (rows) => rows.slice(1) },
  ],
  [
    'a decimal comma, and order ids in capitals',
    ['recurring/amount-numeric', 'recurring/csv-rows'],
    true,
    decimalComma,
    { cell: { 'client-orderid': (cell) => cell.replace(/[a-z]/g, (letter) => letter.toUpperCase()) } },
  ],
];

for (const [what, leads, follows, ...edits] of planted) {
  test(`a client with ${what} gets ${leads.length === 1 ? 'one mistake' : 'two mistakes'} to fix @all`, async () => {
    const { result } = await runClientInProcess(
      { seed: 'followers', cases: 4, usesOracle: false },
      edits.map(alterationOf),
    );
    const groups = causeGroups(result, 'fail');
    expect(
      groups.map(({ rows: [lead] }) => lead.id).sort(),
      groups.flatMap(({ followers = [] }) => followers.map(({ id }) => id)).join(),
    ).toEqual(leads);
    expect(groups.some(({ followers }) => followers !== undefined)).toBe(follows);
  });
}

const verifies = 'authentication/signature-verifies';
const signing = usableClientDefects.filter(({ breaks }) =>
  breaks.some((id) => /^authentication\/(?:signature-|uri-)/.test(id)),
);

/**
 * What has no name, or none for all of its signatures; and a right signature with white space that belongs to no form.
 */
const unexplained = [
  'authentication/braces-and-quotes-signed-bare',
  'authentication/equal-values-signed-once',
  'authentication/hmac-key-cut-to-block',
  'authentication/nonce-cut-before-signing',
  'authentication/parts-in-another-order',
  'authentication/reserved-characters-signed-bare',
  'authentication/secret-as-number',
  'authentication/secret-cut',
  'authentication/secret-decoded-from-base64',
  'authentication/secret-of-hex-digits-decoded',
  'authentication/secret-trimmed',
  'authentication/secret-without-dashes',
  'authentication/signature-with-a-tab',
];

/** npm test has this one. */
const sampled = 'authentication/body-not-signed';

const repetition = newCallCache();
/** The requirements on signatures, which are half of a run. A client with a second fault gets a whole run. */
const signaturesOnly = ['authentication/*'];
const wholeRun: readonly string[] = [];
const casesOf = (only: readonly string[]) => (only === wholeRun ? 4 : 2);
let known: Promise<Result> | undefined;

for (const defect of signing.filter(({ id }) => !unexplained.includes(id))) {
  const tag = defect.id === sampled ? [] : ['@all'];
  test(`${defect.id} is explained completely, and its counterfactual is a run without it`, { tag }, async () => {
    const [baseline, result] = [await right(), await run([defect], signaturesOnly)];
    const causes = onSignatures(result);
    expect(causes.map(({ sentence }) => sentence).join()).toMatch(
      /explain(?:s|) (\d+) of \1 wrong signatures that are judged(?:: \d+ fail \S+, the others fail only other requirements)?$/,
    );
    const passing = baseline.results.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id);
    const [counterfactual] = result.counterfactuals!;
    expect(counterfactual!.wouldPass).toEqual(failing(result).filter((id) => passing.includes(id)));
    expect(counterfactual!.wouldPass).not.toEqual([]);
    expect(counterfactual!.remain).toEqual(failing(baseline));
    expect(counterfactual!.signedAgain).toBe(causes.flatMap(({ exchanges }) => exchanges).length);
  });
}

test('a client without its signing deviation fails only for its other fault', { tag: '@all' }, async () => {
  const other = 'recurring/csv-with-commas';
  const result = await run([byId('authentication/body-not-signed'), byId(other)]);
  expect(result.counterfactuals).toMatchObject([
    { deviations: ['body-left-out'], wouldPass: [verifies], remain: byId(other).breaks },
  ]);
});

test('signatures that no deviation explains are reported as unexplained, without a prediction @all', async () => {
  const result = await run([byId('authentication/parts-in-another-order')]);
  expect(onSignatures(result)).toMatchObject([{ deviations: [], requirements: [verifies] }]);
  expect(onSignatures(result)[0]!.sentence).toMatch(
    /^nothing explains (\d+) of \1 wrong signatures that are judged; \d+ of them were searched/,
  );
  expect(result.counterfactuals).toBeUndefined();
});

test('where one signature of many is not explained, its requirement would still fail', { tag: '@all' }, async () => {
  const result = await run([byId('authentication/reserved-characters-signed-bare')]);
  const [common, rest] = onSignatures(result);
  expect(common!.exchanges.length).toBeGreaterThan(rest!.exchanges.length);
  expect(rest!.deviations).toEqual([]);
  expect(result.counterfactuals![0]).toMatchObject({ wouldPass: [], remain: [verifies] });
});

test('a correct client has no such causes, and no hazards', async () => {
  const result = await right();
  expect(onSignatures(result)).toEqual([]);
  expect([result.counterfactuals, result.hazards]).toEqual([undefined, undefined]);
});

function right(): Promise<Result> {
  known ??= run([], signaturesOnly);
  return known;
}

async function run(defects: readonly ClientDefect[], only = wholeRun): Promise<Result> {
  const input = {
    seed: 'undone',
    cases: casesOf(only),
    profile: 'strict',
    only,
    usesOracle: false,
    repetition,
  } as const;
  const { result } = await runClientInProcess(
    input,
    defects.map(({ alteration }) => alteration),
  );
  return result;
}

function byId(id: string): ClientDefect {
  return usableClientDefects.find((defect) => defect.id === id)!;
}

function onSignatures({ causes = [] }: Result) {
  return causes.filter(({ deviations }) => deviations !== undefined);
}

function failing({ results }: Result): string[] {
  return results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
}
