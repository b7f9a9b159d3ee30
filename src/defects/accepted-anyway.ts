/** Answers of acceptance for requests that the mock refused, and what tells those apart. */
import { headerValues, type SentRequest } from '../exchange/exchange.ts';
import type { About } from '../mock/alteration.ts';
import type { Reply } from '../mock/reply.ts';
import { finished } from '../mock/responses.ts';

/** As of endpoint 1111 on a day without a transaction. */
export function dayClosed({ serial = 0 }: About): Reply {
  const nothing = { saleApprovedCount: 0, saleAmount: '0.00', reversalApprovedCount: 0, reversalAmount: '0.00' };
  const gate = { gateId: '7101', isDayClosing: false, closedAt: 0, epntId: '1111', closeDayNumber: 1 };
  return finished([{ ...gate, ...nothing }], serial);
}

export function authorizationOf(request: SentRequest): string {
  return headerValues(request.headers, 'authorization')[0] ?? '';
}

/** Characters of the base64 text; a whole HMAC-SHA1 has 28, a signature of RSA-2048 344. */
export function signatureLength(request: SentRequest): number {
  const [, encoded = ''] = /oauth_signature="([^"]*)"/.exec(authorizationOf(request)) ?? [];
  return encoded.replace(/%[0-9A-Fa-f]{2}/g, 'x').length;
}
