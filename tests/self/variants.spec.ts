/** Subjects that conform in another way are conformant. */
import { newRunCache, runClientInProcess, runInProcess } from '../../src/app/prove/run-in-process.ts';
import { variants } from '../../src/faults/index.ts';
import type { ClientAlteration, Context } from '../../src/peer/client/client.ts';
import { closeDayFieldNames } from '../../src/protocol/index.ts';
import type { CallInput, CloseDayInput, Decoded, DecodedGate, RecurringInput } from '../../src/record/case.ts';
import type { Observation, Result } from '../../src/record/result/result.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import type { ConcludedRun } from '../../src/verdict/conclude.ts';
import { diffRuns } from '../../src/verdict/diff/diff-runs.ts';
import { expect, test } from '../engine.ts';

let plain: Promise<ConcludedRun> | undefined;
let earlier: Promise<ConcludedRun> | undefined;

const a3 = (age: string) => `A3 timestamp-${age}-ago: accepted`;

/** The unusual answers of each variant that gives some, in the order of the reports. */
const unusual: Readonly<Record<string, readonly string[]>> = {
  'lenient-time': [a3('a-day'), a3('a-year'), a3('an-hour')],
  'code-of-a-finished-answer': ["A6 status finished, errorCode 99, 'gate is closing already'"],
  'date-of-another-year': ['A11 gateCloseDate and the Date header: more than two days apart'],
  'endpoint-of-another-consumer': ['A30 the endpoint of another consumer: accepted'],
  'any-version': ['A30 the version of the other operation in the path: accepted'],
  'serial-number-constant': ['A39 theRequestSerialNumber: the same for different requests'],
  'rrn-empty': ['A40 RRN: empty'],
  'rrn-constant': ['A40 RRN of the next close-day: the same'],
  'rrn-of-each-gate': ['A40 RRN of gates of one endpoint: different', 'A40 RRN of the next close-day: the same'],
  'code39-empty': ['A40 code39: empty'],
  'counts-empty': ['A40 reversalApprovedCount: empty', 'A40 saleApprovedCount: empty'],
  'counts-in-words': ['A40 reversalApprovedCount: no whole number', 'A40 saleApprovedCount: no whole number'],
  'amounts-negative': ['A40 reversalAmount: negative', 'A40 saleAmount: negative'],
  'further-members': [
    'A41 members of a gate: further ones, bankName, currency',
    'A41 members of response: further ones, warnings',
    'A41 members of the body: further ones, apiVersion, elapsed',
  ],
  'gates-beside-error': ['A41 gates beside status error: present'],
  'error-without-serial-number': [
    'A42 type error: without serial-number, without status',
    'A42 type validation-error: without serial-number, without status',
  ],
};

/** The gates of the mock are drawn, so nobody knows what their order was. */
const invisible = ['gates-in-another-order'];

for (const { id, meaningless } of variants) {
  test(`${id} is conformant${meaningless === undefined ? ' and shows' : ', and the report is the same'}; compared with the mock it never breaks, and is named @all`, async () => {
    plain ??= performed([]);
    const run = await performed([id]);
    const [mock, variant] = [(await plain).result, run.result];
    const undecided = variant.results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable');
    expect(undecided.map(({ id: row, outcome, actual }) => `${row}: ${outcome}, ${actual}`)).toEqual([]);
    expect(variant.conclusion).toBe('conformant');
    const differences = changedLines(linesOf(mock), linesOf(variant));
    if (meaningless === undefined) expect(differences).not.toEqual([]);
    else expect(differences).toEqual([]);
    expect(unusualOf(mock)).toEqual([]);
    expect(unusualOf(variant)).toEqual(unusual[id] ?? []);
    expect(firstUnusual(variant)).toEqual(unusual[id] ?? []);

    earlier ??= performed([], '1');
    const difference = diffRuns(await earlier, run);
    expect(difference.newlyBroken).toEqual([]);
    expect(difference.verdict).not.toBe('breaks');
    expect(difference.answers.length + difference.behaviour.length > 0).toBe(!invisible.includes(id));
  });
}

test('compared with the mock under another seed, the mock is safe @all', async () => {
  earlier ??= performed([], '1');
  plain ??= performed([]);
  const none: readonly never[] = [];
  expect(diffRuns(await earlier, await plain)).toMatchObject({
    verdict: 'safe',
    unlike: [{ what: 'seed', old: '1', new: 'self-test' }],
    newlyBroken: none,
    causes: none,
    fixed: none,
    newlyUndetermined: none,
    gaps: none,
    newlyDetermined: none,
    added: none,
    retired: none,
    renamed: none,
    kindChanged: none,
    stillBroken: none,
    determinedByNeither: none,
    answers: none,
    behaviour: none,
  });
});

/** The data that runs with the same seed share. */
const shared = new Map<string, ReturnType<typeof newRunCache>>();

