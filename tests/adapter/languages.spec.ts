/** Each adapter of adapters/ is certified as the command does it, without the engine; one whose runtime is absent is skipped by name, and fails in CI. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concludeOpened } from '../../src/app/prove/run-in-process.ts';
import { openClient } from '../../src/run/client/open-client.ts';
import type { ClientOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';
import { pythonWithOAuth, skipUnless, succeeds } from '../needed.ts';

interface Language {
  readonly name: string;
  /** Ends with 0 where everything that the adapter needs is there; PYTHON is the one with its library. */
  readonly probe: readonly [command: string, ...args: string[]];
  readonly command: readonly string[];
  /** Run once before, in the folder that `command` names as FOLDER. */
  readonly compile?: readonly [command: string, ...args: string[]];
  readonly mode?: 'one-shot';
}

const adapters = join(root, 'adapters');

const languages: readonly Language[] = [
  {
    name: 'Python with requests-oauthlib',
    probe: ['PYTHON', '-c', 'import requests_oauthlib'],
    command: ['PYTHON', join(adapters, 'python/adapter.py')],
  },
  {
    name: 'PHP with pecl oauth',
    probe: ['php', '-r', 'exit(extension_loaded("oauth") && extension_loaded("curl") ? 0 : 1);'],
    command: ['php', join(adapters, 'php/adapter.php')],
  },
  {
    name: 'Ruby with the oauth gem',
    probe: ['ruby', '-e', 'require "oauth"'],
    command: ['ruby', join(adapters, 'ruby/adapter.rb')],
  },
  {
    name: 'Perl with Net::OAuth',
    probe: ['perl', '-MNet::OAuth', '-MLWP::Protocol::https', '-MCrypt::OpenSSL::RSA', '-e', '1'],
    command: ['perl', join(adapters, 'perl/adapter.pl')],
  },
  {
    name: 'shell with curl and openssl',
    probe: ['bash', '-c', 'command -v curl && command -v openssl && command -v jq'],
    command: [join(adapters, 'shell/adapter.sh')],
    mode: 'one-shot',
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    compile: ['go', 'build', '-o', 'FOLDER/adapter', join(adapters, 'go/adapter.go')],
    command: ['FOLDER/adapter'],
  },
  {
    name: 'Java',
    probe: ['javac', '--version'],
    compile: ['javac', '-d', 'FOLDER', join(adapters, 'java/Adapter.java')],
    command: ['java', '-XX:TieredStopAtLevel=1', '-cp', 'FOLDER', 'Adapter'],
  },
  {
    name: 'C# with Mono',
    probe: ['sh', '-c', 'command -v mcs && command -v mono'],
    compile: ['mcs', '-warnaserror', '-out:FOLDER/adapter.exe', join(adapters, 'csharp/Adapter.cs')],
    command: ['mono', 'FOLDER/adapter.exe'],
  },
];

// Two runs at once on two cores would only wait for one another.
test.describe.configure({ mode: 'default' });

for (const { name, probe, compile, command, mode = 'process' } of languages) {
  // The one in Node is certified by the command itself, among the blocks of the README.
  test(`the adapter in ${name} is conformant`, { tag: '@all' }, async () => {
    const python = probe[0] === 'PYTHON' ? (pythonWithOAuth() ?? 'python3') : 'PYTHON';
    const [program, ...args] = probe;
    skipUnless(succeeds(program.replace('PYTHON', python), ...args), name);

    const out = await mkdtemp(join(tmpdir(), 'countersign-'));
    try {
      const placed = (words: readonly string[]) =>
        words.map((word) =>
          word.replace(/^(-out:)?FOLDER/, (_, flag = '') => `${flag}${out}`).replace(/^PYTHON$/, python),
        );
      if (compile !== undefined) expect(spawnSync(compile[0], placed(compile.slice(1))).status).toBe(0);
      const client: ClientOptions = { command: placed(command), mode, plainHttp: false, cwd: root };
      const { result } = await concludeOpened(
        { seed: '7', cases: mode === 'one-shot' ? 1 : 3 },
        await openClient(client, '7'),
      );
      expect(result.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([]);
      const undecided = result.results.filter(({ outcome }) => outcome === 'inconclusive');
      expect(result.conclusion, JSON.stringify(undecided.map(({ id, actual }) => [id, actual]))).toBe('conformant');
      expect(result.results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(70);
      expect(result.hazards).toBeUndefined();
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  });
}
