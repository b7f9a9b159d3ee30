/**
 * The operations of the interface in one table. Whatever differs between them is asked here, or in a
 * `Record<Operation, …>`, so that a further operation does not compile until it has been given its own.
 */

/** The worst that an accepted request can do. */
export type Effect = 'none' | 'closes-day' | 'starts-payments';

/** What tells one operation from another before anything of its body is looked at. */
interface OperationFacts {
  /** The operation as ids of requirements and scenarios name it: `area/what`. */
  readonly area: string;
  /** Section of the interface document that describes the call. */
  readonly section: string;
  /** Segment of the path before the operation's name, where a target's configuration names no other. */
  readonly version: string;
  /** Section 5. */
  readonly signatureMethod: 'HMAC-SHA1' | 'RSA-SHA256';
  readonly effect: Effect;
  /** Names of its form's fields, the required one first (sections 2.1 and 4.2). */
  readonly fields: readonly string[];
}

/** Every operation by the name that it has in the path. */
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

/** An operation, by its path segment. */
export type Operation = keyof typeof operations;

/** An operation, as ids of requirements and scenarios name it. */
export type Area = (typeof operations)[Operation]['area'];

/** All operations, in the order of the interface document. */
export const operationNames = Object.keys(operations) as readonly Operation[];

/** The path segments that have the version in place of the one in the table, by operation. */
export type PathVersions = Readonly<Partial<Record<Operation, string>>>;

/** Path of an operation from `/api/` to the slash before the endpoint id (sections 4.1 and 4.2). */
export function pathTo(operation: Operation, versions: PathVersions = {}): string {
  return `/api/${versions[operation] ?? operations[operation].version}/${operation}/`;
}

/** The operation and the endpoint id that a path leads to, its prefix taken off; undefined for any other path. */
export function operationAt(
  path: string,
  versions: PathVersions = {},
): { readonly operation: Operation; readonly endpointId: string } | undefined {
  for (const operation of operationNames) {
    const before = pathTo(operation, versions);
    const endpointId = path.startsWith(before) ? path.slice(before.length) : '';
    if (endpointId !== '' && !endpointId.includes('/')) return { operation, endpointId };
  }
  return undefined;
}
