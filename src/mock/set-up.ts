/** What a person does in the administration UI, as plain functions on the world: the API itself offers none of it (section 3). */
import type { NextAnswer } from './next-answer.ts';
import { type Endpoint, type MockGate, noTotals, profileExists, type World } from './state.ts';

/** Adds or replaces an endpoint. */
export function addEndpoint(world: World, endpointId: string, gates: readonly MockGate[]): void {
  world.endpoints.set(endpointId, { gates: [...gates], closings: 0 });
}

/** Puts the gate, or every gate of the endpoint, into closing: close-day answers error 99 until the day is closed by hand. */
export function putIntoClosing(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) gate.state = 'closing';
}

/** The manual close of the day: whatever held the gate, it is open afterwards, and its totals start again. */
export function closeByHand(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) {
    gate.state = 'open';
    gate.totals = { ...noTotals };
  }
}

/** Locks the gate, or every gate of the endpoint: close-day finishes and the gate stays blocked. */
export function lock(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) gate.state = 'locked';
}

/** The lock removal tool: a locked gate is open afterwards, one that is closing goes on closing. */
export function removeLock(world: World, endpointId: string, gateId?: string): void {
  for (const gate of gatesOf(world, endpointId, gateId)) if (gate.state === 'locked') gate.state = 'open';
}

/** Stops a recurring profile, listed or not. */
export function stopProfile(world: World, id: string): void {
  world.profiles.set(id, { ...world.profiles.get(id), id, state: 'stopped' });
}

/** Makes a recurring profile one that the gateway has never had, listed or not. */
export function forgetProfile(world: World, id: string): void {
  world.profiles.set(id, { id, state: 'unknown' });
}

/** Sets the date (milliseconds since the Unix epoch) on which a profile stops; throws RangeError where there is none. */
export function setFinishDate(world: World, id: string, finishDate: number): void {
  if (!profileExists(world, id)) throw new RangeError(`the world has no recurring profile ${id}`);
  world.profiles.set(id, { state: 'active', ...world.profiles.get(id), id, finishDate });
}

/** Scripts the answer to the endpoint's next batch that would have been accepted; several are used up in their order. */
export function setNextAnswer(world: World, endpointId: string, answer: NextAnswer): void {
  endpointOf(world, endpointId);
  const waiting = world.nextAnswers.get(endpointId);
  if (waiting) waiting.push(answer);
  else world.nextAnswers.set(endpointId, [answer]);
}

function endpointOf(world: World, endpointId: string): Endpoint {
  const endpoint = world.endpoints.get(endpointId);
  if (!endpoint) throw new RangeError(`the world has no endpoint ${endpointId}`);
  return endpoint;
}

function gatesOf(world: World, endpointId: string, gateId: string | undefined): readonly MockGate[] {
  const { gates } = endpointOf(world, endpointId);
  if (gateId === undefined) return gates;
  const gate = gates.find((found) => found.gateId === gateId);
  if (!gate) throw new RangeError(`the endpoint ${endpointId} has no gate ${gateId}`);
  return [gate];
}
