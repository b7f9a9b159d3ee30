/** Runs the commands in README.md and docs/ in a copy of the project, and compares their output with the documents. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '../engine.ts';
import { type FencedBlock, fencedBlocks, isRun, missingLine, tablesOf } from '../house/readme-blocks.ts';
import { documents, textOf } from '../house/tree.ts';
import { missingPrograms, skipUnless } from '../needed.ts';
import { type Clone, makeClone, type Ran } from './clone.ts';

// Tests run the blocks `sh run`, and compare the output with the next block. A block `sh mock` runs in parallel.
const limitMs = 300_000;

test.describe('the runnable blocks of README and docs give their documented outcome', () => {
  test.describe.configure({ mode: 'default' });
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

  test('npx finds the command, so the build has made it executable', async () => {
    test.setTimeout(limitMs);
    expect(await clone.run('npx countersign --version', limitMs, 'npm')).toEqual({
      code: 0,
      text: expect.stringMatching(/^\d/),
    });
  });

  for (const [name, from, tag] of [
    ['README', /^README\.md$/, []],
    ['docs', /^docs\//, ['@all']],
  ] as const) {
    test(`the blocks of ${name} that only call the command`, { tag: [...tag] }, async () => {
      test.setTimeout(limitMs);
      const runnable = (await blocks()).filter(
        (block) => from.test(block.path) && isRun(block) && !callsTheMock(block),
      );
      expect(runnable.length).toBeGreaterThan(0);
      const ran = await Promise.all(runnable.map(({ text }) => clone.run(text, limitMs)));
      expect(runnable.flatMap((block, index) => contradiction(block, ran[index]!)).join('\n\n')).toBe('');
      if (name === 'README') {
        expect(filesOfRun(clone), 'files of a run, as docs/reference/files.md has them').toEqual(documentedRunFiles());
        // A bundler numbers equal names, and then the functions of the page's script could not find each other.
        expect(readFileSync(join(clone.folder, 'report', 'report.html'), 'utf8')).not.toMatch(/[a-z]\$\d/i);
      }
    });
  }

  test('the mock, called with curl and openssl', async () => {
    test.setTimeout(limitMs);
    const tools = missingPrograms('curl', 'openssl', 'date');
    skipUnless(tools.length === 0, tools.join(' and '));
    const calls = (await blocks()).filter((block) => isRun(block) && callsTheMock(block));
    const mocks = (await blocks()).filter(({ info }) => info[0] === 'sh' && info[1] === 'mock');
    expect([calls.length, mocks.length]).toEqual([1, 1]);
    const mock = await clone.start(mocks[0]!.text, 'stop it', limitMs);
    const ran = await clone.run(calls[0]!.text, limitMs);
    const log = await mock.stop();
    expect([...contradiction(calls[0]!, ran), ...contradiction(mocks[0]!, log)].join('\n\n')).toBe('');
  });
});

interface DocumentedBlock extends FencedBlock {
  readonly path: string;
}

function callsTheMock({ text }: FencedBlock): boolean {
  return text.includes('three-requests.sh');
}

function contradiction({ outcome, line, path }: DocumentedBlock, { text }: Ran): readonly string[] {
  const missing = missingLine(outcome ?? '…', text);
  return missing === undefined ? [] : [`${path}:${line} documents ${missing}\nbut this came:\n${text}`];
}

/** The files that the tour of the README writes. */
function filesOfRun({ folder }: Clone): string[] {
  return readdirSync(join(folder, 'report')).sort();
}

function documentedRunFiles(): string[] {
  const table = tablesOf(textOf('docs/reference/files.md')).find(([first]) => first?.[0] === 'File')!;
  return table
    .slice(1)
    .map(([file]) => file!.replaceAll('`', ''))
    .sort();
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}
