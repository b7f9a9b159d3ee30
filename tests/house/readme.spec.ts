/** README.md and docs/ agree with the code. tests/documents/ runs their commands. */
import { join } from 'node:path';
import { commands } from '../../src/app/commands.ts';
import { defaultConfig } from '../../src/app/config/run-flags.ts';
import { maxStateBytes } from '../../src/extras/desk/state.ts';
import { placeLimits } from '../../src/peer/local-gateway/local-gateway.ts';
import { maxBodyBytes, maxHeadBytes } from '../../src/record/exchange.ts';
import { maxJudgedBytes } from '../../src/record/har.ts';
import { exitCode } from '../../src/record/result/conclude.ts';
import type { Result } from '../../src/record/result/result.ts';
import { outcomes } from '../../src/record/result/result.ts';
import { formats } from '../../src/report/formats.ts';
import { expect, test } from '../engine.ts';
import { exitCodesIn, helpOf } from './help.ts';
import { fencedBlocks, isRun, missingLine, tablesOf } from './readme-blocks.ts';
import { builtFiles, documents, textOf, treeFiles } from './tree.ts';

test('an output is compared with the documented output line by line', () => {
  expect(missingLine('a\nb … d\n…\nf\n', 'a\nb c d\ne\ne\nf\n')).toBeUndefined();
  expect(missingLine('a\n…\nc\n', 'a\nb\n')).toBe('c');
  expect(missingLine('a\nb\n', 'a\nx\nb\n')).toBe('b');
  expect(missingLine('a\n', 'a\nb\n')).toContain('b came');
});

test('every command and option that a document names exists', async () => {
  const known = new Map<string, string>();
  for (const { name } of commands) known.set(name, await helpOf(name));
  const program = await helpOf();
  const problems = documents().flatMap(({ path, text }) =>
    commandLines(text).flatMap(({ line, words }) => {
      const name = words.find((word) => /^[a-z]/.test(word));
      const help = name === undefined ? program : known.get(name);
      if (help === undefined) return [`${path}:${line} there is no command ${name}`];
      const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/=.*$/, ''));
      return options
        .filter((option) => !hasOption(help, option))
        .map((option) => `${path}:${line} ${name} has no ${option}`);
    }),
  );
  expect(problems).toEqual([]);
});

test('git ignores the files that runnable blocks and init write', () => {
  const blocks = documents().flatMap(({ text }) => fencedBlocks(text).filter(isRun));
  const written = blocks.flatMap(({ text }) => [...text.matchAll(/(?:--out|>) (\w[\w.-]*)/g)].map(([, name]) => name!));
  expect(written.length).toBeGreaterThan(4);
  const ignored = new Set(textOf('.gitignore').split('\n'));
  const isIgnored = (name: string) => ignored.has(`/${name}`) || ignored.has(`/${name}/`);
  expect([...written, defaultConfig].filter((name) => !isIgnored(name))).toEqual([]);
});

test('the README has at most 90 lines', () => {
  expect(textOf('README.md').split('\n').length - 1).toBeLessThanOrEqual(90);
});

test('the documents have the exit codes of the code', async () => {
  const table = tablesOf(textOf('docs/reference/exit-codes.md'))[0]!.slice(1);
  const expected = exitCodesIn(await helpOf())!
    .replace(/\.$/, '')
    .split(/, (?=\d)/);
  expect(table.map(([code, meaning]) => `${code} ${meaning}`)).toEqual(expected);
  const conclusions: readonly Result['conclusion'][] = ['conformant', 'partial', 'non-conformant', 'aborted'];
  for (const conclusion of conclusions) {
    const code = exitCode({ conclusion, profile: 'strict', results: [] });
    const row = table.find(([number]) => number === String(code));
    expect(row?.[2], conclusion).toContain(`\`${conclusion}\``);
  }
});

