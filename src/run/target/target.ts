/** The target of a run: address, credentials and endpoints, for the mock and for a live gateway. */
import { type KeyObject, randomInt } from 'node:crypto';
import { type Operation, pathTo } from '../../../contracts/operations.ts';
import { variants as allVariants, gatewayDefects } from '../../faults/index.ts';
import type { Alteration } from '../../mock/gateway.ts';
import { startMock } from '../../mock/server.ts';
import * as mockWorld from '../../mock/world.ts';
import type { ScriptedAnswer, Situation } from '../../plan/scenario.ts';
import { messageOf } from '../../record/errors.ts';
import { fetchText } from '../../record/fetch-text.ts';
import type { Credentials, LiveConfig, LiveRun } from './live-config.ts';
import { liveDefaults, nothingAllowed, reopenCredentials } from './live-config.ts';
import { publishedCredentials } from './published.ts';
import { type Site, siteOf } from './site.ts';

type Place = Pick<Site, 'scheme' | 'host' | 'prefix' | 'versions'>;

export interface Target extends Place {
  readonly kind: 'mock' | 'live';
  readonly credentials: Credentials;
  /** Keys that the target does not know, for requests that it must refuse. */
  readonly otherSecret: string;
  readonly otherPrivateKey: KeyObject;
  readonly endpoints: Readonly<Partial<Record<Situation, string>>>;
  /** Sets the answer that the target gives to the next valid batch at an endpoint. */
  setNextAnswer?(endpointId: string, answer: ScriptedAnswer): Promise<void>;
  setProfile?(id: string, state: 'stopped' | 'unknown'): void;
  /** Puts the gates into the state that a request needs. Absent if the suite cannot change the state of gates. */
  arrange?(situation: Situation): Promise<void>;
  readonly gates: Readonly<Record<string, number>>;
}

/** The path of an operation at an endpoint (sections 4.1, 4.2 and 9). */
export function operationPath(
  { prefix, versions }: Pick<Place, 'prefix' | 'versions'>,
  operation: Operation,
  endpointId: string,
): string {
  return `${prefix}${pathTo(operation, versions)}${endpointId}`;
}

/** Throws Error if credentials are no longer usable, or if the control interface fails. */
export async function liveTarget(config: LiveConfig, env: NodeJS.ProcessEnv): Promise<Target> {
  const { credentials, endpointId, states, controlUrl } = config;
  const published = publishedCredentials();
  const control = controlUrl === undefined || endpointId === undefined ? undefined : controlOf(controlUrl);
  const gates = endpointId === undefined ? undefined : ((await control?.gatesOf(endpointId))?.length ?? config.gates);
  return {
    ...placeOf(config),
    ...published,
    // If no credentials are configured, use the published ones. A target that does not know them refuses all requests.
    credentials: credentials === undefined ? published.credentials : await reopenCredentials(credentials, env),
    gates: gates === undefined ? {} : { [endpointId!]: gates },
    setNextAnswer: control?.setNextAnswer,
    arrange: control && newArranger(control, endpointId!, states),
  };
}

export function placeOf(config: Omit<LiveConfig, 'credentials'>): Place & Pick<Target, 'kind' | 'endpoints'> {
  const { scheme, host, prefix } = siteOf(config);
  const { versions, endpointId, unknownEndpointId, states, controlUrl } = config;
  const endpoints = {
    open: endpointId,
    unknown: unknownEndpointId,
    ...(controlUrl === undefined || endpointId === undefined
      ? {}
      : { closing: endpointId, locked: endpointId, unlocked: endpointId, 'closed-by-hand': endpointId }),
    ...states,
  };
  return { kind: 'live', scheme, host, prefix, endpoints, versions };
}

/** Sets the gates to the state that a case needs. Opens them if `stateEndpoints` has an endpoint for this state. */
export function newArranger(
  control: Pick<ReturnType<typeof controlOf>, 'put'>,
  endpointId: string,
  stateEndpoints: LiveConfig['states'],
): NonNullable<Target['arrange']> {
  let current: 'open' | 'closing' | 'locked' = 'open';
  return async (situation) => {
    if (situation === 'unlocked' || situation === 'closed-by-hand') {
      await control.put(endpointId, situation === 'unlocked' ? 'locked' : 'closing');
      await control.put(endpointId, situation === 'unlocked' ? 'unlocked' : 'open');
      current = 'open';
      return;
    }
    const isOwn = (situation === 'closing' || situation === 'locked') && stateEndpoints[situation] === undefined;
    const state = isOwn ? situation : 'open';
    if (state !== current) await control.put(endpointId, state);
    current = state;
  };
}

