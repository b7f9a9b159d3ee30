/** Clients whose timestamps or nonces are not those of section 5 and RFC 5849 section 3.3. */
import type { ClientDefect } from './defect.ts';

const both = { side: 'client', operation: 'both' } as const;

export const freshnessDefects: readonly ClientDefect[] = [
  {
    ...both,
    id: 'authentication/timestamp-in-milliseconds',
    summary: 'oauth_timestamp counts milliseconds',
    breaks: ['authentication/timestamp-seconds'],
    alteration: { fresh: (fresh, { time }) => ({ ...fresh, timestamp: String(time) }) },
  },
  {
    ...both,
    id: 'authentication/nonce-of-the-second',
    summary: 'All requests of one second have the same nonce',
    breaks: ['authentication/nonce-unique'],
    alteration: { fresh: (fresh) => ({ ...fresh, nonce: `nonce${fresh.timestamp}` }) },
  },
];
