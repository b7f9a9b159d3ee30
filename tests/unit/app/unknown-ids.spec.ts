/** Whoever names an id that a command cannot take is sent to the command that can, in one sentence. */
import { nearestName } from '../../../schemas/nearest.ts';
import { didYouMean } from '../../../src/app/usage-error.ts';
import { clientDefects } from '../../../src/faults/client/index.ts';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';
import { run } from './captured.ts';

const ofClient = clientDefects.find(({ reach }) => reach === undefined)!.id;
const stored = gatewayDefects.find(({ reach }) => reach === 'stored')?.id;

/** A command line, and what its one sentence says. */
const said: Readonly<Record<string, string>> = {
  [`gateway --defect ${ofClient}`]: `this command takes those of a gateway. countersign client --defect ${ofClient} takes it.`,
  [`mock --defect ${ofClient}`]: `is a defect of a client`,
  'client --defect authentication/signature-not-checked':
    'is a defect of a gateway, and this command takes those of a client',
  'gateway --defect close-day/*': '--defect takes ids and no patterns, and close-day/* is a pattern',
  'mock --defect authentication/*': '--defect takes ids and no patterns',
  'gateway --only close-day/statos-*': 'there is no requirement close-day/statos-*. Did you mean close-day/status-*?',
  [`gateway --only ${'a'.repeat(100_000)}`]: '--only has a pattern of 100000 characters, and no more than 200 are read',
  'client --only (a+)+$[ -- true': 'there is no requirement (a+)+$[. countersign list requirements names them all.',
  'gateway --only recurring/keep-alive-kept': 'has nothing to send. Add --slow: it is shown by a connection',
  'gateway --except close-day/statos-200':
    'there is no requirement close-day/statos-200. Did you mean close-day/status-200?',
  'gateway --only close-day/status-200 --except close-day/*': 'leaves no requirement to judge. Except less, or choose',
  'gateway --only close-day/status-200,recurring/*': 'close-day/status-200,recurring/*. Repeat --only for each.',
  'gateway --only transport/environments': 'no run can show transport/environments. A run speaks to one base URL and',
  'client --only recurring/starts-* -- true':
    'no run can show recurring/starts-transactions. An accepted batch is answered',
  'gateway --require close-dy/*': 'there is no requirement close-dy/*. Did you mean close-day/*?',
  'client --require transport/environments -- true': 'no run can show transport/environments',
  'gateway --only close-dy/*': 'there is no requirement close-dy/*. Did you mean close-day/*?',
  'explain close-day/*': 'explain takes one id, and close-day/* is a pattern. countersign list shows all ids.',
  ...(stored && {
    [`mock --defect ${stored}`]: `a mock cannot be given the defect ${stored}: only stored records show it`,
  }),
};

for (const [line, sentence] of Object.entries(said)) {
  test(`${line} names the right command`, async () => {
    const { exitCode, out, err } = await run(line.split(' '));
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(sentence)]);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
  });
}

const ids = ['authentication/version', 'authentication/nonce-unique', 'close-day/path', 'A1', 'A12', 'skips-signature'];

const known = ['surrogates-apart', 'close-day/finished-has-gates', 'close-day/gate-id-type', 'recurring/type-value'];
for (const [why, asked, among, nearest] of [
  ['a slip of a letter or two is forgiven', 'authentication/versoin', ids, ['authentication/version']],
  ['a missing letter too', 'skip-signature', ids, ['skips-signature']],
  ['the part after the slash is enough', 'version', ids, ['authentication/version']],
  ['a piece of an id is enough', 'nonce', ids, ['authentication/nonce-unique']],
  ['letter case does not count', 'AUTHENTICATION/VERSION', ids, ['authentication/version']],
  ['the nearest is first of three', 'abcd', ['abxx', 'abcx', 'abce', 'abcf', 'abcg'], ['abcx', 'abce', 'abcf']],
  ['nothing is suggested where nothing is near', 'entirely-else', ids, []],
  ['one letter is near to nothing', 'a', ids, []],
  ['a beginning counts, a whole word first', 'gate', known, ['close-day/gate-id-type', 'close-day/finished-has-gates']],
  ['a pattern is near to the area that it misspells', 'recuring/*', ['recurring/*', 'close-day/*'], ['recurring/*']],
] as const) {
  test(`${why}: ${asked}`, () => expect(nearestName(asked, among)).toEqual(nearest));
}

test('two suggestions are joined by or, and none is no sentence', () => {
  expect(didYouMean('A2', ['A1', 'A12'])).toBe('Did you mean A1 or A12?');
  expect(didYouMean('entirely-else', ids)).toBeUndefined();
});
