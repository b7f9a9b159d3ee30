/** The options of all commands. This table gives flags, types, help, completion, and the command that repeats a run. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ProfileName, profileByName, profiles } from '../../../contracts/profiles.ts';
import forms from '../../../schemas/files/run-options.json' with { type: 'json' };
import shardFile from '../../../schemas/files/shard.json' with { type: 'json' };
import { row } from '../../record/row.ts';
import { packageRoot } from './suite-version.ts';
import { UsageError, unknownName, usageError } from './usage-error.ts';

/** `Value` is the type that the command receives. It includes undefined if the option is optional. */
interface OptionType<Value> {
  readonly takes: string;
  readonly isList?: true;
  readonly isRequired?: true;
  readonly choices?: readonly string[];
  readonly usual?: string | number;
  /** Parses the value of a flag. Throws UsageError that names the flag. */
  readonly read?: (text: string, flag: string) => unknown;
  /** Never set: this member only tells the compiler the type `Value`. */
  readonly value?: Value;
}

const toggle: OptionType<true | undefined> = { takes: '' };

function text<Value = string | undefined>(takes: string, more: Omit<OptionType<Value>, 'takes' | 'value'> = {}) {
  return { takes, ...more } as OptionType<Value>;
}

function texts(takes: string): OptionType<readonly string[] | undefined> {
  return { takes, isList: true };
}

function number<Value = number | undefined>(takes: string, min: number, max: number, usual?: number) {
  const read = (input: string, flag: string): number => {
    const value = Number(input);
    if (/^\d+$/.test(input) && value >= min && value <= max) return value;
    throw usageError()`${flag} ${input} is not a whole number from ${min} to ${max}`;
  };
  return text<Value>(takes, { read, ...(usual !== undefined && { usual }) });
}

function choice<const Choice extends string>(takes: string, ...choices: readonly Choice[]) {
  return text<Choice | undefined>(takes, { choices });
}

export const setNames = namesIn('contracts/sets');
/** Languages for which there is an adapter. */
export const languages = namesIn('adapters').filter((name) => /^[a-z]+$/.test(name));

const host = text<'127.0.0.1' | 'localhost'>('<name>', { choices: ['127.0.0.1', 'localhost'], usual: '127.0.0.1' });
const profile = text<ProfileName | undefined>('<name>', { read: parseProfile });
const seed = text('<seed>', {
  read: (input, flag) => {
    const { pattern, 'x-must-be': form } = forms.properties.seed;
    if (new RegExp(pattern).test(input)) return input;
    throw new UsageError(`${flag} takes ${form}`);
  },
});
const path = text('<path>', {
  read: (input, flag) => {
    if (new RegExp(forms.properties.path.pattern).test(input)) return input;
    throw usageError()`${flag} ${input} is not the path of a generated case
      Copy the path from the repeat command of a report. Example: recurring/generated/2/14:0:1.`;
  },
});
const maxCases = shardFile.properties.options.properties.cases.maximum;

interface Row<Value, Of extends string> {
  readonly type: OptionType<Value>;
  readonly help: Readonly<Record<Of, string>>;
  readonly isRepeated: boolean;
}

/** An option that affects no verdict. The command that repeats a run omits it. */
function plain<Value, const Of extends string>(type: OptionType<Value>, help: Record<Of, string>): Row<Value, Of> {
  return { type, help, isRepeated: false };
}

/** An option that affects verdicts. The command that repeats a run includes it. */
function repeated<Value, const Of extends string>(type: OptionType<Value>, help: Record<Of, string>): Row<Value, Of> {
  return { type, help, isRepeated: true };
}

function shared<Value, const Of extends string>(
  make: typeof plain,
  type: OptionType<Value>,
  ...commands: readonly Of[]
) {
  return row((help) => make(type, same(help, ...commands)));
}

function same<const Of extends string>(help: string, ...commands: readonly Of[]): Record<Of, string> {
  return Object.fromEntries(commands.map((name) => [name, help])) as Record<Of, string>;
}

