/** Performs one client scenario: a place at the local gateway for each call, the call, and what arrived. A plain function, no test runner. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { ClientSession, Introduction, SessionReply } from '../adapter/client-session.ts';
import type { ClientCase, ClientReply } from '../exchange/client-case.ts';
import type { LocalGateway, Place } from '../local-gateway/index.ts';
import type { ClientPlan, ClientScenario } from '../scenarios/client/client-scenario.ts';
import { drawFor } from '../scenarios/seed.ts';
import type { ClientRecord } from './client-record.ts';
import { sessionCase } from './session-case.ts';
import { shuffled } from './shuffled.ts';
import { verifyTwice } from './verify-twice.ts';

export interface ClientContext {
  readonly session: ClientSession;
  readonly gateway: LocalGateway;
  readonly seed: string;
  /** Number of generated cases of a generated scenario. */
  readonly cases: number;
  /** Calls of one client at once, at most. */
  readonly inFlight: number;
  /** Whether the client leaves the path of its calls: then they are made one at a time. */
  readonly strays?: boolean;
  /** Whether every signature is verified a second time by the libraries of src/oracle; default yes. */
  readonly secondVoice?: boolean;
  /** Milliseconds after which no further call is made; default none. */
  readonly limitMs?: number;
  /** Says what is kept of a reply; default all of it. */
  keepReply?(reply: ClientReply): ClientReply;
  /** Called after each call. */
  onCall?(plan: ClientPlan, afterMs: number): void;
  /** Another session of the same client with these variables; undefined where the client cannot be started again. */
  openWith?(environment: Readonly<Record<string, string>>): Promise<ClientSession>;
}

/** Calls in a row that may end without an answer; a client that is gone must not cost a deadline for each case. */
const mostSilences = 3;

/** Performs the scenario in an order that the seed decides; what the client does is recorded, never thrown. */
export async function performClientScenario(scenario: ClientScenario, context: ClientContext): Promise<ClientRecord> {
  const plans = scenario.plan(drawFor(context.seed, scenario.id, context.cases));
  const found = new Findings(scenario.id, context.secondVoice ?? true, context.limitMs);
  const sessions = new Sessions(context);
  const { gateway } = context;
  const before = gateway.unclaimed().length;
  const waiting = shuffled(plans.keys(), `${context.seed} ${scenario.id}`);
  const worker = async () => {
    for (let number = waiting.shift(); number !== undefined && !found.isOver(gateway); number = waiting.shift()) {
      await performOne(plans[number]!, number, sessions, context, found);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce(plans, context), plans.length) }, worker));
  await sessions.close();
  const notes = [...context.session.notes(), ...sessions.notes, ...strayNotes(gateway.unclaimed().length > before)];
  return found.record(context.session.introduction, notes, gateway);
}

/** What a client sends behind its result, or to no call, no verdict sees. */
function strayNotes(any: boolean): string[] {
  const sentence =
    'A request arrived behind the end of its call, or for none, and is not judged: the result of a call comes when all of it is sent.';
  return any ? [sentence] : [];
}

/** Clients in several environments are processes of their own, and starting one is mostly waiting. */
function atOnce(plans: readonly ClientPlan[], { inFlight, strays }: ClientContext): number {
  const environments = new Set(plans.map(({ environment }) => JSON.stringify(environment ?? {})));
  return strays === true ? 1 : Math.max(inFlight, Math.min(environments.size, 2));
}

async function performOne(
  plan: ClientPlan,
  number: number,
  sessions: Sessions,
  { session, gateway, inFlight, strays, keepReply = (whole) => whole, onCall }: ClientContext,
  found: Findings,
): Promise<void> {
  const cannot = whyNot(plan, session);
  if (cannot !== undefined) return found.skip(plan, cannot);
  const client = await sessions.of(plan);
  if (client === undefined) return found.skip(plan, 'the client cannot be started again in another environment');
  // A client that drops the prefix is judged once, for its path: alone with its call, its requests can still be assigned.
  const { server, pathSuffix } = plan;
  const place = await gateway.open(plan.answer, { server, pathSuffix, claimStrays: strays === true || inFlight === 1 });
  if ('unavailable' in place) return found.skip(plan, place.unavailable);
  try {
    const asked = sessionCase(plan, place.baseUrl, `${found.scenario} case ${number} (${plan.label.operation})`);
    const askedAt = performance.now();
    const told = await client.perform(asked);
    const outcome = told.reply === undefined ? told : { ...told, reply: keepReply(told.reply) };
    onCall?.(plan, performance.now() - askedAt);
    await place.settled();
    const { name: _, operation: __, auth: ___, deadlineMs: ____, ...known } = asked;
    found.add(plan, { ...known, consumerKey: asked.auth.consumerKey }, outcome, place, number);
  } finally {
    place.close();
  }
}

