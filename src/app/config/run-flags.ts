/** The flags that several commands share, checked before anything is started. */

import { type ProfileName, profileByName, profiles } from '../../../contracts/profiles.ts';
import { countedWord } from '../../record/counted-word.ts';
import { exception, narrowingFlags, selectedIds, untestableOf } from '../../run/options/selection.ts';
import { flagOf } from '../command.ts';
import { didYouMean, named, refuseIf, UsageError } from '../usage-error.ts';

/** The profile of that name. Throws UsageError. */
export function knownProfile(name: string): ProfileName {
  const profile = profileByName(name);
  if (profile !== undefined) return profile.name as ProfileName;
  throw unknown(
    'profile',
    name,
    profiles.map((known) => known.name),
    'countersign list profiles names them all',
  );
}

/** What the run is narrowed to by --only and --except. Throws UsageError. */
export function narrowingPatterns(side: 'client' | 'gateway', { only = [], except = [] }: NarrowingFlags): string[] {
  const patterns = [...only, ...except.map((pattern) => `${exception}${pattern}`)].map((pattern) =>
    matchingPattern(side, pattern),
  );
  if (selectedIds(side, patterns).length > 0) return patterns;
  throw new UsageError(
    `${narrowingFlags(patterns).join(' ')} leaves no requirement to judge`,
    'Except less, or choose more with --only.',
  );
}

/** Characters of a pattern; as in schemas/files/run-options.json. */
const longestPattern = 200;

/** The pattern, if it selects a row of that side. Throws UsageError. */
export function matchingPattern(side: 'client' | 'gateway', pattern: string, flag = '--only'): string {
  refuseIf(
    pattern.length > longestPattern,
    `${flag} has a pattern of ${pattern.length} characters, and no more than ${longestPattern} are read`,
    'countersign list requirements names all requirements.',
  );
  // A stored run has its exceptions among the patterns.
  if (pattern.startsWith(exception)) return `${exception}${matchingPattern(side, pattern.slice(1), '--except')}`;
  if (selectedIds(side, [pattern]).length > 0) return pattern;
  const otherSide = side === 'client' ? 'gateway' : 'client';
  refuseIf(
    selectedIds(otherSide, [pattern]).length > 0,
    `${pattern} is a requirement of a ${otherSide}, and this run is about a ${side}`,
    'countersign list requirements shows the side of each.',
  );
  const untestable = untestableOf(pattern);
  if (untestable !== undefined) {
    throw new UsageError(`no run can show ${untestable.id}`, untestable.untestable);
  }
  const ids = selectedIds(side, []);
  throw unknown(
    'requirement',
    pattern,
    // Next to a pattern it is patterns that help.
    pattern.includes('*') ? [...areasOf(ids), ...patternsLike(pattern, ids)] : [...ids, ...selectedIds(otherSide, [])],
    pattern.includes(',') ? `Repeat ${flag} for each` : 'countersign list requirements names them all',
  );
}

/** The ids, each cut after as many words as the pattern has before its star. */
function patternsLike(pattern: string, ids: readonly string[]): string[] {
  const words = pattern.slice(0, pattern.indexOf('*')).split('-').length - 1;
  if (words === 0 || pattern.endsWith('/*')) return [];
  return [...new Set(ids.map((id) => `${id.split('-').slice(0, words).join('-')}-*`))];
}

function areasOf(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.replace(/\/.*/, '/*')))];
}

/** The flags that decide the seed. */
interface SeedFlags {
  readonly seed?: string;
  readonly challenge?: string;
}

/** The seed, if one was given; one that the other side chose is both. Throws UsageError. */
export function chosenSeed({ seed, challenge }: SeedFlags): SeedFlags {
  if (challenge === undefined) return seed === undefined ? {} : { seed: checkedSeed('--seed', seed) };
  if (seed === undefined) return { seed: checkedSeed('--challenge', challenge), challenge };
  throw new UsageError('--seed and --challenge cannot be used together: a challenge is the seed', 'Leave --seed out.');
}

/** The value of `flag`, if it can be a seed. Throws UsageError. */
function checkedSeed(flag: string, seed: string): string {
  if (/^[\w.-]{1,64}$/.test(seed)) return seed;
  throw new UsageError(`${flag} takes 1 to 64 letters, digits, dots, dashes or underscores`);
}

