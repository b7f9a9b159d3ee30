/** Whoever names an id that a command cannot take is sent to the command that can, in one sentence. */

import { nearestName } from '../../../schemas/nearest.ts';
import { didYouMean } from '../../../src/app/usage-error.ts';
import { clientDefects } from '../../../src/faults/client/index.ts';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';
import { run } from './captured.ts';

const ofClient = clientDefects.find(({ reach }) => reach === undefined)!.id;
const stored = gatewayDefects.find(({ reach }) => reach === 'stored')?.id;

const pattern = (id: string) =>
  `countersign: --defect takes ids and no patterns, and ${id} is a pattern. Name each defect by its id: countersign list defects shows them.\n`;
const elsewhere = (id: string, side: string, other: string) =>
  `countersign: ${id} is a defect of a ${other}, and this command takes those of a ${side}. countersign ${other} --defect ${id} takes it.\n`;

const said: readonly (readonly [args: readonly string[], sentence: string])[] = [
  [['gateway', '--defect', ofClient], elsewhere(ofClient, 'gateway', 'client')],
  [['mock', '--defect', ofClient], elsewhere(ofClient, 'gateway', 'client')],
  [
    ['client', '--defect', 'authentication/signature-not-checked'],
    elsewhere('authentication/signature-not-checked', 'client', 'gateway'),
  ],
  [['gateway', '--defect', 'close-day/*'], pattern('close-day/*')],
  [['mock', '--defect', 'authentication/*'], pattern('authentication/*')],
  [
    ['gateway', '--only', 'close-day/statos-*'],
    'countersign: there is no requirement close-day/statos-*. Did you mean close-day/status-*?\n',
  ],
  [
    ['gateway', '--only', 'a'.repeat(100_000)],
    'countersign: --only has a pattern of 100000 characters, and no more than 200 are read. countersign list requirements names all requirements.\n',
  ],
  [
    ['client', '--only', '(a+)+$[', '--', 'true'],
    'countersign: there is no requirement (a+)+$[. countersign list requirements names them all.\n',
  ],
  [
    ['gateway', '--only', 'recurring/keep-alive-kept'],
    "countersign: --only 'recurring/keep-alive-kept' has nothing to send. Add --slow: it is shown by a connection that is left silent for a minute.\n",
  ],
  [
    ['gateway', '--except', 'close-day/statos-200'],
    'countersign: there is no requirement close-day/statos-200. Did you mean close-day/status-200?\n',
  ],
  [
    ['gateway', '--only', 'close-day/status-200', '--except', 'close-day/*'],
    "countersign: --only 'close-day/status-200' --except 'close-day/*' leaves no requirement to judge. Except less, or choose more with --only.\n",
  ],
  [
    ['gateway', '--only', 'close-day/status-200,recurring/*'],
    'countersign: there is no requirement close-day/status-200,recurring/*. Repeat --only for each.\n',
  ],
  [
    ['gateway', '--only', 'transport/environments'],
    'countersign: no run can show transport/environments. A run speaks to one base URL and never to the other environment.\n',
  ],
  [
    ['client', '--only', 'recurring/starts-*', '--', 'true'],
    'countersign: no run can show recurring/starts-transactions. An accepted batch is answered with an empty body; the transactions are inside the gateway.\n',
  ],
  [
    ['gateway', '--require', 'close-dy/*'],
    'countersign: there is no requirement close-dy/*. Did you mean close-day/*?\n',
  ],
  [
    ['client', '--require', 'transport/environments', '--', 'true'],
    'countersign: no run can show transport/environments. A run speaks to one base URL and never to the other environment.\n',
  ],
  [['gateway', '--only', 'close-dy/*'], 'countersign: there is no requirement close-dy/*. Did you mean close-day/*?\n'],
  [
    ['explain', 'close-day/*'],
    'countersign: explain takes one id, and close-day/* is a pattern. countersign list shows all ids.\n',
  ],
  ...(stored === undefined
    ? []
    : [
        [
          ['mock', '--defect', stored],
          `countersign: a mock cannot be given the defect ${stored}: only stored records show it. countersign explain ${stored} says more.\n`,
        ] as const,
      ]),
];

for (const [args, sentence] of said) {
  test(`${args.join(' ')} names the right command`, async () => {
    expect(await run([...args])).toMatchObject({ exitCode: 2, out: '', err: sentence });
  });
}

const ids = ['authentication/version', 'authentication/nonce-unique', 'close-day/path', 'A1', 'A12', 'skips-signature'];

test('a slip of a letter or two is forgiven', () => {
  expect(nearestName('authentication/versoin', ids)).toEqual(['authentication/version']);
  expect(nearestName('skip-signature', ids)).toEqual(['skips-signature']);
});

test('the part after the slash is enough, and a piece of an id too', () => {
  expect(nearestName('version', ids)).toEqual(['authentication/version']);
  expect(nearestName('nonce', ids)).toEqual(['authentication/nonce-unique']);
});

test('letter case does not count', () => {
  expect(nearestName('AUTHENTICATION/VERSION', ids)).toEqual(['authentication/version']);
});

test('the nearestName comes first and there are never more than three', () => {
  expect(nearestName('abcd', ['abxx', 'abcx', 'abce', 'abcf', 'abcg'])).toEqual(['abcx', 'abce', 'abcf']);
});

test('nothing is suggested where nothing is near', () => {
  expect(nearestName('entirely-else', ids)).toEqual([]);
  expect(didYouMean('entirely-else', ids)).toBeUndefined();
});

test('two suggestions are joined by or', () => {
  expect(didYouMean('A2', ['A1', 'A12'])).toBe('Did you mean A1 or A12?');
});

test('a word is suggested for its beginning, a whole one first, and never for a piece of its middle', () => {
  const known = ['surrogates-apart', 'close-day/finished-has-gates', 'close-day/gate-id-type', 'recurring/type-value'];
  expect(nearestName('gate', known)).toEqual(['close-day/gate-id-type', 'close-day/finished-has-gates']);
});

test('one letter is near to nothing, and a pattern near to the area that it misspells', () => {
  expect(nearestName('a', ids)).toEqual([]);
  expect(nearestName('recuring/*', ['recurring/*', 'close-day/*'])).toEqual(['recurring/*']);
});
