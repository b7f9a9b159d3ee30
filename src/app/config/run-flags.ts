/** Checks the flags that several commands share, before a run starts. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { requirements } from '../../../contracts/requirements/index.ts';
import forms from '../../../schemas/files/run-options.json' with { type: 'json' };
import shardFile from '../../../schemas/files/shard.json' with { type: 'json' };
import { perExchange } from '../../record/case.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { casesOf } from '../../record/run.ts';
import { commandAgain, type Given } from '../../run/options/options.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { exception, matchesAny, narrowingFlags, selectedIds } from '../../run/options/selection.ts';
import { refuseIf, UsageError, unknown, usageError } from '../../run/options/usage-error.ts';

/** `init` writes this file. Commands read this file by default, if --config and --target are absent. */
export const usualConfig = 'countersign.config.yaml';

/** Adds the default configuration if the working folder has one, and --config and --target are absent. */
export function withUsualConfig<Flags extends { readonly config?: string; readonly target?: string }>(
  flags: Flags,
  remark: (sentence: string) => void,
): Flags {
  if (flags.config !== undefined || flags.target !== undefined || !existsSync(usualConfig)) return flags;
  remark(`Using ${usualConfig} of this folder.\nFor the built-in mock, write --target mock.`);
  return { ...flags, config: usualConfig };
}

/** The patterns of --only and --except, or the ids of --smoke. Throws UsageError if no requirement is left. */
export async function chosenIds(
  side: 'client' | 'gateway',
  { only = [], except = [], smoke }: Flags<Narrowing>,
): Promise<readonly string[]> {
  if (smoke && side === 'client') return (await import('../../run/client/needed-calls.ts')).clientSmokeIds();
  if (smoke) return (await import('../../run/gateway/planned-cases.ts')).gatewaySmokeIds();
  const excepted = except.map((pattern) => `${exception}${pattern}`);
  const patterns = [...only, ...excepted].map((pattern) => matchingPattern(side, pattern));
  if (selectedIds(side, patterns).length > 0) return patterns;
  throw usageError()`${narrowingFlags(patterns).join(' ')} leaves no requirement to judge
    Remove an --except, or select more with --only.`;
}

const { labels: labelForm, only: patternForm } = forms.properties;
const maxPatternLength = patternForm.items.maxLength;

/** Returns the pattern if it selects a requirement of this side. Otherwise throws UsageError. */
export function matchingPattern(side: 'client' | 'gateway', pattern: string, flag = '--only'): string {
  refuseIf(pattern.length > maxPatternLength)`
    ${flag} has a pattern of ${pattern.length} characters; the limit is ${maxPatternLength}
    \`countersign list requirements\` shows all ids.`;
  // In a stored run, --only and --except share one list of patterns. The prefix marks the patterns of --except.
  if (pattern.startsWith(exception)) return `${exception}${matchingPattern(side, pattern.slice(1), '--except')}`;
  if (selectedIds(side, [pattern]).length > 0) return pattern;
  const otherSide = side === 'client' ? 'gateway' : 'client';
  refuseIf(selectedIds(otherSide, [pattern]).length > 0)`
    ${pattern} is a requirement of a ${otherSide}, and this run judges a ${side}
    \`countersign list requirements\` shows the side of each.`;
  const untestable = requirements.find((row) => row.untestable !== undefined && matchesAny(row.id, [pattern]));
  if (untestable !== undefined) throw new UsageError(`no run can test ${untestable.id}`, untestable.untestable);
  const ids = selectedIds(side, []);
  throw unknown(
    'requirement',
    pattern,
    pattern.includes('*')
      ? [...new Set(ids.map((one) => one.replace(/\/.*/, '/*'))), ...patternsLike(pattern, ids)]
      : [...ids, ...selectedIds(otherSide, [])],
    pattern.includes(',') ? `Write ${flag} before each id` : '`countersign list requirements` shows all',
  );
}

/** Suggests patterns for a mistyped pattern: for `a-bb-*`, the first two words of each id, followed by `-*`. */
function patternsLike(pattern: string, ids: readonly string[]): string[] {
  const words = pattern.slice(0, pattern.indexOf('*')).split('-').length - 1;
  if (words === 0 || pattern.endsWith('/*')) return [];
  return [...new Set(ids.map((id) => `${id.split('-').slice(0, words).join('-')}-*`))];
}

