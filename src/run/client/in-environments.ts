/** The calls of a scenario, by the environment that each needs: the client of another one lives from its first call to its last. */
import type { ClientSession } from '../../peer/adapter/client-session.ts';
import { type Noted, notedOnce } from '../../peer/adapter/notes.ts';
import type { ClientPlan } from '../../plan/client/client-scenario.ts';

export interface PlannedCall {
  readonly plan: ClientPlan;
  /** Its place in the plan of its scenario. */
  readonly number: number;
}

interface Means {
  /** Of the ordinary environment. */
  readonly session: ClientSession;
  readonly inFlight: number;
  readonly strays?: boolean;
  openWith?(environment: Readonly<Record<string, string>>): Promise<ClientSession>;
}

/** Of clients in other environments. Starting one is mostly waiting, and each is a process as large as the client makes it. */
const mostOpen = 2;

/**
 * Performs the calls in their order, those of an environment together. `perform` gets a function that opens its client when it
 * is first called, and gives undefined where the client cannot be started again; it says itself when no further call is made.
 *
 * @returns what the sessions that were opened have noticed, and which could not be
 */
export async function inEnvironments(
  calls: readonly PlannedCall[],
  { session, inFlight, strays = false, openWith }: Means,
  perform: (call: PlannedCall, client: () => Promise<ClientSession | undefined>) => Promise<void>,
): Promise<Noted[]> {
  const groups = [...byEnvironment(calls).values()].map((group) => ({ group, notes: [] as Noted[] }));
  const open = strays ? 1 : Math.min(groups.length, mostOpen);
  const width = strays ? 1 : Math.max(1, Math.floor(inFlight / open));
  await atOnce(open, groups, async ({ group, notes }) => {
    const { plan } = group[0]!;
    const client = environmentOf(plan) === '' ? ordinary(session) : new OtherClient(plan, openWith);
    try {
      await atOnce(width, group, (call) => perform(call, () => client.session()));
    } finally {
      notes.push(...(await client.close()));
    }
  });
  return groups.flatMap(({ notes }) => notes);
}

/** Its variables; empty for the ordinary environment. */
export function environmentOf({ environment = {} }: Pick<ClientPlan, 'environment'>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join();
}

function byEnvironment(calls: readonly PlannedCall[]): ReadonlyMap<string, readonly PlannedCall[]> {
  const groups = new Map<string, PlannedCall[]>();
  for (const call of calls) {
    const key = environmentOf(call.plan);
    const group = groups.get(key) ?? [];
    if (group.push(call) === 1) groups.set(key, group);
  }
  return groups;
}

/** Of the whole run: it is not ended here. */
function ordinary(session: ClientSession): Pick<OtherClient, 'session' | 'close'> {
  return { session: () => Promise.resolve(session), close: () => Promise.resolve([]) };
}

class OtherClient {
  readonly #plan: ClientPlan;
  readonly #openWith: Means['openWith'];
  readonly #notes: Noted[] = [];
  #opened: Promise<ClientSession | undefined> | undefined;

  constructor(plan: ClientPlan, openWith: Means['openWith']) {
    this.#plan = plan;
    this.#openWith = openWith;
  }

  session(): Promise<ClientSession | undefined> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<ClientSession | undefined> {
    try {
      return await this.#openWith?.(this.#plan.environment!);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : cause;
      this.#notes.push(notedOnce(`the client did not start with ${environmentOf(this.#plan)}: ${why}`));
      return undefined;
    }
  }

  async close(): Promise<readonly Noted[]> {
    const session = await this.#opened;
    const noticed = [...this.#notes, ...(session?.takeNotes() ?? [])];
    await session?.close();
    return noticed;
  }
}

/** Takes one after the other until none is left, so many at once. */
async function atOnce<T>(most: number, all: Iterable<T>, act: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: Math.min(most, waiting.length) }, worker));
}
