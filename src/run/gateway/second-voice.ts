/** Every base string and signature is computed twice; where the two implementations disagree, the suite is at fault and says so. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { secondOpinion } from '../../oracle/second-opinion.ts';
import type { Target } from '../target/target.ts';
import type { BuiltRequest } from './build-request.ts';

/** A sentence where the second voice disagrees with what the suite meant to send; undefined where it agrees or was not asked. */
export function askSecondVoice(built: BuiltRequest, target: Target, operation: Operation): string | undefined {
  if (built.baseString === undefined || built.signatureIsRight === undefined) return undefined;
  const { consumerSecret, publicKeyPem } = target.credentials;
  const keys = { 'HMAC-SHA1': { consumerSecret }, 'RSA-SHA256': { publicKeyPem } };
  const opinion = secondOpinion(built.request, keys[operations[operation].signatureMethod]);
  if (built.signatureIsRight && opinion.baseString !== built.baseString) {
    return `the two base strings differ: ${built.baseString} and ${opinion.baseString}`;
  }
  if (opinion.verified !== built.signatureIsRight) {
    return `the second voice finds the signature ${opinion.verified ? 'right' : 'wrong'}, and it was made to be ${built.signatureIsRight ? 'right' : 'wrong'}`;
  }
  return undefined;
}
