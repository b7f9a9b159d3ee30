/** Other forms and values of the Authorization header, for both operations: section 5, RFC 5849 3.3 and 3.5.1. */
import { type Area, type Operation, operations } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import {
  authorizationHeaders,
  faultyHeader,
  type HeaderChange,
  headerFaults,
  rightHeader,
} from '../../generators/authorization.ts';
import type { Labelled } from '../../generators/labelled.ts';
import { lenientHeaders } from './further-faults.ts';
import { scenarioOf, withTwin } from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario } from './scenario.ts';

/** The requirement for each fault: the first matching pattern counts. Other faults are only observed, because the document does not define them. */
const judged: readonly (readonly [RegExp, (area: Area, parameter: string) => TestableId<'gateway'>])[] = [
  [/^empty-oauth_version$|^version-|^any-version$/, (area) => `authentication/${area}-wrong-version-refused`],
  [
    /^(?:empty|misspelt)-oauth_(?!version)/,
    (area, parameter) => `authentication/${area}-missing-${parameter as 'nonce'}-refused`,
  ],
  [/^(?:other|any)-consumer-key$|^consumer-key-/, (area) => `authentication/${area}-unknown-consumer-refused`],
  [/^plaintext-method$|^method-of-the-other-operation$/, (area) => `authentication/${area}-other-method-refused`],
  [/^method-in-lower-case$/, (area) => `authentication/${area}-method-name-enforced`],
  [
    /^(?:negative|any)-timestamp$|^timestamp-(?:with-fraction|zero|as-date|in-hexadecimal)$/,
    (area) => `authentication/${area}-malformed-timestamp-refused`,
  ],
];

/** Edges that other scenarios send. */
const inOtherScenarios = /^missing-|^documented-order$/;

export function headerForms(operation: Operation, right: (draw: Draw) => RequestPlan): Scenario {
  const { area } = operations[operation];
  const named = [...headerFaults(operation), ...authorizationHeaders.edges].filter(
    ({ edge = '' }) => !inOtherScenarios.test(edge),
  );
  return scenarioOf(
    operation,
    'header-forms',
    [...new Set(named.flatMap(({ edge = '' }) => rowOf(area, edge) ?? []))],
    (draw) => {
      const cases = withTwin(right(draw), (twin) => {
        const build = (labelled: Labelled<HeaderChange>) => planned(labelled, twin);
        const some = Math.ceil(draw.cases / 8);
        return [
          ...named.map(build),
          ...(draw.hasRoom ? lenientHeaders(twin) : []),
          ...draw.generate(faultyHeader(operation), some, build),
          ...draw.generate(
            // Leave out `nonce-of-one-character`: a gateway may refuse such a nonce only because it was used before.
            authorizationHeaders.edge.filter(({ edge }) => edge !== 'nonce-of-one-character'),
            some,
            build,
          ),
        ];
      });
      return futureTimestampsLast(cases);
    },
  )`Authorization headers in other forms. Forms that the document does not define are only recorded`;
}

/** A gateway may refuse a timestamp older than the last accepted one (A3), so timestamps ahead of the clock come last. */
function futureTimestampsLast(cases: readonly PlannedCase[]): readonly PlannedCase[] {
  const others = cases.filter(({ request }) => request.late !== true);
  const twin = others.length - 1;
  const inOrder = [...others, ...cases.filter(({ request }) => request.late === true)];
  return inOrder.map((one) => (one.label.twin === undefined ? one : { ...one, label: { ...one.label, twin } }));
}

function planned({ value, edge = 'header', label }: Labelled<HeaderChange>, twin: RequestPlan): PlannedCase {
  const { operation } = twin;
  const about = rowOf(operations[operation].area, edge);
  const openPoint = edge === 'misspelt-oauth_version' ? 'A38' : label.kind === 'open' ? label.openPoint : 'A4';
  const made = { differsIn: edge, edge: { generator: 'authorization', name: edge } };
  return {
    label: about === undefined ? { intent: 'open', openPoint, ...made } : { intent: 'fault', about, ...made },
    request: {
      ...twin,
      header: (fresh) => value(rightHeader({ operation, ...fresh })),
      // A signature without + and / is equal in both alphabets, so sign until there is one of the two characters.
      ...(edge === 'signature-in-url-safe-alphabet' ? { until: (signature) => /[+/]/.test(signature) } : {}),
      ...(/^timestamp-in-(?!hexadecimal)/.test(edge) ? { late: true } : {}),
    },
  };
}

function rowOf(area: Area, edge: string): TestableId<'gateway'> | undefined {
  const parameter = /oauth_(\w+)$/.exec(edge)?.[1]?.replaceAll('_', '-') ?? '';
  return judged.find(([pattern]) => pattern.test(edge))?.[1](area, parameter);
}
