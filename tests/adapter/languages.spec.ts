/** Each adapter in adapters/ gets a certificate. Without its runtime the test is skipped, or fails in CI. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runOpened } from '../../src/app/prove/run-in-process.ts';
import { openClient } from '../../src/run/client/open-client.ts';
import type { ClientOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';
import { pythonWithOAuth, skipUnless, succeeds } from '../needed.ts';

type Command = readonly [program: string, ...args: string[]];

/** `probe` exits with 0 if the adapter can run. `compile` runs before, in FOLDER. PYTHON has its library. */
type Language = readonly [name: string, probe: Command, command: Command, compile?: Command];

const php = 'exit(extension_loaded("oauth") && extension_loaded("curl") ? 0 : 1);';
const perl = ['-MNet::OAuth', '-MLWP::Protocol::https', '-MCrypt::OpenSSL::RSA', '-e', '1'];
const tools = 'command -v curl && command -v openssl && command -v jq';
const java = ['java', '-XX:TieredStopAtLevel=1', '-cp', 'FOLDER'] as const;
const mono = 'command -v mcs && command -v mono';
const mcs = ['mcs', '-warnaserror', '-out:FOLDER/adapter.exe'] as const;
const at = (path: string) => join(root, 'adapters', path);
const languages: readonly Language[] = [
  ['Python with requests-oauthlib', ['PYTHON', '-c', 'import requests_oauthlib'], ['PYTHON', at('python/adapter.py')]],
  ['PHP with pecl oauth', ['php', '-r', php], ['php', at('php/adapter.php')]],
  ['Ruby with the oauth gem', ['ruby', '-e', 'require "oauth"'], ['ruby', at('ruby/adapter.rb')]],
  ['Perl with Net::OAuth', ['perl', ...perl], ['perl', at('perl/adapter.pl')]],
  ['shell with curl and openssl', ['bash', '-c', tools], [at('shell/adapter.sh')]],
  ['Go', ['go', 'version'], ['FOLDER/adapter'], ['go', 'build', '-o', 'FOLDER/adapter', at('go/adapter.go')]],
  ['Java', ['javac', '--version'], [...java, 'Adapter'], ['javac', '-d', 'FOLDER', at('java/Adapter.java')]],
  ['C# with Mono', ['sh', '-c', mono], ['mono', 'FOLDER/adapter.exe'], [...mcs, at('csharp/Adapter.cs')]],
];

// Two runs at once would need more than two cores.
test.describe.configure({ mode: 'default' });

for (const [name, probe, command, compile] of languages) {
  // The README shows the adapter in Node, and its test runs that.
  test(`the adapter in ${name} is conformant`, { tag: '@all' }, async () => {
    const python = probe[0] === 'PYTHON' ? (pythonWithOAuth() ?? 'python3') : 'PYTHON';
    const [program, ...args] = probe;
    const mode = name.startsWith('shell') ? 'one-shot' : 'process';
    skipUnless(succeeds(program.replace('PYTHON', python), ...args), name);

    const out = test.info().outputPath();
    const substitute = (words: readonly string[]) =>
      words.map((word) =>
        word.replace(/^(-out:)?FOLDER/, (_, flag = '') => `${flag}${out}`).replace(/^PYTHON$/, python),
      );
    if (compile !== undefined) expect(spawnSync(compile[0], substitute(compile.slice(1))).status).toBe(0);
    const client: ClientOptions = { command: substitute(command), mode, plainHttp: false, cwd: root };
    const { result } = await runOpened(
      { seed: '7', cases: mode === 'one-shot' ? 1 : 3 },
      await openClient(client, '7'),
    );
    expect(result.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([]);
    const undecided = result.results.filter(({ outcome }) => outcome === 'inconclusive');
    expect(result.conclusion, JSON.stringify(undecided.map(({ id, actual }) => [id, actual]))).toBe('conformant');
    expect(result.results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(70);
    expect(result.hazards).toBeUndefined();
  });
}
