/** `countersign diff` compares two runs, and says whether the new run may replace the old run. */
import { randomBytes } from 'node:crypto';
import { operationNames } from '../../../contracts/operations.ts';
import { checkClients, type StoredClient } from '../../extras/impact/check-clients.ts';
import { type ReplayTarget, replayRequests, withLiveTarget, withMockTarget } from '../../extras/impact/replay.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import { printedJson } from '../../report/visible.ts';
import { hindered } from '../../run/allowance/ledger.ts';
import { shellWord } from '../../run/options/options.ts';
import { refuseIf, usageError } from '../../run/options/usage-error.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { diffDocument } from '../../verdict/diff/diff-document.ts';
import { diffRuns } from '../../verdict/diff/diff-runs.ts';
import type { Impact, TakenRequests } from '../../verdict/diff/difference.ts';
import { type DiffPolicy, defaultPolicy } from '../../verdict/diff/verdict.ts';
import { type Given, type Surroundings, unlessInterrupted } from '../command.ts';
import { mockOf, readStoredClients, withItsCalls } from '../config/stored-clients.ts';
import { type OpenedRun, openRun, refuseIncomparable } from '../config/stored-runs.ts';
import { gatewayTarget } from '../config/target-flags.ts';
import { readYamlFile } from '../config/yaml-file.ts';
import { printDocument } from '../print.ts';

export async function run(
  oldPath: string,
  newPath: string,
  flags: Given<'diff'>,
  surroundings: Surroundings,
): Promise<0 | 1 | 3> {
  const { env, remark } = surroundings;
  const replays = flags.target !== undefined || flags.config !== undefined;
  refuseIf((replays || flags.allow !== undefined) && !(replays && flags.clients !== undefined))`
    --target, --config and --allow need --clients: they are for the requests of stored clients
    Add --clients, with --target or --config.`;
  // Reading the runs takes time, so check the flags first.
  const config = replays ? await gatewayTarget(flags, env, remark) : undefined;
  const policy = flags.policy === undefined ? undefined : await readPolicy(flags.policy);
  const clients = flags.clients === undefined ? undefined : await readStoredClients(flags.clients, process.cwd());
  const old = await openRun(oldPath);
  const fresh = await openRun(newPath);
  await refuseIncomparable(old, fresh);
  const place = replays ? await placeOf(fresh, config) : undefined;
  for (const run of [old, fresh]) if (run.remark !== undefined) remark(run.remark);
  const runs = { old, fresh, policy: policy ?? defaultPolicy, calls: ordinaryCalls };
  const impact = clients && (await impactOn(clients, runs, place, surroundings));
  if (impact === 'interrupted') return 3;
  const difference = diffRuns(old, fresh, { policy, impact });
  await printDocument(diffDocument(difference), () => printedJson(difference, 2), flags, surroundings);
  return difference.verdict === 'safe' || (difference.verdict === 'thin' && flags.acceptThin) ? 0 : 1;
}

async function impactOn(
  clients: readonly StoredClient[],
  runs: Parameters<typeof checkClients>[1] & { readonly old: OpenedRun; readonly fresh: OpenedRun },
  place: TestedGateway | undefined,
  { env, remark }: Surroundings,
): Promise<Impact | 'interrupted'> {
  refuseIf(runs.old.result.subject.kind !== 'gateway')`--clients needs two runs of gateways
    Remove --clients.`;
  const without = [runs.old, runs.fresh].find(({ cases }) => cases === undefined);
  if (without !== undefined) {
    throw usageError()`--clients needs stored answers, but ${without.path} has no exchanges.har
      Name two folders of runs that have exchanges.har.`;
  }
  for (const client of clients) if ('options' in client) remark(startOf(client));
  const tested = await unlessInterrupted(async (signal) => {
    const impact = await checkClients(clients, runs, signal);
    return place === undefined ? impact : await withRequests(impact, clients, place, env, signal);
  });
  if (tested !== 'interrupted') return tested.done;
  remark('the comparison was interrupted before all clients were tested.\nStart the comparison again.');
  return 'interrupted';
}

type TestedGateway = LiveConfig | { readonly defects: readonly string[]; readonly variants: readonly string[] };

async function placeOf({ path, result }: OpenedRun, config: LiveConfig | undefined): Promise<TestedGateway> {
  const named = config?.target ?? 'mock';
  refuseIf(named !== result.subject.target)`${path} is a run of ${result.subject.target}, not of ${named}
    Give the target of this run in --target or --config.`;
  return config ?? mockOf(result.reproduce);
}

async function withRequests(
  impact: Impact,
  clients: readonly StoredClient[],
  place: TestedGateway,
  env: Surroundings['env'],
  signal: AbortSignal,
): Promise<Impact> {
  const stored: Awaited<ReturnType<typeof withItsCalls>>[] = [];
  for (const client of clients) stored.push(await withItsCalls(client));
  const runId = randomBytes(8).toString('hex');
  let hasBegun = false;
  const replay = (target: ReplayTarget) => {
    hasBegun = true;
    return replayRequests(stored, target, signal);
  };
  const replayed =
    'target' in place ? withLiveTarget(place, { runId, env }, replay) : withMockTarget(place, runId, replay);
  const readings = await replayed.catch((cause) => {
    throw hindered(cause, hasBegun);
  });
  const none = (reason: string) =>
    operationNames.map((operation): TakenRequests => ({ operation, of: 0, accepted: 0, is: 'unverified', reason }));
  const requestsOf = (at: number) => ('hindrance' in readings ? none(readings.hindrance) : readings[at]!);
  return {
    ...impact,
    clients: impact.clients.map((client, at) => ({ ...client, requests: requestsOf(at) })),
    requests: { is: 'sent', to: 'target' in place ? place.target : 'the built-in mock' },
  };
}

function startOf({ name, options }: Extract<StoredClient, { readonly options: unknown }>): string {
  const { command, cwd, defects = [] } = options;
  if (command.length === 0) return `${name} is the built-in client with ${defects.join(', ')}`;
  return `starting ${name} in ${cwd}: \`${command.map(shellWord).join(' ')}\``;
}

async function readPolicy(path: string): Promise<DiffPolicy> {
  const file = await readYamlFile(path, 'the policy', 'diff-policy');
  if (file !== undefined) return file.value as DiffPolicy;
  throw usageError()`the policy ${path} does not exist
    See docs/reference/changes.md for an example.`;
}
