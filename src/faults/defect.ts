/** A defect is a deliberate fault. With the defect, exactly the requirements in `breaks` must fail, which proves their judges. */
import type { Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Alteration } from '../mock/alteration.ts';
import type { Exchange } from '../record/exchange.ts';
import { fullIds, type InArea, row, type Suffix } from '../record/row.ts';
import { alterationOf, type GatewayEdit, within } from './edit.ts';

type Side = 'client' | 'gateway';

export interface Defect<S extends Side, Altered, Stored> {
  /** The form is `area/fault`. An id never changes, and no other defect gets it later. */
  readonly id: string;
  readonly side: S;
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** Derive these ids from the statements of the requirements, before the first run. */
  readonly breaks: readonly TestableId<S>[];
  /** `stored`: no run can show the defect, so only the messages in `stored` show it. Such a defect proves no requirement. */
  readonly reach?: 'stored';
  readonly stored?: readonly Stored[];
  readonly alteration: Altered;
}

/** A fault of the mock. If the mock cannot show the fault, `stored` has exchanges of another gateway that show it. */
export type GatewayDefect = Defect<'gateway', Alteration, Exchange>;

/** Ids of requirements. An id in the area of the defect may omit `area/`. */
export type Breaks<S extends Side, A extends string> = OneOrMore<InArea<S, A>>;

type OneOrMore<T> = T | readonly T[];

/** Makes defects that all break the same requirements. */
export function breaking<R, E, D>(defect: (what: string, breaks: R, edit: E) => D, breaks: NoInfer<R>) {
  return (what: string, edit: E): D => defect(what, breaks, edit);
}

function gatewayDefectsOf<A extends string>(area: A, operation: Operation | 'both') {
  return (what: string, breaks: Breaks<'gateway', A>, edit: GatewayEdit) =>
    row<GatewayDefect>((summary) => ({
      id: `${area}/${what}`,
      side: 'gateway',
      operation,
      summary,
      breaks: fullIds<'gateway'>(area, [breaks].flat()),
      alteration: operation === 'both' ? alterationOf(edit) : within(operation, alterationOf(edit)),
    }));
}

export const closeDay = gatewayDefectsOf('close-day', 'close-day');
export const recurring = gatewayDefectsOf('recurring', 'process-recurring-payments');
export const bothOperations = gatewayDefectsOf('close-day', 'both');
export const transport = gatewayDefectsOf('transport', 'both');

/** The end of the id of a signature requirement, after `authentication/close-day-` or `authentication/recurring-`. */
type AuthRow = Suffix<TestableId<'gateway'>, 'authentication/close-day-'>;

function authDefectsOf(operation: Operation | 'both', ...areas: readonly ('close-day' | 'recurring')[]) {
  const defect = gatewayDefectsOf('authentication', operation);
  return (what: string, rows: OneOrMore<AuthRow>, edit: GatewayEdit) => {
    const breaks = [rows].flat().flatMap((one) => areas.map((area) => `authentication/${area}-${one}` as const));
    return defect(what, breaks, edit);
  };
}

export const auth = authDefectsOf('both', 'close-day', 'recurring');
export const closeDayAuth = authDefectsOf('close-day', 'close-day');
export const recurringAuth = authDefectsOf('process-recurring-payments', 'recurring');
