/** Clients whose payload is not base64 of section 4.2, or does not arrive as it was. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;
const base64 = { ...recurring, breaks: ['recurring/payload-base64'] } as const;

export const payloadDefects: readonly ClientDefect[] = [
  {
    ...base64,
    id: 'recurring/payload-in-lines-of-76',
    summary: 'The base64 text has a line feed after every 76 characters',
    alteration: { payload: (text) => text.match(/.{1,76}/g)?.join('\n') ?? text },
  },
  {
    ...base64,
    id: 'recurring/payload-in-lines-of-64',
    summary: 'The base64 text has CRLF after every 64 characters, the last ones too',
    alteration: { payload: (text) => text.replace(/.{1,64}/g, '$&\r\n') },
  },
  {
    ...base64,
    id: 'recurring/payload-with-line-feed',
    summary: 'A line feed follows the base64 text',
    alteration: { payload: (text) => `${text}\n` },
  },
  {
    ...base64,
    id: 'recurring/payload-url-safe',
    summary: 'The payload is written in the alphabet of base64url, padded',
    alteration: { payload: (text) => text.replaceAll('+', '-').replaceAll('/', '_') },
  },
  {
    ...base64,
    id: 'recurring/payload-without-padding',
    summary: 'The base64 text has no = at its end',
    alteration: { payload: (text) => text.replace(/=+$/, '') },
  },
  {
    ...base64,
    id: 'recurring/payload-encoded-twice',
    summary: 'The base64 text is encoded in base64 again',
    alteration: { payload: (text) => Buffer.from(text, 'latin1').toString('base64') },
  },
  {
    ...base64,
    id: 'recurring/payload-in-hex',
    summary: 'The payload is the CSV in hexadecimal',
    alteration: { payload: (_, { done }) => Buffer.from(done.csvBytes).toString('hex') },
  },
  {
    ...base64,
    id: 'recurring/payload-as-data-uri',
    summary: 'The base64 text follows the prefix of a data URI',
    alteration: { payload: (text) => `data:text/csv;base64,${text}` },
  },
  {
    ...recurring,
    id: 'recurring/payload-plus-raw',
    summary: 'A + of the base64 text is raw in the form body and arrives as a space',
    breaks: ['recurring/payload-escaped'],
    alteration: form((text) => text.replaceAll('%2B', '+')),
  },
  {
    ...recurring,
    id: 'recurring/payload-escaped-twice',
    summary: 'The base64 text is escaped twice in the form body: its + arrives as %2B',
    breaks: ['recurring/payload-escaped'],
    alteration: form((text) => text.replaceAll('%', '%25')),
  },
  {
    ...recurring,
    id: 'recurring/format-beside-payload',
    summary: 'The body has a parameter format besides payload',
    breaks: ['recurring/payload-only'],
    alteration: only('process-recurring-payments', { fields: (pairs) => [...pairs, ['format', 'csv']] }),
  },
  {
    ...recurring,
    id: 'recurring/payload-named-data',
    summary: 'The CSV is sent as the parameter data',
    breaks: ['recurring/payload-only'],
    alteration: only('process-recurring-payments', { fields: (pairs) => pairs.map(([, value]) => ['data', value]) }),
  },
];

/** The body alone: what is signed stays right. */
function form(change: (text: string) => string): ClientAlteration {
  return only('process-recurring-payments', { form: (text) => change(text) });
}
