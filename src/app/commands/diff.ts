/** `countersign diff` compares two runs, and says whether the new run may replace the old run. */
import { randomBytes } from 'node:crypto';
import { operationNames } from '../../../contracts/operations.ts';
import { checkClients, type StoredClient } from '../../extras/impact/check-clients.ts';
import { type ReplayTarget, replayRequests, withLiveTarget, withMockTarget } from '../../extras/impact/replay.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import { printedJson } from '../../report/visible.ts';
import { toUsageError } from '../../run/allowance/ledger.ts';
import { shellWord } from '../../run/options/options.ts';
import { refuseIf, usageError } from '../../run/options/usage-error.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { diffDocument } from '../../verdict/diff/diff-document.ts';
import { diffRuns } from '../../verdict/diff/diff-runs.ts';
import type { ClientRequests, Impact } from '../../verdict/diff/difference.ts';
import { type DiffPolicy, defaultPolicy } from '../../verdict/diff/verdict.ts';
import { type Input, type Surroundings, unlessInterrupted } from '../command.ts';
import { mockOf, readStoredClients, withCalls } from '../config/stored-clients.ts';
import { type OpenedRun, openRun, refuseIncomparable } from '../config/stored-runs.ts';
import { gatewayTarget } from '../config/target-flags.ts';
import { readYamlFile } from '../config/yaml-file.ts';
import { printDocument } from '../print.ts';

export async function run(
  oldPath: string,
  newPath: string,
  flags: Input<'diff'>,
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
  const gateway = replays ? await gatewayOf(fresh, config) : undefined;
  for (const run of [old, fresh]) if (run.remark !== undefined) remark(run.remark);
  const runs = { old, fresh, policy: policy ?? defaultPolicy, calls: ordinaryCalls };
  const impact = clients && (await impactOn(clients, runs, gateway, surroundings));
  if (impact === 'interrupted') return 3;
  const difference = diffRuns(old, fresh, { policy, impact });
  await printDocument(diffDocument(difference), () => printedJson(difference, 2), flags, surroundings);
  return difference.verdict === 'safe' || (difference.verdict === 'thin' && flags.acceptThin) ? 0 : 1;
}

async function impactOn(
  clients: readonly StoredClient[],
  runs: Parameters<typeof checkClients>[1] & { readonly old: OpenedRun; readonly fresh: OpenedRun },
  gateway: TestedGateway | undefined,
  { env, remark }: Surroundings,
): Promise<Impact | 'interrupted'> {
  refuseIf(runs.old.result.subject.kind !== 'gateway')`--clients needs two runs of gateways
    Remove --clients.`;
  const incomplete = [runs.old, runs.fresh].find(({ cases }) => cases === undefined);
  if (incomplete !== undefined) {
    throw usageError()`--clients needs stored answers, but ${incomplete.path} has no exchanges.har
      Name two folders of runs that have exchanges.har.`;
  }
  for (const client of clients) if ('options' in client) remark(formatStart(client));
  const tested = await unlessInterrupted(async (signal) => {
    const impact = await checkClients(clients, runs, signal);
    return gateway === undefined ? impact : await withRequests(impact, clients, gateway, env, signal);
  });
  if (tested !== 'interrupted') return tested.done;
  remark('the comparison was interrupted before all clients were tested.\nStart the comparison again.');
  return 'interrupted';
}

type TestedGateway = LiveConfig | { readonly defects: readonly string[]; readonly variants: readonly string[] };

async function gatewayOf({ path, result }: OpenedRun, config: LiveConfig | undefined): Promise<TestedGateway> {
  const target = config?.target ?? 'mock';
  refuseIf(target !== result.subject.target)`${path} is a run of ${result.subject.target}, not of ${target}
    Give the target of this run in --target or --config.`;
  return config ?? mockOf(result.reproduce);
}

async function withRequests(
  impact: Impact,
  clients: readonly StoredClient[],
  gateway: TestedGateway,
  env: Surroundings['env'],
  signal: AbortSignal,
): Promise<Impact> {
  const stored: Awaited<ReturnType<typeof withCalls>>[] = [];
  for (const client of clients) stored.push(await withCalls(client));
  const runId = randomBytes(8).toString('hex');
  let hasBegun = false;
  const replay = (target: ReplayTarget) => {
    hasBegun = true;
    return replayRequests(stored, target, signal);
  };
  const replayed =
    'target' in gateway ? withLiveTarget(gateway, { runId, env }, replay) : withMockTarget(gateway, runId, replay);
  const results = await replayed.catch((cause) => {
    throw toUsageError(cause, hasBegun);
  });
  const allUnverified = (reason: string) =>
    operationNames.map((operation): ClientRequests => ({ operation, of: 0, accepted: 0, is: 'unverified', reason }));
  const requestsOf = (index: number) => ('hindrance' in results ? allUnverified(results.hindrance) : results[index]!);
  return {
    ...impact,
    clients: impact.clients.map((client, at) => ({ ...client, requests: requestsOf(at) })),
    requests: { is: 'sent', to: 'target' in gateway ? gateway.target : 'the built-in mock' },
  };
}

function formatStart({ name, options }: Extract<StoredClient, { readonly options: unknown }>): string {
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
