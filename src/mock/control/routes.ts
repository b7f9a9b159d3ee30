/** The routes of the control interface; `GET /` shows this very table. */
import { MockError } from '../mock-error.ts';
import { closeByHand, lock, putIntoClosing, removeLock, setFinishDate, setNextAnswer, stopProfile } from '../set-up.ts';
import { type MockGate, profileExists, type World } from '../state.ts';
import { readFinishDate, readNextAnswer, readNothing } from './bodies.ts';
import { viewOfGate, viewOfProfile, viewOfWorld } from './view.ts';

/** What a route works on. */
export interface Controlled {
  readonly world: World;
  /** Puts the world back to what it was when the mock started. */
  readonly reset: () => void;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Segments in angle brackets are ids. */
  readonly path: string;
  readonly does: string;
  /** Example of the JSON body; without one the route takes none. */
  readonly body?: object;
  /** The answer, as JSON. Throws MockError `bad-control-body` or `no-such-thing`. */
  readonly act: (controlled: Controlled, ids: readonly string[], body: Uint8Array) => object;
}

const mostWaiting = 1_000;

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    does: 'Lists the routes.',
    act: () => ({ routes: routes.map(({ method, path, does, body }) => ({ method, path, does, body })) }),
  },
  {
    method: 'GET',
    path: '/state',
    does: 'Shows endpoints with their gates and scripted answers, recurring profiles and counters.',
    act: ({ world }) => viewOfWorld(world),
  },
  {
    method: 'GET',
    path: '/counters',
    does: 'Shows closed days, started payments with their total, requests and refusals.',
    act: ({ world }) => world.counters,
  },
  gateRoute('closing', 'Puts the gate into closing: close-day answers error 99.', putIntoClosing),
  gateRoute('lock', 'Locks the gate: close-day finishes with isDayClosing true.', lock),
  gateRoute('remove-lock', 'The lock removal tool: a locked gate is open afterwards.', removeLock),
  gateRoute('close-by-hand', 'The manual close of the day: the gate is open, its totals start again.', closeByHand),
  {
    method: 'POST',
    path: '/endpoints/<id>/next-answer',
    does: 'Scripts the answer to the next batch that would have been accepted.',
    body: {
      kind: 'parameters',
      type: 'error',
      code: '500',
      httpStatus: 200,
      errorIdName: 'error-id',
      lineFeed: 'raw',
    },
    act: ({ world }, [endpointId = ''], body) => {
      if (!world.endpoints.has(endpointId)) throw noEndpoint(endpointId);
      if ((world.nextAnswers.get(endpointId)?.length ?? 0) >= mostWaiting) {
        throw new MockError(
          'bad-control-body',
          `${mostWaiting} answers are waiting already`,
          'send batches to use them up',
        );
      }
      setNextAnswer(world, endpointId, readNextAnswer(body));
      return { nextAnswers: world.nextAnswers.get(endpointId)! };
    },
  },
  {
    method: 'POST',
    path: '/profiles/<id>/stop',
    does: 'Stops the recurring profile: a batch that names it is refused.',
    act: ({ world }, [id = ''], body) => {
      readNothing(body);
      if (!profileExists(world, id)) throw noProfile(id);
      stopProfile(world, id);
      return viewOfProfile(world.profiles.get(id)!);
    },
  },
  {
    method: 'POST',
    path: '/profiles/<id>/finish-date',
    does: 'Sets the date on which the recurring profile stops.',
    body: { finishDate: '2027-01-31T00:00:00Z' },
    act: ({ world }, [id = ''], body) => {
      if (!profileExists(world, id)) throw noProfile(id);
      setFinishDate(world, id, readFinishDate(body));
      return viewOfProfile(world.profiles.get(id)!);
    },
  },
  {
    method: 'POST',
    path: '/reset',
    does: 'Puts everything back to the start of the mock; serial numbers go on, so that none comes twice.',
    act: ({ world, reset }, _, body) => {
      readNothing(body);
      reset();
      return viewOfWorld(world);
    },
  },
];

function gateRoute(
  action: string,
  does: string,
  change: (world: World, endpointId: string, gateId: string) => void,
): Route {
  return {
    method: 'POST',
    path: `/endpoints/<id>/gates/<gateId>/${action}`,
    does,
    act: ({ world }, [endpointId = '', gateId = ''], body) => {
      readNothing(body);
      const gate = gateOf(world, endpointId, gateId);
      change(world, endpointId, gateId);
      return viewOfGate(gate);
    },
  };
}

function gateOf(world: World, endpointId: string, gateId: string): MockGate {
  const endpoint = world.endpoints.get(endpointId);
  if (!endpoint) throw noEndpoint(endpointId);
  const gate = endpoint.gates.find((found) => found.gateId === gateId);
  if (gate) return gate;
  const known = endpoint.gates.map((found) => found.gateId).join(', ');
  throw noSuch(`gate ${gateId} of endpoint ${endpointId}`, `its gates are ${known}`);
}

function noEndpoint(endpointId: string): MockError {
  return noSuch(`endpoint ${endpointId}`);
}

function noProfile(id: string): MockError {
  return noSuch(`recurring profile ${id}`);
}

function noSuch(what: string, hint = 'GET /state shows them all'): MockError {
  return new MockError('no-such-thing', `there is no ${what}`, hint);
}
