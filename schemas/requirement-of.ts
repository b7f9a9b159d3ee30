/** Which requirement a deviation from a payload schema breaks: by place and keyword, for each payload. */
import { type Operation, operations } from '../contracts/operations.ts';
import { gateResultFields } from '../contracts/requirements/gate-result.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import type { SchemaFault } from './fault.ts';

/** Rows by `path keyword`, without the indexes of lists; `*` stands for every keyword that has no entry of its own. */
export type Rows = Readonly<Record<string, RequirementId>>;

/** What the schemas say of one message: each row that it breaks, with the fault in words. */
export type Heard = ReadonlyMap<RequirementId, string>;

/** The rows that the faults break, each with its first fault; a fault without a row is another row's or nobody's. */
export function rowsOf(faults: readonly SchemaFault[], rows: Rows): Map<RequirementId, string> {
  const heard = new Map<RequirementId, string>();
  for (const fault of faults) {
    const row = rowOf(fault, rows);
    if (row !== undefined && !heard.has(row)) heard.set(row, fault.sentence);
  }
  return heard;
}

function rowOf({ path, rule, value }: SchemaFault, rows: Rows): RequirementId | undefined {
  const place = path.replace(/\[\d+\]/g, '[]');
  const empty = value === '' ? rows[`${place} empty`] : undefined;
  const blank = typeof value === 'string' && value.trim() === '' ? rows[`${place} blank`] : undefined;
  return empty ?? blank ?? rows[`${place} ${rule}`] ?? rows[`${place} *`];
}

/** The close-day answer (section 2.2). */
export const closeDayRows: Rows = {
  ' type': 'close-day/body-decodable',
  'response required': 'close-day/response-member',
  'response type': 'close-day/response-member',
  'theRequestSerialNumber required': 'close-day/serial-present',
  'theRequestSerialNumber type': 'close-day/serial-type',
  'theRequestSerialNumber pattern': 'close-day/serial-shape',
  'response.status required': 'close-day/status-present',
  'response.status type': 'close-day/status-present',
  'response.status const': 'close-day/status-value',
  'response.gates required': 'close-day/finished-has-gates',
  'response.gates type': 'close-day/finished-has-gates',
  'response.gates minItems': 'close-day/one-result-per-gate',
  'response.gates[] type': 'close-day/finished-has-gates',
  'response.errorCode *': 'close-day/error-has-code',
  'response.errorMessage const': 'close-day/closing-gate-message',
  'response.errorMessage *': 'close-day/error-has-message',
};

type GateSlug = keyof typeof gateResultFields;

const gateSlugs = Object.keys(gateResultFields) as GateSlug[];

/** Rows on the presence of a gate's members: all of them are broken by a gate that is not an object. */
export const gatePresence = gateSlugs.map((slug) => `close-day/gate-${slug}-present` as const);

/** One element of response.gates, under any status. */
export const gateRows: Rows = {
  ...Object.fromEntries(
    gateSlugs.flatMap((slug): [string, RequirementId][] => [
      [`${gateResultFields[slug].member} required`, `close-day/gate-${slug}-present`],
      [`${gateResultFields[slug].member} type`, `close-day/gate-${slug}-type`],
    ]),
  ),
  'gateCloseDate pattern': 'close-day/gate-close-date-shape',
  'saleAmount pattern': 'close-day/gate-sale-amount-form',
  'reversalAmount pattern': 'close-day/gate-reversal-amount-form',
};

/** The parameters of a recurring answer (section 2.4). */
export const recurringRows: Rows = {
  'type blank': 'recurring/type-present',
  'type enum': 'recurring/type-value',
  'type *': 'recurring/type-present',
  'status *': 'recurring/status-present',
  'serial-number *': 'recurring/serial-number-present',
  'error-message *': 'recurring/error-message-present',
  'error-code blank': 'recurring/error-code-present',
  'error-code enum': 'recurring/error-code-value',
  'error-code *': 'recurring/error-code-present',
  ' anyOf': 'recurring/error-id-with-500',
};

/** The fields of a close-day request (section 2.1). */
export const closeDayRequestRows: Rows = {
  'day_close_request_id required': 'close-day/request-id-present',
  'day_close_request_id empty': 'close-day/request-id-present',
  'day_close_request_id minLength': 'close-day/request-id-length',
  'day_close_request_id not': 'close-day/request-id-length',
  'day_close_request_id pattern': 'close-day/request-id-alphabet',
};

/** The form of a recurring request (section 4.2), and the rows of its CSV (section 2.3). */
export const recurringRequestRows: Rows = {
  'form.payload required': 'recurring/payload-only',
  'form.payload *': 'recurring/payload-base64',
  'csv.columns contains client-orderid': 'recurring/client-orderid-present',
  'csv.columns contains recurring-payment-id': 'recurring/recurring-payment-id-present',
  'csv.rows[].client-orderid not': 'recurring/client-orderid-length',
  'csv.rows[].client-orderid *': 'recurring/client-orderid-present',
  'csv.rows[].recurring-payment-id not': 'recurring/recurring-payment-id-length',
  'csv.rows[].recurring-payment-id *': 'recurring/recurring-payment-id-present',
  'csv.rows[] anyOf': 'recurring/amount-conditional',
  'csv.rows[].amount pattern': 'recurring/amount-numeric',
  'csv.rows[].amount not': 'recurring/amount-length',
};

/** The parameters of the Authorization header (section 5). What is missing, empty, repeated or foreign is one row. */
export function authorizationRows(operation: Operation): Rows {
  return {
    'oauth_timestamp pattern': 'authentication/timestamp-seconds',
    'oauth_version const': 'authentication/version',
    'oauth_signature_method const': `authentication/${operations[operation].area}-method`,
    'oauth_signature pattern': 'authentication/signature-base64',
  };
}
