/** Faults of a gateway's connection. The mock is on loopback, where plain http shows nothing. */
import type { GatewayDefect } from './defect.ts';

export const transportDefects: readonly GatewayDefect[] = [
  {
    id: 'transport/served-over-plain-http',
    side: 'gateway',
    operation: 'both',
    summary: 'Both operations are answered over plain http at a public address',
    breaks: ['transport/https-served'],
    reach: 'stored',
    stored: [
      {
        request: {
          method: 'POST',
          scheme: 'http',
          host: 'gateway.invalid',
          target: '/api/v4/process-recurring-payments/1111',
          headers: [['Content-Type', 'application/x-www-form-urlencoded']],
          body: new Uint8Array(),
        },
        response: { status: 403, reason: 'Forbidden', headers: [['Content-Length', '0']], body: new Uint8Array() },
        startedAt: 1_800_000_000_000,
        durationMs: 1,
      },
    ],
    alteration: {},
  },
  {
    id: 'recurring/connection-closed-early',
    side: 'gateway',
    operation: 'process-recurring-payments',
    summary: 'A silent connection is closed after five seconds',
    breaks: ['recurring/keep-alive-kept'],
    reach: 'stored',
    stored: [
      {
        request: {
          method: 'POST',
          scheme: 'https',
          host: 'gateway.invalid',
          target: '/api/v4/process-recurring-payments/1111',
          headers: [['Content-Type', 'application/x-www-form-urlencoded']],
          body: new Uint8Array(),
        },
        response: {
          status: 200,
          reason: 'OK',
          headers: [
            ['Content-Length', '0'],
            ['Keep-Alive', 'timeout=60'],
          ],
          body: new Uint8Array(),
        },
        startedAt: 1_800_000_000_000,
        durationMs: 5001,
        silence: { waitedMs: 61_000, closedAfterMs: 5_000 },
      },
    ],
    alteration: {},
  },
];
