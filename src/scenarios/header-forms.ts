/** Authorization headers in other forms and with other values, alike for both operations: section 5, RFC 5849 3.3 and 3.5.1. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Operation } from '../../contracts/requirements/requirement.ts';
import { authorizationEdges, faultyAuthorizationPlans } from '../../generators/authorization-parameters.ts';
import type { HeaderPlan } from '../../generators/header-plan.ts';
import type { Labelled } from '../../generators/labelled.ts';
import { effectOf } from './requests.ts';
import type { Draw, FreshHeader, PlannedCase, RequestPlan, Scenario } from './scenario.ts';
import { withTwin } from './signature-faults.ts';

type Area = 'close-day' | 'recurring';

/** Faults of a client for which a gateway has a row of its own; the others are observed under the open point. */
const judged: Readonly<Record<string, (area: Area) => RequirementId>> = {
  'other-consumer-key': (area) => `authentication/${area}-unknown-consumer-refused`,
  'plaintext-method': (area) => `authentication/${area}-other-method-refused`,
  'version-2.0': (area) => `authentication/${area}-wrong-version-refused`,
  'version-1': (area) => `authentication/${area}-wrong-version-refused`,
  'timestamp-with-fraction': (area) => `authentication/${area}-malformed-timestamp-refused`,
  'negative-timestamp': (area) => `authentication/${area}-malformed-timestamp-refused`,
  'timestamp-as-date': (area) => `authentication/${area}-malformed-timestamp-refused`,
};

/** Signature faults are sent elsewhere, with twins that differ in the signature alone. */
const elsewhere = /^missing-|^method-of-the-other-operation$|^documented-order$/;

/** The scenario of one operation: every edge and every fault of the header, and the accepted twin of them all. */
export function headerForms(area: Area, operation: Operation, right: (draw: Draw) => RequestPlan): Scenario {
  return {
    id: `${area}/header-forms`,
    operation,
    title: 'Authorization headers in other forms: judged where the document says so, observed elsewhere',
    situation: 'open',
    effect: effectOf[operation],
    inFlight: 1,
    shows: [...new Set(Object.values(judged).map((row) => row(area)))],
    plan: (draw) =>
      withTwin(right(draw), (twin) =>
        plansFor(operation)
          .filter(({ edge }) => !elsewhere.test(edge ?? ''))
          .map((labelled) => planned(area, operation, labelled, twin)),
      ),
  };
}

/** Names and labels are the same whatever the time: the plans that are sent are made again when they are sent. */
function plansFor(operation: Operation, consumerKey = 'key', timestamp = '1'): readonly Labelled<HeaderPlan>[] {
  const subject = { operation, consumerKey, timestamp: Number(timestamp) };
  return [...authorizationEdges(subject), ...faultyAuthorizationPlans(subject)];
}

function planned(
  area: Area,
  operation: Operation,
  { edge = 'header', label }: Labelled<HeaderPlan>,
  twin: RequestPlan,
): PlannedCase {
  const about = judged[edge]?.(area);
  const header = (fresh: FreshHeader): HeaderPlan => {
    const { value } = plansFor(operation, fresh.consumerKey, fresh.timestamp).find((plan) => plan.edge === edge)!;
    return withNonce(value, fresh.nonce);
  };
  return {
    label:
      about === undefined
        ? { intent: 'open', openPoint: label.kind === 'open' ? label.openPoint : 'A4', differsIn: edge }
        : { intent: 'fault', about, differsIn: edge },
    request: { ...twin, header, ...(edge === 'signature-in-url-safe-alphabet' ? { until: hasPlusOrSlash } : {}) },
  };
}

/** Both alphabets write a signature without these alike. */
function hasPlusOrSlash(signature: string): boolean {
  return /[+/]/.test(signature);
}

/** The generators' plans share one nonce; a second request with it would be a replay. */
function withNonce(plan: HeaderPlan, nonce: string): HeaderPlan {
  const shared = ['aEdge0', 'aFault'];
  return {
    ...plan,
    parameters: plan.parameters.map(([name, value]) => [name, shared.includes(value) ? nonce : value]),
  };
}
