/** Clients that send another day_close_request_id than they were given, or none (sections 2.1 and 8). */
import type { ClientAlteration, ClientRefusal } from '../../peer/client/index.ts';
import type { Pair } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;

export const closeDayIdDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/id-left-out',
    summary: 'day_close_request_id is not sent',
    breaks: ['close-day/request-id-present'],
    alteration: only('close-day', { fields: (pairs) => pairs.filter(([name]) => name !== 'day_close_request_id') }),
  },
  {
    ...closeDay,
    id: 'close-day/id-as-uuid',
    summary: 'An id of 32 hexadecimal digits is sent as a UUID with dashes, 36 characters',
    breaks: ['close-day/request-id-alphabet', 'close-day/request-id-length'],
    alteration: id((text) =>
      text.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i, '$1-$2-$3-$4-$5'),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/id-signs-replaced',
    summary: 'Characters that are neither letters nor digits are sent as zeros',
    breaks: ['close-day/request-id-alphabet'],
    alteration: id((text) => text.replace(/[^A-Za-z0-9]/g, '0'), /has characters other/),
  },
  {
    ...closeDay,
    id: 'close-day/id-cut',
    summary: 'An id of more than 32 characters is cut',
    breaks: ['close-day/request-id-length'],
    alteration: id((text) => text.slice(0, 32), /has (?:3[3-9]|[4-9]\d|\d{3,}) characters/),
  },
  {
    ...closeDay,
    id: 'close-day/id-padded',
    summary: 'An id of fewer than 8 characters gets zeros in front',
    breaks: ['close-day/request-id-length'],
    alteration: id((text) => (text === '' ? text : text.padStart(8, '0')), /has [1-7] characters/),
  },
  {
    ...closeDay,
    id: 'close-day/id-as-number',
    summary: 'An id of digits loses its leading zeros',
    breaks: ['close-day/request-id-length'],
    alteration: id((text) => (/^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text)),
  },
];

/** Sends another id; what the reference client refuses for that reason is sent too. */
function id(change: (text: string) => string, mended?: RegExp): ClientAlteration {
  return only('close-day', {
    ...(mended === undefined ? {} : { refusal: (refusal) => stillRefused(refusal, mended) }),
    fields: (pairs) =>
      pairs.map((pair): Pair => (pair[0] === 'day_close_request_id' ? [pair[0], change(pair[1])] : pair)),
  });
}

function stillRefused(refusal: ClientRefusal | undefined, mended: RegExp): ClientRefusal | undefined {
  return refusal !== undefined && mended.test(refusal.reason) ? undefined : refusal;
}
