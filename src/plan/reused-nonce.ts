/** Requests whose nonce was used before: RFC 5849 3.3, the same for both operations. */
import { type Operation, operations } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario } from './scenario.ts';

/** `right` draws a right request of the operation, `other` one of another operation. */
export function reusedNonce(
  operation: Operation,
  right: (draw: Draw) => RequestPlan,
  other: (draw: Draw) => RequestPlan,
): Scenario {
  const { area, effect } = operations[operation];
  const about = `authentication/${area}-reused-nonce-refused` as const;
  return {
    operation,
    situation: 'open',
    effect,
    inFlight: 1,
    id: `${area}/reused-nonce`,
    title: 'A request sent twice with the same nonce is refused the second time',
    shows: [about],
    plan: (draw) => {
      const plan = right(draw);
      return [
        { label: { intent: 'valid' }, request: plan },
        { label: { intent: 'fault', about, twin: 0, differsIn: 'a used nonce' }, request: { ...plan, replay: 0 } },
        // The same nonce over another body, signed anew: not the same bytes once more.
        {
          label: { intent: 'fault', about, twin: 0, differsIn: 'the nonce of another request' },
          request: { ...plan, nonceOf: 0 },
        },
        ...(draw.hasRoom
          ? [
              ...laterReplay(right(draw), about),
              ...nonceOfTheOther(plan, other(draw), about),
              ...lastReplay([right(draw), right(draw), right(draw)], plan, about),
              ...(effect === 'closes-day' ? nonceOfAnotherEndpoint(plan, about) : []),
            ]
          : []),
      ];
    },
  };
}

/** A reader that remembers the last nonce alone has forgotten the first one by then. */
function laterReplay(between: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'a used nonce, after another accepted request';
  return [
    { label: { intent: 'valid' }, request: between },
    { label: { intent: 'fault', about, twin: 0, differsIn }, request: { ...between, replay: 0 } },
  ];
}

/** A reader that remembers a few nonces, for a few seconds or for a connection, does not know the first one there. */
function lastReplay(between: readonly RequestPlan[], first: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'a used nonce, after several other accepted requests and over another connection';
  return [
    ...between.map((request): PlannedCase => ({ label: { intent: 'valid' }, request })),
    {
      label: { intent: 'fault', about, twin: 0, differsIn },
      request: { ...first, replay: 0, late: true, framing: 'own-connection' },
    },
  ];
}

/** RFC 5849 3.3: a nonce is unique for a timestamp and a consumer, whichever operation it was used for first. */
function nonceOfTheOther(right: RequestPlan, other: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'the nonce of a request to the other operation';
  return [
    { label: { intent: 'valid' }, request: other },
    { label: { intent: 'fault', about, twin: 5, differsIn }, request: { ...right, nonceOf: 5 } },
  ];
}

/** The same nonce is used up at every endpoint. That of a closing gate has no effect, and its error 99 shows that the nonce was taken. */
function nonceOfAnotherEndpoint(right: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'the nonce of a request to another endpoint';
  return [
    { label: { intent: 'fault', about, twin: 0, differsIn }, request: { ...right, situation: 'closing', nonceOf: 0 } },
  ];
}
