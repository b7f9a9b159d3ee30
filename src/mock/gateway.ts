/** The gateway that behaves: one request and the world in, one answer out; the world is changed in place. */
import type { Operation } from '../../contracts/operations.ts';
import { type About, type Altered, joinAlterations } from './alteration.ts';
import { nonceOf } from './authentication.ts';
import { addDecimals, twoFractionalDigits } from './decimal.ts';
import { type Reading, type Received, read, route } from './received.ts';
import * as responses from './responses.ts';
import { isAcceptance, type Reply, scriptedReply } from './responses.ts';
import type { MockSettings } from './settings.ts';
import { firstRefusal, type Refusal, type StepContext } from './step.ts';
import { afterAuthentication, authenticationStepNames, beforeAcceptance } from './steps.ts';
import { type Endpoint, type MockGate, newGate, noTotals, type World } from './world.ts';

/** An answer together with what led to it. */
export interface Answer extends Reply {
  readonly about: About;
}

/**
 * Decides one request.
 * @param request as received over the wire, its URL as the client saw it
 * @param world changed in place: counters, nonces, gates, serial number
 * @param now milliseconds since the Unix epoch
 * @param altered what defects and variants change; nothing by default
 */
export function respond(
  request: Received,
  world: World,
  settings: MockSettings,
  now: number,
  altered: Altered = joinAlterations([]),
): Answer {
  world.counters.requests += 1;
  const seen = altered.reads(request);
  const place = route(seen.target, settings.prefix);
  const { reply, ...about } = place
    ? answer(read(seen, request, place, settings.csvDelimiters), world, settings, now, altered)
    : { reply: responses.notFound(), decision: 'not-found' as const };
  if (about.decision === 'refused') world.counters.refused += 1;
  const facts: About = { operation: place?.operation, request, ...about };
  return { ...altered.writes(reply, facts), about: facts };
}

type Outcome = Omit<About, 'request' | 'operation'> & { readonly reply: Reply };

function answer(reading: Reading, world: World, settings: MockSettings, now: number, altered: Altered): Outcome {
  const surroundings: StepContext = {
    world,
    settings,
    now,
    signs: (material) => altered.signs(material, reading.original),
  };
  const unauthenticated = firstRefusal(beforeAcceptance, altered.skips, reading, surroundings);
  if (unauthenticated) {
    const { step } = unauthenticated;
    return isAuthentication(step) && altered.takes(reading, step, world)
      ? act(reading, world, now)
      : refuse(reading, unauthenticated, world, settings);
  }
  // Only a verified request spends its nonce: a forged one must not shut out the real sender.
  remember(nonceOf(reading.oauth, settings), world, settings);
  const fault =
    firstRefusal(afterAuthentication[reading.operation], altered.skips, reading, surroundings) ??
    further(altered.refuses(reading, world));
  if (fault) return refuse(reading, fault, world, settings);
  return act(reading, world, now);
}

/** What the gateway does on a request that it takes, and how it answers one that it refuses. */
interface Conduct {
  readonly act: (reading: Reading, world: World, now: number) => Outcome;
  readonly refusal: (refusal: Refusal, serial: number, settings: MockSettings) => Reply;
}

const conducts: Readonly<Record<Operation, Conduct>> = {
  'close-day': {
    act: closeDay,
    refusal: ({ step, reason }, serial, { refusalStatus }) =>
      isAuthentication(step)
        ? responses.closeDayError('403', reason, serial, refusalStatus)
        : responses.closeDayError('400', reason, serial),
  },
  'process-recurring-payments': { act: takeBatch, refusal: () => responses.recurringRefused() },
};

function act(reading: Reading, world: World, now: number): Outcome {
  return conducts[reading.operation].act(reading, world, now);
}

function refuse(reading: Reading, refusal: Refusal, world: World, settings: MockSettings): Outcome {
  const { step, reason } = refusal;
  const refused = { decision: 'refused', step, reason } as const;
  if (step === 'method') return { ...refused, reply: responses.methodNotAllowed() };
  const serial = nextSerial(world);
  return { ...refused, serial, reply: conducts[reading.operation].refusal(refusal, serial, settings) };
}

function isAuthentication(step: string): boolean {
  return authenticationStepNames.some((name) => name === step);
}

function closeDay(reading: Reading, world: World, now: number): Outcome {
  const serial = nextSerial(world);
  // Only an altered gateway closes a day at an endpoint that it does not have; its answer has a gate all the same (4.1).
  const endpoint = world.endpoints.get(reading.endpointId) ?? {
    gates: [newGate('7100', /^\d+$/.test(reading.endpointId) ? reading.endpointId : '0', 'open', { ...noTotals })],
    closings: 0,
  };
  if (endpoint.gates.some(({ state }) => state === 'closing')) {
    return { decision: 'closing', serial, reply: responses.closingAlready(serial) };
  }
  const gates = closeEndpoint(endpoint, world, now);
  return { decision: 'accepted', serial, gates, reply: responses.finished(gates, serial) };
}

/** Closes the day at every gate of an endpoint, none of which is closing. */
function closeEndpoint(endpoint: Endpoint, world: World, now: number): responses.GateResult[] {
  world.counters.closedDays += 1;
  endpoint.closings += 1;
  return endpoint.gates.map((gate) => closeGate(gate, endpoint.closings, now));
}

/** Reports the day's totals and starts them again; a locked gate stays locked (section 3). */
function closeGate(gate: MockGate, closeDayNumber: number, now: number): responses.GateResult {
  const { gateId, epntId, totals } = gate;
  gate.totals = { ...noTotals };
  return { gateId, isDayClosing: gate.state === 'locked', closedAt: now, epntId, ...totals, closeDayNumber };
}

/** Section 1: every payment of an accepted batch is started; a scripted refusal starts none. */
function takeBatch(reading: Reading, world: World): Outcome {
  const serial = nextSerial(world);
  const scripted = world.nextAnswers.get(reading.endpointId)?.shift();
  const reply = scripted === undefined ? responses.recurringAccepted() : scriptedReply(scripted, serial);
  if (scripted !== undefined && !isAcceptance(scripted)) {
    return { decision: 'refused', step: 'next-answer', reason: 'this answer was scripted', serial, reply };
  }
  startPayments(reading, world);
  return { decision: 'accepted', serial, reply };
}

function startPayments(reading: Reading, world: World): void {
  const { count: payments, total } = reading.batch().payments;
  world.counters.startedPayments += payments;
  world.counters.totalAmount = addDecimals(world.counters.totalAmount, total);
  const gate = world.endpoints.get(reading.endpointId)?.gates[0];
  if (gate) {
    gate.totals.saleApprovedCount += payments;
    gate.totals.saleAmount = twoFractionalDigits(addDecimals(gate.totals.saleAmount, total));
  }
}

function nextSerial(world: World): number {
  world.serial += 1;
  return world.serial;
}

/** Where each memory for nonces begins. A new iterator would walk over all that was forgotten to find the oldest one. */
const oldest = new WeakMap<Set<string>, SetIterator<string>>();

/** Remembers the key of a nonce; the oldest one is forgotten where there are too many. */
function remember(nonce: string, { nonces }: World, { maxNonces }: MockSettings): void {
  nonces.add(nonce);
  if (nonces.size <= maxNonces) return;
  let next = oldest.get(nonces)?.next();
  if (next === undefined || next.done === true) {
    const fromStart = nonces.values();
    oldest.set(nonces, fromStart);
    next = fromStart.next();
  }
  nonces.delete(next.value!);
}

function further(reason: string | undefined): Refusal | undefined {
  return reason === undefined ? undefined : { step: 'further', reason };
}
