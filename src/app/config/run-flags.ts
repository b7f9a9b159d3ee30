/** Checks the flags that several commands share, before a run starts. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { requirements } from '../../../contracts/requirements/index.ts';
import forms from '../../../schemas/files/run-options.json' with { type: 'json' };
import shardFile from '../../../schemas/files/shard.json' with { type: 'json' };
import { splitByExchange } from '../../record/case.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { casesOf } from '../../record/run.ts';
import { type Input, repeatCommand } from '../../run/options/options.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { exclusion, matchesAny, narrowingFlags, selectedIds } from '../../run/options/selection.ts';
import { refuseIf, UsageError, unknownName, usageError } from '../../run/options/usage-error.ts';

/** `init` writes this file. Commands read this file by default, if --config and --target are absent. */
export const defaultConfig = 'countersign.config.yaml';

/** Adds the default configuration if the working folder has one, and --config and --target are absent. */
export function withDefaultConfig<Flags extends { readonly config?: string; readonly target?: string }>(
  flags: Flags,
  remark: (sentence: string) => void,
): Flags {
  if (flags.config !== undefined || flags.target !== undefined || !existsSync(defaultConfig)) return flags;
  remark(`Using ${defaultConfig} of this folder.\nFor the built-in mock, write --target mock.`);
  return { ...flags, config: defaultConfig };
}

/** The patterns of --only and --except, or the ids of --smoke. Throws UsageError if no requirement is left. */
export async function parseOnly(
  side: 'client' | 'gateway',
  { only = [], except = [], smoke }: Flags<Narrowing>,
): Promise<readonly string[]> {
  if (smoke && side === 'client') return (await import('../../run/client/needed-calls.ts')).clientSmokeIds();
  if (smoke) return (await import('../../run/gateway/planned-cases.ts')).gatewaySmokeIds();
  const exclusions = except.map((pattern) => `${exclusion}${pattern}`);
  const patterns = [...only, ...exclusions].map((pattern) => checkPattern(side, pattern));
  if (selectedIds(side, patterns).length > 0) return patterns;
  throw usageError()`${narrowingFlags(patterns).join(' ')} leaves no requirement to judge
    Remove an --except, or select more with --only.`;
}

const { labels: labelSchema, only: patternSchema } = forms.properties;
const maxPatternLength = patternSchema.items.maxLength;

/** Returns the pattern if it selects a requirement of this side. Otherwise throws UsageError. */
export function checkPattern(side: 'client' | 'gateway', pattern: string, flag = '--only'): string {
  refuseIf(pattern.length > maxPatternLength)`
    ${flag} has a pattern of ${pattern.length} characters; the limit is ${maxPatternLength}
    \`countersign list requirements\` shows all ids.`;
  // In a stored run, --only and --except share one list of patterns. The prefix marks the patterns of --except.
  if (pattern.startsWith(exclusion)) return `${exclusion}${checkPattern(side, pattern.slice(1), '--except')}`;
  if (selectedIds(side, [pattern]).length > 0) return pattern;
  const otherSide = side === 'client' ? 'gateway' : 'client';
  refuseIf(selectedIds(otherSide, [pattern]).length > 0)`
    ${pattern} is a requirement of a ${otherSide}, and this run judges a ${side}
    \`countersign list requirements\` shows the side of each.`;
  const untestable = requirements.find((row) => row.untestable !== undefined && matchesAny(row.id, [pattern]));
  if (untestable !== undefined) throw new UsageError(`no run can test ${untestable.id}`, untestable.untestable);
  const ids = selectedIds(side, []);
  throw unknownName(
    'requirement',
    pattern,
    pattern.includes('*')
      ? [...new Set(ids.map((one) => one.replace(/\/.*/, '/*'))), ...suggestPatterns(pattern, ids)]
      : [...ids, ...selectedIds(otherSide, [])],
    pattern.includes(',') ? `Write ${flag} before each id` : '`countersign list requirements` shows all',
  );
}

/** Suggests patterns for a mistyped pattern: for `a-bb-*`, the first two words of each id, followed by `-*`. */
function suggestPatterns(pattern: string, ids: readonly string[]): string[] {
  const wordCount = pattern.slice(0, pattern.indexOf('*')).split('-').length - 1;
  if (wordCount === 0 || pattern.endsWith('/*')) return [];
  return [...new Set(ids.map((id) => `${id.split('-').slice(0, wordCount).join('-')}-*`))];
}

