/** What a person does in the administration UI, as plain functions on the world: the API itself offers none of it (section 3). */
import { type Endpoint, type Gate, noTotals, type World } from './state.ts';

/** Adds or replaces an endpoint. */
export function addEndpoint(world: World, endpointId: string, gates: readonly Gate[]): void {
  world.endpoints.set(endpointId, { gates: [...gates], closings: 0 });
}

/** Puts every gate of the endpoint into closing: close-day answers error 99 until somebody closes the day by hand. */
export function putIntoClosing(world: World, endpointId: string): void {
  for (const gate of endpointOf(world, endpointId).gates) gate.state = 'closing';
}

/** Closes the day of the endpoint's closing gates by hand: they are open afterwards, their totals start again. */
export function closeByHand(world: World, endpointId: string): void {
  const endpoint = endpointOf(world, endpointId);
  for (const gate of endpoint.gates.filter(({ state }) => state === 'closing')) {
    gate.state = 'open';
    gate.totals = { ...noTotals };
  }
}

/** Locks every gate of the endpoint: close-day finishes and the gates stay blocked. */
export function lock(world: World, endpointId: string): void {
  for (const gate of endpointOf(world, endpointId).gates) gate.state = 'locked';
}

/** The lock removal tool: locked gates of the endpoint are open afterwards. */
export function removeLock(world: World, endpointId: string): void {
  for (const gate of endpointOf(world, endpointId).gates) if (gate.state === 'locked') gate.state = 'open';
}

/** Stops a recurring profile, listed or not. */
export function stopProfile(world: World, id: string): void {
  world.profiles.set(id, { ...world.profiles.get(id), id, state: 'stopped' });
}

function endpointOf(world: World, endpointId: string): Endpoint {
  const endpoint = world.endpoints.get(endpointId);
  if (!endpoint) throw new RangeError(`the world has no endpoint ${endpointId}`);
  return endpoint;
}