function performed(ids: readonly string[], seed = 'self-test'): Promise<ConcludedRun> {
  // With a variant that is the profile by itself.
  const profile = ids.length === 0 ? 'rfc5849' : undefined;
  const input = { profile, variants: ids, seed, cases: 3 } as const;
  if (!shared.has(seed)) shared.set(seed, newRunCache());
  // What is sent is that of the plain run, where every signature is computed twice.
  const mock = { usesOracle: ids.length === 0, cache: shared.get(seed)! };
  return runInProcess(completeRunOptions(input, 1_800_000_000_000, '/nowhere'), mock);
}

/** Remarks and observations of a run, one line each, without the numbers of exchanges. */
function linesOf({ results, observations }: Result): string[] {
  return [
    ...results.flatMap(({ id, remark }) => (remark === undefined ? [] : [`${id}: ${remark}`])),
    ...observations.map(({ openPoint, value }) => `${openPoint}: ${value}`),
  ];
}

function changedLines(one: readonly string[], other: readonly string[]): string[] {
  return [...one.filter((line) => !other.includes(line)), ...other.filter((line) => !one.includes(line))];
}

function unusualOf({ observations }: Result): string[] {
  return observations.filter((one) => one.unusual !== undefined).map(format);
}

function firstUnusual({ observations }: Result): string[] {
  const usual = observations.findIndex((one) => one.unusual === undefined);
  return observations.slice(0, usual).map(format);
}

function format({ openPoint, value }: Observation): string {
  return `${openPoint} ${value}`;
}

const added = ['amount-from', 'amount-to', 'origin'];

/** A decimal with zeros at its end, and what is left without them. */
const decimal = /^(\d+\.\d*[1-9])0+$/;

const clientVariants: Readonly<Record<string, { alteration: ClientAlteration; shows: RegExp }>> = {
  'that is typed: whole counts, decimal sums, no empty fields, order ids of letters, digits and hyphens, HTTPS only': {
    alteration: { refusal: (refusal, context) => refusal ?? untypedPart(context), input: printTyped },
    shows: /declines an unusual input/,
  },
  'that validates nothing': { alteration: { refusal: () => undefined }, shows: /does not validate/ },
  'that sends a charset, a realm and an empty oauth_token': {
    alteration: {
      unsigned: (pairs) => [...pairs, ['oauth_token', '']],
      authorization: (value) => value.replace('OAuth ', 'OAuth realm="shop", '),
      headers: (headers) =>
        headers.map(([name, value]) => [name, /^content-type$/i.test(name) ? `${value}; charset=UTF-8` : value]),
    },
    shows: /realm|oauth_token/,
  },
  'whose decimals lose the zeros at their end': {
    alteration: {
      input: (input) =>
        // In the first column are orders, and what looks like a decimal there is none.
        JSON.parse(
          JSON.stringify(input, (at, text) => (at !== '0' && decimal.test(text) ? text.replace(decimal, '$1') : text)),
        ),
    },
    shows: /is sent as/,
  },
  'that sends its Content-Type in capitals, and lines that end in CRLF but for the last one': {
    alteration: {
      headers: (headers) =>
        headers.map(([name, value]) => [name, /^content-type$/i.test(name) ? value.toUpperCase() : value]),
      // A line feed inside of a cell is the caller's.
      csv: (csv) => csv.replace(/("[^"]*")|\n/g, (_, cell) => cell ?? '\r\n').replace(/\r\n$/, ''),
    },
    shows: /lines end in CRLF/,
  },
  'that sends all totals or none of them, and adds empty columns and one of its own': {
    alteration: {
      fields: (pairs, { operation }) =>
        operation !== 'close-day' || pairs.length < 2
          ? pairs.filter(([name, text]) => text !== '' || name === 'day_close_request_id')
          : closeDayFieldNames.map((name) => [name, pairs.find(([one]) => one === name)?.[1] ?? '']),
      table: ({ columns, rows }) => ({
        columns: [...columns, ...added.filter((name) => !columns.includes(name))],
        rows: rows.map((row) => [
          ...row,
          ...added.filter((name) => !columns.includes(name)).map((name) => (name === 'origin' ? 'shop' : '')),
        ]),
      }),
    },
    shows: /sent empty[\s\S]*a column amount-from, amount-to, origin that was not given/,
  },
  'that makes up ids which it was not given, and sends every other value as it was': {
    alteration: {
      refusal: () => undefined,
      input: (input) =>
        'rows' in input
          ? {
              columns: input.columns.includes('client-orderid') ? input.columns : ['client-orderid', ...input.columns],
              rows: input.rows.map((row) =>
                input.columns.includes('client-orderid')
                  ? row.map((cell, at) => (input.columns[at] === 'client-orderid' ? cell || 'order-0' : cell))
                  : ['order-0', ...row],
              ),
            }
          : { day_close_request_id: 'made0up0id', ...input },
    },
    shows: /creates a missing id/,
  },
  'that takes order ids of letters, digits and hyphens, and at most fifty payments': {
    alteration: { refusal: (refusal, context) => refusal ?? readNarrowly(context) },
    shows: /declines an unusual input/,
  },
  'that reads English dates in UTC, counts as numbers, and bodies of 2.4 under HTTP 200 alone': {
    alteration: { decoded: readsNarrowly },
    shows: /declines an answer that the document leaves open[\s\S]*not read: /,
  },
};

for (const [at, [name, { alteration, shows }]] of Object.entries(clientVariants).entries()) {
  // Each is a whole run.
  test(`a client ${name} is conformant, with a remark in the report`, { tag: at === 4 ? [] : '@all' }, async () => {
    const { result: report } = await runClientInProcess({ seed: '7' }, [alteration]);
    const wrong = report.results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable');
    expect(wrong.map(({ id, outcome, actual }) => `${outcome} ${id}: ${actual}`)).toEqual([]);
    expect(report.conclusion).toBe('conformant');
    const told = [...report.results.map(({ remark }) => remark), ...report.observations.map(({ value }) => value)];
    expect(told.join('\n')).toMatch(shows);
  });
}

/** What the document does not say that a client must manage. */
function readNarrowly({ operation, done }: Context) {
  if (operation === 'close-day') return undefined;
  const { columns, rows } = done.input as RecurringInput;
  const ids = rows.map((row) => row[columns.indexOf('client-orderid')] ?? '');
  const isOdd = rows.length > 50 || ids.some((id) => !/^[A-Za-z0-9-]*$/.test(id));
  return isOdd ? { stage: 'csv', reason: 'an order id or a number of payments beyond what is documented' } : undefined;
}

function readsNarrowly(decoded: Decoded, { done: { response } }: Context): Decoded {
  if (decoded.kind === 'parameters' && response.status !== 200) {
    return { kind: 'undecodable', reason: `a body under HTTP ${response.status}` };
  }
  if (decoded.kind !== 'finished') return decoded;
  if (decoded.gates?.length === 0) return { kind: 'undecodable', reason: 'no gates' };
  return { ...decoded, gates: decoded.gates!.map(toTyped) };
}

function toTyped(gate: DecodedGate): DecodedGate {
  const text = (member: string) => String(Object.values(gate[member]!)[0]);
  const count = (member: string) => ({ long: String(BigInt(text(member))) });
  const isEnglish = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} [\d:]{8} UTC \d{4}$/.test(text('gateCloseDate'));
  return {
    ...gate,
    saleApprovedCount: count('saleApprovedCount'),
    reversalApprovedCount: count('reversalApprovedCount'),
    gateCloseDate: { text: isEnglish ? text('gateCloseDate') : '' },
  };
}

