/** The options that the command handed over, held against what their schema cannot say: whether they fit together, and name what there is. */
import { isAbsolute } from 'node:path';
import { usableClientDefects } from '../defects/client/index.ts';
import { mockDefects } from '../defects/index.ts';
import { variants as allVariants } from '../defects/variants.ts';
import { isCertificate, unusableCertificate } from '../local-gateway/index.ts';
import { type RunOptions, RunOptionsError, readRunOptions, runVariable, startRuns } from '../options/run-options.ts';
import { selectedIds, selectScenarios } from '../options/selection.ts';
import { shortenedSentences, visible } from '../report/visible.ts';
import { clientScenarios } from '../scenarios/client/index.ts';
import { gatewayScenarios } from '../scenarios/index.ts';

/** Undefined where the engine was started by hand. Throws RunOptionsError. */
export function givenOptions(environment: NodeJS.ProcessEnv): RunOptions | undefined {
  const options = readRunOptions(environment);
  return options && fitting(options, environment[runVariable]!);
}

/** The line that says so: what the file holds may act on a terminal, and be long. */
export function refusalOf({ message, hint }: RunOptionsError): string {
  return `countersign: ${visible(shortenedSentences(`${message}. ${hint}`, 600))}\n`;
}

/** The options, if they fit together; `path` is that of their file. Throws RunOptionsError. */
export function fitting(options: RunOptions, path: string): RunOptions {
  const fault = misfitIn(options);
  if (fault === undefined) return options;
  throw new RunOptionsError('not-options', `the options of the run in ${path} do not fit: ${fault}`, startRuns);
}

/** In words what of the options does not fit the rest; undefined where all of it does. */
export function misfitIn(options: RunOptions): string | undefined {
  return rules.map((rule) => rule(options)).find((found) => found !== undefined);
}

/** Each says in words what is wrong. */
const rules: readonly ((options: RunOptions) => string | undefined)[] = [
  ({ target, client, live }) => {
    const subject = target === 'mock' || target === 'client' ? target : 'live';
    const described = client !== undefined ? 'client' : live !== undefined ? 'live' : 'mock';
    if (client !== undefined && live !== undefined) return 'client and live cannot be used together';
    if (subject === described) return undefined;
    if (described !== 'mock') return `${described} is given, and target is something else`;
    return `target needs ${subject}, which is missing`;
  },
  ({ target, live }) =>
    live !== undefined && live.config.target !== target ? 'live.config.target is another one than target' : undefined,
  ({ out, client, live }) => {
    const paths = { out, 'client.cwd': client?.cwd, 'live.ledger': live?.ledger };
    const [relative] = Object.entries(paths).find(([, path]) => path !== undefined && !isAbsolute(path)) ?? [];
    return relative && `${relative} is not an absolute path`;
  },
  ({ only, client }) => {
    const side = client === undefined ? 'gateway' : 'client';
    const idle = only.findIndex((pattern) => selectedIds(side, [pattern.replace(/^!/, '')]).length === 0);
    return idle === -1 ? undefined : `only[${idle}] matches no requirement of a ${side}`;
  },
  (options) => {
    const { shard, live } = options;
    if (shard === undefined) return undefined;
    if (live !== undefined) return 'shard and live cannot be used together';
    const { index, of } = shard;
    if (index > of) return `shard.index is ${index}, and shard.of only ${of}`;
    const count = scenariosOf(options);
    return of > count ? `shard.of is ${of}, and there are ${count} scenarios` : undefined;
  },
  (options) => (scenariosOf(options) === 0 ? 'only and slow together leave no scenario' : undefined),
  ({ target, defects, variants }) => {
    if (target !== 'mock')
      return defects.length + variants.length > 0 ? 'defects and variants need the mock' : undefined;
    return unknownIn('defects', defects, mockDefects) ?? unknownIn('variants', variants, allVariants);
  },
  ({ client }) => unknownIn('client.defects', client?.defects ?? [], usableClientDefects),
  ({ client }) => {
    if (client === undefined || client.defects !== undefined) return undefined;
    if (client.mode === 'attach') return client.port === undefined ? 'client.port is missing' : undefined;
    return (client.command[0] ?? '').trim() === '' ? 'client.command names no program' : undefined;
  },
  ({ client }) => client?.certificates && unusableCertificate(client.certificates),
  ({ live }) =>
    live?.config.ca !== undefined && !isCertificate(live.config.ca)
      ? 'live.config.ca is no certificate in PEM'
      : undefined,
  ({ live }) => {
    const messages = (live?.accepted ?? []).flatMap(({ exchange: { request, response } }) => [
      request,
      response ?? request,
    ]);
    return messages.some(({ body }) => !(body instanceof Uint8Array))
      ? 'live.accepted has a body that is not in base64'
      : undefined;
  },
  ({ startedAt }) => (Number.isNaN(Date.parse(startedAt)) ? 'startedAt is no point in time' : undefined),
];

function scenariosOf({ client, only, slow }: RunOptions): number {
  if (client !== undefined) return selectScenarios(clientScenarios, selectedIds('client', only)).length;
  return selectScenarios(gatewayScenarios, selectedIds('gateway', only), slow).length;
}

function unknownIn(member: string, ids: readonly string[], known: readonly { readonly id: string }[]) {
  const at = ids.findIndex((id) => known.every((one) => one.id !== id));
  return at === -1 ? undefined : `there is nothing that ${member}[${at}] is the id of`;
}
