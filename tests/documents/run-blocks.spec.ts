/** Runs the commands in README.md and docs/ in a copy of the project, and compares their output with the documents. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOfRun } from '../../src/app/write-report.ts';
import { expect, test } from '../engine.ts';
import { type FencedBlock, fencedBlocks, isRun, missingLine } from '../house/readme-blocks.ts';
import { documents } from '../house/tree.ts';
import { missingPrograms, skipUnless } from '../needed.ts';
import { freePort } from '../unit/app/spawned.ts';
import { type Clone, makeClone, type Output } from './clone.ts';

// Tests run each block `sh run`, and compare the output with the next block. A block `sh mock` runs in the background.
test.describe('the runnable blocks of README and docs give their documented output', () => {
  test.describe.configure({ timeout: 300_000 });
  let clone: Clone;
  const port = freePort();
  const blocks = async (): Promise<readonly DocumentedBlock[]> => {
    const read = String(await port);
    return documents()
      .filter(({ path }) => /^(?:README|docs\/.*)\.md$/.test(path))
      .flatMap(({ path, text }) => fencedBlocks(text.replaceAll('8080', read)).map((block) => ({ ...block, path })));
  };

  test.beforeAll(() => {
    clone = makeClone();
  });
  test.afterAll(() => clone.remove());

  test('npx finds the command, so the build has made it executable', { tag: '@all' }, async () => {
    expect(await clone.start('npx countersign --version', true).ended).toEqual({
      code: 0,
      text: expect.stringMatching(/^\d/),
    });
  });

  for (const [name, pattern, tag] of [
    ['README', /^README\.md$/, []],
    ['docs', /^docs\//, ['@all']],
  ] as const) {
    test(`the blocks of ${name} that only call the command`, { tag: [...tag] }, async () => {
      const runnable = (await blocks()).filter((one) => pattern.test(one.path) && isRun(one) && !callsTheMock(one));
      expect(runnable.length).toBeGreaterThan(0);
      const ran = await Promise.all(runnable.map(({ text }) => clone.start(text).ended));
      expect(runnable.flatMap((block, index) => mismatch(block, ran[index]!)).join('\n\n')).toBe('');
      if (name === 'README') {
        expect(readdirSync(join(clone.folder, 'report')).sort()).toEqual([...filesOfRun].sort());
        // If the bundler had renamed functions to names such as a$1, the page's script could not find them.
        expect(readFileSync(join(clone.folder, 'report', 'report.html'), 'utf8')).not.toMatch(/[a-z]\$\d/i);
      }
    });
  }

  test('the mock, called with curl and openssl', async () => {
    const tools = missingPrograms('curl', 'openssl', 'date');
    skipUnless(tools.length === 0, tools.join(' and '));
    const calls = (await blocks()).filter((block) => isRun(block) && callsTheMock(block));
    const mocks = (await blocks()).filter(({ info }) => info[0] === 'sh' && info[1] === 'mock');
    expect([calls.length, mocks.length]).toEqual([1, 1]);
    const mock = clone.start(mocks[0]!.text);
    await expect.poll(mock.printed, { timeout: 60_000 }).toContain('stop it');
    const ran = await clone.start(calls[0]!.text).ended;
    mock.interrupt();
    const log = await mock.ended;
    expect([...mismatch(calls[0]!, ran), ...mismatch(mocks[0]!, log)].join('\n\n')).toBe('');
  });
});

interface DocumentedBlock extends FencedBlock {
  readonly path: string;
}

function callsTheMock({ text }: FencedBlock): boolean {
  return text.includes('three-requests.sh');
}

function mismatch({ outcome, line, path }: DocumentedBlock, { text }: Output): readonly string[] {
  const missing = missingLine(outcome ?? '…', text);
  return missing === undefined ? [] : [`${path}:${line} documents ${missing}\nbut this came:\n${text}`];
}
