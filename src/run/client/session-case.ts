/** The planned calls of a scenario, the message for each, and how long they may take. */
import { createPrivateKey } from 'node:crypto';
import {
  bothCasesIdentity,
  type Identity,
  publishedIdentity,
  punctuationIdentity,
  reservedIdentity,
} from '../../mock/identity.ts';
import { authFor, type SessionCase } from '../../peer/adapter/client-session.ts';
import type { ClientIdentity, ClientPlan, ClientScenario } from '../../plan/scenario.ts';
import { drawFor } from '../../plan/seed.ts';
import type { ClientOptions, RunOptions } from '../options/run-options.ts';

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

/** Milliseconds in which a person has to attach an adapter by hand. */
export const attachLimitMs = 600_000;

/** Milliseconds for the start of the client, over the limit that its session has for that. */
export function openingLimitMs({ mode }: ClientOptions): number {
  return mode === 'attach' ? attachLimitMs + 60_000 : 90_000;
}

/** Milliseconds after which no further call of a scenario is made: the deadlines of its calls one after another, and half a minute. */
export function callsLimitMs(scenario: ClientScenario, options: RunOptions): number {
  if (options.client?.mode === 'attach') return Number.POSITIVE_INFINITY;
  return callsOf(scenario, options).reduce((sum, { deadlineMs = ordinaryDeadlineMs }) => sum + deadlineMs, 0) + 30_000;
}

/** Milliseconds for a scenario; 0 is no limit. The last call, and the last smaller one, may take twelve times its deadline, with pings, progress and a start. */
export function clientTimeLimit(scenario: ClientScenario, options: RunOptions): number {
  if (options.client?.mode === 'attach') return 0;
  return callsLimitMs(scenario, options) + 24 * ordinaryDeadlineMs + 120_000;
}

/** The calls of the scenario under these options; with a path only the generated one that it names. */
export function callsOf(
  scenario: ClientScenario,
  { seed, cases, path }: Pick<RunOptions, 'seed' | 'cases' | 'path'>,
): readonly ClientPlan[] {
  const all = scenario.plan(drawFor(seed, scenario.id, cases, path));
  return path === undefined ? all : all.filter(({ generated }) => generated !== undefined);
}
