/** Valid requests, and functions that change one property of a valid request. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import { type Area, type OAuthParameter, type Operation, operations } from '../../contracts/operations.ts';
import { requirementById, requirements, type TestableId } from '../../contracts/requirements/index.ts';
import { changeParameter, type HeaderChange, validHeader } from '../../generators/authorization.ts';
import type { AtGateway, Label, Labelled } from '../../generators/labelled.ts';
import { type PaymentRow, paymentRows } from '../../generators/payload.ts';
import { buildCloseDay, type CloseDayFields } from '../protocol/close-day.ts';
import type { CsvTable } from '../protocol/csv.ts';
import type { Pair } from '../protocol/form.ts';
import { buildRecurring } from '../protocol/recurring.ts';
import { fullIds, type InArea, row, type Tag } from '../record/row.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario } from './scenario.ts';

export function closeDay(fields: CloseDayFields, deviation: Partial<RequestPlan> = {}): RequestPlan {
  return { operation: 'close-day', body: buildCloseDay(fields), ...deviation };
}

export function recurring(table: CsvTable): RequestPlan {
  return { operation: 'process-recurring-payments', body: buildRecurring(table).body };
}

export const paymentColumns = ['client-orderid', 'recurring-payment-id', 'amount'] as const;

export function payments(rows: readonly (readonly string[])[]): CsvTable {
  return { columns: [...paymentColumns], rows: rows.map((row) => [...row]) };
}

export function batchOf(rows: readonly (readonly string[])[], deviation?: Partial<RequestPlan>): RequestPlan {
  return { ...recurring(payments(rows)), ...deviation };
}

/** Prefix of order ids. Most requests get new digits here, because a gateway may accept an id only once (A7). */
export const orderPrefix = /cs[0-9a-f]{10}-/g;

/** Draws rows. Their order ids match `orderPrefix` and have at most 40 characters. */
export function drawRows(draw: Draw, count: number): string[][] {
  return draw.values(paymentRows, count).map(({ value }) => {
    const [order = '', ...rest] = draw.payment(paymentColumns.map((name) => value[name]));
    return [(order.search(orderPrefix) === 0 ? order : `cs0000000000-${order}`).slice(0, 40), ...rest];
  });
}

export function rowOf(cells: readonly string[]): PaymentRow {
  const [order = '', profile = '', amount = ''] = cells;
  return { 'client-orderid': order, 'recurring-payment-id': profile, amount };
}

/** Drops requests that repeat an id, because a gateway may refuse a used id (A7). */
export function withoutRepeats(planned: readonly PlannedCase[]): PlannedCase[] {
  const seen = new Set<string>();
  return planned.filter(({ request: { body } }) => {
    const ids = idsOf(body);
    const isRepeated = ids.some((id) => seen.has(id)) || new Set(ids).size < ids.length;
    for (const id of ids) seen.add(id);
    return !isRepeated;
  });
}

function idsOf(body: RequestPlan['body']): string[] {
  return body.flatMap(([name, value]) => {
    if (name !== 'payload') return name === 'day_close_request_id' ? [value] : [];
    const [, ...lines] = linesOf(value);
    return lines.map((line) => line.split(';')[0]!);
  });
}

/** A scenario that sends one request at a time to the open endpoint. `what` is the id without the area. */
export function scenarioOf(
  operation: Operation,
  what: string,
  shows: Scenario['shows'],
  plan: Scenario['plan'],
): Tag<Scenario> {
  const { area, effect } = operations[operation];
  const id = `${area}/${what}`;
  return row((title) => ({ id, operation, title, situation: 'open', effect, maxInFlight: 1, shows, plan }));
}

export function concurrent(scenario: Scenario): Scenario {
  return { ...scenario, maxInFlight: 16 };
}

/** Like `scenarioOf`, but the operation is given first. The ids in `shows` may omit the area, such as `close-day/`. */
export function scenariosOf<A extends Area>(operation: Operation) {
  return (what: string, shows: readonly InArea<'gateway', A>[], plan: Scenario['plan']): Tag<Scenario> =>
    scenarioOf(operation, what, fullIds<'gateway'>(operations[operation].area, shows), plan);
}

type AuthRule = SuffixOf<TestableId<'gateway'>>;
type SuffixOf<Id> = Id extends `authentication/close-day-${infer Row}-refused` ? Row : never;

/** Makes faulty requests from a valid request. */
export function faultsIn(valid: RequestPlan) {
  const { area } = operations[valid.operation];
  const fault = (rule: AuthRule, differsIn: string, deviation: Partial<RequestPlan>): PlannedCase =>
    caseOf(`authentication/${area}-${rule}-refused`, differsIn, { ...valid, ...deviation });
  type Signed = NonNullable<RequestPlan['signed']>;
  return {
    fault,
    /** A fault in an undefined form, such as a chunked body. Accepting it is a failure. Refusing it proves nothing. */
    openFault(openPoint: OpenPointId, rule: AuthRule, differsIn: string, deviation: Partial<RequestPlan>): PlannedCase {
      const { label, request } = fault(rule, differsIn, deviation);
      return { label: { ...label, openPoint }, request };
    },
    target: (differsIn: string, target: Signed['target']) => fault('altered-uri', differsIn, { signed: { target } }),
    host: (differsIn: string, host: Signed['host']) => fault('altered-uri', differsIn, { signed: { host } }),
    uri: (differsIn: string, uri: Signed['uri']) => fault('altered-uri', differsIn, { signed: { uri } }),
    /** Sends the body `sent`, by default the valid body, but signs `body(sent)`. */
    body: (differsIn: string, body: Signed['body'], sent: readonly Pair[] = valid.body) =>
      fault('altered-body', differsIn, { body: sent, signed: { body } }),
    values: (differsIn: string, change: (value: string) => string) =>
      fault('altered-body', differsIn, { signed: { body: (sent) => mapped(sent, change) } }),
    signature: (differsIn: string, signature: (base64: string) => string) =>
      fault('wrong-signature', differsIn, { signature }),
    bytes: (differsIn: string, change: (bytes: Buffer) => Uint8Array) =>
      fault('wrong-signature', differsIn, {
        signature: (base64) => Buffer.from(change(Buffer.from(base64, 'base64'))).toString('base64'),
      }),
  };
}