const allowance = 'effect to allow: closes-day=N or starts-payments=N/TOTAL';
const config = 'configuration of a live target (default without --target: countersign.config.yaml, if it exists)';
const mockDefect = 'give the mock these defects (countersign list defects)';
const variant = 'give the mock other permitted behaviour (countersign list variants)';
const judged = ['gateway', 'client', 'judge'] as const;
const publicKey = 'PEM file with the RSA public key or certificate of the client';
const secret = 'file with the consumer secret, for HMAC';
const port = 'port on 127.0.0.1; 0 for any free port';
const reportFolder = 'new or empty folder for the report (default: new, under reports/runs)';
const requirementIds = 'requirement ids to judge';
const runFolder =
  'folder for the report: new, empty, or of an earlier run, which is replaced (default: new, under reports/runs)';
const reportJson = 'print report.json instead of text';
const json = 'print JSON instead of text';
const readyJson = 'print only one line of JSON when ready';

/** All options, as `--help` groups and orders them. A prefix such as `file/` separates options with the same name. */
const groups = {
  Target: {
    target: repeated(text('<url>'), {
      gateway: 'mock (default without a configuration), or the base URL of a gateway on this machine',
      doctor: 'base URL, instead of target in the configuration',
      diff: 'for --clients: mock, or a base URL on this machine',
    }),
    config: repeated(text('<file>'), {
      gateway: config,
      doctor: config,
      diff: 'configuration of NEW, if it is a live target',
    }),
    allow: repeated(texts('<effect>'), same(allowance, 'gateway', 'doctor', 'diff')),
    dryRun: plain(toggle, { gateway: 'print the plan and its maximum effects; send nothing' }),
    forgetUnfinished: plain(toggle, { gateway: 'clear the effects of unfinished runs in the ledger' }),
    live: plain(texts('<name>'), { matrix: 'live target to run, within its allowance' }),
  },
  Adapter: {
    checkAdapter: plain(toggle, { client: 'check the adapter itself, and judge nothing' }),
    watch: plain(toggle, {
      client: 'after a change of an adapter file, test failed requirements again, then all; Ctrl+C stops',
    }),
    oneShot: repeated(toggle, { client: 'start the command again for each call' }),
    attach: repeated(number('<port>', 1, 65_535), {
      client: 'wait on this port for an adapter that you start, such as in a debugger',
    }),
  },
  'Local gateway': {
    // The default port is fixed, so that a client keeps its base URL when the desk restarts.
    'desk/port': plain(number<number>('<n>', 0, 65_534, 7420), {
      desk: 'port for clients on 127.0.0.1; 0 for any free port; the page uses the next port',
    }),
    port: plain(number<number>('<n>', 0, 65_535, 0), same(port, 'mock', 'report')),
    host: shared(repeated, host, 'client', 'desk', 'mock')`
      name in base URL and certificate; use localhost if a client cannot verify an IP address`,
    plainHttp: repeated(toggle, {
      client: 'HTTP for a client without HTTPS; transport/https is then inconclusive',
      desk: 'HTTP for clients without HTTPS; the page then uses the same port',
    }),
    tls: plain(toggle, { mock: 'HTTPS; prints the file with the authority that clients must trust' }),
    controlPort: plain(number('<n>', 0, 65_535), {
      mock: 'control port on 127.0.0.1; 0 for any free port (--json also starts the control interface)',
    }),
    publicUrl: plain(text('<url>'), same('base URL that clients use, if there is a proxy or tunnel', 'mock', 'desk')),
    prefix: plain(text('<path>'), { mock: 'path before /api/, such as /paynet' }),
    endpoint: plain(text('<id>'), { mock: 'add an endpoint with one open gate' }),
    state: plain(text<string>('<file>', { usual: '.countersign/desk.jsonl' }), {
      desk: 'file that keeps the state across restarts',
    }),
    open: plain(toggle, { report: 'also open the page in your browser' }),
  },
  Behaviour: {
    defect: repeated(texts('<id...>'), {
      gateway: mockDefect,
      client: 'judge the built-in reference client with these defects',
      mock: mockDefect,
    }),
    variant: repeated(texts('<id...>'), same(variant, 'gateway', 'mock')),
    like: plain(text('<run>'), { mock: 'answer like the gateway of this run: same variants and measured limits' }),
  },
  Requirements: {
    side: shared(repeated, choice('<side>', 'client', 'gateway'), 'judge', 'rekey')`
      side to judge (default: side of the run; client for other recordings)`,
    profile: repeated(profile, {
      gateway: 'rfc5849 or strict (default: strict on the mock without a variant, rfc5849 elsewhere)',
      client: 'rfc5849 or strict (default: rfc5849)',
      judge: 'rfc5849 or strict (default: profile of the run, else rfc5849)',
    }),
    only: repeated(texts('<glob>'), {
      ...same(requirementIds, 'gateway', 'client'),
      judge: `${requirementIds} (default: ids of the run, else all)`,
    }),
    except: repeated(texts('<glob>'), same('requirement ids to leave out', 'gateway', 'client')),
    lastFailed: shared(plain, toggle, 'gateway', 'client')`
      judge only requirements that did not pass in the last run (--out, or the newest in reports/runs)`,
    smoke: shared(repeated, toggle, 'gateway', 'client')`
      judge only requirements that few cases can decide; the report names the others`,
    bail: shared(plain, number('<n>', 1, 999), 'gateway', 'client')`
      stop after this many failed requirements; undecided requirements are inconclusive`,
    require: shared(repeated, texts('<glob>'), ...judged)`
      requirement ids that are inconclusive if their condition never occurred`,
    set: repeated(text('<name>'), same(`count only a frozen set of requirements (${setNames.join(', ')})`, ...judged)),
    'matrix/only': plain(texts('<name>'), { matrix: 'implementation to run' }),
  },
  'Exit code': {
    baseline: repeated(text('<file>'), same('YAML file of known failures, which do not cause exit code 1', ...judged)),
    updateBaseline: plain(toggle, same('add new failures to the baseline, and remove entries that pass', ...judged)),
    failOn: shared(repeated, choice('<what>', 'hazard'), ...judged)`
      hazard: exit code 1 for a hazard that is not in the baseline`,
    acceptPartial: repeated(toggle, { gateway: 'exit code 0 if only the configuration leaves requirements undecided' }),
    acceptThin: plain(toggle, { diff: 'exit code 0 if nothing broke, even if not everything was compared' }),
  },
  Cases: {
    seed: repeated(seed, same('seed of generated values (default: random, named in the report)', 'gateway', 'client')),
    challenge: shared(repeated, seed, 'gateway', 'client')`
      seed that the certificate's reader chose; report and certificate name it`,
    cases: repeated(number('<n>', 1, maxCases), {
      gateway: 'cases of each generator (default: 100 on the mock, 8 elsewhere)',
      client: 'cases of each generator (default: 25, or 5 with --one-shot)',
    }),
    path: repeated(path, same('repeat one generated case from a report', 'gateway', 'client')),
    slow: repeated(toggle, { gateway: 'also test a connection that is silent for a minute' }),
    measure: repeated(number<number | true | undefined>('[requests]', 1, 10_000), {
      gateway: 'also measure limits and accepted ways to sign, with at most this many requests (default: 600)',
    }),
    shard: shared(repeated, text('<i/n>'), 'gateway', 'client')`
      part of the scenarios to perform; countersign merge joins the parts`,
    workers: plain(number('<n>', 1, 64), {
      gateway: 'processes (default: 2, or 1 with --only; always 1 on a live target)',
      client: 'processes, each with its own adapter (default: 2, or 1 with --only)',
    }),
  },
  Pacts: {
    contracts: repeated(toggle, { gateway: 'verify the Pact contracts on a live target too, within the allowance' }),
    pactBroker: repeated(text('<url>'), {
      gateway: 'verify the pacts of payment-gateway from this broker, not the built-in pacts',
    }),
    publishResults: plain(text('<version>'), {
      gateway: 'publish the results to the broker, as VERSION or VERSION@BRANCH',
    }),
  },
  Comparison: {
    policy: plain(text('<file>'), { diff: 'YAML file: which changes are allowed, risky or forbidden' }),
    clients: plain(text('<dir>'), {
      diff: 'folder of stored clients: start each, and report which of them NEW breaks',
    }),
    'list/run': plain(text('<dir>'), {
      list: 'with open-points: print the answers of a run, or of the runs in a folder; with requirements: compare the outcomes with those of the mock',
    }),
  },
  Keys: {
    consumerKey: repeated(text('<key>'), {
      ...same('oauth_consumer_key of the client', 'judge', 'mock'),
      rekey: 'oauth_consumer_key of the client (default: the key in most requests)',
    }),
    consumerSecretFile: repeated(text('<file>'), same(secret, 'judge', 'mock', 'rekey', 'autopsy')),
    tokenSecretFile: plain(text('<file>'), { autopsy: 'file with the token secret' }),
    publicKeyFile: repeated(text('<file>'), same(publicKey, 'judge', 'mock', 'rekey', 'autopsy')),
    key: plain(text('<file>'), { certificate: 'PEM file with the Ed25519 private key' }),
    'verify/key': plain(text<string>('<file>', { isRequired: true }), {
      verify: 'PEM file with the public key of the issuer',
    }),
    newKey: plain(text<string | true | undefined>('[place]'), {
      certificate:
        'write a new private key to this file or folder (default: countersign-key.pem), and its public key to NAME.pub.pem',
    }),
    svrKey: plain(text('<file>'), { verify: 'PEM file with the private key that signs --svr' }),
  },
  Request: {
    entry: plain(number('<n>', 1, 999_999_999), {
      autopsy: 'number of the HAR entry, from 1 (default: all entries with OAuth credentials)',
    }),
    baseUrl: plain(text('<url>'), {
      autopsy: 'scheme, host and port as the client saw them (default for HTTP text: https)',
    }),
  },
  Certificate: {
    run: plain(text('<dir>'), { verify: 'folder of the evidence (default: folder of the certificate)' }),
    expires: plain(text('<when>'), { certificate: 'expiry date, or days from the start of the run (default: 90)' }),
    artifact: plain(text('<file>'), {
      certificate: 'tested file, whose SHA-256 the certificate names',
      verify: 'tested file, to compare digests',
    }),
    at: plain(text('<date>'), { verify: 'check the expiry at this time (default: now)' }),
    minimumSuite: plain(text('<version>'), { verify: 'refuse certificates of an older suite' }),
    'verify/challenge': plain(text('<seed>'), { verify: 'refuse a run without this challenge' }),
    svr: plain(text('<file>'), { verify: 'new file for a Simple Verification Result, if the certificate is valid' }),
  },
  Output: {
    label: repeated(texts('<name=value>'), same('label of the run in its reports, such as gateway=4.12.0', ...judged)),
    language: plain(choice('<name>', 'node', 'python', 'php', 'java', 'ruby', 'go', 'csharp'), {
      autopsy: 'language of the client: also print the fix as code',
    }),
    'init/language': plain(text('<name>'), {
      init: `language of the adapter: ${languages.join(', ')}; skeletons for other languages`,
    }),
    out: plain(text('<dir>'), { ...same(runFolder, 'gateway', 'client'), ...same(reportFolder, 'judge', 'merge') }),
    'file/out': plain(text('<file>'), {
      report: 'write the page to this file, and do not serve it',
      certificate: 'new file (default: certificate.json in the folder of the run)',
      init: "file (default: countersign.config.yaml, or the adapter's name)",
    }),
    'rekey/out': plain(text<string>('<dir>', { isRequired: true }), { rekey: 'new or empty folder for the copy' }),
    'matrix/out': plain(text<string>('<dir>', { usual: join('reports', 'matrix') }), {
      matrix: 'folder of the matrix: new, or of an earlier matrix',
    }),
    'skill/out': plain(text<string>('<file>', { usual: 'SKILL.md' }), { 'agent-skill': 'file to write' }),
    reporter: shared(plain, texts('<name>'), 'gateway', 'client')`
      also run this Playwright reporter, such as list, github or html`,
    force: plain(toggle, same('overwrite an existing file', 'init', 'agent-skill')),
    markdown: plain(toggle, { diff: 'print Markdown for a pull request' }),
    html: plain(text('<file>'), same('also write a page', 'diff', 'history')),
    page: plain(text<string | true | undefined>('[file]'), {
      autopsy: 'write a page that runs autopsies offline in a browser (default: autopsy.html)',
    }),
    trace: shared(plain, toggle, 'gateway', 'client')`
      also print the first failing exchanges, their twins and curl commands`,
    verbose: plain(toggle, same('print the whole report, not only one screen', 'gateway', 'client', 'judge', 'merge')),
    json: plain(toggle, {
      gateway: `${reportJson}, or the plan with --dry-run`,
      ...same(reportJson, 'client', 'judge', 'merge'),
      ...same(readyJson, 'desk', 'mock'),
      ...same(json, 'agent-skill', 'autopsy', 'certificate', 'completion', 'diff', 'doctor', 'explain'),
      ...same(json, 'history', 'init', 'list', 'matrix', 'rekey', 'report', 'verify'),
    }),
  },
};

