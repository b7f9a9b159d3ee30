/** Performs a live run on a mock in memory, without sockets, files or waits. Order, limits and guard are real. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import {
  type Alteration,
  closeByHand,
  defaultWorld,
  lock,
  putIntoClosing,
  removeLock,
  setNextAnswer,
  type World,
} from '../../mock/index.ts';
import { type Case, inOrder } from '../../record/case.ts';
import { memoize } from '../../record/memoize.ts';
import { type EffectGuard, newGuard } from '../../run/allowance/guard.ts';
import { type Ledger, type LedgerLine, openLedger } from '../../run/allowance/ledger.ts';
import { credentialFailureReason, isAccepted } from '../../run/doctor/answer-findings.ts';
import { doctorSend, sendUnsigned } from '../../run/doctor/examine-target.ts';
import type { BuiltRequest } from '../../run/gateway/build-request.ts';
import { performStep } from '../../run/live/perform-step.ts';
import { costOfValid, orderSteps } from '../../run/live/plan.ts';
import { type LiveSession, newProbe } from '../../run/live/session.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import type { ScenarioRecord } from '../../run/scenario-record.ts';
import { type LiveConfig, type LiveRun, nothingAllowed } from '../../run/target/live-config.ts';
import { publishedCredentials } from '../../run/target/published.ts';
import { siteOf } from '../../run/target/site.ts';
import { newArranger, placeOf, publishedConfig } from '../../run/target/target.ts';
import type { Transport } from '../../run/transport/transport.ts';
import { evidenceOf, refusalReason } from '../../verdict/conclude.ts';
import { transportTo } from './run-in-process.ts';

interface InMemoryRun {
  /** If the mock accepted a request of doctor, `accepted` is set and `unknownEndpointId` is removed. */
  readonly options: InMemoryOptions;
  readonly records: readonly ScenarioRecord[];
  readonly cases: readonly Case[];
}

export type InMemoryOptions = RunOptions & { readonly live: LiveRun };

/** Performs a live run. If `controlUrl` is set, the run may also set answers and endpoint states in the mock. */
export async function runLiveInMemory(
  input: InMemoryOptions,
  alterations: readonly Alteration[],
): Promise<InMemoryRun> {
  const world = defaultWorld();
  const transport = transportTo(world, alterations, { at: fixedTime });
  const ledger = ledgerInMemory();
  const options = await runDoctor(input, transport, ledger);
  const session = sessionWith(options, world, transport, ledger);
  const records: ScenarioRecord[] = [];
  for (const step of sharedDataOf(options).steps) records.push(await performStep(session, step, options));
  return { options, records, cases: inOrder(records.flatMap((record) => record.cases)) };
}

/** Completes the options for a run in memory. Nothing is sent to the address in `target`. */
export function liveOptionsInMemory(input: Partial<RunOptions>, config: Partial<LiveConfig>): InMemoryOptions {
  const target = 'http://127.0.0.1:8080';
  const { credentials: _, ...published } = { ...publishedConfig, ...config };
  return {
    ...completeRunOptions({ target, runId: 'memory', ...input }, fixedTime, '/nowhere'),
    live: { config: { ...published, target }, ledger: '/nowhere', holder: process.pid },
  };
}

/** The failing cases of each requirement. Empty if the run was aborted. */
export function failuresOf(
  rows: readonly RequirementId[],
  { options, records, cases }: InMemoryRun,
): ReadonlyMap<string, ReadonlySet<Case>> {
  if (refusalReason(options, records) !== undefined || records.some(({ givenUp }) => givenUp !== undefined))
    return new Map();
  const evidence = evidenceOf({ side: 'gateway', records });
  return new Map(
    rows.map((row) => {
      const found = evidence.judge(row).filter(({ finding }) => finding.outcome === 'fail');
      return [row, new Set(found.flatMap(({ exchanges }) => exchanges.map((number) => cases[number - 1]!)))];
    }),
  );
}

/** Data that does not depend on the defects of the mock. All runs with the same options share it. */
const sharedDataOf = memoize((options: InMemoryOptions) => ({
  steps: orderSteps(options),
  reserve: costOfValid(options),
  built: new Map<string, BuiltRequest>(),
  site: siteOf(options.live.config),
}));

/** The fixed time of all runs, in milliseconds since the Unix epoch. */
const fixedTime = Date.now();

/** Sends only the unsigned requests of doctor: no other request of doctor can change the options of the run. */
async function runDoctor(options: InMemoryOptions, transport: Transport, ledger: Ledger): Promise<InMemoryOptions> {
  const { unknownEndpointId: _, ...config } = options.live.config;
  const send = doctorSend(guardOf(options, ledger), (request) => transport.send(request));
  const exchanges = await sendUnsigned(options.live.config, send);
  const accepted = exchanges.filter(isAccepted);
  return accepted.length === 0 ? options : { ...options, live: { ...options.live, config, accepted } };
}

function sessionWith(options: InMemoryOptions, world: World, transport: Transport, ledger: Ledger): LiveSession {
  const { config, clockOffset } = options.live;
  const guard = guardOf(options, ledger);
  const { reserve, built, site } = sharedDataOf(options);
  let nonces = 0;
  const firstAnswers: Parameters<typeof credentialFailureReason>[0]['sent'] = {};
  let refusal: string | undefined;
  const endpointId = config.endpointId!;
  const control = {
    setNextAnswer: async (endpoint: string, answer: Parameters<typeof setNextAnswer>[2]) =>
      setNextAnswer(world, endpoint, answer),
    arrange: newArranger({ put: async (id, state) => stateSetters[state](world, id) }, endpointId, config.states),
  };
  const target = { ...placeOf(config), ...publishedCredentials(), gates: { [endpointId]: 1 } };
  return {
    target: config.controlUrl === undefined ? target : { ...target, ...control },
    guard,
    sent: new Map(),
    reserve,
    usesOracle: false,
    built,
    fresh: () => {
      nonces += 1;
      return { timestamp: String(Math.floor(fixedTime / 1000)), nonce: `Nonce${nonces}` };
    },
    openTransport: () => transport,
    probe: newProbe(guard, site),
    setFirstAnswer(operation, exchange) {
      Object.assign(firstAnswers, { [operation]: exchange });
      refusal = credentialFailureReason({ sent: firstAnswers, clockOffset });
    },
    stopReason: (settled) => (settled ? refusal : undefined),
  };
}

function guardOf(options: InMemoryOptions, ledger: Ledger): EffectGuard {
  const pace = { turn: async () => {}, onAnswer: () => {}, overloadReason: () => undefined };
  return newGuard({ site: sharedDataOf(options).site, limits: options.live.config, ledger, pace });
}

const stateSetters = { open: closeByHand, closing: putIntoClosing, locked: lock, unlocked: removeLock };

/** Returns a ledger in memory, with a started run and without earlier runs. */
export function ledgerInMemory(): Ledger {
  let unreadLines: LedgerLine[] = [];
  const readNew = () => {
    const lines = unreadLines;
    unreadLines = [];
    return lines;
  };
  const ledger = openLedger({ readNew, append: (line) => unreadLines.push(line) }, 'memory', { now: () => fixedTime });
  ledger.begin('memory', undefined, nothingAllowed);
  return ledger;
}