/** Why this client cannot be asked; undefined where it can. What it does not offer was declared before the run. */
function whyNot({ label, inject }: ClientPlan, { introduction: { offers } }: ClientSession): string | undefined {
  if (!offers.ops.includes(label.operation)) return `the adapter does not offer ${label.operation}`;
  const missing = Object.keys(inject ?? {}).find((name) => !(offers.inject as readonly string[]).includes(name));
  return missing === undefined ? undefined : `the adapter does not offer to inject a ${missing}`;
}

/** The ordinary session, and one for each other environment that a scenario asks for. */
class Sessions {
  readonly notes: string[] = [];
  private readonly context: ClientContext;
  private readonly opened = new Map<string, Promise<ClientSession | undefined>>();

  constructor(context: ClientContext) {
    this.context = context;
  }

  of({ environment }: ClientPlan): Promise<ClientSession | undefined> {
    if (environment === undefined || Object.keys(environment).length === 0)
      return Promise.resolve(this.context.session);
    const key = JSON.stringify(environment);
    const known = this.opened.get(key) ?? this.open(environment);
    this.opened.set(key, known);
    return known;
  }

  private async open(environment: Readonly<Record<string, string>>): Promise<ClientSession | undefined> {
    try {
      return await this.context.openWith?.(environment);
    } catch (cause) {
      const named = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
      this.notes.push(`the client did not start with ${named}: ${cause instanceof Error ? cause.message : cause}`);
      return undefined;
    }
  }

  async close(): Promise<void> {
    for (const session of await Promise.all(this.opened.values())) {
      this.notes.push(...(session?.notes() ?? []));
      await session?.close();
    }
  }
}

/** A call of which not all was recorded may not be green, whatever the client says of it. */
function adapterFaultOf({ fault }: SessionReply, place: Place): Pick<ClientCase, 'adapterFault'> {
  if (place.isFull()) {
    const message = `The client flooded the gateway in this call: the record lacks ${place.incomplete()}.`;
    return { adapterFault: { code: 'flooded', message } };
  }
  return fault === undefined ? {} : { adapterFault: { code: fault.code, message: `${fault.message} ${fault.hint}` } };
}

/** Gathers what the calls led to. */
class Findings {
  readonly scenario: string;
  private readonly secondVoice: boolean;
  private readonly cases: ClientCase[] = [];
  private readonly skipped: { ids: readonly RequirementId[]; reason: string }[] = [];
  private readonly suiteErrors: string[] = [];
  private silences = 0;
  private lastSilence: string | undefined;
  private isLate = false;
  private readonly limitMs: number;
  private readonly began = performance.now();

  constructor(scenario: string, secondVoice: boolean, limitMs = Number.POSITIVE_INFINITY) {
    this.scenario = scenario;
    this.secondVoice = secondVoice;
    this.limitMs = limitMs;
  }

  skip({ label }: ClientPlan, reason: string): void {
    const ids = [...(label.about === undefined ? [] : [label.about]), ...(label.decoding?.answers ?? [])];
    this.skipped.push({ ids, reason });
  }

  add(
    { label, server }: ClientPlan,
    asked: ClientCase['asked'],
    outcome: SessionReply,
    place: Place,
    number: number,
  ): void {
    const { reply, fault } = outcome;
    const wire = place.exchanges();
    const incomplete = place.incomplete();
    this.cases.push({
      scenario: this.scenario,
      number,
      label: server === undefined ? label : { ...label, server },
      asked,
      reply,
      ...adapterFaultOf(outcome, place),
      wire,
      ...(outcome.repeated === undefined ? {} : { repeated: true }),
      incomplete,
    });
    for (const { request } of this.secondVoice ? wire : []) {
      const disagreement = verifyTwice(request);
      if (disagreement !== undefined) this.suiteErrors.push(`${this.scenario} case ${number}: ${disagreement}`);
    }
    // A probe may well leave the client without an answer.
    if (label.input !== 'probe') this.silences = fault === undefined ? 0 : this.silences + 1;
    if (fault !== undefined) this.lastSilence = `${fault.message} ${fault.hint}`;
  }

  /** Asked before each call: one that ends late and is the last costs nothing. */
  isOver(gateway: LocalGateway): boolean {
    this.isLate ||= performance.now() - this.began > this.limitMs;
    return this.whyGivenUp(gateway) !== undefined;
  }

  private whyGivenUp(gateway: LocalGateway): string | undefined {
    return (
      gateway.flood() ?? (this.isLate ? this.late() : this.silences >= mostSilences ? this.lastSilence : undefined)
    );
  }

  /** Each call had its deadline, and progress or slow pings have stretched them. */
  private late(): string {
    return `The client took more than ${this.limitMs / 1000} s for ${this.cases.length} calls of ${this.scenario}, which is the limit of all its calls together. Let it answer within deadline_ms.`;
  }

  record(introduction: Introduction, notes: readonly string[], gateway: LocalGateway): ClientRecord {
    const givenUp = this.whyGivenUp(gateway);
    return {
      scenario: this.scenario,
      cases: this.cases,
      skipped: this.skipped,
      introduction,
      notes,
      suiteErrors: this.suiteErrors,
      ...(givenUp === undefined ? {} : { givenUp }),
    };
  }
}
