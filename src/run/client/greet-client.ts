/** The handshake before the engine starts, and one call: what a client cannot do at all is said once, not by every scenario. */

import { AdapterError } from '../../peer/adapter/adapter-error.ts';
import { endAdapters, listenForAdapter } from '../../peer/adapter/index.ts';
import { issueCertificates } from '../../peer/local-gateway/index.ts';
import { clientScenarios } from '../../plan/client/index.ts';
import { drawFor } from '../../plan/seed.ts';
import type { ClientOptions, RunOptions } from '../options/run-options.ts';
import { type OpenedClient, openClient } from './open-client.ts';
import { sessionCase } from './session-case.ts';

export type GreetedClient = Partial<Pick<ClientOptions, 'introduction' | 'strays' | 'certificates'>> | NotGreeted;

interface NotGreeted {
  readonly fault: string;
  readonly hint: string;
  readonly unsupported?: true;
}

/**
 * Who the client is, or why it cannot be judged. A client attached by hand is greeted by the run itself.
 *
 * @param interrupted ends the session, so that an adapter that a signal has ended is not started again
 */
export async function greetClient(
  { client, seed }: Pick<RunOptions, 'client' | 'seed'>,
  interrupted?: AbortSignal,
): Promise<GreetedClient> {
  if (client === undefined || client.mode === 'attach') return {};
  // Where the signal comes before the adapter has started, it ends as soon as it does.
  interrupted?.addEventListener('abort', endAdapters);
  let opened: OpenedClient | undefined;
  try {
    const certificates =
      client.plainHttp || client.defects !== undefined ? {} : { certificates: issueCertificates(Date.now()) };
    opened = await openClient({ ...client, ...certificates }, seed);
    const { session } = opened;
    interrupted?.throwIfAborted();
    interrupted?.addEventListener('abort', () => void session.close());
    return { ...certificates, ...(await firstCall(opened)) };
  } catch (cause) {
    if (cause instanceof AdapterError) return named(cause);
    throw cause;
  } finally {
    await opened?.close();
  }
}

/** Why nothing can wait for an adapter at the port that it is to connect to; undefined where it can, or it need not. */
export async function whyNotAttached({ mode, port }: ClientOptions): Promise<NotGreeted | undefined> {
  if (mode !== 'attach' || port === undefined) return undefined;
  try {
    const server = await listenForAdapter(port);
    await new Promise((closed) => server.close(closed));
    return undefined;
  } catch (cause) {
    if (!(cause instanceof AdapterError)) throw cause;
    return named(cause);
  }
}

/** Any ordinary call of an operation that the client offers; its answer is not judged. */
async function firstCall({ session, gateway }: OpenedClient): Promise<GreetedClient> {
  const { introduction } = session;
  const plan = clientScenarios
    .filter(({ operation }) => introduction.offers.ops.some((offered) => offered === operation))
    .flatMap((scenario) => scenario.plan(drawFor('greeting', scenario.id, 1)))
    .find(
      ({ label, server, environment, identity }) =>
        label.input === 'mandatory' && !label.decoding && !server && !environment && !identity,
    );
  if (plan === undefined) {
    return { fault: 'the adapter offers neither of the two operations', hint: 'Name them in ready.offers.ops.' };
  }
  const place = await gateway.open(plan.answer, { claimStrays: true });
  if ('unavailable' in place) return { fault: place.unavailable, hint: 'Free the port, or try again.' };
  const { reply, fault } = await session.perform(sessionCase(plan, place.baseUrl));
  await place.settled();
  const [first] = place.exchanges();
  place.close();
  if (fault !== undefined) return named(fault);
  if (first === undefined && reply.outcome === 'transport_error') {
    return {
      fault: `the client did not reach the local gateway at ${place.baseUrl}: ${reply.reason ?? 'it gave no reason'}`,
      hint:
        `${/refused/i.test(reply.reason ?? '') ? 'Call base_url of the case with its port, which is another one in each run. ' : ''}` +
        'If it does not trust the certificate: hello carries ca_file and ca_pem, and SSL_CERT_FILE and similar variables are set. ' +
        'If it cannot do HTTPS at all, use --plain-http.',
    };
  }
  const prefix = new URL(place.baseUrl).pathname;
  return { introduction, ...(first === undefined || first.request.target.includes(prefix) ? {} : { strays: true }) };
}

/** An AdapterError is a sentence with its full stop; a reason of a run has none. */
function named({ code, message, hint }: Readonly<Record<'code' | 'message' | 'hint', string>>): NotGreeted {
  return { fault: message.replace(/\.$/, ''), hint, ...(code === 'unsupported' && { unsupported: true }) };
}
