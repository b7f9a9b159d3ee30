/** What is wrong with the signature of one request, in words: for the person who has to put it right. */
import type { Exchange } from '../exchange/exchange.ts';
import { readPublicKey, type VerifyingKey, verifyRequest } from '../protocol/index.ts';
import type { Engagement } from './engagement.ts';

export interface SignatureNote {
  readonly verified: boolean;
  /** What fails, in one sentence; absent where the signature verifies. */
  readonly problem?: string;
  /** Whether the judges find it right once the faults that other rows name are put right. */
  readonly rightOnceRepaired?: true;
  /** The defect that makes such a signature, where one is known. */
  readonly explanation?: string;
  /** The base string that the desk computed, where it came to that. */
  readonly baseString?: string;
}

/** Names the defect behind a signature that does not verify; undefined where none is known. */
export type ExplainSignature = (exchange: Exchange, keys: readonly VerifyingKey[]) => string | undefined;

/**
 * Looks at one request by itself.
 * @param judgedWrong whether the judges, which repair what other rows name, find the signature wrong too
 */
export function signatureNote(
  exchange: Exchange,
  keys: EngagementKeys,
  explain: ExplainSignature,
  judgedWrong: boolean,
): SignatureNote {
  const verification = verifyRequest(exchange.request, (consumerKey) => keys.keysOf(consumerKey)?.slice());
  if (verification.ok) return { verified: true };
  if (verification.failure === 'bad-signature' && !judgedWrong) {
    return { verified: false, problem: verification.detail, rightOnceRepaired: true };
  }
  const explanation = verification.failure === 'missing-header' ? undefined : explain(exchange, keys.all);
  return {
    verified: false,
    problem: verification.detail,
    explanation,
    baseString: verification.steps?.baseString,
  };
}

export interface EngagementKeys {
  readonly all: readonly VerifyingKey[];
  readonly hasKeys: true;
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
}

/** The keys of an engagement, parsed once; judges remember by this object what they have verified. */
export function keysFor(engagement: Engagement): EngagementKeys {
  let known = parsed.get(engagement);
  if (known === undefined) {
    const all: readonly VerifyingKey[] = [
      { method: 'HMAC-SHA1', consumerSecret: engagement.consumerSecret },
      { method: 'RSA-SHA256', publicKey: readPublicKey(engagement.publicKeyPem) },
    ];
    known = { all, hasKeys: true, keysOf: (key) => (key === engagement.consumerKey ? all : undefined) };
    parsed.set(engagement, known);
  }
  return known;
}

const parsed = new WeakMap<Engagement, EngagementKeys>();
