/** The conforming gateway: the steps of each operation, its answers, and how a defect or a variant changes them. */
import { type Operation, operations } from '../../contracts/operations.ts';
import { headerValues } from '../record/exchange.ts';
import type { Tag } from '../record/row.ts';
import { defaultSettings, type MockSettings } from './assumptions.ts';
import { authenticationSteps, nonceOf } from './authentication.ts';
import { addDecimals, type Batch, type RowRule, roundAmount } from './batch.ts';
import { firstValue, type Reading, type Received, readRequest } from './decode-request.ts';
import * as responses from './responses.ts';
import { type ReplyFacts, type SignatureMaterial, type Step, type StepContext, step } from './step.ts';
import { newGate, type World, zeroTotals } from './world.ts';

/** What a defect or a variant changes in the mock. */
export interface Alteration {
  /** Names of the steps that the gateway skips. */
  readonly skips?: readonly StepName[];
  /** Returns true to accept a request that the authentication step `step` refuses. Later checks are skipped. */
  readonly accepts?: (reading: Reading, step: string, world: World) => boolean;
  /** A further check after all steps. Returns the reason for a refusal, or undefined. */
  readonly refuses?: (reading: Reading, world: World) => string | undefined;
  /** Returns the request that the gateway processes instead of the received request. */
  readonly reads?: (request: Received) => Received;
  /** Changes the values that the signature check uses. `original` is the request before `reads` changed it. */
  readonly signs?: (material: SignatureMaterial, original: Received) => SignatureMaterial;
  /** Changes the answer before it is sent. */
  readonly writes?: (reply: responses.Reply, about: ReplyFacts) => responses.Reply;
  /** Overrides for the default settings. */
  readonly settings?: Partial<MockSettings>;
}

type Altered = Required<Omit<Alteration, 'skips' | 'settings'>> & { readonly skips: ReadonlySet<string> };

