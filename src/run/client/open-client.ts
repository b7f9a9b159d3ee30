/** Opens a client and its local gateway, makes the first call, and checks the adapter. */
import { createHash, createPrivateKey } from 'node:crypto';
import { identities, publishedIdentity } from '../../mock/identity.ts';
import { endAdapters } from '../../peer/adapter/channel.ts';
import { AdapterError } from '../../peer/adapter/faults.ts';
import { defaultLimits, RetryBudget } from '../../peer/adapter/limits.ts';
import { authFor, type ClientSession, type SessionCase } from '../../peer/adapter/messages.ts';
import {
  listenForAdapter,
  openAdapterSession,
  openAttachSession,
  openOneShotSession,
} from '../../peer/adapter/session.ts';
import { type ClientAlteration, openInProcessSession } from '../../peer/client/client.ts';
import type { LocalGateway } from '../../peer/local-gateway/local-gateway.ts';
import { issueCertificates, openInProcessGateway, openLocalGateway } from '../../peer/local-gateway/local-gateway.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { ClientIdentity, ClientPlan } from '../../plan/scenario.ts';
import type { ClientOptions, RunOptions } from '../options/run-options.ts';
import { suite } from '../options/suite-version.ts';
import { type CheckedPoint, checkAdapter } from './check-adapter.ts';

export interface OpenedClient {
  readonly session: ClientSession;
  readonly gateway: LocalGateway;
  readonly openWith?: (environment: Readonly<Record<string, string>>) => Promise<ClientSession>;
  close(): Promise<void>;
}

/** Milliseconds that a person has to attach an adapter by hand. */
const attachLimitMs = 600_000;

/** Maximum milliseconds to start a client. The session has shorter limits, because its error names the cause. */
export function openingLimitMs({ mode }: ClientOptions): number {
  return mode === 'attach' ? attachLimitMs + 60_000 : 90_000;
}

/** Throws DiskError, and AdapterError if the client does not start or introduce itself. */
export async function openClient(options: ClientOptions, seed: string): Promise<OpenedClient> {
  const { defects } = options;
  if (defects !== undefined) {
    const { usableClientDefects } = await import('../../faults/index.ts');
    const chosen = usableClientDefects.filter(({ id }) => defects.includes(id));
    return openReference(chosen.map(({ alteration }) => alteration));
  }
  const gateway = openLocalGateway(options);
  const retryBudget = new RetryBudget(defaultLimits, printMessage);
  const { mode, port, cwd } = options;
  const [command = '', ...args] = options.command;
  const common = { seed, suite, retryBudget, ca: gateway.ca };
  const openWith = (env: Readonly<Record<string, string>>): Promise<ClientSession> => {
    if (mode === 'attach') {
      return openAttachSession({ ...common, port: port!, announce: printMessage, connectMs: attachLimitMs });
    }
    return (mode === 'one-shot' ? openOneShotSession : openAdapterSession)({ ...common, command, args, cwd, env });
  };
  try {
    const session = await openWith({});
    const close = () => session.close().finally(() => gateway.close());
    return { session, gateway, ...(mode !== 'attach' && { openWith }), close };
  } catch (cause) {
    await gateway.close();
    throw cause;
  }
}

function printMessage(sentence: string): void {
  process.stderr.write(`countersign: ${sentence}\n`);
}

export interface Repetition {
  /** Cached signatures by base string. */
  readonly signatures: Map<string, string>;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** Id of the scenario, so that each scenario has its own paths and nonces. */
  scenario?: string;
}

/** Opens the reference client in this process. With a `repetition`, the client draws no random values. */
export async function openReference(alterations: readonly ClientAlteration[], repetition?: Repetition) {
  const deterministic = repetition && withoutRandomValues(repetition);
  const gateway = openInProcessGateway({ now: Date.now, ...deterministic?.gateway });
  const openWith = async (environment: Readonly<Record<string, string>>) =>
    openInProcessSession({ alterations, environment, gateway, ...deterministic?.session });
  const session = await openWith({});
  return { session, gateway, openWith, close: () => gateway.close() };
}

/** Makes nonces from counters. So repeated runs sign the same base strings, and share the cached signatures. */
function withoutRandomValues(repetition: Repetition) {
  const { signatures: signatureCache, timeMs } = repetition;
  const counts = new Map<string, number>();
  const next = (what: string) => {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return createHash('sha256').update(`${what} ${count}`).digest('hex').slice(0, 32);
  };
  return {
    gateway: { now: () => timeMs, segment: () => `x${next(`place ${repetition.scenario}`).slice(0, 16)}` },
    // Count the nonces of each call separately, so that earlier calls do not change them.
    session: {
      clock: () => timeMs,
      nonce: ({ baseUrl }: Pick<SessionCase, 'baseUrl'>) => next(baseUrl),
      signatureCache,
    },
  };
}

type GreetedClient =
  | Partial<Pick<ClientOptions, 'introduction' | 'strays' | 'certificates'>>
  | { readonly fault: string; readonly hint: string; readonly unsupported?: true };

