/** The message for one planned call: with an identity that the suite publishes, whose secrets are none. */
import { createPrivateKey } from 'node:crypto';
import {
  bothCasesIdentity,
  type Identity,
  publishedIdentity,
  punctuationIdentity,
  reservedIdentity,
} from '../../mock/identity.ts';
import { authFor, type SessionCase } from '../../peer/adapter/client-session.ts';
import type { ClientIdentity, ClientPlan } from '../../plan/client/client-scenario.ts';

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
  const { identity: named = 'ordinary' } = plan;
  const identity = typeof named === 'string' ? identities[named] : { ...publishedIdentity, ...named };
  return {
    name,
    operation: plan.label.operation,
    baseUrl,
    endpointId: plan.endpointId ?? ordinaryEndpointId,
    consumerKey: identity.consumerKey,
    auth: authFor(
      plan.label.operation,
      plan.keyForm === 'PKCS#1' ? { ...identity, privateKeyPem: inPkcs1() } : identity,
    ),
    input: plan.input,
    inject: plan.inject,
    environment: plan.environment,
    deadlineMs: plan.deadlineMs ?? ordinaryDeadlineMs,
    isEndless: plan.deadlineMs !== undefined,
  };
}

/** The published private key with `BEGIN RSA PRIVATE KEY` (RFC 8017 appendix A.1.2). */
function inPkcs1(): string {
  return createPrivateKey(publishedIdentity.privateKeyPem).export({ type: 'pkcs1', format: 'pem' }).toString();
}
