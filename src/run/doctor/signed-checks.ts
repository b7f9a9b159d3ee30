/** At most one close-day and one payment, each within what is allowed: the only way to know that secret and key are right. */

import type { Operation } from '../../../contracts/requirements/requirement.ts';
import type { Exchange, SentRequest } from '../../exchange/exchange.ts';
import { buildCloseDay } from '../../protocol/close-day.ts';
import { encodeForm, type Pair } from '../../protocol/form.ts';
import { signRequest } from '../../protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../protocol/oauth/signature.ts';
import { buildRecurring } from '../../protocol/recurring.ts';
import type { ChargeableProfile, LiveConfig } from '../live-config.ts';
import type { LiveCredentials } from '../live-credentials.ts';
import { operationPath } from '../target.ts';
import { type DoctorFinding, unchecked } from './finding.ts';
import type { DoctorSend } from './send.ts';
import { diagnoseTwins } from './twins.ts';

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
  if (credentials === undefined || endpointId === undefined) {
    const missing = credentials === undefined ? 'there are no usable credentials' : 'there is no endpointId';
    return signaturesUnchecked(missing);
  }
  const withheld = [closeDayWithheld(config), paymentWithheld(config)] as const;
  const profile = cheapest(config);
  const subject = { config, credentials, endpointId };
  const closeDay = withheld[0] === undefined ? await sendCloseDay(subject, io) : undefined;
  const recurring = withheld[1] === undefined && profile ? await sendPayment(subject, profile, io) : undefined;
  return [
    ...withheld.filter((finding) => finding !== undefined),
    ...diagnoseTwins({ closeDay, recurring, clockOffset }),
  ];
}

/** That neither signature was looked at, and why. */
export function signaturesUnchecked(because: string): DoctorFinding[] {
  return (['close-day', 'process-recurring-payments'] as const).map((operation) =>
    unchecked(`signature/${operation}`, `signature not checked: ${because}`),
  );
}

function closeDayWithheld(config: LiveConfig): DoctorFinding | undefined {
  const reason = withheldAlways(config) ?? (config.allow['closes-day'] >= 1 ? undefined : 'it closes the day');
  return reason === undefined ? undefined : needsEffect('close-day', reason, 'closes-day: 1');
}

function paymentWithheld(config: LiveConfig): DoctorFinding | undefined {
  const { count } = config.allow['starts-payments'];
  const reason =
    withheldAlways(config) ??
    (count >= 1 ? undefined : 'it starts a payment') ??
    (cheapest(config) ? undefined : 'no recurring profile has an amount within the total');
  return reason === undefined
    ? undefined
    : needsEffect(
        'process-recurring-payments',
        reason,
        'starts-payments with count and total, and a profile under recurring',
      );
}

function withheldAlways({ environment }: LiveConfig): string | undefined {
  if (environment === 'integration') return undefined;
  return environment === 'production' ? 'the environment is production' : 'environment: integration is not stated';
}

function needsEffect(operation: Operation, reason: string, allow: string): DoctorFinding {
  const hint =
    reason === 'the environment is production'
      ? undefined
      : `If that may happen there, write it under allow: ${allow}.`;
  return unchecked(`signature/${operation}`, `signature not checked: needs an effect, and ${reason}`, hint);
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
    target: operationPath(url.pathname.replace(/\/+$/, ''), operation, endpointId),
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
