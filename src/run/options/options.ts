/** Every option of every command, once: flags, types, help, the command that repeats a run and shell completion come from here. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ProfileName, profileByName, profiles } from '../../../contracts/profiles.ts';
import { packageRoot } from './suite-version.ts';
import { UsageError, unknown, usageError } from './usage-error.ts';

/** What an option takes; `Value` is what the command gets, with undefined where it may be left out. */
interface OptionType<Value> {
  /** Nothing, `<value>`, `[value]` that may be left out, or `<value...>` for several words. */
  readonly takes: string;
  readonly mayRepeat?: true;
  readonly isRequired?: true;
  readonly choices?: readonly string[];
  readonly usual?: string | number;
  /** The value in a text. Throws UsageError, in which `flag` is named. */
  readonly read?: (text: string, flag: string) => unknown;
  /** Never set: it carries the type. */
  readonly value?: Value;
}

const toggle: OptionType<true | undefined> = { takes: '' };

function text<Value = string | undefined>(takes: string, more: Omit<OptionType<Value>, 'takes' | 'value'> = {}) {
  return { takes, ...more } as OptionType<Value>;
}

function texts(takes: string): OptionType<readonly string[] | undefined> {
  return { takes, mayRepeat: true };
}

const ids: OptionType<readonly string[] | undefined> = { takes: '<id...>', mayRepeat: true };

const optionalFile = (takes: string) => text<string | true | undefined>(takes);

function number<Value = number | undefined>(takes: string, least: number, most: number, usual?: number) {
  const read = (given: string, flag: string): number => {
    const value = Number(given);
    if (/^\d+$/.test(given) && value >= least && value <= most) return value;
    throw usageError()`${flag} ${given} is not a whole number from ${least} to ${most}`;
  };
  return text<Value>(takes, { read, ...(usual !== undefined && { usual }) });
}

function choice<const Choice extends string>(
  takes: string,
  ...choices: readonly Choice[]
): OptionType<Choice | undefined> {
  return { takes, choices };
}

/** Names of the frozen sets of requirements. */
export const setNames = namesIn('contracts/sets');
/** Those that an adapter comes in. */
export const languages = namesIn('adapters').filter((name) => /^[a-z]+$/.test(name));

const host = text<'127.0.0.1' | 'localhost'>('<name>', { choices: ['127.0.0.1', 'localhost'], usual: '127.0.0.1' });
const profile = text<ProfileName | undefined>('<name>', { read: knownProfile });
const seed = text('<seed>', {
  read: (given, flag) =>
    matching(/^[\w.-]{1,64}$/, given, `${flag} takes 1 to 64 letters, digits, dots, dashes or underscores`),
});
const path = text('<path>', {
  read: (given, flag) =>
    matching(
      /^(?:[a-z-]+\/[a-z-]+\/)?\d+\/\d+(:\d+)*$/,
      given,
      `${flag} ${given} is not the path of a generated case`,
      'Copy it from the repeat command of a report; it looks like recurring/generated/2/14:0:1.',
    ),
});

/** An option of the commands `Of`; the help is by command. */
interface Row<Value, Of extends string> {
  readonly type: OptionType<Value>;
  readonly help: Readonly<Record<Of, string>>;
  /** Whether it is in the command that repeats a run. */
  readonly isRepeated: boolean;
}

/** An option that changes no verdict. */
function plain<Value, const Of extends string>(type: OptionType<Value>, help: Record<Of, string>): Row<Value, Of> {
  return { type, help, isRepeated: false };
}

/** An option that bears on verdicts: it is in the command that repeats the run. */
function bearing<Value, const Of extends string>(type: OptionType<Value>, help: Record<Of, string>): Row<Value, Of> {
  return { type, help, isRepeated: true };
}

function same<const Of extends string>(help: string, ...commands: readonly Of[]): Record<Of, string> {
  return Object.fromEntries(commands.map((name) => [name, help])) as Record<Of, string>;
}

const allowance = 'closes-day=N or starts-payments=N/TOTAL';
const judged = ['gateway', 'client', 'judge'] as const;
const port = 'port on 127.0.0.1, 0 for any free one';
const reportFolder = (name: string) => `new or empty folder for the report (default: reports/runs/<time>-${name})`;
const reportJson = 'print report.json on standard output in place of the text';
const jsonObject = 'print one JSON object';
const jsonInPlace = 'print one JSON object in place of the text';
const readyJson = 'print one line of JSON when it is ready, and nothing else';

