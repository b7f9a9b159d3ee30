/** `countersign init` writes a configuration or an adapter. `countersign agent-skill` writes a skill file. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nearestNames } from '../../../schemas/nearest.ts';
import { printedJson } from '../../report/visible.ts';
import { languages, shellWord } from '../../run/options/options.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { formatWord, refuseIf, type UsageError, usageError } from '../../run/options/usage-error.ts';
import type { ExitCode, Input, Surroundings } from '../command.ts';
import { defaultConfig } from '../config/run-flags.ts';
import { writeNew } from '../print.ts';

const adapters = join(packageRoot, 'adapters');

function templateOf(name: string): Promise<string> {
  return readFile(join(packageRoot, 'templates', name), 'utf8');
}

export async function run(
  what: 'config' | 'adapter',
  { out, language, ...flags }: Input<'init'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const write = writer(flags, surroundings);
  if (what === 'config') {
    if (language !== undefined) throw languageError('--language needs an adapter');
    const path = out ?? defaultConfig;
    const next = `Fill it in, then run: \`npx countersign doctor --config ${shellWord(path)}\``;
    return write(path, await templateOf('config.yaml'), next);
  }
  if (language === undefined) throw languageError('--language is missing');
  const isKnown = languages.includes(language);
  const [suggestion] = isKnown ? [] : nearestNames(language, languages);
  // Refuse only misspelt names of known languages. Any other language, such as javascript, gets the skeleton.
  refuseIf(suggestion !== undefined && Math.abs(suggestion.length - language.length) < 2)`
    there is no adapter for ${formatWord(language)}
    Did you mean ${suggestion}? For any other language, write \`--language other\`.`;
  const source = isKnown ? join(language, readdirSync(join(adapters, language))[0]!) : 'skeleton.md';
  const path = out ?? (isKnown ? basename(source) : 'adapter-skeleton.md');
  const startCommand = startCommands[language] ?? ((file: string) => `${checkCommand} ${language} ${file}`);
  const next = isKnown
    ? `Replace the client in this file with yours, then run: \`${startCommand(shellWord(path))}\``
    : `There is no adapter for ${formatWord(language)}, only for ${languages.join(', ')}.\n` +
      `Write the program that the file describes, then run: \`${checkCommand} COMMAND\``;
  return write(path, await readFile(join(adapters, source), 'utf8'), next);
}

export async function agentSkill(
  { out, ...flags }: Input<'agent-skill'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  return writer(flags, surroundings)(out, await templateOf('SKILL.md'), 'Put it where your agent looks for skills.');
}

function writer({ force, json }: Pick<Input<'init'>, 'force' | 'json'>, { out, remark }: Surroundings) {
  return async (path: string, text: string, next: string): Promise<0> => {
    const hint = 'Name another file with --out, or overwrite it with --force.';
    await writeNew(path, text, { over: force === true, hint });
    if (json) out(printedJson({ written: [path] }));
    else remark(`${path} is written.\n${next}`);
    return 0;
  };
}

function languageError(message: string): UsageError {
  return usageError()`${message}
    Write \`countersign init adapter --language NAME\`: ${languages.join(', ')} or another one.`;
}

const checkCommand = 'npx countersign client --check-adapter --';

/** Commands that start an adapter. The default is the name of the language and the path, such as `ruby adapter.rb`. */
const startCommands: Readonly<Record<string, (path: string) => string>> = {
  go: (path) => `go build -o go-adapter ${path} && ${checkCommand} ./go-adapter`,
  java: (path) => `javac -d classes ${path} && ${checkCommand} java -cp classes Adapter`,
  csharp: (path) => `mcs -out:adapter.exe ${path} && ${checkCommand} mono adapter.exe`,
  // --check-adapter needs an adapter that handles several calls. A shell adapter is started again for each call.
  shell: (path) => `npx countersign client --one-shot -- bash ${path}`,
  python: (path) => `${checkCommand} python3 ${path}`,
};