function parseSeed({ seed, challenge, path }: SeedFlags): SeedFlags {
  // --path is valid only with the seed of its run: with another seed, it leads to another case.
  refuseIf(path !== undefined && (seed ?? challenge) === undefined)`
    --path needs the seed of the run that printed the path
    Add --seed or --challenge of that run.`;
  return challenge === undefined ? { seed } : { seed: challenge, challenge };
}

type Flags<Name extends keyof Input<'client'>> = Partial<Pick<Input<'client'>, Name>>;
type SeedFlags = Flags<'seed' | 'challenge' | 'path'>;
type Narrowing = 'only' | 'except' | 'smoke';
type ShardFlags = SeedFlags & Flags<'shard' | 'updateBaseline'>;

/** Parses --shard INDEX/NUMBER; undefined without --shard. Throws UsageError, also if NUMBER exceeds `scenarios`. */
export function parseShard({ shard, seed, challenge, updateBaseline }: ShardFlags, scenarios = 0) {
  if (shard === undefined) return undefined;
  const [, index = 0, count = 0] = (/^([1-9]\d?)\/([1-9]\d?)$/.exec(shard) ?? []).map(Number);
  const max = shardFile.properties.shard.properties.of.maximum;
  refuseIf(index === 0 || index > count || count > max)`--shard ${shard} is not INDEX/NUMBER with at most ${max} shards
    Write it like --shard 2/3.`;
  refuseIf(count > scenarios)`--shard ${shard} asks for more shards than there are scenarios (${scenarios})
    Use fewer shards, or a wider --only.`;
  refuseIf((seed ?? challenge) === undefined)`
    --shard needs --seed or --challenge, with the same value for all shards of a run
    Use any text, such as the number of the build.`;
  refuseIf(updateBaseline)`--update-baseline needs the whole run, not a shard
    Merge the shards, then run: \`countersign judge DIR --baseline FILE --update-baseline\``;
  return { index, of: count };
}