export function caseOf(atGateway: AtGateway, differsIn: string, request: RequestPlan): PlannedCase {
  if (isRequirement(atGateway)) return { label: { intent: 'fault', about: atGateway, differsIn }, request };
  return { label: { intent: 'open', openPoint: atGateway, differsIn }, request };
}

export function atGatewayOf(label: Exclude<Label, { kind: 'valid' }>): AtGateway {
  if (label.kind === 'open') return label.openPoint;
  return (label.atGateway ?? requirementById(label.breaks)?.breachAtGateway) as AtGateway;
}

export function isRequirement(atGateway: AtGateway): atGateway is TestableId<'gateway'> {
  return atGateway.includes('/');
}

/** Two requests with the same fields, each with its own signature. So the second request uses the id again. */
export function sendTwice(differsIn: string, request: RequestPlan): PlannedCase[] {
  return [
    { label: { intent: 'valid' }, request },
    { label: { intent: 'open', openPoint: 'A7', twin: 0, differsIn }, request },
  ];
}

export function validCase(about: TestableId<'gateway'>, differsIn: string, request: RequestPlan): PlannedCase {
  return { label: { intent: 'valid', about, differsIn }, request };
}

/** Renames every field of the body. */
export function renameFields(plan: RequestPlan, name: string): RequestPlan {
  return { ...plan, body: plan.body.map(([, value]) => [name, value]) };
}

export function editHeader({ operation }: RequestPlan, change: HeaderChange): Partial<RequestPlan> {
  return { header: (fresh) => change(validHeader({ operation, ...fresh })) };
}

/** Gives one header parameter another value. The signature covers the changed header. */
export function replace(valid: RequestPlan, name: OAuthParameter, value: string): Partial<RequestPlan> {
  const change = changeParameter(name, () => value);
  return editHeader(valid, change);
}

/** Removes parameters from the header. The signature covers the remaining parameters. */
export function without(valid: RequestPlan, ...names: readonly string[]): Partial<RequestPlan> {
  return editHeader(valid, (plan) => ({
    ...plan,
    parameters: plan.parameters.filter(([name]) => !names.includes(name)),
  }));
}

export function mapped(body: readonly Pair[], change: (value: string) => string): Pair[] {
  return body.map(([name, value]) => [name, change(value)]);
}

export function withLines(payload: string, change: (lines: readonly string[]) => readonly string[]): string {
  return Buffer.from(`${change(linesOf(payload)).join('\n')}\n`, 'utf8').toString('base64');
}

function linesOf(payload: string): string[] {
  return Buffer.from(payload, 'base64').toString('utf8').trimEnd().split('\n');
}

/** Compares each case with the valid request. That one is sent last, because it has an effect. */
export function withTwin(
  valid: RequestPlan,
  casesOf: (plan: RequestPlan) => readonly PlannedCase[],
): readonly PlannedCase[] {
  const cases = casesOf(valid);
  const twin = cases.length;
  return [
    ...cases.map((one) => ({ ...one, label: { ...one.label, twin } })),
    { label: { intent: 'valid' }, request: valid },
  ];
}

/** Drops valid ids that an earlier run may have sent, because a gateway may refuse a used id (A7). */
export function freshIds(draw: Draw, ids: readonly Labelled<string>[]): Labelled<string>[] {
  return ids.filter(({ value, label }) => label.kind !== 'valid' || draw.isFresh(value));
}

/** Returns a function that makes the case for a generated value. `what` names the generator. */
export function edgeCase<T>(area: Area, what: string, request: (value: T) => RequestPlan) {
  return ({ value, label, edge = 'generated' }: Labelled<T>): PlannedCase => {
    const differsIn = `${what}: ${edge}`;
    const planned =
      label.kind === 'valid'
        ? validCase(`${area}/generated-requests-accepted`, differsIn, request(value))
        : caseOf(atGatewayOf(label), differsIn, request(value));
    return { ...planned, label: { ...planned.label, edge: { generator: what, name: edge } } };
  };
}

/** Lists the gateway requirements that `breachAtGateway` names in this area. Open points are left out. */
export function breachRequirements(area: Area): readonly TestableId<'gateway'>[] {
  return requirements
    .filter(({ id }) => id.startsWith(`${area}/`))
    .flatMap(({ breachAtGateway = '' }) =>
      isRequirement(breachAtGateway as AtGateway) ? [breachAtGateway as TestableId<'gateway'>] : [],
    );
}
