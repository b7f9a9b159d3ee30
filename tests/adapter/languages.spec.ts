/** Each adapter in adapters/ gets a certificate. Without its runtime the test is skipped, or fails in CI. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOpened } from '../../src/app/prove/run-in-process.ts';
import { openClient } from '../../src/run/client/open-client.ts';
import type { ClientOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';
import { pythonWithOAuth, skipUnless, succeeds } from '../needed.ts';

interface Language {
  readonly name: string;
  /** A command that exits with 0 if the adapter can run. PYTHON has its library. */
  readonly probe: readonly [command: string, ...args: string[]];
  readonly command: readonly string[];
  /** A command to run before, in FOLDER. */
  readonly compile?: readonly [command: string, ...args: string[]];
  readonly mode?: 'one-shot';
}

const adapters = join(root, 'adapters');

const language = (
  name: string,
  probe: Language['probe'],
  command: readonly string[],
  more: Partial<Language> = {},
) => ({ name, probe, command, ...more });

const php = 'exit(extension_loaded("oauth") && extension_loaded("curl") ? 0 : 1);';
const perl = ['-MNet::OAuth', '-MLWP::Protocol::https', '-MCrypt::OpenSSL::RSA', '-e', '1'];
const tools = 'command -v curl && command -v openssl && command -v jq';
const at = (path: string) => join(adapters, path);
const languages: readonly Language[] = [
  language(
    'Python with requests-oauthlib',
    ['PYTHON', '-c', 'import requests_oauthlib'],
    ['PYTHON', at('python/adapter.py')],
  ),
  language('PHP with pecl oauth', ['php', '-r', php], ['php', at('php/adapter.php')]),
  language('Ruby with the oauth gem', ['ruby', '-e', 'require "oauth"'], ['ruby', at('ruby/adapter.rb')]),
  language('Perl with Net::OAuth', ['perl', ...perl], ['perl', at('perl/adapter.pl')]),
  language('shell with curl and openssl', ['bash', '-c', tools], [at('shell/adapter.sh')], { mode: 'one-shot' }),
  language('Go', ['go', 'version'], ['FOLDER/adapter'], {
    compile: ['go', 'build', '-o', 'FOLDER/adapter', at('go/adapter.go')],
  }),
  language('Java', ['javac', '--version'], ['java', '-XX:TieredStopAtLevel=1', '-cp', 'FOLDER', 'Adapter'], {
    compile: ['javac', '-d', 'FOLDER', at('java/Adapter.java')],
  }),
  language('C# with Mono', ['sh', '-c', 'command -v mcs && command -v mono'], ['mono', 'FOLDER/adapter.exe'], {
    compile: ['mcs', '-warnaserror', '-out:FOLDER/adapter.exe', at('csharp/Adapter.cs')],
  }),
];

// Two runs at once would need more than two cores.
test.describe.configure({ mode: 'default' });

for (const { name, probe, compile, command, mode = 'process' } of languages) {
  // The README shows the adapter in Node, and its test runs that.
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
      const { result } = await runOpened(
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