/** By group, in the order of `--help`. The name is behind the slash where commands mean different things by it. */
const groups = {
  Target: {
    target: bearing(text('<url>'), {
      gateway: 'mock (default), or the base URL of a gateway; one off this machine needs --config',
      doctor: 'base URL of the gateway; it overrides the one in the file',
      diff: 'with --clients: NEW itself, which gets their requests; mock, or a base URL on this machine',
    }),
    config: bearing(text('<file>'), {
      gateway:
        'configuration of a live target: its address, credentials, and what may be done to it (default: countersign.config.yaml, if it is there and no --target)',
      doctor: 'configuration of the target (default: countersign.config.yaml, if it is there and no --target)',
      diff: 'the same by the configuration of a live target',
    }),
    allow: bearing(texts('<effect>'), same(allowance, 'gateway', 'doctor', 'diff')),
    dryRun: plain(toggle, { gateway: 'print what would be sent and what it could do at worst, and send nothing' }),
    forgetUnfinished: plain(toggle, {
      gateway: 'clear from the ledger what runs that did not end count against the allowance',
    }),
    live: plain(texts('<name>'), { matrix: 'live target that may be run, with what its config allows' }),
  },
  Adapter: {
    checkAdapter: plain(toggle, { client: 'check the adapter itself in some thirty cases, and judge nothing' }),
    oneShot: bearing(toggle, { client: 'start the command again for each call' }),
    attach: bearing(number('<port>', 1, 65_535), {
      client: 'wait on this port for an adapter that you start, as in a debugger',
    }),
  },
  'Local gateway': {
    // Fixed, so that a client keeps its base URL when the desk is started again.
    'desk/port': plain(number<number>('<n>', 0, 65_534, 7420), {
      desk: 'port for clients on 127.0.0.1, 0 for any free one; the page has the next one',
    }),
    port: plain(number<number>('<n>', 0, 65_535, 0), same(port, 'mock', 'report')),
    host: bearing(
      host,
      same(
        'name in base URL and certificate: localhost for clients that cannot verify an IP address',
        'client',
        'desk',
        'mock',
      ),
    ),
    plainHttp: bearing(toggle, {
      client: 'talk HTTP to a client that cannot do HTTPS; transport/https is then inconclusive',
      desk: 'speak HTTP with clients that cannot do HTTPS; the page is then on the same port',
    }),
    tls: plain(toggle, { mock: 'speak HTTPS with a certificate of a new authority, which it puts into a file' }),
    controlPort: plain(number('<n>', 0, 65_535), {
      mock: 'port of the control interface on 127.0.0.1, 0 for any free one (--json always starts it)',
    }),
    publicUrl: plain(
      text('<url>'),
      same('base URL that clients use, where a proxy or a tunnel is in front', 'mock', 'desk'),
    ),
    prefix: plain(text('<path>'), { mock: 'path before /api/, such as /paynet' }),
    endpoint: plain(text('<id>'), { mock: 'a further endpoint with one open gate' }),
    state: plain(text<string>('<file>', { usual: '.countersign/desk.jsonl' }), {
      desk: 'file that keeps everything over restarts',
    }),
    open: plain(toggle, { report: 'open it in the browser' }),
  },
  Behaviour: {
    defect: bearing(ids, {
      gateway: 'switch defects of the mock on (countersign list defects)',
      client: 'judge the built-in reference client with these defects, in place of an adapter',
      mock: 'misbehave on purpose (countersign list defects)',
    }),
    variant: bearing(ids, {
      gateway: 'switch variants of the mock on: other answers that conform (countersign list variants)',
      mock: 'behave in another permitted way (countersign list variants)',
    }),
    like: plain(text('<run>'), {
      mock: 'answer as the gateway of a stored run did, as far as variants and measured limits go',
    }),
  },
  Requirements: {
    side: bearing(
      choice('<side>', 'client', 'gateway'),
      same('whom to judge (default: whom the run examined; client for other recordings)', 'judge', 'rekey'),
    ),
    profile: bearing(profile, {
      gateway: 'rfc5849 or strict (default: strict on the mock without a variant, rfc5849 elsewhere)',
      client: 'rfc5849 or strict (default: rfc5849)',
      judge: 'rfc5849 or strict (default: that of the run, else rfc5849)',
    }),
    only: bearing(texts('<glob>'), {
      gateway: 'requirement ids to judge',
      client: 'requirement ids to judge',
      judge: 'requirement ids to judge (default: those of the run, else all)',
    }),
    except: bearing(texts('<glob>'), same('requirement ids to leave out', 'gateway', 'client')),
    require: bearing(
      texts('<glob>'),
      same('requirement ids that have to arise: one that does not is inconclusive', ...judged),
    ),
    set: bearing(
      text('<name>'),
      same(`let only a frozen set of requirements count (${setNames.join(', ')}), and none that came later`, ...judged),
    ),
    'matrix/only': plain(texts('<name>'), { matrix: 'implementation to run' }),
  },
  'Exit code': {
    baseline: bearing(
      text('<file>'),
      same('YAML file of known failures: those alone do not make the exit code 1', ...judged),
    ),
    updateBaseline: plain(
      toggle,
      same('write into that file what failed, and take out what no longer does', ...judged),
    ),
    failOn: bearing(
      choice('<what>', 'hazard'),
      same('hazard: exit code 1 also for a hazard that no baseline lists, as under --profile strict', ...judged),
    ),
    acceptPartial: bearing(toggle, {
      gateway: 'end with exit code 0 where all that is missing was left out by configuration',
    }),
    acceptThin: plain(toggle, {
      diff: 'exit code 0 also where nothing broke and not all of the contract was compared',
    }),
  },
  Cases: {
    seed: bearing(seed, {
      gateway: 'seed of the generated values (default: random, printed)',
      client: 'seed of the generated values and of the order (default: random, printed)',
    }),
    challenge: bearing(
      seed,
      same('seed that the other side chose; the report, and a certificate of the run, say so', 'gateway', 'client'),
    ),
    cases: bearing(number('<n>', 1, 10_000), {
      gateway: 'generated cases of each generator (default: 100 on the mock, 8 elsewhere)',
      client: 'generated cases of each generator (default: 25, or 5 with --one-shot)',
    }),
    path: bearing(path, same('repeat one generated case, as a report names it', 'gateway', 'client')),
    slow: bearing(toggle, { gateway: 'also leave a connection silent for a minute, to see whether it is kept' }),
    measure: bearing(number<number | true | undefined>('[requests]', 1, 10_000), {
      gateway:
        'also measure limits and ways to sign, with so many requests at most (600); live each counts against the allowance',
    }),
    shard: bearing(text('<i/n>'), {
      gateway: 'on the mock: perform this part of the scenarios; countersign merge makes one run of all',
      client: 'perform only this part of the scenarios; countersign merge makes one run of all n',
    }),
    workers: plain(number('<n>', 1, 64), {
      gateway: 'processes that run scenarios (default: 2, 1 with --only; always 1 on a live target)',
      client: 'processes that run scenarios, each with an adapter of its own (default: 2, 1 with --only)',
    }),
  },
  Pacts: {
    contracts: bearing(toggle, {
      gateway: 'verify the Pact contracts on a live target too, as far as their effects are allowed',
    }),
    pactBroker: bearing(text('<url>'), {
      gateway: 'verify the pacts that this Pact Broker has of payment-gateway, in place of our own',
    }),
    publishResults: plain(text('<version>'), {
      gateway: 'tell the broker what became of them, as VERSION or VERSION@BRANCH',
    }),
  },
  Comparison: {
    policy: plain(text('<file>'), {
      diff: 'YAML file that says which changes are allowed, risky or forbidden where both runs pass',
    }),
    clients: plain(text('<dir>'), {
      diff: 'folder with stored clients: starts their adapters, and says which of them NEW breaks',
    }),
    'list/run': plain(text('<dir>'), {
      list: 'with open-points: how a stored run answered them, or the runs in a folder one after the other; with requirements: whether the mock gets the same outcomes',
    }),
  },
  Keys: {
    consumerKey: bearing(text('<key>'), {
      judge: 'the oauth_consumer_key that was issued to the client',
      mock: 'oauth_consumer_key of the client',
      rekey: 'the oauth_consumer_key that was issued (default: the one that most requests name)',
    }),
    consumerSecretFile: bearing(text('<file>'), {
      judge: 'file with the secret for HMAC-SHA1',
      mock: 'file with the secret for HMAC-SHA1',
      rekey: 'file with the secret that requests were signed with by HMAC-SHA1',
      autopsy: 'file with the consumer secret, for HMAC',
    }),
    tokenSecretFile: plain(text('<file>'), { autopsy: 'file with the token secret, if there is one' }),
    publicKeyFile: bearing(text('<file>'), {
      judge: 'PEM file with the RSA public key of the client, or its certificate',
      mock: 'PEM file with the RSA public key of the client',
      rekey: 'PEM file with the RSA public key of the requests, or its certificate',
      autopsy: 'PEM file with the RSA public key or certificate of the client',
    }),
    key: plain(text('<file>'), { certificate: 'PEM file with the Ed25519 private key to sign with' }),
    'verify/key': plain(text<string>('<file>', { isRequired: true }), {
      verify: 'PEM file with the public key of the issuer',
    }),
    newKey: plain(optionalFile('[place]'), {
      certificate:
        'write a new pair of keys: the private one to this folder or file (default: countersign-key.pem), the public one next to it as NAME.pub.pem',
    }),
    svrKey: plain(text('<file>'), { verify: 'PEM file with the private key to sign the result of --svr with' }),
  },
  Request: {
    entry: plain(number('<n>', 1, 999_999_999), {
      autopsy: 'entry of the HAR file, from 1; without it all that hold OAuth credentials are examined',
    }),
    baseUrl: plain(text('<url>'), {
      autopsy: 'scheme, host and port as the client saw them; for HTTP text the scheme is https without it',
    }),
  },
  Certificate: {
    run: plain(text('<dir>'), { verify: 'folder of the evidence (default: that of the certificate, if it is there)' }),
    expires: plain(text('<when>'), { certificate: 'date, or days from the start of the run (default: 90)' }),
    artifact: plain(text('<file>'), {
      certificate: 'the file that was tested: the certificate is then about its SHA-256',
      verify: 'the file that the certificate has to be about',
    }),
    at: plain(text('<date>'), { verify: 'the time that counts for the expiry (default: now)' }),
    minimumSuite: plain(text('<version>'), { verify: 'refuse what an older version of the suite issued' }),
    'verify/challenge': plain(text('<seed>'), { verify: 'refuse a run that was not made for this challenge' }),
    svr: plain(text('<file>'), {
      verify: 'write a Simple Verification Result, a new file, where the certificate is good',
    }),
  },
  Output: {
    label: bearing(texts('<name=value>'), {
      gateway: 'names the run in its reports, as in gateway=4.12.0',
      client: 'names the run in its reports, as in gateway=4.12.0',
      judge: 'adds to the labels of the run, as in gateway=4.12.0',
    }),
    language: plain(choice('<name>', 'node', 'python', 'php', 'java', 'ruby', 'go', 'csharp'), {
      autopsy: 'language of the client: adds how to do it right',
    }),
    'init/language': plain(text('<name>'), {
      init: `of the adapter: ${languages.join(', ')}; for any other one a skeleton is written`,
    }),
    out: plain(text('<dir>'), {
      gateway: reportFolder('<subject>'),
      client: reportFolder('client'),
      judge: reportFolder('judged'),
      merge: reportFolder('merged'),
    }),
    'file/out': plain(text('<file>'), {
      report: 'write the page into that file, and serve nothing',
      certificate: 'the certificate, a new file (default: certificate.json in the folder of the run)',
      init: "where to write it (default: countersign.config.yaml, or the adapter's own name)",
    }),
    'rekey/out': plain(text<string>('<dir>', { isRequired: true }), { rekey: 'new or empty folder for the copy' }),
    'matrix/out': plain(text<string>('<dir>', { usual: join('reports', 'matrix') }), {
      matrix: 'folder of the matrix, new or that of an earlier one',
    }),
    'skill/out': plain(text<string>('<file>', { usual: 'SKILL.md' }), { 'agent-skill': 'where to write it' }),
    reporter: plain(
      texts('<name>'),
      same('also run this reporter of Playwright, such as list, github or html', 'gateway', 'client'),
    ),
    force: plain(toggle, same('overwrite an existing file', 'init', 'agent-skill')),
    markdown: plain(toggle, { diff: 'print it as Markdown for a pull request' }),
    html: plain(text('<file>'), {
      diff: 'write it as a page too',
      history: 'write it as a page too, with a strip of runs for each subject',
    }),
    page: plain(optionalFile('[file]'), {
      autopsy: 'write a page that does the same in a browser, without a network (default: autopsy.html)',
    }),
    verbose: plain(
      toggle,
      same('print the whole report at the end, and not one screen of it', 'gateway', 'client', 'judge', 'merge'),
    ),
    json: plain(toggle, {
      gateway: `${reportJson}; with --dry-run the plan`,
      ...same(reportJson, 'client', 'judge', 'merge'),
      ...same(readyJson, 'desk', 'mock'),
      ...same(jsonObject, 'autopsy', 'explain'),
      ...same(jsonInPlace, 'agent-skill', 'doctor', 'init'),
      report: 'print one line of JSON: where the page is served, or the file',
      diff: 'print the comparison as JSON (schemas/files/diff.json)',
      history: 'print it as JSON (schemas/files/history.json)',
      matrix: 'print matrix.json on standard output in place of the text',
      rekey: 'print one JSON object in place of the sentences on the copy',
      certificate: 'print one JSON object in place of the text, where none is issued the reason',
      verify: 'print the Simple Verification Result in place of the text, or why the certificate is refused',
      list: 'print a JSON array',
      completion: 'print the options of each command as JSON',
    }),
  },
};

