/** What surrounds a conversation with an adapter: its environment, its language, turns and notes. */
import { crashHint, flushHint, languageOf } from '../../../src/peer/adapter/faults.ts';
import { defaultLimits } from '../../../src/peer/adapter/limits.ts';
import { Notes } from '../../../src/peer/adapter/notes.ts';
import { adapterEnvironment } from '../../../src/peer/adapter/process-channel.ts';
import { Turns } from '../../../src/peer/adapter/session.ts';
import { expect, test } from '../../engine.ts';
import { textOf } from '../../house/tree.ts';

test('the page of the protocol states the limits that hold', () => {
  const { readyMs, lateMs, byeMs, crashes, stuck, stuckInAll } = defaultLimits;
  const page = textOf('schemas/adapter/README.md');
  for (const row of [
    `| \`hello\` to \`ready\` | ${readyMs / 1000} s |`,
    `| after the deadline | ${lateMs / 1000} s `,
    `| \`bye\` or end of input to exit | ${byeMs / 1000} s`,
    `| ends in a row without a result | ${crashes}; stuck in a row: ${stuck}, in all: ${stuckInAll};`,
  ]) {
    expect(page).toContain(row);
  }
});

test('an adapter gets what programs need, and neither proxies nor secrets', () => {
  const ours = {
    PATH: '/bin',
    LC_ALL: 'C',
    PYENV_ROOT: '/pyenv',
    PERL5LIB: '/perl',
    http_proxy: 'http://proxy',
    HTTPS_PROXY: 'http://proxy',
    ALL_PROXY: 'socks://proxy',
    AWS_SECRET_ACCESS_KEY: 'secret',
    NODE_OPTIONS: '--inspect',
    NODE_EXTRA_CA_CERTS: 'other.pem',
    NOTHING: undefined,
  };
  expect(adapterEnvironment(ours, { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', NO_PROXY: '' })).toEqual({
    PATH: '/bin',
    LC_ALL: 'tr_TR.UTF-8',
    PYENV_ROOT: '/pyenv',
    PERL5LIB: '/perl',
    TZ: 'Pacific/Kiritimati',
    COUNTERSIGN_ADAPTER_OUT: 'fd:3',
    NO_PROXY: '*',
    no_proxy: '*',
  });
});

test('the certificate authority is named in every variable that a runtime reads', () => {
  expect(adapterEnvironment({}, {}, { file: 'ca.pem', pem: '' })).toMatchObject({
    NODE_EXTRA_CA_CERTS: 'ca.pem',
    SSL_CERT_FILE: 'ca.pem',
    REQUESTS_CA_BUNDLE: 'ca.pem',
    CURL_CA_BUNDLE: 'ca.pem',
    PERL_LWP_SSL_CA_FILE: 'ca.pem',
  });
});

const languages: readonly (readonly [named: string | undefined, command: readonly string[], language: string])[] = [
  ['PHP', ['run'], 'php'],
  ['python 3.12', ['node'], 'python'],
  [undefined, ['/usr/bin/python3.11', 'adapter.py'], 'python'],
  [undefined, ['C:\\ruby\\bin\\ruby.exe', 'a'], 'ruby'],
  [undefined, ['env', '-u', 'X', './adapter.pl'], 'perl'],
  [undefined, ['java', '-jar', 'a.jar'], 'java'],
  [undefined, ['./adapter'], 'unknown'],
  ['COBOL', ['./adapter'], 'unknown'],
];

test('the language of an adapter is what it says, or what its command shows', () => {
  for (const [named, command, language] of languages) expect(languageOf(named, command), language).toBe(language);
});

test('the hint on buffers is in the language', () => {
  expect(flushHint('python')).toContain('python -u');
  expect(flushHint('ruby')).toContain('$stdout.sync = true');
  expect(flushHint('perl')).toContain('$| = 1');
  expect(flushHint('unknown')).toContain('flush standard output');
});

test('an adapter that ended over a string that is cut is told where lines end', () => {
  for (const words of [
    'SyntaxError: Unterminated string in JSON',
    'JSONDecodeError: Unterminated string starting at',
  ]) {
    expect(crashHint(words)).toContain('readline of Node from 24 on');
  }
  expect(crashHint('KeyError: id')).not.toContain('0x0A');
});

test('turns are taken up to a number at once, and one alone waits for all and goes before others', async () => {
  const turns = new Turns(2);
  const order: string[] = [];
  const take = async (name: string, alone = false): Promise<() => void> => {
    const over = await turns.take({ alone });
    order.push(name);
    return over;
  };
  const [first, second] = [await take('first'), await take('second')];
  const third = take('third');
  const alone = take('alone', true);
  first();
  await Promise.resolve();
  expect(order).toEqual(['first', 'second']);
  second();
  const aloneOver = await alone;
  expect(order).toEqual(['first', 'second', 'alone']);
  aloneOver();
  aloneOver();
  (await third)();
  expect(order).toEqual(['first', 'second', 'alone', 'third']);
});

test('of each kind of note three are kept, and the rest are counted', () => {
  const notes = new Notes();
  for (let i = 1; i <= 5; i++) notes.add('stray lines', `line ${i}`);
  notes.add('restarts', 'started again');
  expect(notes.list()).toEqual(['line 1', 'line 2', 'line 3', 'Altogether there were 5 stray lines.', 'started again']);
});
