/** What is wrong with the signature of one request, in words: for the person who has to put it right. */
import { readPublicKey, type VerifyingKey, verifyRequest } from '../../protocol/index.ts';
import type { Exchange } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import type { ResultRow } from '../../record/result/result.ts';
import { shortened } from '../../report/visible.ts';
import type { Engagement } from './engagement.ts';

export interface SignatureNote {
  readonly verified: boolean;
  /** What fails, in one sentence; absent where the signature verifies. */
  readonly problem?: string;
  /** Whether the judges find it right once the faults that other rows name are put right. */
  readonly rightOnceRepaired?: true;
  /** The mistake that makes such a signature, where the judges name one. */
  readonly explanation?: string;
  /** The base string that the desk computed, where it came to that; of a long one both ends. */
  readonly baseString?: string;
}

export interface EngagementKeys {
  readonly hasKeys: true;
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
}

/** The keys of an engagement, parsed once; judges remember by this object what they have verified. */
export const keysFor = memoize(({ consumerKey, consumerSecret, publicKeyPem }: Engagement): EngagementKeys => {
  const all: readonly VerifyingKey[] = [
    { method: 'HMAC-SHA1', consumerSecret },
    { method: 'RSA-SHA256', publicKey: readPublicKey(publicKeyPem) },
  ];
  return { hasKeys: true, keysOf: (key) => (key === consumerKey ? all : undefined) };
});

/** Characters of a base string: that of a body of megabytes is read by nobody, and fifty of them take all memory. */
const longest = 20_000;

/**
 * @param verdict the failing row on signatures with the numbers of the desk, if the exchange counts; `replaced` where it does not
 */
export function signatureNote(
  { number, exchange }: { readonly number: number; readonly exchange: Exchange },
  engagement: Engagement,
  verdict: ResultRow | 'replaced' | undefined,
): SignatureNote {
  const { verified, failure, problem, baseString } = seenIn(exchange)(engagement);
  if (verified) return { verified };
  const isWrong = verdict === 'replaced' || verdict?.exchanges.includes(number) === true;
  // The judges repair what other rows name: they may find a signature right that does not verify as it arrived.
  if (failure === 'bad-signature' && !isWrong) return { verified, problem, rightOnceRepaired: true };
  const found = verdict === 'replaced' ? [] : (verdict?.explanations ?? []).filter((one) => one.exchange === number);
  const words = found.flatMap(({ deviations, alternatives = [], facts }) => [
    ...deviations.map(({ id, summary, fix }) => `${summary} (${id}) ${fix}`),
    ...(alternatives.length === 0 ? [] : [`These give the same bytes: ${alternatives.map(together).join('; ')}.`]),
    ...(deviations.length === 0 ? facts : []),
  ]);
  return { verified, problem, ...(words.length === 0 ? {} : { explanation: words.join(' ') }), baseString };
}

function together(ids: readonly string[]): string {
  return ids.join(' + ');
}

/** A page is drawn again and again. */
const seenIn = memoize(({ request }: Exchange) =>
  memoize((engagement: Engagement) => {
    const keys = keysFor(engagement);
    const verification = verifyRequest(request, (consumerKey) => keys.keysOf(consumerKey)?.slice());
    if (verification.ok) return { verified: true };
    const { failure, detail: problem, steps } = verification;
    return { verified: false, failure, problem, baseString: steps && shortened(steps.baseString, longest) };
  }),
);
