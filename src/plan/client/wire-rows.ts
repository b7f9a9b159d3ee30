/** The rows that every ordinary request of an operation shows, whatever it is about. */
import type { TestableId } from '../../../contracts/requirements/index.ts';

const signingRows = [
  'authentication/header-scheme',
  'authentication/header-parameters',
  'authentication/header-values-encoded',
  'authentication/parameters-only-in-header',
  'authentication/timestamp-seconds',
  'authentication/version',
  'authentication/consumer-key',
  'authentication/nonce-unique',
  'authentication/signature-base64',
  'authentication/signature-verifies',
  'authentication/uri-port',
  'transport/https',
] as const satisfies readonly TestableId<'client'>[];

export const closeDayRowIds = [
  'close-day/path',
  'close-day/method',
  'close-day/content-type-sent',
  'close-day/authorization-sent',
  'close-day/body-is-form',
  'close-day/request-id-present',
  'close-day/request-id-alphabet',
  'close-day/request-id-length',
  'close-day/sale-approved-count',
  'close-day/sale-approved-sum',
  'close-day/reversal-approved-count',
  'close-day/reversal-approved-sum',
  'authentication/close-day-method',
  ...signingRows,
] as const satisfies readonly TestableId<'client'>[];

export const recurringRowIds = [
  'recurring/path',
  'recurring/method',
  'recurring/content-type-sent',
  'recurring/authorization-sent',
  'recurring/payload-only',
  'recurring/payload-escaped',
  'recurring/payload-base64',
  'recurring/csv-delimiter',
  'recurring/csv-header-quoted',
  'recurring/csv-rows',
  'recurring/csv-utf-8',
  'recurring/client-orderid-present',
  'recurring/client-orderid-length',
  'recurring/recurring-payment-id-present',
  'recurring/recurring-payment-id-length',
  'recurring/amount-conditional',
  'recurring/amount-numeric',
  'recurring/amount-length',
  'authentication/recurring-method',
  ...signingRows,
] as const satisfies readonly TestableId<'client'>[];

/** The rows of both operations, each once. */
export const wireRows: readonly TestableId<'client'>[] = [...new Set([...closeDayRowIds, ...recurringRowIds])];
