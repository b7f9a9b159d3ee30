/** What the mock does where the interface document says nothing, and the settings of the mock. */

const rows: readonly (readonly [openPoint: string, assumption: string])[] = [
  ['A1', 'The signature follows RFC 5849 section 3.4, and covers form fields and query parameters.'],
  ['A1', 'The mock decodes forms as browsers encode them; a % that begins no escape stays a %.'],
  ['A1', 'A request with an oauth_ parameter in the body or the query is refused.'],
  ['A2', 'A consumer has one secret and one public key; both are set when the mock starts.'],
  ['A3', 'A timestamp may be 300 seconds before or after the clock; the window can be set.'],
  ['A3', 'No two verified requests share consumer, timestamp and nonce; the last 100,000 are remembered.'],
  ['A4', 'The Authorization header is one line; its parameters may have any order, but none may occur twice.'],
  ['A4', 'A realm and an empty oauth_token are accepted; any other oauth_token is refused.'],
  ['A4', 'The signature is strict base64; its +, / and = may be unencoded in the header.'],
  ['A5', 'The close-day body is not wrapped.'],
  ['A6', 'A refused close-day has error code 403 if authentication fails, and 400 if a field is wrong.'],
  ['A7', 'A repeated day_close_request_id closes the day again.'],
  ['A8', 'A day_close_request_id has only ASCII letters and digits.'],
  ['A9', 'The values of the four counts and sums are not checked; unknown close-day fields are ignored.'],
  ['A9', 'If a documented field occurs twice, the request is refused.'],
  ['A10', 'The errorCode is text.'],
  ['A11', 'The gateCloseDate is English and in UTC.'],
  [
    'A12',
    'The CSV is UTF-8 without a byte order mark; its lines end with LF or CRLF, and the last line end is optional.',
  ],
  ['A12', 'Every column name is quoted; a cell may be quoted.'],
  ['A12', 'Columns may have any order, but none may occur twice; unknown columns are ignored.'],
  ['A12', 'A batch has at least one row.'],
  ['A13', 'Lengths are in Unicode characters; a recurring-payment-id has 1 to 10, a client-orderid 1 to 128.'],
  ['A14', 'The amount is digits with at most one point, 10 characters with the point; zero is accepted.'],
  ['A15', 'A row may have amount together with amount-from, amount-to or amount-sequence.'],
  ['A16', 'The payload is base64 with the standard alphabet and padding, and without line breaks.'],
  ['A17', 'The answer to a batch is empty; only a scripted answer has a body with parameters, with HTTP 200.'],
  ['A18', 'In a body with parameters, each value ends with the raw byte 0x0A, also the last one.'],
  ['A20', 'The error ID of code 500 is in the parameter error-id.'],
  ['A21', 'Every refused batch is answered with an empty HTTP 403, whatever the reason.'],
  ['A21', 'An unknown path gets an empty 404, and a method other than POST an empty 405.'],
  ['A21', 'A refused close-day is HTTP 200 with status error; a setting changes failed authentication to 401 or 403.'],
  ['A22', 'If one recurring payment is unknown or stopped, or one CSV row is wrong, the whole batch is refused.'],
  ['A23', 'A body has at most 64 MiB, and the header lines 16 KiB; there is no rate limit.'],
  [
    'A26',
    'If the mock has no list of profiles, every recurring-payment-id of 1 to 10 characters names an active profile.',
  ],
  ['A28', 'The epntId equals the endpoint id of the path.'],
  ['A28', 'The totals of a request are not compared with those of the gate.'],
  ['A28', 'Closing a day reports the totals and sets them to zero; closing a day by hand only sets them to zero.'],
  ['A28', 'A locked gate stays locked, but close-day finishes; if one gate is closing, the request gets error 99.'],
  ['A30', 'The version in the path is that of the operation; the endpoint of another consumer is refused.'],
  ['A40', 'The RRN counts the close-days of the endpoint; all its gates have the same RRN.'],
];

export const assumptions = rows.map(([openPoint, assumption]) => ({ openPoint, assumption }));

/** Settings that are fixed when the mock starts. */
export interface MockSettings {
  /** The path before `/api/`, as the client sees it. It is empty, or starts with a slash. */
  readonly prefix: string;
  /** Maximum difference between oauth_timestamp and the clock of the mock, in both directions. */
  readonly timestampWindowSeconds: number;
  /** HTTP status of a close-day answer if authentication fails. */
  readonly refusalStatus: 200 | 401 | 403;
  /** Allowed CSV delimiters. The mock uses the first delimiter in this list that occurs in the header row. */
  readonly csvDelimiters: readonly string[];
  /** If the body is longer, the answer has status 413. */
  readonly maxBodyBytes: number;
  /** If the request target and all header lines together are longer, the answer has status 431. */
  readonly maxHeaderBytes: number;
  /** Maximum number of remembered nonces. The mock forgets the oldest nonce first. */
  readonly maxNonces: number;
  /** Requests with equal keys use the same nonce. In RFC 5849 section 3.3, the key has all three parameters. */
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