/** Parses --label. Refuses blanks and quotes, because the repeat command contains the labels. Throws UsageError. */
export function parseLabels(texts: readonly string[] = []): Readonly<Record<string, string>> | undefined {
  if (texts.length === 0) return undefined;
  const max = labelSchema.maxProperties;
  if (texts.length > max) throw labelError(`${texts.length} labels are too many: a run has at most ${max}`);
  const namePattern = new RegExp(labelSchema.propertyNames.pattern);
  const valuePattern = new RegExp(labelSchema.additionalProperties.pattern, 'u');
  const labels = new Map<string, string>();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const isValid = namePattern.test(name) && valuePattern.test(value);
    if (!isValid) throw labelError(`--label ${text.slice(0, 60)} is not NAME=VALUE, such as gateway=4.12.0`);
    if (labels.has(name)) throw labelError(`--label ${name} occurs twice`);
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

function labelError(message: string): UsageError {
  return usageError()`${message}
    A name has 1 to 40 letters, digits or "._-". A value has 1 to 80 letters, digits or "._+:/@#,()-", and no blanks.`;
}

type RunFlags = Input<'gateway'> | Omit<Input<'client'>, 'host'> | Input<'judge'>;

/** The options of a run. `overrides` win over `flags`. The repeat command ends with `operands`. Throws UsageError. */
export function runOptionsOf(
  command: string,
  flags: RunFlags,
  overrides: Partial<RunOptions>,
  now: number,
  cwd: string,
  operands: readonly string[] = [],
): RunOptions {
  const out = flags.out === undefined ? undefined : resolve(cwd, flags.out);
  const common = { ...flags, ...parseSeed(flags as SeedFlags), labels: parseLabels(flags.label), out };
  const options = completeRunOptions({ ...(common as Partial<RunOptions>), ...overrides }, now, cwd);
  // Write the seed into the repeat command, even if the seed was random.
  const repeatFlags = options.challenge === undefined ? { ...flags, seed: options.seed } : flags;
  return { ...options, reproduce: repeatCommand(command, repeatFlags, operands) };
}

/** What a run tested. Defects and variants are not included. */
type RunSubject =
  | { readonly kind: 'gateway'; readonly target: string }
  | { readonly kind: 'client'; readonly command: string; readonly isAttached: boolean };

/** Replaces --last-failed by the last seed, and by --only for each id that did not pass. Throws UsageError. */
export async function withLastFailed<Own extends Flags<'lastFailed' | 'only' | 'out' | 'seed' | 'challenge'>>(
  input: Own,
  subject: RunSubject,
  cwd: string,
  remark: (text: string) => void,
): Promise<{ readonly flags: Own; readonly again?: readonly string[] }> {
  const { lastFailed, ...rest } = input;
  if (lastFailed === undefined) return { flags: input };
  const side = subject.kind;
  const folders =
    input.out === undefined ? await newestFirst(join(cwd, 'reports', 'runs'), subject) : [resolve(cwd, input.out)];
  const lastRun = await firstWithVerdicts(folders, side);
  if (lastRun === undefined) {
    throw usageError()`--last-failed finds no run of a ${side} with a verdict in ${input.out ?? join('reports', 'runs')}
      Run the command once without --last-failed.`;
  }
  const { folder, report } = lastRun;
  const runPath = relative(cwd, folder) || '.';
  const current = formatSubject(subject);
  const previous = formatSubject(subjectOf(report) ?? subject);
  refuseIf(previous !== current)`the last run, in ${runPath}, tested ${previous}, and this command tests ${current}
    Remove --last-failed, or name the folder of another run with --out.`;
  const ids = selectedIds(side, []);
  const only = report.results
    .filter(({ id, outcome }) => outcome !== 'pass' && outcome !== 'not-applicable' && ids.includes(id))
    .map(({ id }) => id);
  refuseIf(only.length === 0)`every requirement of the last run, in ${runPath}, passed or is not applicable
    Remove --last-failed to test all requirements and the Pact contracts.`;
  const pacts = report.contracts?.some(({ outcome }) => outcome !== 'pass')
    ? ' Some Pact interactions also did not pass: only a run of all requirements verifies them.'
    : '';
  remark(`--last-failed repeats ${pluralize(only.length, 'requirement')} of the run in ${runPath}.${pacts}`);
  const { seed = input.challenge === undefined ? report.seed : undefined } = input;
  return {
    flags: { ...(rest as Own), only, ...(seed === undefined ? {} : { seed }) },
    again: await failingCases(folder, report),
  };
}

/** Maximum number of failing exchanges to repeat for each requirement. */
const maxCases = 20;

/** Returns the failing cases of a stored run, each as `scenario number`. */
export async function failingCases(folder: string, { results, subject }: Result): Promise<readonly string[]> {
  const numbers = results.flatMap(({ outcome, exchanges }) => (outcome === 'fail' ? exchanges.slice(0, maxCases) : []));
  // If no exchange fails, do not read the recording: it may be missing.
  if (numbers.length === 0) return [];
  const { readRecordings } = await import('./stored-runs.ts');
  const { recordings } = await readRecordings([folder], subject.kind);
  const cases = splitByExchange(recordings.flatMap(casesOf));
  const failing = [...new Set(numbers)].flatMap((number) => cases[number - 1] ?? []);
  return failing.map(({ scenario, number }) => `${scenario} ${number}`);
}

/** Names of these folders begin with a time, and end with `-client`, `-gateway` or `-mock`. */
async function newestFirst(parent: string, subject: RunSubject): Promise<readonly string[]> {
  const suffix = subject.kind === 'gateway' && subject.target === 'mock' ? '-mock' : `-${subject.kind}`;
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.endsWith(suffix));
  return names
    .toSorted()
    .map((name) => join(parent, name))
    .reverse();
}

async function firstWithVerdicts(folders: readonly string[], side: RunSubject['kind']) {
  const { readStoredReport } = await import('./stored-runs.ts');
  for (const folder of folders) {
    const report = await readStoredReport(folder).catch(() => undefined);
    if (report?.subject.kind !== side) continue;
    if (report.results.some(({ outcome }) => outcome === 'pass' || outcome === 'fail')) return { folder, report };
  }
  return undefined;
}

function formatSubject(subject: RunSubject): string {
  if (subject.kind === 'gateway') return subject.target === 'mock' ? 'the built-in mock' : subject.target;
  if (subject.command !== '') return `the client started by \`${subject.command}\``;
  return subject.isAttached ? 'an attached client' : 'the built-in client';
}

/** What a stored run tested. Undefined for a client run of another command, such as `countersign judge`. */
function subjectOf({ subject: { kind, target }, reproduce }: Result): RunSubject | undefined {
  if (kind === 'gateway') return { kind, target };
  const [head = '', command = ''] = reproduce.split(/ -- (.*)/s);
  return head.startsWith('npx countersign client') ? { kind, command, isAttached: / --attach /.test(head) } : undefined;
}
