/** Clients whose oauth_signature is not base64 text of section 5; the bytes in it are right. */
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const both = { side: 'client', operation: 'both', breaks: ['authentication/signature-base64'] } as const;

export const signatureTextDefects: readonly ClientDefect[] = [
  {
    ...both,
    operation: 'process-recurring-payments',
    id: 'authentication/signature-in-lines',
    summary: 'The base64 text of an RSA signature has a line feed after every 76 characters',
    alteration: only('process-recurring-payments', { signature: (text) => text.match(/.{1,76}/g)!.join('\n') }),
  },
  {
    ...both,
    id: 'authentication/signature-with-a-tab',
    summary: 'The base64 text of the signature ends with a tab',
    alteration: { signature: (text) => `${text}\t` },
  },
  {
    ...both,
    id: 'authentication/signature-in-hex',
    summary: 'The signature is written in hexadecimal',
    alteration: { signature: (text) => Buffer.from(text, 'base64').toString('hex') },
  },
  {
    ...both,
    id: 'authentication/signature-url-safe',
    summary: 'The signature is written in the alphabet of base64url, padded',
    alteration: { signature: (text) => text.replaceAll('+', '-').replaceAll('/', '_') },
  },
  {
    ...both,
    id: 'authentication/signature-without-padding',
    summary: 'The signature is written without its = at the end',
    alteration: { signature: (text) => text.replace(/=+$/, '') },
  },
];