/** What a typed client cannot express. */
function untypedPart({ operation, done }: Context) {
  const odd =
    operation === 'close-day' ? oddTotals(done.input as CloseDayInput) : oddBatch(done.input as RecurringInput);
  return odd ? { stage: 'types', reason: 'the value does not fit its type' } : undefined;
}

function oddTotals(input: CloseDayInput): boolean {
  const counts = [input.sale_approved_count, input.reversal_approved_count];
  const sums = [input.sale_approved_sum, input.reversal_approved_sum];
  return (
    counts.some((count) => count !== undefined && !/^\d{1,18}$/.test(count)) ||
    sums.some((sum) => sum !== undefined && !/^\d{1,15}\.\d{1,4}$/.test(sum))
  );
}

function oddBatch({ columns, rows }: RecurringInput): boolean {
  const known = ['client-orderid', 'recurring-payment-id', 'amount'];
  if (columns.length !== 3 || !known.every((name) => columns.includes(name))) return true;
  const cells = (name: string) => rows.map((row) => row[columns.indexOf(name)] ?? '');
  return (
    rows.length === 0 ||
    cells('client-orderid').some((id) => !/^[A-Za-z0-9-]+$/.test(id)) ||
    cells('recurring-payment-id').some((id) => !/^[\x21-\x7e]+$/.test(id)) ||
    cells('amount').some((amount) => !/^\d+(\.\d+)?$/.test(amount))
  );
}

/** A number is printed as its type prints it. */
function printTyped(input: CallInput): CallInput {
  if ('rows' in input) return input;
  const toWhole = (text?: string) => (text !== undefined && /^\d{1,18}$/.test(text) ? String(BigInt(text)) : text);
  const { sale_approved_count: sale, reversal_approved_count: reversal } = input as CloseDayInput;
  const changed = { ...input, sale_approved_count: toWhole(sale), reversal_approved_count: toWhole(reversal) };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
}
