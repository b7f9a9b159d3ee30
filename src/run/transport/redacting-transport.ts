/** A transport whose exchanges hold no secret, whatever the target sends back. */
import type { Redactor } from '../secrets/redactor.ts';
import type { Transport } from './transport.ts';

/** Redacts at capture: nothing behind this transport ever sees the secrets. */
export function redactingTransport(transport: Transport, redactor: Redactor): Transport {
  return {
    send: async (request) => redactor.exchange(await transport.send(request)),
    sendFramed: async (request, framing) => redactor.exchange(await transport.sendFramed(request, framing)),
    close: () => transport.close(),
  };
}