export function joinAlterations(alterations: readonly Alteration[]): Altered {
  return {
    skips: new Set(alterations.flatMap(({ skips }) => skips ?? [])),
    accepts: (reading, step, world) => alterations.some(({ accepts }) => accepts?.(reading, step, world) === true),
    refuses: (reading, world) => {
      for (const { refuses } of alterations) {
        const reason = refuses?.(reading, world);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
    reads: (request) => alterations.reduce((seen, { reads }) => reads?.(seen) ?? seen, request),
    signs: (material, original) => alterations.reduce((seen, { signs }) => signs?.(seen, original) ?? seen, material),
    writes: (reply, about) => alterations.reduce((seen, { writes }) => writes?.(seen, about) ?? seen, reply),
  };
}

/** Sources of each setting, in this order: `settings` (if defined), the last alteration that has it, the default. */
export function settingsWith(alterations: readonly Alteration[], settings: Partial<MockSettings> = {}): MockSettings {
  const defined = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return Object.assign({}, defaultSettings, ...alterations.map(({ settings }) => settings), defined);
}

const formSteps = [
  step('method', ({ request }) => request.method === 'POST')`the method is not POST`,

  step('content-type', ({ request }) => {
    const values = headerValues(request.headers, 'content-type');
    // Ignore letter case and parameters such as charset (RFC 9110 section 8.3.1).
    const types = values.map((value) => value.split(';', 1)[0]!.trim().toLowerCase());
    return types.length === 1 && types[0] === 'application/x-www-form-urlencoded';
  })`the content type is not application/x-www-form-urlencoded`,
] as const;

const fieldSteps = (singleFields: readonly string[]) =>
  [
    step('endpoint', ({ endpointId }, { world }) => world.endpoints.has(endpointId))`unknown endpoint`,

    step('endpoint-of-consumer', ({ endpointId, oauth }, { world }) => {
      const owner = world.endpoints.get(endpointId)?.gates[0]?.consumerKey;
      return owner === undefined || owner === firstValue(oauth, 'oauth_consumer_key');
    })`the endpoint belongs to another consumer`,

    step('fields-once', ({ form }) => {
      const names = form.map(([name]) => name).filter((name) => singleFields.includes(name));
      return new Set(names).size === names.length;
    })`a field is repeated`,
  ] as const;

const closeDaySteps = [
  step('request-id', (reading) => Boolean(requestId(reading)))`day_close_request_id is missing or empty`,

  step('request-id-length', (reading) => {
    const length = [...(requestId(reading) ?? '12345678')].length;
    return length >= 8 && length <= 32;
  })`day_close_request_id does not have 8 to 32 characters`,

  step('request-id-characters', (reading) => /^[A-Za-z0-9]*$/.test(requestId(reading) ?? ''))`
    day_close_request_id has other characters than letters and digits`,
] as const;

function requestId({ form }: Reading): string | undefined {
  return firstValue(form, 'day_close_request_id');
}

const recurringSteps = [
  step('payload', ({ form }) => Boolean(firstValue(form, 'payload')))`payload is missing or empty`,
  step('payload-alone', ({ form }) => form.every(([name]) => name === 'payload'))`the form has fields besides payload`,
  batchStep('base64', ({ strictBase64 }) => strictBase64)`payload is not base64`,
  batchStep('utf-8', ({ isUtf8 }) => isUtf8)`the CSV is not UTF-8`,
  batchStep('byte-order-mark', ({ hasByteOrderMark }) => !hasByteOrderMark)`the CSV starts with a byte order mark`,
  batchStep('csv', ({ header }) => header !== undefined)`the payload is not CSV`,
  batchStep('csv-header-quotes', ({ header }) => header?.quoted.every(Boolean) !== false)`a column name has no quotes`,
  batchStep('csv-columns', ({ header }) =>
    ['client-orderid', 'recurring-payment-id'].every((name) => header?.columns.includes(name) ?? true),
  )`a column is missing`,
  batchStep('csv-columns-once', ({ header }) => new Set(header?.columns).size === (header?.columns.length ?? 0))`
    a column is repeated`,
  batchStep('csv-rows', ({ header, payments }) => !header || payments.count > 0)`the CSV has no payment`,
  rowStep('csv-cells')`a row has more or fewer cells than the header`,
  rowStep('client-orderid')`a cell of client-orderid is empty`,
  rowStep('client-orderid-length')`a cell of client-orderid is too long`,
  rowStep('recurring-payment-id')`a cell of recurring-payment-id is empty`,
  rowStep('recurring-payment-id-length')`a cell of recurring-payment-id is too long`,
  rowStep('amount')`a row has no amount, no range of amounts and no amount-sequence`,
  rowStep('amount-numeric')`a cell of amount is not numeric`,
  rowStep('amount-length')`a cell of amount is too long`,
  step('profile', (reading, { world, now }) => {
    if (world.profiles.size === 0 && world.unlistedProfilesExist) return true;
    const ids = reading.batch().column('recurring-payment-id');
    return ids.every((id = '') => {
      const profile = world.profiles.get(id);
      if (profile === undefined) return world.unlistedProfilesExist;
      return profile.state === 'active' && (profile.finishDate === undefined || now < profile.finishDate);
    });
  })`a recurring payment is unknown or stopped`,
] as const;

function batchStep<const Name extends string>(name: Name, holds: (batch: Batch) => boolean): Tag<Step<Name>> {
  return step(name, (reading) => holds(reading.batch()));
}

function rowStep<const Name extends RowRule>(name: Name): Tag<Step<Name>> {
  return batchStep(name, ({ broken }) => !broken.has(name));
}

const commonSteps = [...formSteps, ...authenticationSteps];

type Outcome = Omit<ReplyFacts, 'request' | 'operation'> & { readonly reply: responses.Reply };

interface Handler {
  readonly steps: readonly Step[];
  readonly act: (reading: Reading, world: World, now: number) => Outcome;
  readonly refusal: (refusal: Refusal, serial: number, settings: MockSettings) => responses.Reply;
}

const handlers = {
  'close-day': {
    steps: [...fieldSteps(operations['close-day'].fields), ...closeDaySteps],
    act: closeDay,
    refusal: ({ step, reason }, serial, { refusalStatus }) =>
      isAuthentication(step)
        ? responses.closeDayError('403', reason, serial, refusalStatus)
        : responses.closeDayError('400', reason, serial),
  },
  'process-recurring-payments': {
    steps: [...fieldSteps(operations['process-recurring-payments'].fields), ...recurringSteps],
    act: processBatch,
    refusal: () => responses.emptyReplies.refused,
  },
} as const satisfies Readonly<Record<Operation, Handler>>;

export type StepName = (typeof commonSteps)[number]['name'] | (typeof handlers)[Operation]['steps'][number]['name'];

export const authenticationStepNames = authenticationSteps.map(({ name }) => name);

const allSteps: readonly Step<StepName>[] = [
  ...commonSteps,
  ...handlers['close-day'].steps,
  ...handlers['process-recurring-payments'].steps,
];

/** All step names, in order. The steps of close-day come before those of recurring payments. */
export const stepNames: readonly StepName[] = [...new Set(allSteps.map(({ name }) => name))];

function isAuthentication(step: string): boolean {
  return authenticationStepNames.some((name) => name === step);
}

function closeDay(reading: Reading, world: World, now: number): Outcome {
  const serial = nextSerial(world);
  // If a defect skips checks, the endpoint can be unknown. The answer needs a gate (4.1), so invent one.
  const endpoint = world.endpoints.get(reading.endpointId) ?? {
    gates: [newGate('7100', /^\d+$/.test(reading.endpointId) ? reading.endpointId : '0', 'open', { ...zeroTotals })],
    closings: 0,
  };
  if (endpoint.gates.some(({ state }) => state === 'closing')) {
    return { decision: 'closing', serial, reply: responses.closingError(serial) };
  }
  world.counters.closedDays += 1;
  endpoint.closings += 1;
  const gates = endpoint.gates.map((gate): responses.GateResult => {
    const { gateId, epntId, state, totals } = gate;
    gate.totals = { ...zeroTotals };
    // True means that the gate stays locked (section 3).
    const isDayClosing = state === 'locked';
    return { gateId, isDayClosing, closedAt: now, epntId, ...totals, closeDayNumber: endpoint.closings };
  });
  return { decision: 'accepted', serial, gates, reply: responses.closeDayFinished(gates, serial) };
}

/** An accepted batch starts all its payments (section 1). */
function processBatch(reading: Reading, world: World): Outcome {
  const serial = nextSerial(world);
  const scripted = world.nextAnswers.get(reading.endpointId)?.shift();
  const reply = scripted === undefined ? responses.emptyReplies.accepted : responses.scriptedReply(scripted, serial);
  if (scripted !== undefined && !responses.isAcceptance(scripted)) {
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
    gate.totals.saleAmount = roundAmount(addDecimals(gate.totals.saleAmount, total));
  }
}

function nextSerial(world: World): number {
  return ++world.serial;
}

const unaltered = joinAlterations([]);

/** Answers `request` and updates `world`. `request` has the URL that the client signed. `now`: Unix milliseconds. */
export function respond(request: Received, world: World, settings: MockSettings, now: number, altered = unaltered) {
  world.counters.requests += 1;
  const processed = altered.reads(request);
  const reading = readRequest(processed, request, settings);
  const { reply, ...about } = reading
    ? answer(reading, world, settings, now, altered)
    : { reply: responses.emptyReplies.notFound, decision: 'not-found' as const };
  if (about.decision === 'refused') world.counters.refused += 1;
  const facts: ReplyFacts = { operation: reading?.operation, request, ...about };
  return { ...altered.writes(reply, facts), about: facts };
}

function answer(reading: Reading, world: World, settings: MockSettings, now: number, altered: Altered): Outcome {
  const alter = (material: SignatureMaterial) => altered.signs(material, reading.original);
  const context: StepContext = { world, settings, now, alter };
  const handler = handlers[reading.operation];
  const commonRefusal = firstRefusal(commonSteps, altered.skips, reading, context);
  if (commonRefusal) {
    const { step } = commonRefusal;
    return isAuthentication(step) && altered.accepts(reading, step, world)
      ? handler.act(reading, world, now)
      : refuse(reading, commonRefusal, world, settings);
  }
  // Remember the nonce only after the signature was verified, so that a forged request cannot block the real sender.
  remember(nonceOf(reading.oauth, settings), world, settings);
  const refusal = firstRefusal(handler.steps, altered.skips, reading, context);
  if (refusal) return refuse(reading, refusal, world, settings);
  const reason = altered.refuses(reading, world);
  if (reason !== undefined) return refuse(reading, { step: 'further', reason }, world, settings);
  return handler.act(reading, world, now);
}

function refuse(reading: Reading, refusal: Refusal, world: World, settings: MockSettings): Outcome {
  const { step, reason } = refusal;
  const refused = { decision: 'refused', step, reason } as const;
  if (step === 'method') return { ...refused, reply: responses.emptyReplies.methodNotAllowed };
  const serial = nextSerial(world);
  return { ...refused, serial, reply: handlers[reading.operation].refusal(refusal, serial, settings) };
}

function remember(nonce: string, { nonces }: World, { maxNonces }: MockSettings): void {
  nonces.add(nonce);
  // Delete many nonces at once, because finding the oldest entry of a Set is slow after many deletions.
  if (nonces.size <= maxNonces * 1.01) return;
  for (const oldest of nonces) {
    if (nonces.size <= maxNonces) return;
    nonces.delete(oldest);
  }
}

type Refusal = NonNullable<ReturnType<typeof firstRefusal>>;

function firstRefusal(steps: readonly Step[], skipped: ReadonlySet<string>, reading: Reading, context: StepContext) {
  for (const { name, refuses } of steps) {
    const reason = skipped.has(name) ? undefined : refuses(reading, context);
    if (reason !== undefined) return { step: name, reason };
  }
  return undefined;
}