/** Every command has --json. */
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

/** Name and value of each option of a command. */
type Values<Of> = ValueOf<Rows<Table>, Of>;
type Optional<Pair> = Pair extends [infer Name, infer Value] ? (undefined extends Value ? Name : never) : never;

/** What a command is given, by the names of its options. */
export type Given<Of extends string> = {
  readonly [Pair in Values<Of> as Pair[0] extends Optional<Pair> ? Pair[0] & string : never]?: Pair[1];
} & { readonly [Pair in Values<Of> as Pair[0] extends Optional<Pair> ? never : Pair[0] & string]: Pair[1] };

/** An option as one command has it. */
export interface CommandOption extends OptionType<unknown> {
  /** `dryRun`. */
  readonly name: string;
  /** `--dry-run`. */
  readonly flag: string;
  readonly help: string;
  readonly group: string;
  readonly isRepeated: boolean;
}

/** The options of a command in the order of its help. */
export function optionsOf(command: string): CommandOption[] {
  return Object.entries(groups).flatMap(([group, rows]) =>
    Object.entries<Row<unknown, string>>(rows).flatMap(([key, { type, help, isRepeated }]) => {
      const name = key.replace(/.*\//, '');
      const words = help[command];
      if (words === undefined) return [];
      const more = type.mayRepeat && !type.takes.includes('...') ? '; may be repeated' : '';
      return [{ ...type, name, flag: flagOf(name), help: `${words}${more}`, group, isRepeated }];
    }),
  );
}

/** `--dry-run` for `dryRun`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The command that repeats a run: with what it was given, as far as that bears on verdicts, and with these `operands`. */
export function commandAgain(command: string, given: object, operands: readonly string[] = []): string {
  const values = given as Readonly<Record<string, unknown>>;
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

/** The word as a shell takes it for one, whatever it holds. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The profile of that name. Throws UsageError. */
export function knownProfile(name: string): ProfileName {
  const found = profileByName(name);
  if (found !== undefined) return found.name as ProfileName;
  const names = profiles.map((known) => known.name);
  throw unknown('profile', name, names, 'countersign list profiles names them all');
}

function matching(pattern: RegExp, given: string, message: string, hint?: string): string {
  if (!pattern.test(given)) throw new UsageError(message, hint);
  return given;
}

/** Names of files without their endings, and of folders, in a folder of the package. */
function namesIn(folder: string): string[] {
  return readdirSync(join(packageRoot, folder))
    .map((name) => name.replace(/\.yaml$/, ''))
    .sort();
}
