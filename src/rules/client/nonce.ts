/** The judge of nonces (RFC 5849 section 3.3): it needs all requests of a run, those of decoding and of retries too. */
import { headerValues } from '../../record/exchange.ts';
import { lacks } from '../../record/har-losses.ts';
import { fail, pass } from '../finding.ts';
import type { ClientJudge, ClientVerdict } from './client-judge.ts';
import { readHeader } from './header-reading.ts';
import { parameter } from './reading.ts';

/**
 * No (consumer key, token, timestamp, nonce) may occur twice; a nonce at another timestamp is tolerated. One request
 * alone shows nothing. Injected nonces are not the client's.
 */
export const nonceUnique: ClientJudge = ({ cases }) => {
  const used = new Set<string>();
  const nonces = new Set<string>();
  const verdicts: ClientVerdict[] = [];
  for (const examined of cases) {
    if (examined.asked?.inject?.nonce !== undefined || lacks(examined, 'authorization')) continue;
    for (const exchange of examined.wire) {
      const [line] = headerValues(exchange.request.headers, 'authorization');
      if (line === undefined) continue;
      // Of a long record nothing else is kept that was read of its requests.
      const reading = { header: readHeader(line) };
      const nonce = parameter(reading, 'oauth_nonce');
      const timestamp = parameter(reading, 'oauth_timestamp');
      if (nonce === undefined || timestamp === undefined) continue;
      const owner = [parameter(reading, 'oauth_consumer_key'), parameter(reading, 'oauth_token')];
      const key = JSON.stringify([...owner, timestamp, nonce]);
      const nonceAlone = JSON.stringify([...owner, nonce]);
      const finding = used.has(key)
        ? fail('a new nonce', `timestamp ${timestamp} and nonce ${nonce} once more`)
        : pass(nonces.has(nonceAlone) ? 'a nonce is used again at another timestamp' : undefined);
      verdicts.push({ examined, exchange, finding });
      used.add(key);
      nonces.add(nonceAlone);
    }
  }
  return verdicts.length > 1 ? verdicts : [];
};
