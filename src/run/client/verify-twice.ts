/** Every signature of a client is verified twice; where the two implementations disagree, the suite is at fault and says so. */

import { secondOpinion } from '../../oracle/second-opinion.ts';
import { verifyRequest } from '../../protocol/index.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { publishedConsumer, publishedKeys } from '../target/published-keys.ts';

/** A sentence where the two voices disagree; undefined where they agree, or where the request has no signature to speak of. */
export function verifyTwice(request: SentRequest): string | undefined {
  const ours = verifyRequest(request, (consumerKey) => publishedKeys(consumerKey)?.slice());
  if (!ours.ok && ours.failure !== 'bad-signature') return undefined;
  if (ours.steps === undefined) return undefined;
  const parameters = new Map(ours.steps.parameters);
  const consumer = publishedConsumer(parameters.get('oauth_consumer_key') ?? '');
  if (consumer === undefined) return undefined;
  const opinion = secondOpinion(
    request,
    parameters.get('oauth_signature_method') === 'HMAC-SHA1'
      ? { consumerSecret: consumer.consumerSecret }
      : { publicKeyPem: consumer.publicKeyPem },
  );
  if (opinion.baseString !== ours.steps.baseString) {
    return `the two base strings differ: ${ours.steps.baseString} and ${opinion.baseString}`;
  }
  if (opinion.verified === ours.ok) return undefined;
  return `the second voice finds the signature ${opinion.verified ? 'right' : 'wrong'}, the first one does not`;
}
