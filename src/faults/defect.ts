/** A defect is a deliberate fault. It proves that judges can fail: exactly the requirements in `breaks` must fail. */
import type { Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Alteration } from '../mock/alteration.ts';
import type { Exchange } from '../record/exchange.ts';
import { fullIds, type InArea, row, type Suffix } from '../record/row.ts';
import { alterationOf, type GatewayEdit, within } from './edit.ts';

type Side = 'client' | 'gateway';

export interface Defect<S extends Side, Altered, Stored> {
  /** Has the form `area/fault`, and is never changed or used again. */
  readonly id: string;
  readonly side: S;
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** The author derives them from the statements of the requirements, before the first run. */
  readonly breaks: readonly TestableId<S>[];
  /** `stored`: no run shows the defect, only the messages in `stored` do. Then it proves no requirement. */
  readonly reach?: 'stored';
  readonly stored?: readonly Stored[];
  readonly alteration: Altered;
}

/** A fault of the mock. If the mock cannot show it, it has stored exchanges of another gateway. */
export type GatewayDefect = Defect<'gateway', Alteration, Exchange>;

/** Ids of requirements. Ids of the area may omit `area/`. */
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

/** A signature requirement of both operations, without `authentication/` and the area of the operation. */
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
