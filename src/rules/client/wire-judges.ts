/** Judges of everything that a client puts on the wire, or refuses to. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { ClientJudge } from '../judge.ts';
import * as authorization from './authorization.ts';
import * as closeDay from './close-day-fields.ts';
import * as csv from './csv.ts';
import { environmentIndependent } from './permutations.ts';
import * as payload from './recurring-payload.ts';
import * as request from './request.ts';
import * as signature from './signature.ts';

const recurring = 'process-recurring-payments';

export const wireJudges = {
  'close-day/path': request.pathOf('close-day'),
  'close-day/method': request.methodOf('close-day'),
  'close-day/content-type-sent': request.contentTypeOf('close-day'),
  'close-day/authorization-sent': request.authorizationOf('close-day'),
  'close-day/body-is-form': closeDay.bodyIsForm,
  'close-day/request-id-present': closeDay.requestIdPresent,
  'close-day/request-id-alphabet': closeDay.requestIdAlphabet,
  'close-day/request-id-length': closeDay.requestIdLength,
  'close-day/sale-approved-count': closeDay.totalOf('sale_approved_count'),
  'close-day/sale-approved-sum': closeDay.totalOf('sale_approved_sum'),
  'close-day/reversal-approved-count': closeDay.totalOf('reversal_approved_count'),
  'close-day/reversal-approved-sum': closeDay.totalOf('reversal_approved_sum'),
  'close-day/environment-independent': environmentIndependent('close-day'),

  'recurring/path': request.pathOf(recurring),
  'recurring/method': request.methodOf(recurring),
  'recurring/content-type-sent': request.contentTypeOf(recurring),
  'recurring/authorization-sent': request.authorizationOf(recurring),
  'recurring/payload-only': payload.payloadOnly,
  'recurring/payload-escaped': payload.payloadEscaped,
  'recurring/payload-base64': payload.payloadBase64,
  'recurring/csv-delimiter': csv.csvDelimiter,
  'recurring/csv-header-quoted': csv.csvHeaderQuoted,
  'recurring/csv-rows': csv.csvRows,
  'recurring/csv-utf-8': csv.csvUtf8,
  'recurring/client-orderid-present': csv.presentOf('client-orderid'),
  'recurring/client-orderid-length': csv.clientOrderidLength,
  'recurring/recurring-payment-id-present': csv.presentOf('recurring-payment-id'),
  'recurring/recurring-payment-id-length': csv.recurringPaymentIdLength,
  'recurring/amount-conditional': csv.amountConditional,
  'recurring/amount-numeric': csv.amountNumeric,
  'recurring/amount-length': csv.amountLength,
  'recurring/environment-independent': environmentIndependent(recurring),

  'authentication/header-scheme': authorization.headerScheme,
  'authentication/header-parameters': authorization.headerParameters,
  'authentication/header-values-encoded': authorization.headerValuesEncoded,
  'authentication/parameters-only-in-header': authorization.parametersOnlyInHeader,
  'authentication/timestamp-seconds': authorization.timestampSeconds,
  'authentication/version': authorization.version,
  'authentication/close-day-method': signature.signatureMethodOf('close-day'),
  'authentication/recurring-method': signature.signatureMethodOf(recurring),
  'authentication/consumer-key': authorization.consumerKey,
  'authentication/nonce-unique': authorization.nonceUnique,
  'authentication/signature-base64': signature.signatureBase64,
  'authentication/signature-verifies': signature.signatureVerifies,
  'authentication/uri-host-case': signature.uriHostCase,
  'authentication/uri-default-port': signature.uriDefaultPort,
  'authentication/uri-port': signature.uriPort,

  'transport/https': request.https,
} satisfies Partial<Record<TestableId<'client'>, ClientJudge>>;