function chosenSeed({ seed, challenge, path }: SeedFlags): SeedFlags {
  // --path is valid only with the seed of its run: with another seed, it leads to another case.
  refuseIf(path !== undefined && (seed ?? challenge) === undefined)`
    --path needs the seed of the run that printed the path
    Add --seed or --challenge of that run.`;
  return challenge === undefined ? { seed } : { seed: challenge, challenge };
}

type Flags<Name extends keyof Given<'client'>> = Partial<Pick<Given<'client'>, Name>>;
type SeedFlags = Flags<'seed' | 'challenge' | 'path'>;
type Narrowing = 'only' | 'except' | 'smoke';
type ShardFlags = SeedFlags & Flags<'shard' | 'updateBaseline'>;

/** Parses --shard INDEX/NUMBER; undefined without --shard. Throws UsageError, also if NUMBER exceeds `scenarios`. */
export function chosenShard({ shard, seed, challenge, updateBaseline }: ShardFlags, scenarios = 0) {
  if (shard === undefined) return undefined;
  const [, index = 0, of = 0] = (/^([1-9]\d?)\/([1-9]\d?)$/.exec(shard) ?? []).map(Number);
  const max = shardFile.properties.shard.properties.of.maximum;
  refuseIf(index === 0 || index > of || of > max)`--shard ${shard} is not INDEX/NUMBER with at most ${max} shards
    Write it like --shard 2/3.`;
  refuseIf(of > scenarios)`--shard ${shard} asks for more shards than there are scenarios (${scenarios})
    Use fewer shards, or a wider --only.`;
  refuseIf((seed ?? challenge) === undefined)`
    --shard needs --seed or --challenge, with the same value for all shards of a run
    Use any text, such as the number of the build.`;
  refuseIf(updateBaseline)`--update-baseline needs the whole run, not a shard
    Merge the shards, then run: \`countersign judge DIR --baseline FILE --update-baseline\``;
  return { index, of };
}

