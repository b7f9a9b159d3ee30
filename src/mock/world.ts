/** The state of the mock gateway (endpoints, profiles, consumers, counters) and the actions that change it. */
import { publishedIdentity } from './identity.ts';
import { MockError } from './mock-error.ts';
import type { NextAnswer } from './responses.ts';

type GateState = 'open' | 'closing' | 'locked';

interface Totals {
  saleApprovedCount: number;
  saleAmount: string;
  reversalApprovedCount: number;
  reversalAmount: string;
}

export interface MockGate {
  /** A 64-bit integer as a string of digits, because it can exceed a JavaScript number. */
  readonly gateId: string;
  state: GateState;
  readonly epntId: string;
  totals: Totals;
  /** The only consumer that may use the gate. Absent if every consumer may use the gate. */
  readonly consumerKey?: string;
}

type Endpoint = { readonly gates: MockGate[]; closings: number };

export interface RecurringProfile {
  readonly id: string;
  /** If `unknown`, the mock acts as if no profile had this id, even if `unlistedProfilesExist` is true. */
  state: 'active' | 'stopped' | 'unknown';
  /** Milliseconds since the Unix epoch. From this time on the profile is stopped (2.3). */
  finishDate?: number;
}

export interface Consumer {
  readonly consumerKey: string;
  /** Absent if the consumer cannot use HMAC-SHA1. */
  readonly consumerSecret?: string;
  /** Public key as SPKI in PEM. Without this key the consumer cannot use RSA-SHA256. */
  readonly publicKeyPem?: string;
}

export interface Counters {
  closedDays: number;
  startedPayments: number;
  /** Exact sum of all started payments, as decimal text. */
  totalAmount: string;
  requests: number;
  refused: number;
}

/** The state of the gateway. `respond` changes the state in place. */
export interface World {
  /** The endpoints, by endpoint id. */
  readonly endpoints: Map<string, Endpoint>;
  /** The recurring profiles, by recurring-payment-id. */
  readonly profiles: Map<string, RecurringProfile>;
  /** If true, every id that is not in `profiles` names an active profile. */
  readonly unlistedProfilesExist: boolean;
  readonly consumers: Consumer[];
  /** The keys of the remembered nonces, as made by the setting `nonceKey`. The oldest is first. */
  readonly nonces: Set<string>;
  /** Counts since this state was created. */
  readonly counters: Counters;
  /** For each endpoint id, a queue of answers. A valid batch gets the first answer and removes it from the queue. */
  readonly nextAnswers: Map<string, NextAnswer[]>;
  /** Serial number of the last answer of either operation. */
  serial: number;
}

export interface WorldOptions {
  /** The consumers that may send requests. By default only the published test identity. */
  readonly consumers?: readonly Consumer[];
  /** The recurring profiles. All other ids are unknown. Without this list, every id names an active profile. */
  readonly profiles?: readonly RecurringProfile[];
  /** Replaces the four default endpoints. */
  readonly endpoints?: Readonly<Record<string, readonly MockGate[]>>;
  /** Serial number before the first answer. Set it if two mocks must not send the same serial numbers. */
  readonly serial?: number;
}

/** Creates the state of a mock. Default endpoints: 1111 open, 1112 closing, 1113 locked, 1114 with long gate ids. */
export function defaultWorld(options: WorldOptions = {}): World {
  const endpoints = Object.entries(options.endpoints ?? defaultEndpoints());
  return {
    endpoints: new Map(endpoints.map(([id, gates]) => [id, { gates: [...gates], closings: 0 }])),
    profiles: new Map(options.profiles?.map((profile) => [profile.id, { ...profile }])),
    unlistedProfilesExist: options.profiles === undefined,
    consumers: [...(options.consumers ?? [publishedConsumer])],
    nonces: new Set(),
    counters: { closedDays: 0, startedPayments: 0, totalAmount: '0', requests: 0, refused: 0 },
    nextAnswers: new Map(),
    serial: options.serial ?? 0x2d9b229,
  };
}

export function newGate(gateId: string, epntId: string, state: GateState = 'open', totals?: Totals): MockGate {
  return { gateId, epntId, state, totals: totals ?? { ...exampleTotals } };
}

export function consumerOf(world: World, oauth: readonly (readonly [string, string])[]): Consumer | undefined {
  const consumerKey = oauth.find(([name]) => name === 'oauth_consumer_key')?.[1];
  return world.consumers.find((consumer) => consumer.consumerKey === consumerKey);
}

export const zeroTotals: Totals = {
  saleApprovedCount: 0,
  saleAmount: '0.00',
  reversalApprovedCount: 0,
  reversalAmount: '0.00',
};
const exampleTotals: Totals = {
  saleApprovedCount: 2,
  saleAmount: '10.42',
  reversalApprovedCount: 1,
  reversalAmount: '0.94',
};

function defaultEndpoints(): Record<string, MockGate[]> {
  return {
    1111: [newGate('7101', '1111')],
    1112: [newGate('7102', '1112', 'closing')],
    1113: [newGate('7103', '1113', 'locked')],
    1114: [
      newGate('9007199254740993', '1114'),
      newGate('9007199254740995', '1114', 'open', { ...exampleTotals, saleApprovedCount: 12, saleAmount: '1234.50' }),
      newGate('9223372036854775807', '1114', 'open', { ...zeroTotals }),
    ],
  };
}

const { privateKeyPem: _, ...publishedConsumer } = publishedIdentity;

export function addEndpoint(world: World, endpointId: string, gates: readonly MockGate[]): void {
  world.endpoints.set(endpointId, { gates: [...gates], closings: 0 });
}

/** Sets the gate, or all gates of the endpoint, to closing. Close-day answers error 99 until `closeByHand`. */
export function putIntoClosing(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) gate.state = 'closing';
}

/** Acts as if a person closed the day: sets the gate (or all gates) to open, from any state, and the totals to zero. */
export function closeByHand(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) {
    gate.state = 'open';
    gate.totals = { ...zeroTotals };
  }
}

/** Locks the gate, or all gates of the endpoint. Close-day still finishes, but does not remove the lock. */
export function lock(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) gate.state = 'locked';
}

/** Opens a locked gate, like the lock removal tool. Does not change a closing gate. */
export function removeLock(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) if (gate.state === 'locked') gate.state = 'open';
}

export function stopProfile(world: World, id: string): void {
  world.profiles.set(id, { ...world.profiles.get(id), id, state: 'stopped' });
}

/** After this, the mock treats the recurring profile as unknown, even if `unlistedProfilesExist` is true. */
export function forgetProfile(world: World, id: string): void {
  world.profiles.set(id, { id, state: 'unknown' });
}

export function setNextAnswer(world: World, endpointId: string, answer: NextAnswer): void {
  endpointOf(world, endpointId);
  world.nextAnswers.set(endpointId, [...(world.nextAnswers.get(endpointId) ?? []), answer]);
}

function endpointOf(world: World, endpointId: string): Endpoint {
  return world.endpoints.get(endpointId) ?? throwMissing(`endpoint ${endpointId}`);
}

function gatesOf(world: World, endpointId: string, gateId: string | undefined): readonly MockGate[] {
  const { gates } = endpointOf(world, endpointId);
  if (gateId === undefined) return gates;
  const known = gates.map((gate) => gate.gateId).join(', ');
  const found = gates.find((gate) => gate.gateId === gateId);
  return [found ?? throwMissing(`gate ${gateId} of endpoint ${endpointId}`, `its gates are ${known}`)];
}

function throwMissing(what: string, hint = 'GET /state shows all endpoints'): never {
  throw new MockError('no-such-thing', `there is no ${what}`, hint);
}
