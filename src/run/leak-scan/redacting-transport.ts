/** A transport whose exchanges hold no secret, whatever the target sends back. */
import { redactorFor } from '../../redaction/redactor.ts';
import type { Secret } from '../../redaction/secret.ts';
import type { Transport } from '../transport.ts';

/** Redacts at capture: nothing behind this transport ever sees the secrets. */
export function redactingTransport(transport: Transport, secrets: readonly Secret[]): Transport {
  if (secrets.length === 0) return transport;
  const redactor = redactorFor(secrets);
  return {
    send: async (request) => redactor.exchange(await transport.send(request)),
    sendFramed: async (request, framing) => redactor.exchange(await transport.sendFramed(request, framing)),
    close: () => transport.close(),
  };
}