/** Makes the first call. Returns the client's introduction, or why it cannot be judged. An abort ends the adapter. */
export async function greetClient(
  { client, seed }: Pick<RunOptions, 'client' | 'seed'>,
  signal?: AbortSignal,
): Promise<GreetedClient> {
  if (client === undefined || client.mode === 'attach') return {};
  // If the abort comes before the adapter has started, this listener ends the adapter right after its start.
  signal?.addEventListener('abort', endAdapters);
  let opened: OpenedClient | undefined;
  try {
    const isPlainHttp = client.plainHttp || client.defects !== undefined;
    const certificates = isPlainHttp ? undefined : issueCertificates(Date.now());
    opened = await openClient({ ...client, certificates }, seed);
    const { session } = opened;
    signal?.throwIfAborted();
    signal?.addEventListener('abort', () => void session.close());
    return { certificates, ...(await firstCall(opened)) };
  } catch (cause) {
    if (cause instanceof AdapterError) return faultOf(cause);
    throw cause;
  } finally {
    await opened?.close();
  }
}

/** The reason why the attach port cannot be used. Undefined if the port is usable or not needed. */
export async function attachFailure({ mode, port }: ClientOptions) {
  if (mode !== 'attach' || port === undefined) return undefined;
  const server = await listenForAdapter(port).catch((cause: AdapterError) => cause);
  if (server instanceof AdapterError) return faultOf(server);
  await new Promise((closed) => server.close(closed));
  return undefined;
}

async function firstCall({ session, gateway }: OpenedClient): Promise<GreetedClient> {
  const { introduction } = session;
  const [operation] = introduction.offers.ops;
  if (operation === undefined) {
    return {
      fault: 'the adapter offers no operation',
      hint: 'Name at least one operation in "offers.ops" of "ready".',
    };
  }
  const plan = { label: { operation }, ...ordinaryCalls[operation] };
  const place = await gateway.open(plan.answer, { claimStrays: true });
  if ('unavailable' in place) return { fault: place.unavailable, hint: 'Free the port, or try again.' };
  const { reply, fault } = await session.perform(sessionCase(plan, place.baseUrl));
  await place.whenSettled();
  const [first] = place.exchanges();
  place.close();
  if (fault !== undefined) return faultOf(fault);
  if (first === undefined && reply.outcome === 'transport_error') {
    const { reason = 'the client gave no reason' } = reply;
    const port = 'Call "base_url" of the case, because its port changes in each run. ';
    return {
      fault: `the client did not reach the local gateway at ${place.baseUrl}: ${reason}`,
      hint:
        `${/refused/i.test(reason) ? port : ''}If the client does not trust the certificate, give it ca_file or ca_pem ` +
        'of hello; SSL_CERT_FILE and similar variables are set. If the client cannot use HTTPS at all, use --plain-http.',
    };
  }
  const prefix = new URL(place.baseUrl).pathname;
  return { introduction, ...(first === undefined || first.request.target.includes(prefix) ? {} : { strays: true }) };
}

function faultOf({ code, message, hint }: Readonly<Record<'code' | 'message' | 'hint', string>>) {
  return { fault: message.replace(/\.$/, ''), hint, ...(code === 'unsupported' && { unsupported: true as const }) };
}

export async function checkAdapterOf(
  { command: [command = '', ...args], cwd, plainHttp, host }: ClientOptions,
  seed: string,
  onPoint: (point: CheckedPoint) => void,
): Promise<readonly CheckedPoint[]> {
  const gateway = openLocalGateway({ plainHttp, host });
  const adapter = { command, args, cwd, env: {}, seed, suite, ca: gateway.ca };
  return checkAdapter(adapter, gateway, onPoint).finally(() => gateway.close());
}

export const ordinaryDeadlineMs = 10_000;

/** `baseUrl` is the address of the local gateway for this call. Messages to the user name the call by `name`. */
export function sessionCase(
  plan: Omit<ClientPlan, 'label'> & { readonly label: Pick<ClientPlan['label'], 'operation'> },
  baseUrl: string,
  name?: string,
): SessionCase {
  const { identity: chosen = 'ordinary', keyForm, endpointId = '1111', input, inject, environment, deadlineMs } = plan;
  const { operation } = plan.label;
  const toPkcs1 = () => createPrivateKey(publishedIdentity.privateKeyPem).export({ type: 'pkcs1', format: 'pem' });
  const identity =
    typeof chosen === 'string' ? identities[chosen satisfies ClientIdentity] : { ...publishedIdentity, ...chosen };
  return {
    name,
    operation,
    baseUrl,
    endpointId,
    consumerKey: identity.consumerKey,
    auth: authFor(operation, keyForm === 'PKCS#1' ? { ...identity, privateKeyPem: String(toPkcs1()) } : identity),
    input,
    inject,
    environment,
    deadlineMs: deadlineMs ?? ordinaryDeadlineMs,
    isEndless: deadlineMs !== undefined,
  };
}
