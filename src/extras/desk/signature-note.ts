/** What is wrong with the signature of one request, in words: for the person who has to put it right. */
import { readPublicKey, type VerifyingKey, verifyRequest } from '../../protocol/index.ts';
import type { Exchange } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import { shortened } from '../../report/visible.ts';
import type { Engagement } from './engagement.ts';

export interface SignatureNote {
  readonly verified: boolean;
  /** What fails, in one sentence; absent where the signature verifies. */
  readonly problem?: string;
  /** Whether the judges find it right once the faults that other rows name are put right. */
  readonly rightOnceRepaired?: true;
  /** The defect that makes such a signature, where one is known. */
  readonly explanation?: string;
  /** The base string that the desk computed, where it came to that; of a long one both ends. */
  readonly baseString?: string;
}

/** Names the defect behind a signature that does not verify; undefined where none is known. `consumerKey` is the one issued. */
export type ExplainSignature = (
  exchange: Exchange,
  keys: readonly VerifyingKey[],
  consumerKey: string,
) => string | undefined;

/** What one request shows by itself; `explanation` is empty if nothing explains the signature, and absent before the search. */
type Seen = Pick<SignatureNote, 'verified' | 'problem' | 'baseString'> & {
  readonly failure?: string;
  explanation?: string;
};

/** What a desk has seen of its requests so far: a page is drawn again and again. */
export type SeenSignatures = WeakMap<Exchange, Seen>;

export interface EngagementKeys {
  readonly consumerKey: string;
  readonly all: readonly VerifyingKey[];
  readonly hasKeys: true;
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
}

/** The keys of an engagement, parsed once; judges remember by this object what they have verified. */
export const keysFor = memoize(({ consumerKey, consumerSecret, publicKeyPem }: Engagement): EngagementKeys => {
  const all: readonly VerifyingKey[] = [
    { method: 'HMAC-SHA1', consumerSecret },
    { method: 'RSA-SHA256', publicKey: readPublicKey(publicKeyPem) },
  ];
  return { consumerKey, all, hasKeys: true, keysOf: (key) => (key === consumerKey ? all : undefined) };
});

/** Characters of a base string: that of a body of megabytes is read by nobody, and fifty of them take all memory. */
const longest = 20_000;
/** Characters of bodies that one view searches: a long body takes a second or two, and a view shows fifty exchanges. */
const mostOfView = 128 * 1024;
/** What one search costs at most: the work is bounded, however long the body is. */
const mostOfOne = 32 * 1024;

const notYet =
  'The search for the mistake behind it is yet to come: of long requests a few are searched each time that this is asked for.';

/**
 * Looks at the requests of one view.
 * @param known is added to
 */
export function signatureNotes(
  engagement: Engagement,
  explain: ExplainSignature,
  known: SeenSignatures,
): (exchange: Exchange, judgedWrong: boolean) => SignatureNote {
  const keys = keysFor(engagement);
  let left = mostOfView;
  // The judges repair what other rows name: they may find a signature right that does not verify as it arrived.
  return (exchange, judgedWrong) => {
    const seen = known.get(exchange) ?? seenIn(exchange, keys);
    known.set(exchange, seen);
    const { verified, failure, problem, baseString } = seen;
    if (verified) return { verified };
    if (failure === 'bad-signature' && !judgedWrong) return { verified, problem, rightOnceRepaired: true };
    if (failure === 'missing-header') return { verified, problem, baseString };
    const cost = Math.min(exchange.request.body.length, mostOfOne);
    if (seen.explanation === undefined && cost <= left) {
      left -= cost;
      seen.explanation = explain(exchange, keys.all, keys.consumerKey) ?? '';
    }
    const explanation = seen.explanation === '' ? undefined : (seen.explanation ?? notYet);
    return { verified, problem, explanation, baseString };
  };
}

function seenIn({ request }: Exchange, keys: EngagementKeys): Seen {
  const verification = verifyRequest(request, (consumerKey) => keys.keysOf(consumerKey)?.slice());
  if (verification.ok) return { verified: true };
  const { failure, detail: problem, steps } = verification;
  return { verified: false, failure, problem, baseString: steps && shortened(steps.baseString, longest) };
}