export const commandNames: readonly string[] = Object.keys(groups.Output.json.help);

type Groups = typeof groups;
type Table = { [Group in keyof Groups]: Groups[Group] }[keyof Groups];
type Rows<T> = T extends unknown ? { [Key in keyof T]: [Key, T[Key]] }[keyof T] : never;
type NameOf<Key> = Key extends `${string}/${infer Name}` ? Name : Key;
type ValueOf<Entry, Of> = Entry extends [infer Key, Row<infer Value, infer Commands>]
  ? Of extends Commands
    ? [NameOf<Key>, Value]
    : never
  : never;

type Values<Of> = ValueOf<Rows<Table>, Of>;
type Optional<Pair> = Pair extends [infer Name, infer Value] ? (undefined extends Value ? Name : never) : never;

/** The values of the options of the command `Of`, by option name. */
export type Input<Of extends string> = {
  readonly [Pair in Values<Of> as Pair[0] extends Optional<Pair> ? Pair[0] & string : never]?: Pair[1];
} & { readonly [Pair in Values<Of> as Pair[0] extends Optional<Pair> ? never : Pair[0] & string]: Pair[1] };

export interface CommandOption extends OptionType<unknown> {
  readonly name: string;
  readonly flag: string;
  readonly help: string;
  readonly group: string;
  readonly isRepeated: boolean;
}

