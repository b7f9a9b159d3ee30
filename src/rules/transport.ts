/** Judges of the connection under both operations (introduction of the document). */
import { isLoopback } from '../record/hosts.ts';
import { fail, pass } from './finding.ts';
import { perCase } from './judge.ts';

/**
 * An answer over TLS shows it, since the transport verifies certificates. An answer over plain http breaks it, except on
 * the machine's own addresses, which show nothing.
 */
export const httpsServed = perCase(({ exchange: { request, response } }) => {
  if (response === undefined) return null;
  if (request.scheme === 'https') return pass();
  return isLoopback(request.host) ? null : fail('https', 'an answer over plain http');
});
