/** Headers that lack several parameters at once: who looks for one where the other is there misses both (section 5). */
import type { OAuthParameter } from '../../contracts/oauth-parameters.ts';
import type { Area } from '../../contracts/operations.ts';
import { rightHeader } from '../../generators/authorization-parameters.ts';
import { faultsIn } from './requests.ts';
import type { PlannedCase, RequestPlan } from './scenario.ts';

/** Each is signed as it is sent, so that what it lacks is its only fault. */
export function severalMissing(area: Area, right: RequestPlan): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const lacking = (...names: readonly OAuthParameter[]): Partial<RequestPlan> => ({
    header: (fresh) => {
      const plan = rightHeader({ operation: right.operation, ...fresh });
      return { ...plan, parameters: plan.parameters.filter(([name]) => !names.some((one) => one === name)) };
    },
  });
  return [
    // RFC 5849 3.1 lets both go together for PLAINTEXT alone, and readers that know it may let them go for every method.
    fault(
      `authentication/${area}-missing-nonce-refused`,
      'neither oauth_timestamp nor oauth_nonce',
      lacking('oauth_timestamp', 'oauth_nonce'),
    ),
    fault(
      `authentication/${area}-missing-signature-method-refused`,
      'oauth_consumer_key and oauth_signature alone',
      lacking('oauth_signature_method', 'oauth_timestamp', 'oauth_nonce', 'oauth_version'),
    ),
    fault(
      `authentication/${area}-missing-signature-refused`,
      'neither oauth_consumer_key nor oauth_signature',
      lacking('oauth_consumer_key', 'oauth_signature'),
    ),
  ];
}