export function optionsOf(command: string): CommandOption[] {
  return Object.entries(groups).flatMap(([group, rows]) =>
    Object.entries<Row<unknown, string>>(rows).flatMap(([key, { type, help, isRepeated }]) => {
      const name = key.replace(/.*\//, '');
      const words = help[command];
      if (words === undefined) return [];
      const more = type.isList && !type.takes.includes('...') ? '; repeatable' : '';
      return [{ ...type, name, flag: flagOf(name), help: `${words}${more}`, group, isRepeated }];
    }),
  );
}

/** Returns `--dry-run` for `dryRun`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the command that repeats a run: it has the `operands`, and those `options` that affect verdicts. */
export function repeatCommand(command: string, options: object, operands: readonly string[] = []): string {
  const values = options as Readonly<Record<string, unknown>>;
  const words = optionsOf(command)
    .filter(({ isRepeated }) => isRepeated)
    .flatMap(({ name, flag, usual }) =>
      [values[name]].flat().flatMap((value) => {
        if (value === undefined || value === usual) return [];
        return value === true ? [flag] : [flag, shellWord(String(value))];
      }),
    );
  return ['npx countersign', command, ...words, ...operands].join(' ');
}

/** Quotes a word for the shell if needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Throws UsageError if no profile has this name. */
export function parseProfile(name: string): ProfileName {
  const found = profileByName(name);
  if (found !== undefined) return found.name as ProfileName;
  const names = profiles.map((known) => known.name);
  throw unknownName('profile', name, names, 'Run countersign list profiles to see all profiles');
}

function namesIn(folder: string): string[] {
  return readdirSync(join(packageRoot, folder))
    .map((name) => name.replace(/\.yaml$/, ''))
    .sort();
}
