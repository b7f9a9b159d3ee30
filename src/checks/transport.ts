/** Judges of the connection under both operations (introduction of the document). */
import { pass } from './finding.ts';
import { perCase } from './judge.ts';

/** An answer over TLS shows it: the transport verifies certificates. Plain http is for loopback targets and shows nothing. */
export const httpsServed = perCase(({ exchange }) =>
  exchange.request.scheme === 'https' && exchange.response !== undefined ? pass() : null,
);
