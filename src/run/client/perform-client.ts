/** Performs one client scenario: a place at the local gateway for each call, the call, and what arrived. A plain function, no test runner. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { ClientSession, Introduction, SessionReply } from '../../peer/adapter/client-session.ts';
import { type Noted, notedOnce } from '../../peer/adapter/notes.ts';
import type { LocalGateway, Place } from '../../peer/local-gateway/index.ts';
import type { ClientPlan, ClientScenario, LocalAnswer } from '../../plan/client/client-scenario.ts';
import type { ClientCase, ClientReply } from '../../record/client-case.ts';
import { countedWord } from '../../record/counted-word.ts';
import { headerValues } from '../../record/exchange.ts';
import type { ClientRecord } from './client-record.ts';
import { environmentOf, inEnvironments, type PlannedCall } from './in-environments.ts';
import { callsOf } from './limits.ts';
import { sessionCase } from './session-case.ts';
import { shrinkFailures } from './shrink.ts';
import { shuffled } from './shuffled.ts';
import { verifyTwice } from './verify-twice.ts';

export interface ClientContext {
  readonly session: ClientSession;
  readonly gateway: LocalGateway;
  readonly seed: string;
  /** Number of generated cases of a generated scenario. */
  readonly cases: number;
  /** Set where one generated call is repeated alone. */
  readonly path?: string;
  /** Whether failing generated calls are made again, smaller; default yes. */
  readonly shrinks?: boolean;
  /** Calls of one client at once, at most. */
  readonly inFlight: number;
  /** Whether the client leaves the path of its calls: then they are made one at a time. */
  readonly strays?: boolean;
  /** Whether every signature is verified a second time by the libraries of src/oracle; default yes. */
  readonly secondVoice?: boolean;
  /** Milliseconds after which no further call is made; default none. */
  readonly limitMs?: number;
  /** Milliseconds since any moment, which only grow. */
  readonly now: () => number;
  /** Says what is kept of a reply; default all of it. */
  keepReply?(reply: ClientReply): ClientReply;
  /** Called after each call. */
  onCall?(plan: ClientPlan, afterMs: number): void;
  /** Another session of the same client with these variables; undefined where the client cannot be started again. */
  openWith?(environment: Readonly<Record<string, string>>): Promise<ClientSession>;
}

/** Calls in a row that may end without an answer; a client that is gone must not cost a deadline for each case. */
const mostSilences = 3;

/** Milliseconds in which failing generated calls are made again, smaller. */
const shrinkingLimitMs = 30_000;

/** Performs the scenario in an order that the seed decides; what the client does is recorded, never thrown. */
export async function performClientScenario(scenario: ClientScenario, context: ClientContext): Promise<ClientRecord> {
  const plans = callsOf(scenario, context);
  const found = new Findings(scenario.id, context.secondVoice ?? true, context);
  const { gateway } = context;
  const before = gateway.unclaimed().length;
  const order = shuffled(plans.keys(), `${context.seed} ${scenario.id}`);
  const ofOthers = await inEnvironments(
    order.map((number) => ({ plan: plans[number]!, number })),
    context,
    async (call, client) => {
      if (!found.isOver(gateway)) await performOne(call, client, context, found);
    },
  );
  const shrunk =
    context.shrinks === false || found.isSilent() ? nothing : await shrink(scenario, plans, found, context);
  const notes = [...context.session.takeNotes(), ...ofOthers, ...strayNotes(gateway.unclaimed().length > before)];
  const record = found.record(context.session.introduction, notes, gateway);
  const { counterexamples } = shrunk;
  return { ...record, cases: [...record.cases, ...shrunk.cases], counterexamples };
}

const nothing: Awaited<ReturnType<typeof shrinkFailures>> = { cases: [], counterexamples: [] };

/** A client that is slow or gives no answer is not asked for smaller ones. */
function shrink(
  { id, shows }: ClientScenario,
  plans: readonly ClientPlan[],
  { cases }: Findings,
  context: ClientContext,
): ReturnType<typeof shrinkFailures> {
  const { session, gateway, now } = context;
  const tries = new Findings(id, false, { limitMs: shrinkingLimitMs, now });
  const inOrder = [...cases].sort((a, b) => a.number - b.number);
  return shrinkFailures(plans, inOrder, shows, async (plan) => {
    if (context.path !== undefined || tries.isSilent() || tries.isOver(gateway)) return undefined;
    const before = tries.cases.length;
    await performOne({ plan, number: plans.length }, async () => session, context, tries);
    return tries.cases[before];
  });
}

/** What a client sends behind its result, or to no call, no verdict sees. */
function strayNotes(any: boolean): Noted[] {
  const sentence =
    'A request arrived behind the end of its call, or for none, and is not judged: the result of a call comes when all of it is sent.';
  return any ? [notedOnce(sentence)] : [];
}

