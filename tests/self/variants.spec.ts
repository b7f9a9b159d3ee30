/** Every variant is a gateway that conforms: what it does otherwise shows as a remark or an observation, or means nothing at all. */
import { newRepeated, type Repeated, runInProcess } from '../../src/app/prove/run-in-process.ts';
import { variants } from '../../src/faults/variants.ts';
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
    const differences = differing(seen(mock), seen(variant));
    if (meaningless === undefined) expect(differences).not.toEqual([]);
    else expect(differences).toEqual([]);
    expect(unusualOf(mock)).toEqual([]);
    expect(unusualOf(variant)).toEqual(unusual[id] ?? []);
    expect(seenFirst(variant)).toEqual(unusual[id] ?? []);

    earlier ??= performed([], '1');
    const told = diffRuns(await earlier, run, { statementOf: () => undefined });
    expect(told.newlyBroken).toEqual([]);
    expect(told.verdict).not.toBe('breaks');
    expect(told.answers.length + told.behaviour.length > 0).toBe(!invisible.includes(id));
  });
}

test('every variant has an id of its own', () => {
  expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
});

/** What runs of one seed share. */
const shared = new Map<string, Repeated>();

function performed(ids: readonly string[], seed = 'self-test'): Promise<ConcludedRun> {
  // With a variant that is the profile by itself.
  const profile = ids.length === 0 ? 'rfc5849' : undefined;
  const given = { profile, variants: ids, seed, cases: 3 } as const;
  if (!shared.has(seed)) shared.set(seed, newRepeated());
  // What is sent is that of the plain run, where every signature is computed twice.
  const mock = { secondVoice: ids.length === 0, repeated: shared.get(seed)! };
  return runInProcess(completeRunOptions(given, 1_800_000_000_000, '/nowhere'), mock);
}

/** Remarks and observations of a run, one line each, without the numbers of exchanges. */
function seen({ results, observations }: Result): string[] {
  return [
    ...results.flatMap(({ id, remark }) => (remark === undefined ? [] : [`${id}: ${remark}`])),
    ...observations.map(({ openPoint, value }) => `${openPoint}: ${value}`),
  ];
}

function differing(one: readonly string[], other: readonly string[]): string[] {
  return [...one.filter((line) => !other.includes(line)), ...other.filter((line) => !one.includes(line))];
}

function unusualOf({ observations }: Result): string[] {
  return observations.filter((one) => one.unusual !== undefined).map(inWords);
}

function seenFirst({ observations }: Result): string[] {
  const usual = observations.findIndex((one) => one.unusual === undefined);
  return observations.slice(0, usual).map(inWords);
}

function inWords({ openPoint, value }: Observation): string {
  return `${openPoint} ${value}`;
}
