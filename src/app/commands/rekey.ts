/** `countersign rekey`: makes a copy of a run for sharing, with pseudonyms and the same verdicts. */
import { randomBytes } from 'node:crypto';
import { relative, resolve } from 'node:path';
import type { ProfileName } from '../../../contracts/profiles.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import { issuedConsumerKey, leakInCopy, rekeyRecordings } from '../../extras/rekey/rekey.ts';
import { pluralize } from '../../record/pluralize.ts';
import { printedJson } from '../../report/visible.ts';
import { shellWord } from '../../run/options/options.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { suite } from '../../run/options/suite-version.ts';
import { refuseIf } from '../../run/options/usage-error.ts';
import { LeakError, secretsIn } from '../../run/secrets/secret.ts';
import { publishedKeys } from '../../run/target/published.ts';
import { type JudgedRecordings, judgeRecordings } from '../../verdict/conclude.ts';
import type { Input, Surroundings } from '../command.ts';
import { judgingKeys, readUserKeys } from '../config/keys.ts';
import { type RecordingInput, readRecordings } from '../config/stored-runs.ts';
import { makeReportFolder, writeReport } from '../write-report.ts';

export async function run(
  files: readonly string[],
  flags: Input<'rekey'>,
  { out, remark, errWidth }: Surroundings,
): Promise<0 | 1> {
  const input = await readRecordings(files, flags.side);
  const announce = (work: string) => errWidth !== undefined && remark(`${work} ...`);
  for (const sentence of input.remarks) remark(sentence);
  const keys = await readUserKeys(flags, remark, input);
  const issuedKey = flags.consumerKey ?? issuedConsumerKey(input.recordings);
  refuseIf(issuedKey !== undefined && Object.keys(keys).length === 0)`
    the requests are signed with unpublished keys, and these keys are missing
    Add --consumer-secret-file and --public-key-file. The new copy will not contain these keys.`;
  const options = optionsOf(flags, input);
  await makeReportFolder(options.out);
  const { subject, effects, durationMs } = input.head;
  const { runId, profile, seed, startedAt, reproduce } = options;
  const original: JudgedRecordings = {
    header: { suite, subject, runId, profile, seed, startedAt, durationMs, reproduce, effects },
    only: [],
    recordings: input.recordings,
    keys: judgingKeys(keys, issuedKey, input.recordings),
  };
  announce('judging the run');
  const { result } = judgeRecordings(original);
  announce('replacing values, and signing again');
  const rekeyed = rekeyRecordings(input.recordings, {
    salt: randomBytes(32).toString('hex'),
    issued: issuedKey,
    keysOf: original.keys.keysOf,
    explained: (result.causes ?? []).flatMap(({ deviations = [] }) => (deviations.length === 0 ? [] : [deviations])),
    secrets: secretsIn(keys),
    suiteTexts: JSON.stringify([requirements, 'undefined']),
  });
  announce('judging the copy');
  // The copy needs no key files: it is judged with the published keys.
  const copyKeys = { hasKeys: original.keys.hasKeys, keysOf: publishedKeys };
  const header = rekeyed.header(original.header);
  const copy = judgeRecordings({ ...original, header, recordings: rekeyed.recordings, keys: copyKeys });
  const outcomes = new Map(result.results.map(({ id, outcome }) => [id, outcome]));
  const different = copy.result.results.flatMap(({ id, outcome }) => (outcomes.get(id) === outcome ? [] : [id]));
  announce('writing the copy, and searching it for original values');
  await writeReport(copy, options, rekeyed.forbidden).catch((cause: unknown) => {
    throw cause instanceof LeakError ? leakInCopy(cause, copy.cases, rekeyed.forbidden) : cause;
  });
  const { signed } = rekeyed;
  if (flags.json) out(printedJson({ written: [flags.out], signed, different }));
  else for (const sentence of copySummary(signed, different, issuedKey && keys)) remark(sentence);
  return different.length === 0 ? 0 : 1;
}

function optionsOf({ out }: Input<'rekey'>, { head }: RecordingInput): RunOptions {
  const cwd = process.cwd();
  const profile = head.profile as ProfileName;
  const input = { target: 'recording', profile, seed: head.seed, json: true };
  const completed = completeRunOptions(input, Date.now(), cwd);
  const reproduce = `npx countersign judge ${shellWord(relative(cwd, resolve(cwd, out)) || '.')}`;
  return { ...completed, out: resolve(cwd, out), startedAt: head.startedAt ?? completed.startedAt, reproduce };
}

type UserKeys = Partial<Record<'consumerSecret' | 'publicKey', unknown>>;

/** Describes a copy in sentences. With the `keys` of the user, also warns if one of them seems missing or wrong. */
export function copySummary(
  signed: ReturnType<typeof rekeyRecordings>['signed'],
  different: readonly string[],
  keys?: UserKeys | '',
): string[] {
  const { right, unsigned } = signed;
  const wrong = signed['other-fault'];
  return [
    `${pluralize(right, 'request')} signed again; with the same mistake: ${signed['same-fault']}; without a signature: ${unsigned}.`,
    ...(wrong === 0 ? [] : [`${pluralize(wrong, 'signature')} with an unknown mistake: replaced by random bytes.`]),
    ...(wrong > 0 && keys ? keyWarnings(right + signed['same-fault'], keys) : []),
    different.length === 0
      ? 'Every requirement has the same outcome as before.'
      : `These requirements have a different outcome than before: ${different.join(', ')}.`,
    `Not replaced: ${remaining}.\nRead the copy before you publish it.`,
  ];
}

function keyWarnings(explainedCount: number, { consumerSecret, publicKey }: UserKeys): string[] {
  const missingKey = (option: string, method: string) => [
    `${option} is missing, so all ${method} signatures count as wrong.\nAdd ${option} if some of these signatures are valid.`,
  ];
  if (consumerSecret === undefined) return missingKey('--consumer-secret-file', 'HMAC-SHA1');
  if (publicKey === undefined) return missingKey('--public-key-file', 'RSA-SHA256');
  const warning = 'no signature fits these keys, so every signature of the copy would be wrong.';
  return explainedCount > 0 ? [] : [`${warning}\nCheck --consumer-secret-file and --public-key-file.`];
}

/** What a copy still contains. docs/how-to/share-evidence.md has the same list. */
const remaining =
  'amounts and counts; names of people and of foreign hosts in texts; times in other forms than HTTP, ISO 8601 and ' +
  'gateCloseDate; fractions of a second; names and versions of programs; the first digits of ids as long as 2^53, ' +
  '2^63 or 2^64; encoded values; how many ids there are, and which are equal';
