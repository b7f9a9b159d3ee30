/** `countersign init` and `countersign agent-skill`: write files to start from. */

import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nearestName } from '../../../schemas/nearest.ts';
import { visible } from '../../report/visible.ts';
import { languages, shellWord } from '../../run/options/options.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { named, refuseIf, type UsageError, usageError } from '../../run/options/usage-error.ts';
import type { ExitCode, Given, Surroundings } from '../command.ts';
import { usualConfig } from '../config/run-flags.ts';
import { printWritten, writeFresh } from '../print.ts';

const adapters = join(packageRoot, 'adapters');

export function templateOf(name: string): Promise<string> {
  return readFile(join(packageRoot, 'templates', name), 'utf8');
}

export async function run(
  what: 'config' | 'adapter',
  { out, force, language, json }: Given<'init'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const told = (path: string, next: string) => printWritten([path], `${path} is written. ${next}`, json, surroundings);
  if (what === 'config') {
    if (language !== undefined) throw wrongUse('--language is for an adapter', 'init adapter --language NAME');
    const path = out ?? usualConfig;
    await writeFresh(path, await templateOf('config.yaml'), force);
    const next = `Fill it in, then run: npx countersign doctor --config ${path}`;
    told(path, next);
    return 0;
  }
  if (language === undefined) throw wrongUse('an adapter is written in a language', 'init adapter --language NAME');
  const isKnown = languages.includes(language);
  const [meant] = isKnown ? [] : nearestName(language, languages);
  // For a language that only contains a known name, such as javascript, the skeleton is right.
  refuseIf(meant !== undefined && Math.abs(meant.length - language.length) < 2)`
    there is no adapter for ${named(language)}
    Did you mean ${meant}? For any other language, write \`--language other\`.`;
  const from = isKnown ? join(language, readdirSync(join(adapters, language))[0]!) : 'skeleton.md';
  const path = out ?? (isKnown ? basename(from) : 'adapter-skeleton.md');
  await writeFresh(path, await readFile(join(adapters, from), 'utf8'), force);
  if (isKnown) {
    const starts = startsOf(language, shellWord(path)).join(' && ');
    told(path, `Put your client in place of the one in it, then run: ${starts}`);
  } else {
    const known = languages.join(', ');
    told(
      path,
      `No adapter for ${visible(language)} is included (only for ${known}). Write the program that the file describes, then run: ${checkOf('COMMAND')}`,
    );
  }
  return 0;
}

export async function agentSkill(
  { out, force, json }: Given<'agent-skill'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  await writeFresh(out, await templateOf('SKILL.md'), force);
  printWritten([out], `${out} is written. Put it where your agent looks for skills.`, json, surroundings);
  return 0;
}

function wrongUse(message: string, form: string): UsageError {
  return usageError()`${message}
    Write countersign ${form}: ${languages.join(', ')}.`;
}

function checkOf(command: string): string {
  return `npx countersign client --check-adapter -- ${command}`;
}

function startsOf(language: string, path: string): readonly string[] {
  switch (language) {
    case 'go':
      return [`go build -o go-adapter ${path}`, checkOf('./go-adapter')];
    case 'java':
      return [`javac -d classes ${path}`, checkOf('java -cp classes Adapter')];
    case 'csharp':
      return [`mcs -out:adapter.exe ${path}`, checkOf('mono adapter.exe')];
    case 'shell':
      // An adapter that starts for each call has no check of its own.
      return [`npx countersign client --one-shot -- bash ${path}`];
    case 'python':
      return [checkOf(`python3 ${path}`)];
    default:
      // For the other languages, the command is the language name.
      return [checkOf(`${language} ${path}`)];
  }
}
