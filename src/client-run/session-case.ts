/** The message for one planned call: with an identity that the suite publishes, whose secrets are none. */
import { authFor, type SessionCase } from '../adapter/client-session.ts';
import {
  bothCasesIdentity,
  type Identity,
  publishedIdentity,
  punctuationIdentity,
  reservedIdentity,
} from '../mock/identity.ts';
import type { ClientIdentity, ClientPlan } from '../scenarios/client/client-scenario.ts';

/** Milliseconds that a call may take where the plan names no other limit. */
export const ordinaryDeadlineMs = 10_000;

const ordinaryEndpointId = '1111';

const identities: Readonly<Record<ClientIdentity, Identity>> = {
  ordinary: publishedIdentity,
  'reserved-characters': reservedIdentity,
  'both-cases': bothCasesIdentity,
  punctuation: punctuationIdentity,
};

/** Pure; `baseUrl` is that of the place at the local gateway, `name` what a person finds the call by. */
export function sessionCase(plan: ClientPlan, baseUrl: string, name?: string): SessionCase {
  const identity = identities[plan.identity ?? 'ordinary'];
  return {
    name,
    operation: plan.label.operation,
    baseUrl,
    endpointId: plan.endpointId ?? ordinaryEndpointId,
    consumerKey: identity.consumerKey,
    auth: authFor(plan.label.operation, identity),
    input: plan.input,
    inject: plan.inject,
    environment: plan.environment,
    deadlineMs: plan.deadlineMs ?? ordinaryDeadlineMs,
    isEndless: plan.deadlineMs !== undefined,
  };
}