/** A path leads to a value only under the seed that it came from. Throws UsageError. */
export function checkedPath({ path, seed, challenge }: SeedFlags & { readonly path?: string }): string | undefined {
  if (path === undefined) return undefined;
  refuseIf(
    !/^(?:[a-z-]+\/[a-z-]+\/)?\d+\/\d+(:\d+)*$/.test(path),
    `--path ${path} is not the path of a generated case`,
    'Copy it from the repeat command of a report; it looks like recurring/generated/2/14:0:1.',
  );
  if ((seed ?? challenge) !== undefined) return path;
  throw new UsageError('--path needs the --seed of the run that reported it');
}

/** The flags that decide which requirements are judged. */
interface NarrowingFlags {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

/** The part of the scenarios that is performed, if not all of them are. Throws UsageError; `scenarios` is how many the whole run has. */
export function chosenShard(
  {
    shard,
    seed,
    challenge,
    path,
    updateBaseline,
  }: SeedFlags & { readonly shard?: string; readonly path?: string; readonly updateBaseline?: boolean },
  scenarios: number,
) {
  if (shard === undefined) return undefined;
  const refused = (message: string, hint: string) => new UsageError(message, hint);
  const [, index, of] = (/^([1-9]\d?)\/([1-9]\d?)$/.exec(shard) ?? []).map(Number);
  if (index !== undefined && of !== undefined && index > of)
    throw refused(
      `--shard ${shard} names shard ${index} of ${of}, and ${index} exceeds ${of}`,
      'Write it as in --shard 2/3.',
    );
  if (index === undefined || of === undefined || of > 64) {
    throw refused(`--shard ${shard} is not one of up to 64 shards`, 'Write it as in --shard 2/3.');
  }
  if (of > scenarios)
    throw refused(
      `--shard ${shard} splits ${countedWord(scenarios, 'scenario')}`,
      'Take fewer shards, or a wider --only.',
    );
  if (seed === undefined && challenge === undefined) {
    throw refused(
      '--shard needs a --seed or a --challenge: all shards of a run have the same one',
      'Any text will do, such as the number of the build.',
    );
  }
  if (path !== undefined) throw refused('--path repeats one case, which no shards need to share', 'Leave --shard out.');
  if (updateBaseline === true) {
    throw refused(
      '--update-baseline needs the whole run',
      'Merge the shards, and judge what that leaves: countersign judge DIR --baseline FILE --update-baseline',
    );
  }
  return { index, of };
}

/** The number in the text of a flag; undefined where the flag was not given. Throws UsageError. */
export function wholeNumber(flag: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${flag} ${text} is not a whole number from ${least} to ${most}`);
}

/** The error for an id that nothing has, with the nearest one that something has. */
export function unknown(what: string, given: string, known: readonly string[], otherwise: string): UsageError {
  return new UsageError(`there is no ${what} ${named(given)}`, didYouMean(given, known) ?? `${otherwise}.`);
}

/** The word as a shell takes it for one, whatever it holds. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Labels of one run; a report shows all of them in its head. */
const most = 20;

/** Without blanks and quotes: the command that repeats the run has them on one line. */
const [name, value] = [/^[A-Za-z][\w.-]{0,39}$/, /^[\p{L}\p{N}._+:/@#,()-]{1,80}$/u];

/** The labels by name, if each is one and none is there twice; undefined where none was given. Throws UsageError. */
export function checkedLabels(given: readonly string[] = []): Readonly<Record<string, string>> | undefined {
  if (given.length === 0) return undefined;
  if (given.length > most) throw refused(`a run has ${most} labels at most, and ${given.length} were given`);
  const labels = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const [before, after] = at === -1 ? ['', ''] : [text.slice(0, at), text.slice(at + 1)];
    if (!name.test(before) || !value.test(after)) {
      throw refused(`--label ${text.slice(0, 60)} is not NAME=VALUE as in gateway=4.12.0`);
    }
    if (labels.has(before)) throw refused(`--label ${before} was given twice`);
    labels.set(before, after);
  }
  return Object.fromEntries(labels);
}

function refused(message: string): UsageError {
  return new UsageError(
    message,
    'A name has 1 to 40 letters, digits, dots, dashes or underscores; a value 1 to 80 letters, digits or ._+:/@#,()- and no blanks.',
  );
}

/** Flags as a command is given them again, in the order of `values`; what is undefined or false is left out. */
export function flagsAgain(
  values: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [flagOf(name)];
    return [value].flat().map((one) => `${flagOf(name)} ${shellWord(String(one))}`);
  });
}
