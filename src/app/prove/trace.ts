/** Records what a conforming subject does in a scenario, to find alterations that would change none of it. */
import { isDeepStrictEqual } from 'node:util';
import { verifies } from '../../mock/authentication.ts';
import type { About, Alteration, Reading, Received, Reply, SignatureMaterial, World } from '../../mock/index.ts';
import type { ClientAlteration, Context } from '../../peer/client/client.ts';

/** One request, with the arguments of every hook that the mock called for it. */
interface TracedRequest {
  readonly request: Received;
  /** Set if the mock verified the signature. */
  signed?: Parameters<NonNullable<Alteration['signs']>>;
  /** Set if an authentication step refused the request. The `World` among the arguments is a copy. */
  refused?: Parameters<NonNullable<Alteration['takes']>>;
  /** Set if the request passed every authentication step. `world` is a copy. */
  passed?: readonly [reading: Reading, world: World];
  answer?: readonly [reply: Reply, about: About];
}

export type Trace = readonly TracedRequest[];

/** Returns an alteration that changes nothing, and the trace that it fills. */
export function tracing(): { readonly alteration: Alteration; readonly trace: Trace } {
  const trace: TracedRequest[] = [];
  const note = (found: Partial<TracedRequest>) => Object.assign(trace.at(-1)!, found);
  return {
    trace,
    alteration: {
      reads: (request) => {
        trace.push({ request });
        return request;
      },
      signs: (material, original) => {
        note({ signed: [material, original] });
        return material;
      },
      takes: (reading, step, world) => {
        note({ refused: [reading, step, structuredClone(world)] });
        return false;
      },
      refuses: (reading, world) => {
        note({ passed: [reading, structuredClone(world)] });
        return undefined;
      },
      writes: (reply, about) => {
        note({ answer: [reply, about] });
        return reply;
      },
    },
  };
}

/** False if the mock with this alteration certainly gives the same answers to the traced requests. */
export function changesAnswers(
  { skips = [], takes, refuses, reads, signs, writes, settings }: Alteration,
  trace: Trace,
): boolean {
  if (settings !== undefined) return true;
  // Hooks may remember data by the world object, so pass the same object each time. Hooks may also delete its nonces.
  const seen = {} as World;
  const show = (world: World) => Object.assign(seen, world, { nonces: new Set(world.nonces) });
  return trace.some(({ request, signed, refused, passed, answer }) => {
    if (answer === undefined) return true;
    const [reply, about] = answer;
    if (skips.some((step) => step === about.step)) return true;
    if (reads !== undefined && reads(request) !== request) return true;
    if (signs && signed && isVerifiedOtherwise(signs(...signed), signed[0], about)) return true;
    if (takes && refused) {
      const [reading, step, world] = refused;
      if (takes(reading, step, show(world))) return true;
    }
    if (refuses && passed) {
      const [reading, world] = passed;
      if (refuses(reading, show(world)) !== undefined || seen.nonces.size !== world.nonces.size) return true;
    }
    return writes !== undefined && !isSame(writes(reply, about), reply);
  });
}

function isVerifiedOtherwise(altered: SignatureMaterial, original: SignatureMaterial, { step }: About): boolean {
  return altered !== original && verifies(altered) !== (step !== 'signature');
}

function isSame(a: Reply, b: Reply): boolean {
  if (a === b) return true;
  const { body, ...rest } = a;
  const { body: other, ...others } = b;
  return Buffer.compare(body, other) === 0 && JSON.stringify(rest) === JSON.stringify(others);
}

type Step = keyof ClientAlteration;

interface TracedCall {
  /** The context at the end of the call: `done` has all its steps. */
  readonly context: Context;
  readonly steps: Map<Step, unknown>;
}

export type ClientTrace = readonly TracedCall[];

/** Returns an alteration of the reference client that changes nothing, and the trace that it fills. */
export function tracingClient(): { readonly alteration: ClientAlteration; readonly trace: ClientTrace } {
  const trace: TracedCall[] = [];
  const alteration = new Proxy<ClientAlteration>(
    {},
    {
      get: (_, step: Step) => (value: unknown, context: Context) => {
        if (trace.at(-1)?.context !== context) trace.push({ context, steps: new Map() });
        trace.at(-1)!.steps.set(step, value);
        return value;
      },
    },
  );
  return { alteration, trace };
}

/** False if the reference client with this alteration certainly makes the same calls. */
export function changesCalls(alteration: ClientAlteration, trace: ClientTrace): boolean {
  const hooks = Object.entries(alteration) as [Step, (value: unknown, context: Context) => unknown][];
  return trace.some(({ context, steps }) => {
    // Hooks may remember data by the context object of a call, so all hooks of a call get the same object.
    const seen = { ...context, done: { ...context.done } };
    return hooks.some(([step, hook]) => steps.has(step) && changesStep(hook, steps.get(step), seen));
  });
}

function changesStep(hook: (value: unknown, context: Context) => unknown, value: unknown, context: Context): boolean {
  try {
    return !isDeepStrictEqual(hook(value, context), value);
  } catch {
    return true;
  }
}
