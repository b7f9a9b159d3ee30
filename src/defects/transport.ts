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
];
