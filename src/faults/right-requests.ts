/** Gateways that put something else into the base string than was sent, or else refuse what is right (section 5; RFC 5849 section 3). */

import type { Reading } from '../mock/received.ts';
import type { Pair } from '../protocol/index.ts';
import type { Header } from '../record/exchange.ts';
import type { GatewayDefect } from './defect.ts';

const both = {
  side: 'gateway',
  operation: 'both',
  breaks: ['authentication/close-day-valid-accepted', 'authentication/recurring-valid-accepted'],
} as const;

export const rightRequestDefects: readonly GatewayDefect[] = [
  {
    ...both,
    id: 'authentication/body-left-out',
    summary:
      'The form parameters are left out of the base string: right signatures are refused, those over no body taken',
    breaks: [
      ...both.breaks,
      'authentication/close-day-altered-body-refused',
      'authentication/recurring-altered-body-refused',
    ],
    alteration: { signs: (material) => ({ ...material, body: [] }) },
  },
  {
    ...both,
    id: 'authentication/port-left-out',
    summary:
      'The base string has the URL without its port: right signatures for another port are refused, those without it taken',
    breaks: [
      ...both.breaks,
      'authentication/close-day-altered-uri-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    alteration: {
      signs: (material) => ({ ...material, url: { ...material.url, host: material.url.host.split(':')[0]! } }),
    },
  },
  {
    ...both,
    id: 'authentication/query-added',
    summary: 'The base string has a query parameter that was not sent, so that right signatures are refused',
    alteration: { signs: (material) => ({ ...material, query: [['y', '2']] }) },
  },
  {
    ...both,
    id: 'authentication/nonce-in-lower-case',
    summary:
      'The base string has the nonce in lower case, so that right signatures with a capital in theirs are refused',
    alteration: {
      signs: (material) => ({
        ...material,
        header: material.header.map(
          ([name, value]): Pair => [name, name === 'oauth_nonce' ? value.toLowerCase() : value],
        ),
      }),
    },
  },
  {
    ...both,
    id: 'authentication/scheme-behind-proxy',
    summary:
      'The base string has the scheme of the other side of a proxy: right signatures are refused, those over it taken',
    breaks: [
      ...both.breaks,
      'authentication/close-day-altered-uri-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    alteration: {
      signs: ({ url, ...rest }) => ({ ...rest, url: { ...url, scheme: url.scheme === 'https' ? 'http' : 'https' } }),
    },
  },
  {
    ...both,
    id: 'authentication/clock-wrong',
    summary: 'Fresh timestamps are taken for old ones, so that every request is refused',
    alteration: { settings: { timestampWindowSeconds: -1 } },
  },
  {
    ...both,
    id: 'authentication/first-parameter-dropped',
    summary: 'The first parameter of the header is taken for the realm and dropped',
    alteration: {
      reads: (request) => ({
        ...request,
        headers: request.headers.map(
          ([name, value]): Header => [
            name,
            name.toLowerCase() === 'authorization' ? value.replace(/^(OAuth )[^",]*"[^"]*",\s*/i, '$1') : value,
          ],
        ),
      }),
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'authentication/header-read-as-form',
    summary:
      'The header is decoded once more as a form, where = ends a name: a signature with = at its end is read as a name without value',
    breaks: ['authentication/recurring-valid-accepted'],
    // Every one of 256 bytes has = at its end; a +, which such a gateway loses too, is not in every one.
    alteration: {
      signs: (material) =>
        material.key.method === 'RSA-SHA256' && material.signature.endsWith('=')
          ? { ...material, signature: '' }
          : material,
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'recurring/order-id-of-no-value-refused',
    summary: 'A client-orderid 0 or null is taken for none and refused',
    breaks: ['recurring/generated-requests-accepted'],
    alteration: {
      refuses: (reading) =>
        reading.operation === 'process-recurring-payments' &&
        reading
          .batch()
          .column('client-orderid')
          .some((cell) => cell === '0' || cell === 'null')
          ? 'a client-orderid is missing'
          : undefined,
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'recurring/long-number-as-order-id-refused',
    summary: 'A client-orderid of digits is read as a number of 64 bits, and refused where it is more',
    breaks: ['recurring/generated-requests-accepted'],
    alteration: {
      refuses: (reading) =>
        hasOrderId(reading, (id) => /^\d+$/.test(id) && BigInt(id) >= 2n ** 64n) ? 'a number is too large' : undefined,
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'recurring/date-as-order-id-refused',
    summary: 'A client-orderid that looks like a date, such as 2026-05-13, is read as one and refused',
    breaks: ['recurring/generated-requests-accepted'],
    alteration: {
      refuses: (reading) =>
        hasOrderId(reading, (id) => /^\d{4}-\d\d-\d\d$/.test(id)) ? 'a text is due, not a date' : undefined,
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'recurring/hexadecimal-order-id-refused',
    summary: 'A client-orderid that looks like a hexadecimal number, such as 0x2a, is read as one and refused',
    breaks: ['recurring/generated-requests-accepted'],
    alteration: {
      refuses: (reading) =>
        hasOrderId(reading, (id) => /^0x[0-9a-f]+$/i.test(id)) ? 'a text is due, not a number' : undefined,
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'recurring/order-id-taken-for-sql-refused',
    summary: 'A firewall refuses a client-orderid with a word of SQL between hyphens',
    breaks: ['recurring/generated-requests-accepted'],
    alteration: {
      refuses: (reading) =>
        hasOrderId(reading, (id) => /(?:^|-)(?:select|union|drop|or)(?:-|$)/i.test(id)) ? 'looks like SQL' : undefined,
    },
  },
];

function hasOrderId(reading: Reading, is: (id: string) => boolean): boolean {
  return (
    reading.operation === 'process-recurring-payments' &&
    reading
      .batch()
      .column('client-orderid')
      .some((cell) => cell !== undefined && is(cell))
  );
}
