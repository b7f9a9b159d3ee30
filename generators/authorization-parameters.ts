/** The Authorization header (section 5) as a plan: which parameters, in which form; the signer adds the signature. */
import * as fc from 'fast-check';
import { closeDayMethod, edgePlans, faultyPlans, recurringMethod } from './authorization-cases.ts';
import type { HeaderPlan } from './header-plan.ts';
import { drawn, type Labelled, valid } from './labelled.ts';
import { lettersAndDigits, textFromSeed } from './text-from-seed.ts';

/** What only the caller knows: for whom and when is signed. */
export interface HeaderSubject {
  readonly operation: 'close-day' | 'process-recurring-payments';
  readonly consumerKey: string;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
}

/** Right headers: the six parameters in the order of the document, with nonces of 8 to 32 letters and digits. */
export function validAuthorizationParameters(subject: HeaderSubject): fc.Arbitrary<Labelled<HeaderPlan>> {
  return fc
    .tuple(fc.integer({ min: 8, max: 32 }), fc.nat())
    .map(([length, seed]) => valid(rightPlan(subject, textFromSeed(lettersAndDigits, length, seed))));
}

/** Every named edge of the header once. */
export function authorizationEdges(subject: HeaderSubject): readonly Labelled<HeaderPlan>[] {
  return edgePlans(rightPlan(subject, 'aEdge0'));
}

export function edgeAuthorizationParameters(subject: HeaderSubject): fc.Arbitrary<Labelled<HeaderPlan>> {
  return drawn(authorizationEdges(subject));
}

/** Every named fault of the header once. */
export function faultyAuthorizationPlans(subject: HeaderSubject): readonly Labelled<HeaderPlan>[] {
  return faultyPlans(rightPlan(subject, 'aFault'));
}

/** Headers with one fault: a parameter missing, repeated, empty, misspelt or wrong, or a wrong form. */
export function faultyAuthorizationParameters(subject: HeaderSubject): fc.Arbitrary<Labelled<HeaderPlan>> {
  // The cases depend on the subject alone: nonces differ by what the seed appends.
  const cases = faultyAuthorizationPlans(subject);
  return fc.tuple(fc.nat({ max: cases.length - 1 }), fc.nat()).map(([at, seed]) => {
    const { value, ...rest } = cases[at]!;
    const parameters = value.parameters.map(([name, text]) =>
      name === 'oauth_nonce'
        ? ([name, text + textFromSeed(lettersAndDigits, 8, seed)] as const)
        : ([name, text] as const),
    );
    return { ...rest, value: { ...value, parameters } };
  });
}

function rightPlan({ operation, consumerKey, timestamp }: HeaderSubject, nonce: string): HeaderPlan {
  return {
    scheme: 'OAuth',
    space: ' ',
    separator: ', ',
    equals: '=',
    quote: '"',
    escape: 'once',
    signatureForm: 'base64',
    parameters: [
      ['oauth_consumer_key', consumerKey],
      ['oauth_signature_method', operation === 'close-day' ? closeDayMethod : recurringMethod],
      ['oauth_timestamp', String(timestamp)],
      ['oauth_nonce', nonce],
      ['oauth_version', '1.0'],
      ['oauth_signature', ''],
    ],
  };
}
