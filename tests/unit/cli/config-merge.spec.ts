/** Flags above the file above defaults, and the allowances that may not be. */

import { allowanceOf, mergeFlags, withoutFile } from '../../../src/app/config/target-flags.ts';
import type { LiveConfig } from '../../../src/run/target/live-config.ts';
import { expect, test } from '../../engine.ts';

const target = 'https://gateway.example/paynet';
const file: LiveConfig = {
  ...withoutFile,
  environment: 'integration',
  target,
  endpointId: '1111',
  recurring: [{ id: '1', amount: '1.00' }],
  profile: 'strict',
  allow: { 'closes-day': 1, 'starts-payments': { count: 5, total: '5.00' } },
};

test('without a file and flags the target is the mock, and nothing is allowed', () => {
  expect(mergeFlags(undefined, {})).toEqual({
    target: 'mock',
    recurring: [],
    states: {},
    allow: { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } },
    rate: 2,
    deadlineMs: 10_000,
    trustRefusals: 10,
  });
});

test('the file holds where no flag speaks', () => {
  expect(mergeFlags(file, {})).toEqual(file);
});

test('a flag overrides the file', () => {
  expect(mergeFlags(file, { profile: 'rfc5849' }).profile).toBe('rfc5849');
  expect(mergeFlags({ ...file, allow: withoutFile.allow }, { target: 'http://127.0.0.1:1/x/' }).target).toBe(
    'http://127.0.0.1:1/x',
  );
});

test('one --allow stands for the whole of what is allowed', () => {
  const { allow } = mergeFlags(file, { allow: ['closes-day=3'] });
  expect(allow).toEqual({ 'closes-day': 3, 'starts-payments': { count: 0, total: '0.00' } });
});

test('both effects are read from flags', () => {
  expect(allowanceOf(['starts-payments=5/5.00', 'closes-day=1'])).toEqual(file.allow);
  expect(allowanceOf([])).toBeUndefined();
});

const wrongFlags: [flags: string[], message: string, hint: RegExp | undefined][] = [
  [['close-day=1'], '--allow close-day=1 does not say what is allowed', /^Did you mean closes-day\?$/],
  [['closes-day'], '--allow closes-day is not a number of close-days up to 1,000,000', /closes-day=1/],
  [['closes-day=-1'], '--allow closes-day=-1 is not a number of close-days up to 1,000,000', /closes-day=1/],
  [['closes-day=1000001'], '--allow closes-day=1000001 is not a number of close-days up to 1,000,000', /closes-day=1/],
  [
    ['starts-payments=1152921504606846976/1.00'],
    '--allow starts-payments=1152921504606846976/1.00 is not a number of payments up to 1,000,000 with their total in two decimals',
    /closes-day=1/,
  ],
  [
    ['starts-payments=5'],
    '--allow starts-payments=5 is not a number of payments up to 1,000,000 with their total in two decimals',
    /5\/5\.00/,
  ],
  [
    ['starts-payments=5/5'],
    '--allow starts-payments=5/5 is not a number of payments up to 1,000,000 with their total in two decimals',
    /5\/5\.00/,
  ],
  [['closes-day=1', 'closes-day=2'], '--allow closes-day is given twice', undefined],
];
for (const [flags, message, hint] of wrongFlags) {
  test(message, () => {
    const error = thrownBy(() => allowanceOf(flags));
    expect(error).toMatchObject({ name: 'UsageError', message });
    if (hint !== undefined) expect(error?.hint).toMatch(hint);
  });
}

const unsafe: [name: string, file: LiveConfig | undefined, flags: Parameters<typeof mergeFlags>[1], message: string][] =
  [
    [
      'production with an allowance in the file',
      { ...file, environment: 'production' },
      {},
      'the environment is production, and effects are allowed',
    ],
    [
      'production with an allowance on the command line',
      { ...file, environment: 'production', allow: withoutFile.allow },
      { allow: ['closes-day=1'] },
      'the environment is production, and effects are allowed',
    ],
    [
      'an allowance without a file',
      undefined,
      { target, allow: ['closes-day=1'] },
      'effects are allowed, and no file says environment: integration',
    ],
    [
      'an allowance in a file without an environment',
      { ...file, environment: undefined },
      {},
      'effects are allowed, and no file says environment: integration',
    ],
    [
      'an allowance of one target at another',
      file,
      { target: 'https://other.example' },
      `effects are allowed for ${target}, and --target is https://other.example`,
    ],
    [
      'an allowance without an endpoint',
      { ...file, endpointId: undefined },
      {},
      'effects are allowed, and no endpointId is named',
    ],
    [
      'payments without profiles',
      { ...file, recurring: [] },
      {},
      'payments are allowed, and recurring names no profile that may be charged',
    ],
  ];
for (const [name, given, flags, message] of unsafe) {
  test(`${name} is refused`, () => {
    expect(thrownBy(() => mergeFlags(given, flags))).toMatchObject({ name: 'UsageError', message });
  });
}

test('production without an allowance is taken', () => {
  const { environment } = mergeFlags({ ...file, environment: 'production', allow: withoutFile.allow }, {});
  expect(environment).toBe('production');
});

for (const given of [
  'gateway.example',
  'ftp://gateway.example',
  'https://a:b@gateway.example',
  'https://gateway.example/?x',
]) {
  test(`--target ${given} is refused`, () => {
    expect(thrownBy(() => mergeFlags(undefined, { target: given }))).toMatchObject({ name: 'UsageError' });
  });
}

function thrownBy(action: () => unknown): (Error & { hint?: string }) | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
