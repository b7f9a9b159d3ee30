/** The world as the control interface shows it: everything that can be asked for, and nothing that is secret. */
import type { Endpoint, MockGate, RecurringProfile, World } from '../state.ts';

/** Longs stay text: they may exceed what a JSON reader holds in a number. */
export function viewOfWorld(world: World): object {
  return {
    endpoints: [...world.endpoints].map(([id, endpoint]) => ({ id, ...viewOfEndpoint(world, id, endpoint) })),
    profiles: [...world.profiles.values()].map(viewOfProfile),
    unlistedProfilesExist: world.unlistedProfilesExist,
    counters: world.counters,
  };
}

export function viewOfGate({ gateId, epntId, state, totals }: MockGate): object {
  return { gateId, epntId, state, ...totals };
}

export function viewOfProfile({ id, state, finishDate }: RecurringProfile): object {
  return { id, state, ...(finishDate === undefined ? {} : { finishDate: new Date(finishDate).toISOString() }) };
}

function viewOfEndpoint(world: World, id: string, { gates, closings }: Endpoint): object {
  return { closings, gates: gates.map(viewOfGate), nextAnswers: world.nextAnswers.get(id) ?? [] };
}