/** Parses --label. Refuses blanks and quotes, because the repeat command contains the labels. Throws UsageError. */
export function checkedLabels(texts: readonly string[] = []): Readonly<Record<string, string>> | undefined {
  if (texts.length === 0) return undefined;
  const max = labelForm.maxProperties;
  if (texts.length > max) throw refused(`${texts.length} labels are too many: a run has at most ${max}`);
  const namePattern = new RegExp(labelForm.propertyNames.pattern);
  const valuePattern = new RegExp(labelForm.additionalProperties.pattern, 'u');
  const labels = new Map<string, string>();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const fits = namePattern.test(name) && valuePattern.test(value);
    if (!fits) throw refused(`--label ${text.slice(0, 60)} is not NAME=VALUE, such as gateway=4.12.0`);
    if (labels.has(name)) throw refused(`--label ${name} occurs twice`);
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

function refused(message: string): UsageError {
  return usageError()`${message}
    A name has 1 to 40 letters, digits or "._-". A value has 1 to 80 letters, digits or "._+:/@#,()-", and no blanks.`;
}

type RunFlags = Given<'gateway'> | Omit<Given<'client'>, 'host'> | Given<'judge'>;

/** The options of a run. `own` overrides `flags`. The repeat command ends with `operands`. Throws UsageError. */
export function runOptionsOf(
  command: string,
  flags: RunFlags,
  own: Partial<RunOptions>,
  now: number,
  cwd: string,
  operands: readonly string[] = [],
): RunOptions {
  const out = flags.out === undefined ? undefined : resolve(cwd, flags.out);
  const common = { ...flags, ...chosenSeed(flags as SeedFlags), labels: checkedLabels(flags.label), out };
  const options = completeRunOptions({ ...(common as Partial<RunOptions>), ...own }, now, cwd);
  // Write the seed into the repeat command, even if the seed was random.
  const again = options.challenge === undefined ? { ...flags, seed: options.seed } : flags;
  return { ...options, reproduce: commandAgain(command, again, operands) };
}

/** What a run tested. Defects and variants are not included. */
type Tested =
  | { readonly kind: 'gateway'; readonly target: string }
  | { readonly kind: 'client'; readonly command: string; readonly isAttached: boolean };

/** Replaces --last-failed by --only for each requirement that did not pass, and by the last seed. Throws UsageError. */
export async function withLastFailed<Own extends Flags<'lastFailed' | 'only' | 'out' | 'seed' | 'challenge'>>(
  given: Own,
  tested: Tested,
  cwd: string,
  remark: (text: string) => void,
): Promise<{ readonly flags: Own; readonly again?: readonly string[] }> {
  const { lastFailed, ...rest } = given;
  if (lastFailed === undefined) return { flags: given };
  const side = tested.kind;
  const folders =
    given.out === undefined ? await newestFirst(join(cwd, 'reports', 'runs'), tested) : [resolve(cwd, given.out)];
  const last = await firstWithVerdicts(folders, side);
  if (last === undefined) {
    throw usageError()`--last-failed finds no run of a ${side} with a verdict in ${given.out ?? join('reports', 'runs')}
      Run the command once without --last-failed.`;
  }
  const { folder, report } = last;
  const place = relative(cwd, folder) || '.';
  const now = formatTested(tested);
  const before = formatTested(testedBefore(report) ?? tested);
  refuseIf(before !== now)`the last run, in ${place}, tested ${before}, and this command tests ${now}
    Remove --last-failed, or name the folder of another run with --out.`;
  const known = selectedIds(side, []);
  const only = report.results
    .filter(({ id, outcome }) => outcome !== 'pass' && outcome !== 'not-applicable' && known.includes(id))
    .map(({ id }) => id);
  refuseIf(only.length === 0)`every requirement of the last run, in ${place}, passed or is not applicable
    Remove --last-failed to test all requirements and the Pact contracts.`;
  const pacts = report.contracts?.some(({ outcome }) => outcome !== 'pass')
    ? ' Some Pact interactions also did not pass: only a run of all requirements verifies them.'
    : '';
  remark(`--last-failed repeats ${pluralize(only.length, 'requirement')} of the run in ${place}.${pacts}`);
  const { seed = given.challenge === undefined ? report.seed : undefined } = given;
  return {
    flags: { ...(rest as Own), only, ...(seed === undefined ? {} : { seed }) },
    again: await failingCases(folder, report),
  };
}

/** Maximum number of failing exchanges to repeat for each requirement. */
const maxAgain = 20;

/** Returns the failing cases of a stored run, each as `scenario number`. */
export async function failingCases(folder: string, { results, subject }: Result): Promise<readonly string[]> {
  const numbers = results.flatMap(({ outcome, exchanges }) => (outcome === 'fail' ? exchanges.slice(0, maxAgain) : []));
  // If no exchange fails, do not read the recording: it may be missing.
  if (numbers.length === 0) return [];
  const { readRecordings } = await import('./stored-runs.ts');
  const { recordings } = await readRecordings([folder], subject.kind);
  const cases = perExchange(recordings.flatMap(casesOf));
  const failing = [...new Set(numbers)].flatMap((number) => cases[number - 1] ?? []);
  return failing.map(({ scenario, number }) => `${scenario} ${number}`);
}

/** Names of these folders begin with a time, and end with `-client`, `-gateway` or `-mock`. */
async function newestFirst(parent: string, tested: Tested): Promise<readonly string[]> {
  const end = tested.kind === 'gateway' && tested.target === 'mock' ? '-mock' : `-${tested.kind}`;
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.endsWith(end));
  return names
    .toSorted()
    .map((name) => join(parent, name))
    .reverse();
}

async function firstWithVerdicts(folders: readonly string[], side: Tested['kind']) {
  const { readStoredReport } = await import('./stored-runs.ts');
  for (const folder of folders) {
    const report = await readStoredReport(folder).catch(() => undefined);
    if (report?.subject.kind !== side) continue;
    if (report.results.some(({ outcome }) => outcome === 'pass' || outcome === 'fail')) return { folder, report };
  }
  return undefined;
}

function formatTested(tested: Tested): string {
  if (tested.kind === 'gateway') return tested.target === 'mock' ? 'the built-in mock' : tested.target;
  if (tested.command !== '') return `the client started by \`${tested.command}\``;
  return tested.isAttached ? 'an attached client' : 'the built-in client';
}

/** What a stored run tested. Undefined for a client run of another command, such as `countersign judge`. */
function testedBefore({ subject: { kind, target }, reproduce }: Result): Tested | undefined {
  if (kind === 'gateway') return { kind, target };
  const [own = '', command = ''] = reproduce.split(/ -- (.*)/s);
  return own.startsWith('npx countersign client') ? { kind, command, isAttached: / --attach /.test(own) } : undefined;
}
