/** The message for one planned call: with an identity that the suite publishes, whose secrets are none. */
import type { SessionCase } from '../adapter/client-session.ts';
import { publishedIdentity, reservedIdentity } from '../mock/identity.ts';
import type { ClientPlan } from '../scenarios/client/client-scenario.ts';

/** Milliseconds that a call may take where the plan names no other limit. */
export const ordinaryDeadlineMs = 10_000;

const ordinaryEndpointId = '1111';

/** Pure; `baseUrl` is that of the place at the local gateway, `name` what a person finds the call by. */
export function sessionCase(plan: ClientPlan, baseUrl: string, name?: string): SessionCase {
  const identity = plan.identity === 'reserved-characters' ? reservedIdentity : publishedIdentity;
  const { consumerKey, consumerSecret: secret, privateKeyPem } = identity;
  return {
    ...(name === undefined ? {} : { name }),
    operation: plan.label.operation,
    baseUrl,
    endpointId: plan.endpointId ?? ordinaryEndpointId,
    consumerKey,
    auth:
      plan.label.operation === 'close-day'
        ? { method: 'HMAC-SHA1', consumerKey, secret }
        : { method: 'RSA-SHA256', consumerKey, privateKeyPem },
    input: plan.input,
    ...(plan.inject === undefined ? {} : { inject: plan.inject }),
    ...(plan.environment === undefined ? {} : { environment: plan.environment }),
    deadlineMs: plan.deadlineMs ?? ordinaryDeadlineMs,
  };
}
