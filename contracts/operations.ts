/** The table of operations. If you add an operation, the compiler reports each `Record<Operation, …>` that lacks it. */

/** The worst effect of an accepted request. */
export type Effect = 'none' | 'closes-day' | 'starts-payments';

interface OperationFacts {
  /** The part before the slash in ids of requirements and scenarios. */
  readonly area: string;
  /** Section of the interface document that describes the operation. */
  readonly section: string;
  /** Version in the path, such as `v2`. The configuration of a target may replace it. */
  readonly version: string;
  readonly signatureMethod: 'HMAC-SHA1' | 'RSA-SHA256';
  readonly effect: Effect;
  /** Form fields, the required field first (sections 2.1 and 4.2). */
  readonly fields: readonly string[];
}

/** Each operation, by its name in the path. */
export const operations = {
  'close-day': {
    area: 'close-day',
    section: '4.1',
    version: 'v2',
    signatureMethod: 'HMAC-SHA1',
    effect: 'closes-day',
    fields: [
      'day_close_request_id',
      'sale_approved_count',
      'sale_approved_sum',
      'reversal_approved_count',
      'reversal_approved_sum',
    ],
  },
  'process-recurring-payments': {
    area: 'recurring',
    section: '4.2',
    version: 'v4',
    signatureMethod: 'RSA-SHA256',
    effect: 'starts-payments',
    fields: ['payload'],
  },
} as const satisfies Readonly<Record<string, OperationFacts>>;

/** The name of an operation, as in its path. */
export type Operation = keyof typeof operations;

/** The part before the slash in ids of requirements and scenarios. */
export type Area = (typeof operations)[Operation]['area'];

/** All operations, in the order of the interface document. */
export const operationNames = Object.keys(operations) as readonly Operation[];

/** Path versions from a configuration. They override the versions in `operations`. */
export type PathVersions = Readonly<Partial<Record<Operation, string>>>;

/** Path without the endpoint id, for example `/api/v2/close-day/` (sections 4.1 and 4.2). */
export function pathTo(operation: Operation, versions: PathVersions = {}): string {
  return `/api/${versions[operation] ?? operations[operation].version}/${operation}/`;
}

/** The operation and the endpoint id in a path that starts with `/api/`; undefined if no operation has this path. */
export function operationAt(
  path: string,
  versions: PathVersions = {},
): { readonly operation: Operation; readonly endpointId: string } | undefined {
  for (const operation of operationNames) {
    const prefix = pathTo(operation, versions);
    const endpointId = path.startsWith(prefix) ? path.slice(prefix.length) : '';
    if (endpointId !== '' && !endpointId.includes('/')) return { operation, endpointId };
  }
  return undefined;
}

/** The six parameters of the Authorization header, in the order of section 5. */
export const oauthParameters = [
  'oauth_consumer_key',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_nonce',
  'oauth_version',
  'oauth_signature',
] as const;

export type OAuthParameter = (typeof oauthParameters)[number];
