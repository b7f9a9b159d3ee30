/** What the mock does if the interface document leaves it open, and its settings. */

interface Assumption {
  /** Number of the open point, such as `A12`. */
  readonly openPoint: string;
  readonly assumption: string;
}

const rows: readonly (readonly [openPoint: string, assumption: string])[] = [
  [
    'A1',
    'The signature is that of RFC 5849 section 3.4, form fields and query parameters included; a form is read as browsers write it, a stray % means itself.',
  ],
  ['A1', 'An oauth_ parameter in the body or the query is refused.'],
  ['A2', 'A consumer has one secret and one public key; both are set when the mock starts.'],
  ['A3', 'A timestamp may be 300 seconds away from the clock, either way; the window can be set.'],
  [
    'A3',
    'A nonce is used up by one verified request of the same consumer and timestamp; the last 100,000 are remembered.',
  ],
  [
    'A4',
    'The Authorization header is one line, its parameters in any order; realm and an empty oauth_token are tolerated, a token is refused, and so is a parameter given twice.',
  ],
  ['A4', 'The signature is strict base64; its +, / and = may be unencoded in the header.'],
  ['A5', 'The close-day body is not wrapped.'],
  ['A6', 'A close-day refusal has error code 403 if authentication failed, and 400 if a field is wrong.'],
  ['A7', 'A repeated day_close_request_id closes the day again.'],
  ['A8', 'Letters and digits of day_close_request_id are ASCII.'],
  ['A9', 'The four counts and sums are not looked at; unknown close-day fields are ignored.'],
  ['A9', 'A named field given twice is refused.'],
  ['A10', 'The errorCode is text.'],
  ['A11', 'The gateCloseDate is English and in UTC.'],
  [
    'A12',
    'The CSV is UTF-8 without a byte order mark, its line ends LF or CRLF, with or without one at the end; every column name is quoted, cells may be; columns are in any order, unknown ones are ignored, none is repeated; there is at least one row.',
  ],
  ['A13', 'Lengths are counted in Unicode characters; a recurring-payment-id has 1 to 10, a client-orderid 1 to 128.'],
  ['A14', 'The amount is digits with at most one point, 10 characters with the point; zero is taken.'],
  ['A15', 'The amount may be given together with amount-from, amount-to or amount-sequence.'],
  ['A16', 'The payload is base64 of the standard alphabet, padded, without line breaks.'],
  ['A17', 'Acceptance and refusal are empty; a body with parameters comes only where it was scripted, with HTTP 200.'],
  ['A18', 'In such a body each 0x0A is sent as a byte, also after the last value.'],
  ['A20', 'The error ID of code 500 is in the parameter error-id.'],
  ['A21', 'Every refusal of recurring payments is an empty 403, whatever the reason.'],
  [
    'A21',
    'A path of neither operation is answered with 404, and another method than POST with 405. Both answers are empty.',
  ],
  ['A21', 'A refused close-day is 200 with status error; for authentication it can be set to 401 or 403.'],
  [
    'A22',
    'If one recurring payment is unknown or stopped, or one CSV row is wrong, the whole batch is refused: nothing is started.',
  ],
  ['A23', 'A body has at most 64 MiB, the header lines 16 KiB; no rate limit applies.'],
  ['A26', 'Every recurring-payment-id within its length names an active profile, unless profiles are listed.'],
  [
    'A28',
    'The epntId equals the endpoint id of the path; sent totals are not compared; closing a day reports the totals and starts them again, by hand too; a locked gate finishes and stays locked; one closing gate makes the whole request error 99.',
  ],
  ['A30', 'The version in the path is that of the operation; the endpoint of another consumer is refused.'],
  ['A40', 'The RRN counts the close-days of the endpoint; all its gates have the same.'],
];

export const assumptions: readonly Assumption[] = rows.map(([openPoint, assumption]) => ({ openPoint, assumption }));

/** Settings that are fixed when the mock starts. */
export interface MockSettings {
  /** Fixed path before `/api/`, as the client sees it; empty or starting with a slash. */
  readonly prefix: string;
  /** Maximum difference between oauth_timestamp and the clock, in both directions. */
  readonly timestampWindowSeconds: number;
  /** HTTP status of a close-day answer if authentication fails. */
  readonly refusalStatus: 200 | 401 | 403;
  /** Allowed CSV delimiters. The mock uses the first one in this list that occurs in the header row. */
  readonly csvDelimiters: readonly string[];
  /** A longer body is refused with 413. */
  readonly maxBodyBytes: number;
  /** Longer header lines are refused with 431. */
  readonly maxHeaderBytes: number;
  /** Maximum number of remembered nonces. The mock forgets the oldest one first. */
  readonly maxNonces: number;
  /** Two nonces are equal if their keys are equal (RFC 5849 section 3.3: consumer, timestamp and nonce together). */
  readonly nonceKey: (consumerKey: string, timestamp: string, nonce: string) => string;
}

export const defaultSettings: MockSettings = {
  prefix: '',
  timestampWindowSeconds: 300,
  refusalStatus: 200,
  csvDelimiters: [';'],
  maxBodyBytes: 64 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxNonces: 100_000,
  nonceKey: (consumerKey, timestamp, nonce) => JSON.stringify([consumerKey, timestamp, nonce]),
};
