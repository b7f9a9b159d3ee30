/** Whether a live target still answers: asked before and after every step, without any effect. */

import type { SentRequest } from '../../record/exchange.ts';
import type { EffectGuard } from '../allowance/guard.ts';
import type { Site } from '../target/site.ts';

export interface Probe {
  /** Why the target was not there when it was asked for the first time; undefined where it was. */
  readonly failed?: string;
  /** Whether it did not come back. */
  readonly gone: boolean;
  /** Whether nothing tells that the target itself is gone: the network may be. */
  readonly mayBeNetwork?: boolean;
}

/** A request without an effect may be sent again: this many times until the target counts as gone. */
const tries = 3;

/**
 * Asks for the base URL, which leads to neither operation. A server that has answered it with a fault from the beginning is
 * there; one that begins to, has a fault.
 */
export function newProbe(
  guard: EffectGuard,
  { scheme, host, prefix }: Site,
  send: (request: SentRequest) => ReturnType<Parameters<EffectGuard['send']>[2]>,
): () => Promise<Probe> {
  const request: SentRequest = {
    method: 'GET',
    scheme,
    host,
    target: `${prefix}/`,
    headers: [],
    body: new Uint8Array(),
  };
  let usual: number | undefined;
  let mayBeNetwork = false;
  const whyNot = async (): Promise<string | undefined> => {
    const sent = await guard.send(request, { what: 'probe' }, send);
    if ('withheld' in sent) throw new Error(`the probe may not be sent: ${sent.withheld.reason}`);
    // A page of any size is an answer.
    if (sent.failure?.kind === 'too-large') return undefined;
    const status = sent.response?.status;
    const { kind = '', message = '' } = sent.failure ?? {};
    mayBeNetwork = ['tls', 'timeout'].includes(kind) || (kind === 'unreachable' && !message.includes('ECONNREFUSED'));
    if (status === undefined) return sent.failure?.message ?? 'no answer was received';
    usual ??= status;
    return status >= 500 && usual < 500 ? `${host} answers HTTP ${status}` : undefined;
  };
  return async () => {
    const failed = await whyNot();
    if (failed === undefined) return { gone: false };
    for (let left = tries - 1; left > 0; left -= 1) {
      if ((await whyNot()) === undefined) return { failed, gone: false };
    }
    return { failed, gone: true, mayBeNetwork };
  };
}
