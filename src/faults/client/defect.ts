/** A deliberate, named fault of the reference client, and its constructors. */
import type { Operation } from '../../../contracts/operations.ts';
import type { ClientAlteration } from '../../peer/client/client.ts';
import type { Pair } from '../../protocol/index.ts';
import { fullIds, type Row, row } from '../../record/row.ts';
import type { Breaks, Defect } from '../defect.ts';
import { alterationOf, type ClientEdit, where } from './parts.ts';

/** What no call of the two operations shows is stored as requests, each once altered and sent by the client's own steps. */
export type ClientDefect = Defect<'client', ClientAlteration, StoredRequest>;

/**
 * A request that no business input leads to. A right client signs it rightly, although some of them break rows about
 * the path or the body: what a defect breaks is the difference between its record and that of the right client.
 */
export interface StoredRequest {
  readonly operation: Operation;
  /** Request target with its query; that of the operation by default. */
  readonly target?: string;
  readonly fields: readonly Pair[];
}

/** Makes defects of one area; ids and requirements are written without it. A defect of one operation alters that one alone. */
function clientDefectsOf<A extends string>(area: A, operation: Operation | 'both') {
  return (what: string, breaks: Breaks<'client', A>, edit: ClientEdit) =>
    row<ClientDefect>((summary) => ({
      id: `${area}/${what}`,
      side: 'client',
      operation,
      summary,
      breaks: fullIds<'client'>(area, [breaks].flat()),
      alteration: operation === 'both' ? alterationOf(edit) : only(operation, alterationOf(edit)),
    }));
}

export const auth = clientDefectsOf('authentication', 'both');
export const closeDayAuth = clientDefectsOf('authentication', 'close-day');
export const recurringAuth = clientDefectsOf('authentication', 'process-recurring-payments');
export const transport = clientDefectsOf('transport', 'both');
export const closeDay = clientDefectsOf('close-day', 'close-day');
export const recurring = clientDefectsOf('recurring', 'process-recurring-payments');

/** A defect of both operations whose signature does not verify. */
export function signing(what: string, alteration: ClientAlteration): Row<ClientDefect> {
  return auth(what, 'signature-verifies', alteration);
}

export function only(operation: Operation, alteration: ClientAlteration): ClientAlteration {
  return where((context) => context.operation === operation, alteration);
}