test('the documents have the limits of the code', () => {
  const [kb, mb] = [1024, 1024 ** 2];
  const expected: Record<string, readonly string[]> = {
    'docs/how-to/judge-recorded-traffic.md': [
      `${maxJudgedBytes / mb} MB of close-days and batches`,
      `a head of at most ${maxHeadBytes / mb} MB and a body of at most ${maxBodyBytes / mb} MB`,
      `an answer of more than ${maxBodyBytes / mb} MB counts as no answer`,
    ],
    'adapters/README.md': [
      `${placeLimits.requests} requests and ${placeLimits.bodyBytes / kb} KB of bodies in one call`,
    ],
    'docs/how-to/use-the-desk.md': [`${maxStateBytes / mb} MiB for the state file`],
  };
  for (const [path, limits] of Object.entries(expected)) {
    const text = textOf(path).replaceAll(/\s+/g, ' ');
    for (const limit of limits) expect(text, path).toContain(limit);
  }
});

test('every outcome is explained', () => {
  const table = tablesOf(textOf('docs/explanation/verdicts.md'))[0]!.slice(1);
  expect(table.map(([outcome]) => outcome!.replaceAll('`', '')).sort()).toEqual([...outcomes].sort());
});

test('every link between documents leads to an existing file and heading', () => {
  const files = new Map(treeFiles().map(({ path, text }) => [path, text]));
  const exists = (target: string, anchor: string | undefined): boolean => {
    const text = files.get(target);
    if (text === undefined)
      return anchor === undefined && [...files.keys()].some((path) => path.startsWith(`${target}/`));
    return anchor === undefined || headingAnchors(text).includes(anchor);
  };
  const broken = documents().flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)].flatMap(([link, to, anchor]) => {
      const target = to === '' ? path : join(path, '..', to!).replace(/\/$/, '');
      return exists(target, anchor) ? [] : [`${path}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('every path in a code span of a document exists', () => {
  const paths = [...treeFiles().map(({ path }) => path), ...builtFiles];
  const scripts = /^(?:src|contracts|generators|schemas|tests|reports|adapters|docs)\/[\w./<>*-]*$/;
  const missing = documents().flatMap(({ path, text }) =>
    [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)]
      .map((match) => match[1]!)
      .filter((name) => scripts.test(name) && !/[<>*]/.test(name) && name !== 'reports/runs')
      .filter(
        (name) => !paths.some((known) => known === name || known.startsWith(name.endsWith('/') ? name : `${name}/`)),
      )
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('CI runs the commands that the README names first', () => {
  const first = fencedBlocks(textOf('README.md')).find(({ info }) => info.join(' ') === 'sh')!;
  const documented = first.text
    .trim()
    .split('\n')
    .flatMap((line) => line.split(' && '));
  const script = textOf('.ci/run');
  const { scripts } = JSON.parse(textOf('package.json'));
  for (const command of new Set(documented)) {
    // In CI an earlier step makes the build, so CI runs only the last part of npm start.
    const performed = command === 'npm start' ? scripts.start.split(' && ').at(-1) : command;
    expect(script).toMatch(new RegExp(`^\\s*(?:step |env .*)?${performed}(?:\\s|$)`, 'm'));
  }
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'check']));
});

test('the documents list the files of a run', () => {
  const table = tablesOf(textOf('docs/reference/files.md')).find(([first]) => first?.[0] === 'File')!;
  const files = table.slice(1).map(([file]) => file!.replaceAll('`', ''));
  expect(files).toEqual([...formats.map(({ file }) => file), 'exchanges.har'].sort());
});

/** The words after each `countersign` in code spans and blocks. */
function commandLines(markdown: string): { line: number; words: string[] }[] {
  const code = /```sh[\s\S]*?^```$|`[^`\n]+`/gm;
  return [...markdown.matchAll(code)].flatMap((match) => {
    const line = markdown.slice(0, match.index).split('\n').length;
    return [...match[0].matchAll(/(?<![\w'"/-])countersign((?: +(?!2?[>|&;])[^\s`]+)+)/g)].map(([, words]) => ({
      line,
      words: words!.trim().split(/\s+/),
    }));
  });
}

/** The anchors that GitHub gives to headings. */
function headingAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

function hasOption(help: string, option: string): boolean {
  return new RegExp(`(?:^|[\\s,])${option}(?:[\\s,]|$)`, 'm').test(help);
}