async function performOne(
  { plan, number }: PlannedCall,
  opened: () => Promise<ClientSession | undefined>,
  { session, gateway, inFlight, strays, keepReply = (whole) => whole, onCall, now }: ClientContext,
  found: Findings,
): Promise<void> {
  const cannot = whyNot(plan, session);
  if (cannot !== undefined) return found.skip(plan, cannot);
  const client = await opened();
  if (client === undefined) return found.skip(plan, 'the client cannot be started again in another environment');
  // A client that drops the prefix is judged once, for its path: alone with its call, its requests can still be assigned.
  const { server, pathSuffix } = plan;
  const place = await gateway.open(plan.answer, { server, pathSuffix, claimStrays: strays === true || inFlight === 1 });
  if ('unavailable' in place) return found.skip(plan, place.unavailable);
  try {
    const asked = sessionCase(plan, place.baseUrl, `${found.scenario} case ${number} (${plan.label.operation})`);
    const askedAt = now();
    const told = await client.perform(asked);
    const outcome = told.reply === undefined ? told : { ...told, reply: keepReply(told.reply) };
    onCall?.(plan, now() - askedAt);
    await place.settled();
    const { baseUrl, endpointId, input, inject, environment, auth } = asked;
    const known = { baseUrl, endpointId, consumerKey: auth.consumerKey, input, inject, environment };
    found.add(plan, known, outcome, place, number);
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

/** A call of which not all was recorded may not be green, whatever the client says of it. */
function adapterFaultOf({ fault }: SessionReply, place: Place, answer: LocalAnswer): Pick<ClientCase, 'adapterFault'> {
  if (place.isFull()) {
    const message =
      `The client flooded the gateway in this call: at least ${countedWord(place.arrived(), 'request')} arrived, each answered by ` +
      `${answerInWords(answer)}, and the record lacks ${place.incomplete()}.`;
    const hint =
      'Let a call send one request and end with its answer: switch automatic repeats off, in the HTTP library too.';
    return { adapterFault: { code: 'flooded', message, hint } };
  }
  return fault === undefined ? {} : { adapterFault: { code: fault.code, message: fault.message, hint: fault.hint } };
}

function answerInWords(answer: LocalAnswer): string {
  if (answer.kind !== 'reply') return answer.kind === 'reset' ? 'a reset connection' : 'an answer without an end';
  const [retryAfter] = headerValues(answer.headers, 'retry-after');
  return `status ${answer.status}${retryAfter === undefined ? '' : ` with Retry-After: ${retryAfter}`}`;
}

/** Gathers what the calls led to. */
class Findings {
  readonly scenario: string;
  private readonly secondVoice: boolean;
  readonly cases: ClientCase[] = [];
  private readonly skipped: { ids: readonly RequirementId[]; reason: string }[] = [];
  private readonly suiteErrors: string[] = [];
  /** The environment of each call since the last answer. */
  private silences: string[] = [];
  private lastSilence: string | undefined;
  private isLate = false;
  private readonly limitMs: number;
  private readonly now: () => number;
  private readonly began: number;

  constructor(
    scenario: string,
    secondVoice: boolean,
    { limitMs = Number.POSITIVE_INFINITY, now }: Pick<ClientContext, 'limitMs' | 'now'>,
  ) {
    this.scenario = scenario;
    this.secondVoice = secondVoice;
    this.limitMs = limitMs;
    this.now = now;
    this.began = now();
  }

  skip({ label }: ClientPlan, reason: string): void {
    const ids = [...(label.about === undefined ? [] : [label.about]), ...(label.decoding?.answers ?? [])];
    this.skipped.push({ ids, reason });
  }

  add(plan: ClientPlan, asked: ClientCase['asked'], outcome: SessionReply, place: Place, number: number): void {
    const { reply, fault } = outcome;
    const { label, server } = plan;
    const wire = place.exchanges();
    const incomplete = place.incomplete();
    this.cases.push({
      scenario: this.scenario,
      number,
      label: server === undefined ? label : { ...label, server },
      asked,
      reply,
      ...adapterFaultOf(outcome, place, plan.answer),
      wire,
      ...(outcome.repeated === undefined ? {} : { repeated: true }),
      incomplete,
    });
    for (const { request } of this.secondVoice ? wire : []) {
      const disagreement = verifyTwice(request);
      if (disagreement !== undefined) this.suiteErrors.push(`${this.scenario} case ${number}: ${disagreement}`);
    }
    // A probe may well leave the client without an answer.
    if (label.input !== 'probe') this.silences = fault === undefined ? [] : [...this.silences, environmentOf(plan)];
    if (fault !== undefined) this.lastSilence = `${fault.message} ${fault.hint}`;
  }

  /** Whether the last call had no answer. */
  isSilent(): boolean {
    return this.silences.length > 0;
  }

  /** Asked before each call: one that ends late and is the last costs nothing. */
  isOver(gateway: LocalGateway): boolean {
    this.isLate ||= this.now() - this.began > this.limitMs;
    return this.whyGivenUp(gateway) !== undefined;
  }

  private whyGivenUp(gateway: LocalGateway): string | undefined {
    return gateway.flood() ?? (this.isLate ? this.late() : this.isGone() ? this.lastSilence : undefined);
  }

  /** One that fails in one of several environments, whose calls follow each other, may be there in the next. */
  private isGone(): boolean {
    const silent = new Set(this.silences);
    return this.silences.length >= mostSilences && (silent.size > 1 || silent.has(''));
  }

  /** Each call had its deadline, and progress or slow pings have stretched them. */
  private late(): string {
    return `The client took more than ${this.limitMs / 1000} s for ${this.cases.length} calls of ${this.scenario}, which is the limit of all its calls together. Let it answer within deadline_ms.`;
  }

  record(introduction: Introduction, notes: readonly Noted[], gateway: LocalGateway): ClientRecord {
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
