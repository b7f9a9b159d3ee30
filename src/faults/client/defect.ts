/** A deliberate, named fault of the reference client. It is there to prove that a judge of clients can fail. */
import type { Operation } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import type { Pair } from '../../protocol/index.ts';
import { type Breaks, fullIds } from '../defect.ts';

export interface ClientDefect {
  /** `area/fault`; never changes and is never reused. */
  readonly id: string;
  readonly side: 'client';
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** Derived from the statements of the rows, before the defect is first run. */
  readonly breaks: readonly TestableId<'client'>[];
  /** For a defect that breaks more than six rows: why each. */
  readonly reasons?: Readonly<Partial<Record<TestableId<'client'>, string>>>;
  /** `stored`: no call of the two operations shows it, only a record of other requests does. It proves no row. */
  readonly reach?: 'stored';
  /** For reach `stored`: the requests that show it, each once altered and sent by the client's own steps. */
  readonly stored?: readonly StoredRequest[];
  readonly alteration: ClientAlteration;
}

/**
 * A request that no business input leads to. A right client signs it rightly, although some of them break rows about
 * the path or the body: what a defect breaks is the difference between its record and that of the right client.
 */
export interface StoredRequest {
  readonly operation: Operation;
  /** Request target with its query; that of the operation by default. */
  readonly target?: string;
  /** Body parameters in this order, decoded. */
  readonly fields: readonly Pair[];
}

/** Makes defects of one area; ids and requirements are written without it. A defect of one operation alters that one alone. */
function clientDefectsOf<A extends string>(area: A, operation: Operation | 'both') {
  return (what: string, summary: string, breaks: Breaks<'client', A>, alteration: ClientAlteration): ClientDefect => ({
    id: `${area}/${what}`,
    side: 'client',
    operation,
    summary,
    breaks: fullIds<'client'>(area, breaks),
    alteration: operation === 'both' ? alteration : only(operation, alteration),
  });
}

export const auth = clientDefectsOf('authentication', 'both');
export const closeDayAuth = clientDefectsOf('authentication', 'close-day');
export const recurringAuth = clientDefectsOf('authentication', 'process-recurring-payments');
export const transport = clientDefectsOf('transport', 'both');
export const closeDay = clientDefectsOf('close-day', 'close-day');
export const recurring = clientDefectsOf('recurring', 'process-recurring-payments');

/** A defect of both operations whose signature does not verify. */
export function signing(what: string, summary: string, alteration: ClientAlteration): ClientDefect {
  return auth(what, summary, 'signature-verifies', alteration);
}

/** Sends what the reference client refuses for this reason. */
export function despite(refused: RegExp | undefined): Pick<ClientAlteration, 'refusal'> {
  if (refused === undefined) return {};
  return { refusal: (refusal) => (refusal !== undefined && refused.test(refusal.reason) ? undefined : refusal) };
}

/** The alteration in calls of one operation: most steps are taken by both. */
export function only(operation: Operation, alteration: ClientAlteration): ClientAlteration {
  return where((context) => context.operation === operation, alteration);
}

/** `variable` matches a variable and its value, such as `TZ=Europe/Berlin`. */
export function onlyUnder(variable: RegExp, alteration: ClientAlteration): ClientAlteration {
  return where(
    ({ environment }) => Object.entries(environment).some(([name, value]) => variable.test(`${name}=${value}`)),
    alteration,
  );
}

type Hook = (value: unknown, context: Context) => unknown;

function where(holds: (context: Context) => boolean, alteration: ClientAlteration): ClientAlteration {
  const hooks = Object.entries(alteration as Readonly<Record<string, Hook>>).map(([name, hook]) => [
    name,
    (value: unknown, context: Context) => (holds(context) ? hook(value, context) : value),
  ]);
  return Object.fromEntries(hooks) as ClientAlteration;
}
