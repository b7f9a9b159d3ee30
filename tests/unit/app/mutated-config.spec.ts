/** A configuration with something else in any of its places is used or refused in a sentence, with its line, and at once. */
import { writeFileSync } from 'node:fs';
import { readConfig } from '../../../src/app/config/config-file.ts';
import { parseConfigText } from '../../../src/app/config/yaml-file.ts';
import { UsageError } from '../../../src/run/options/usage-error.ts';
import { expect, test } from '../../engine.ts';

const lines = [
  'environment: integration',
  'target: http://127.0.0.1:9/paynet',
  'versions: { close-day: v2, process-recurring-payments: v4 }',
  'endpoint-id: "1111"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how a file names a variable.
  'credentials: { consumer-key: shop, consumer-secret: "${SECRET}", private-key-file: key.pem }',
  'recurring: [{ id: "4711", amount: "1.00", saved-amount: "1.00" }]',
  'allow: { closes-day: 1, starts-payments: { count: 2, total: "2.00" } }',
  'states: { closing: "1112", locked: "1113" }',
  'totals: { sale_approved_count: "0", sale_approved_sum: "0.00", reversal_approved_count: "0", reversal_approved_sum: "0.00" }',
  'gates: 2',
  'profile: rfc5849',
  'rate: 2',
];

const values = [
  ...['null', '.nan', '1e400', '1152921504606846976', '-1', 'true', '2026-01-01', '[]', '{}', '[[1]]', '{a: {a: 1}}'],
  ...[
    '"\\0"',
    '"\\ud800"',
    '"a\\nb"',
    '"\\x1b[31m"',
    `"${'x'.repeat(3000)}"`,
    '*x',
    '&x [*x]',
    '!!binary aGk=',
    `"$${'{NONE}'}"`,
  ],
  ...[
    'http://..',
    '/dev/zero',
    '[',
    '{',
    '"',
    '? a',
    '<<: {a: 1}',
    '{__proto__: 1}',
    '1\n---\ntarget: mock',
    '"\uff11"',
  ],
];

/** What is wrong with the answer to that file; undefined where nothing is. */
async function wrongWith(text: string): Promise<string | undefined> {
  const path = test.info().outputPath('countersign.config.yaml');
  writeFileSync(path, text);
  try {
    const read = await readConfig(path, { SECRET: 'a secret of the test' });
    const faults = 'faults' in read ? read.faults : [];
    const unclear = faults.find(
      ({ line, sentence }) =>
        !(line >= 1) || /undefined|\[object|[\0-\x1f\x7f\ud800-\udfff]/.test(sentence) || sentence.length > 1000,
    );
    return unclear && `${unclear.line}: ${unclear.sentence}`;
  } catch (cause) {
    return cause instanceof UsageError ? undefined : String(cause);
  }
}

async function allWrong(every: number): Promise<string[]> {
  const wrong: string[] = [];
  for (const [at, line] of lines.entries()) {
    // Each place of a value in the line in turn.
    for (const { index, 0: before } of line.matchAll(/[\w-]+: /g)) {
      for (const [number, value] of values.entries()) {
        if ((at + index + number) % every !== 0) continue;
        const rest = line.slice(index + before.length).replace(/^(?:"[^"]*"|[\w.:/]+|\[.*\]|\{.*\}$)/, () => value);
        const text = [...lines.slice(0, at), line.slice(0, index + before.length) + rest, ...lines.slice(at + 1)];
        const found = await wrongWith(text.join('\n'));
        if (found !== undefined) wrong.push(`${text[at]}: ${found}`);
      }
    }
  }
  return wrong;
}

test('whatever is in place of a value, the answer is a sentence', async () => {
  expect(await wrongWith(lines.join('\n'))).toBeUndefined();
  expect(await allWrong(7)).toEqual([]);
});

test('so it is with every value in every place', { tag: '@all' }, async () => {
  expect(await allWrong(1)).toEqual([]);
});

/** Ten times as many where all mutations are drawn. */
const many = process.env.MUTATIONS === undefined ? 100 : 1_000;

test('thousands of faults are told as the first hundred at most', async () => {
  const path = test.info().outputPath('countersign.config.yaml');
  const keys = Array.from({ length: many * 3 }, (_, at) => `k${at}: 1`).join('\n');
  for (const text of [keys, `recurring: [${'{id: 1, amont: 1.0},'.repeat(many * 10)}]`]) {
    writeFileSync(path, text);
    const read = await readConfig(path, {});
    expect('faults' in read && read.faults.length).toBeLessThanOrEqual(100);
  }
});

test('what is wrong in thousands of places is told once, with its first line and their number', async () => {
  const path = test.info().outputPath('countersign.config.yaml');
  for (const [text, sentence] of [
    [`a: &x 1\nb:\n${'  - *x\n'.repeat(5_000)}`, /^an alias \(\*\) .* \(in 5000 places\)$/],
    [`b: 1\na:\n${'  - *x\n'.repeat(5_000)}`, /^an alias \(\*\) .* \(in 5000 places\)$/],
    ['a: 1\nb: 1\nb: 2\nb: 3\n', /^the same key appears a second time; leave one of them out \(in 2 places\)$/],
  ] as const) {
    writeFileSync(path, text);
    expect(await readConfig(path, {})).toEqual({ faults: [{ line: 3, sentence: expect.stringMatching(sentence) }] });
  }
});

test('a file is as deep as 100 lists or maps, in whatever way they are written', () => {
  const fault = (line: number) => ({
    faults: [{ line, sentence: 'more than 100 lists or maps are nested' }],
  });
  const deep = (of: string) => parseConfigText(of.repeat(100_000));
  for (const of of ['[', '{a: ', '- ', '? ', ': ', 'a: ', '[? ', '[a: ']) expect(deep(of), of).toEqual(fault(1));
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `${' '.repeat(at)}a:`).join('\n');
  expect(parseConfigText(lines(3000))).toEqual(fault(100));
  for (const text of [lines(98), `${'['.repeat(98)}${']'.repeat(98)}`])
    expect('faults' in parseConfigText(text)).toBe(false);
});
