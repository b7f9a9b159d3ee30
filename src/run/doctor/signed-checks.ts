/** At most one close-day and one payment, each within what is allowed: the only way to know that secret and key are right. */

import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { buildCloseDay } from '../../protocol/close-day.ts';
import { encodeForm, type Pair } from '../../protocol/form.ts';
import { signRequest } from '../../protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../protocol/oauth/signature.ts';
import { buildRecurring } from '../../protocol/recurring.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { type DoctorFinding, unchecked } from '../target/examination.ts';
import type { ChargeableProfile, LiveConfig } from '../target/live-config.ts';
import type { LiveCredentials } from '../target/live-credentials.ts';
import { operationPath } from '../target/target.ts';
import { diagnoseTwins } from './right-requests.ts';
import type { DoctorSend } from './send.ts';

export interface SignedExamination {
  readonly send: DoctorSend;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** 32 letters and digits that never come twice. */
  readonly nonce: () => string;
}

/** Sends what is allowed and says what the answers mean; what is not allowed stays unchecked and says so. */
export async function checkSignatures(
  config: LiveConfig,
  clockOffset: number | undefined,
  io: SignedExamination,
): Promise<DoctorFinding[]> {
  const { credentials, endpointId } = config;
  const withheld = [closeDayWithheld(config), paymentWithheld(config)] as const;
  const told = withheld.filter((finding) => finding !== undefined);
  if (told.length === 2) return told;
  if (credentials === undefined || endpointId === undefined) {
    return signaturesUnchecked(
      credentials === undefined ? 'no usable credentials are configured' : 'no endpointId is configured',
    );
  }
  const subject = { config, credentials, endpointId };
  const profile = cheapest(config);
  const sent: Partial<Record<Operation, Exchange>> = {};
  if (withheld[0] === undefined) sent['close-day'] = await sendCloseDay(subject, io);
  if (withheld[1] === undefined && profile) {
    sent['process-recurring-payments'] = await sendPayment(subject, profile, io);
  }
  return [...told, ...diagnoseTwins({ sent, clockOffset })];
}

/** That neither signature was looked at, and why. */
export function signaturesUnchecked(because: string): DoctorFinding[] {
  return operationNames.map((operation) =>
    unchecked(`signature/${operation}`, `${operation}: signature not checked: ${because}`),
  );
}

function closeDayWithheld(config: LiveConfig): DoctorFinding | undefined {
  const effect = {
    operation: 'close-day',
    verb: 'it closes the day',
    allow: 'allow: { closes-day: 1 }',
    flag: '--allow closes-day=1',
  } as const;
  const wrongPlace = withheldAlways(config, effect);
  if (wrongPlace !== undefined) return wrongPlace;
  return config.allow['closes-day'] >= 1
    ? undefined
    : needsEffect(effect, effect.verb, `Where that may happen, write ${effect.allow}.`);
}

function paymentWithheld(config: LiveConfig): DoctorFinding | undefined {
  const effect = {
    operation: 'process-recurring-payments',
    verb: 'it starts a payment',
    allow: `allow: { starts-payments: { count: 1, total: "1.00" } }${config.recurring.length === 0 ? ' and a profile under recurring' : ''}`,
    flag: '--allow starts-payments=1/1.00',
  } as const;
  const wrongPlace = withheldAlways(config, effect);
  if (wrongPlace !== undefined) return wrongPlace;
  if (config.allow['starts-payments'].count < 1) {
    return needsEffect(effect, effect.verb, `Where that may happen, write ${effect.allow}.`);
  }
  if (cheapest(config) !== undefined) return undefined;
  return needsEffect(
    effect,
    'no recurring profile has an amount within the total',
    'Raise the total, or lower an amount.',
  );
}

interface Effect {
  readonly operation: Operation;
  readonly verb: string;
  readonly allow: string;
  /** The same where there is no configuration. */
  readonly flag: string;
}

function withheldAlways({ environment, path }: LiveConfig, effect: Effect): DoctorFinding | undefined {
  if (environment === 'integration') return undefined;
  if (environment === 'production') return needsEffect(effect, 'the environment is production');
  const hint =
    path === undefined
      ? `Where that may happen, add ${effect.flag}.`
      : `Where that may happen, write environment: integration, ${effect.allow}.`;
  return needsEffect(effect, effect.verb, hint);
}

function needsEffect({ operation }: Effect, reason: string, hint?: string): DoctorFinding {
  return unchecked(`signature/${operation}`, `${operation}: signature not checked: needs an effect (${reason})`, hint);
}

/** The profile that costs least, where it is within the total. */
function cheapest({ recurring, allow }: LiveConfig): ChargeableProfile | undefined {
  const [first] = [...recurring].sort((a, b) => cents(a.amount) - cents(b.amount));
  return first !== undefined && cents(first.amount) <= cents(allow['starts-payments'].total) ? first : undefined;
}

/** Amounts have two decimals and at most fourteen digits: their cents are whole and exact. */
function cents(amount: string): number {
  return Number(amount.replace('.', ''));
}

interface Subject {
  readonly config: LiveConfig;
  readonly credentials: LiveCredentials;
  readonly endpointId: string;
}

function sendCloseDay(subject: Subject, io: SignedExamination): Promise<Exchange> {
  const body = buildCloseDay({ day_close_request_id: io.nonce() });
  const key: SigningKey = { method: 'HMAC-SHA1', consumerSecret: subject.credentials.consumerSecret };
  const { endpointId } = subject;
  return io.send(signed('close-day', body, key, subject, io), { effect: 'closes-day', endpointId });
}

function sendPayment(subject: Subject, { id, amount }: ChargeableProfile, io: SignedExamination): Promise<Exchange> {
  const columns = ['client-orderid', 'recurring-payment-id', 'amount'];
  const { body } = buildRecurring({ columns, rows: [[`countersign-${io.nonce()}`, id, amount]] });
  const key: SigningKey = { method: 'RSA-SHA256', privateKey: subject.credentials.privateKey };
  const { endpointId } = subject;
  const declared = { effect: 'starts-payments', endpointId, count: 1, total: amount, recurringIds: [id] } as const;
  return io.send(signed('process-recurring-payments', body, key, subject, io), declared);
}

function signed(
  operation: Operation,
  body: readonly Pair[],
  key: SigningKey,
  { config, credentials, endpointId }: Subject,
  io: SignedExamination,
): SentRequest {
  const url = new URL(config.target);
  const unsigned = {
    method: 'POST',
    scheme: url.protocol === 'https:' ? 'https' : 'http',
    host: url.host,
    target: operationPath(
      { prefix: url.pathname.replace(/\/+$/, ''), versions: config.versions },
      operation,
      endpointId,
    ),
  } as const;
  const fresh = { timestamp: String(Math.floor(io.now() / 1000)), nonce: io.nonce() };
  const { authorization } = signRequest({ ...unsigned, body }, { consumerKey: credentials.consumerKey, key }, fresh);
  return {
    ...unsigned,
    headers: [
      ['Authorization', authorization],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: Buffer.from(encodeForm(body), 'utf8'),
  };
}
