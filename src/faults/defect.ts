/** A deliberate, named fault that proves a judge can fail: exactly the rows in `breaks` must fail. */
import type { Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Alteration } from '../mock/alteration.ts';
import type { Exchange } from '../record/exchange.ts';
import { fullIds, type InArea, row, type Suffix } from '../record/row.ts';
import { alterationOf, type GatewayEdit, within } from './edit.ts';

type Side = 'client' | 'gateway';

export interface Defect<S extends Side, Altered, Stored> {
  /** `area/fault`; never changed, never reused. */
  readonly id: string;
  readonly side: S;
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** Derived from the texts of the requirements before the first run of the defect. */
  readonly breaks: readonly TestableId<S>[];
  /** One reason per row, for a defect that breaks more than six. */
  readonly reasons?: Readonly<Partial<Record<TestableId<S>, string>>>;
  /** `stored`: only a stored record shows it, no run does. It proves no row. */
  readonly reach?: 'stored';
  readonly stored?: readonly Stored[];
  readonly alteration: Altered;
}

/** A fault of the mock. If no mock can show it, it has stored exchanges of another gateway. */
export type GatewayDefect = Defect<'gateway', Alteration, Exchange>;

/** Full requirement ids; `area/` is optional for ids of that area. */
export type Breaks<S extends Side, A extends string> = OneOrMore<InArea<S, A>>;

type OneOrMore<T> = T | readonly T[];

export function breaking<R, E, D>(defect: (what: string, breaks: R, edit: E) => D, breaks: NoInfer<R>) {
  return (what: string, edit: E): D => defect(what, breaks, edit);
}

function gatewayDefectsOf<A extends string>(area: A, operation: Operation) {
  return (what: string, breaks: Breaks<'gateway', A>, edit: GatewayEdit) =>
    row<GatewayDefect>((summary) => ({
      id: `${area}/${what}`,
      side: 'gateway',
      operation,
      summary,
      breaks: fullIds<'gateway'>(area, [breaks].flat()),
      alteration: within(operation, alterationOf(edit)),
    }));
}

export const closeDay = gatewayDefectsOf('close-day', 'close-day');
export const recurring = gatewayDefectsOf('recurring', 'process-recurring-payments');

/** A signature requirement of both operations, without `authentication/` and the area of the operation. */
type AuthRow = Suffix<TestableId<'gateway'>, 'authentication/close-day-'>;

function authDefectsOf(operation: Operation | 'both', ...areas: readonly string[]) {
  return (what: string, rows: OneOrMore<AuthRow>, alteration: Alteration) =>
    row<GatewayDefect>((summary) => ({
      id: `authentication/${what}`,
      side: 'gateway',
      operation,
      summary,
      breaks: [rows]
        .flat()
        .flatMap((one) => areas.map((area) => `authentication/${area}-${one}` as TestableId<'gateway'>)),
      alteration: operation === 'both' ? alteration : within(operation, alteration),
    }));
}

export const auth = authDefectsOf('both', 'close-day', 'recurring');
export const closeDayAuth = authDefectsOf('close-day', 'close-day');
export const recurringAuth = authDefectsOf('process-recurring-payments', 'recurring');

export function because(reason: string, defect: GatewayDefect): GatewayDefect {
  return { ...defect, reasons: Object.fromEntries(defect.breaks.map((id) => [id, reason])) };
}