export async function mockTarget(
  defects: readonly string[],
  variants: readonly string[] = [],
  further: readonly Alteration[] = [],
  endpoints?: mockWorld.WorldOptions['endpoints'],
) {
  const alterations = alterationsOf(defects, variants, further);
  // Serial numbers are unique (section 2.4). So each mock starts at a random number, far from those of other mocks.
  const world = mockWorld.defaultWorld({ serial: randomInt(2 ** 47), endpoints });
  const mock = await startMock({ alterations, world });
  return { target: targetOf(world, new URL(mock.baseUrl).host), close: () => mock.close() };
}

/** The alterations of the defects, then those of the variants, then `further`. */
export function alterationsOf(
  defects: readonly string[],
  variants: readonly string[] = [],
  further: readonly Alteration[] = [],
): Alteration[] {
  const chosen = [
    ...gatewayDefects.filter(({ id }) => defects.includes(id)),
    ...allVariants.filter(({ id }) => variants.includes(id)),
  ];
  return [...chosen.map(({ alteration }) => alteration), ...further];
}

export function targetOf(world: mockWorld.World, host: string): Target {
  return {
    kind: 'mock',
    scheme: 'http',
    host,
    prefix: '',
    ...publishedCredentials(),
    endpoints: {
      open: '1111',
      closing: '1112',
      'closed-by-hand': '1112',
      locked: '1113',
      unlocked: '1113',
      'several-gates': '1114',
      unknown: '999999999',
      'of-another-consumer': '1115',
    },
    gates: Object.fromEntries([...world.endpoints].map(([id, { gates }]) => [id, gates.length])),
    setNextAnswer: async (endpointId, answer) => mockWorld.setNextAnswer(world, endpointId, answer),
    setProfile: (id, state) => (state === 'stopped' ? mockWorld.stopProfile : mockWorld.forgetProfile)(world, id),
    arrange: async (situation) => {
      if (situation === 'unlocked') mockWorld.removeLock(world, '1113');
      if (situation === 'closed-by-hand') mockWorld.closeByHand(world, '1112');
    },
  };
}

const actionsByState = { open: 'close-by-hand', closing: 'closing', locked: 'lock', unlocked: 'remove-lock' } as const;

export function controlOf(controlUrl: string) {
  const base = controlUrl.replace(/\/+$/, '');
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    try {
      // The mock refuses other content types, because web pages could send requests of such types.
      const init = { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) };
      const { status, text } = await fetchText(`${base}${path}`, init, { limitMs: 5_000, maxMegabytes: 16 });
      if (status < 200 || status > 299) throw new Error(`HTTP ${status}`);
      return JSON.parse(text);
    } catch (cause) {
      throw new Error(`the control interface ${base} failed on ${method} ${path}: ${messageOf(cause)}`, { cause });
    }
  };
  const gatesOf = async (endpointId: string): Promise<readonly string[]> => {
    const state = (await ask('GET', '/state')) as { endpoints: { id: string; gates: { gateId: string }[] }[] };
    return state.endpoints.find(({ id }) => id === endpointId)?.gates.map(({ gateId }) => gateId) ?? [];
  };
  return {
    async counters(): Promise<NonNullable<LiveRun['countersBefore']>> {
      const counters = (await ask('GET', '/counters')) as LiveRun['countersBefore'] | null;
      if (typeof counters?.totalAmount === 'string') return counters;
      throw new Error(`the control interface ${base} does not report days, payments and the total amount`);
    },
    gatesOf,
    async put(endpointId: string, state: keyof typeof actionsByState): Promise<void> {
      for (const gateId of await gatesOf(endpointId)) {
        const gate = `/endpoints/${encodeURIComponent(endpointId)}/gates/${encodeURIComponent(gateId)}`;
        await ask('POST', `${gate}/${actionsByState[state]}`);
      }
    },
    async setNextAnswer(endpointId: string, answer: ScriptedAnswer): Promise<void> {
      await ask('POST', `/endpoints/${encodeURIComponent(endpointId)}/next-answer`, answer);
    },
  };
}

export const publishedConfig: Omit<LiveConfig, 'target'> = {
  ...liveDefaults,
  rate: 100,
  environment: 'integration',
  endpointId: '1111',
  // The amounts do not matter, because the published identity makes no payments.
  recurring: [{ id: '1234567890', amount: '1.00', savedAmount: '1.00' }],
  allow: nothingAllowed,
  states: {},
};
