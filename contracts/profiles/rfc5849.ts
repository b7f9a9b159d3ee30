/** The default profile: RFC 5849 answers the signature, RFC 4180, RFC 4648 and RFC 8259 answer the encodings. */
import type { Profile } from './profile.ts';

export const rfc5849 = {
  name: 'rfc5849',
  summary:
    'Signature by RFC 5849, CSV quoting by RFC 4180, base64 by RFC 4648, close-day body as JSON. The default on a live target.',
  includes: [],
  expectedIsJudged: false,
  answers: [
    {
      openPoint: 'A1',
      answer:
        'RFC 5849 3.4.1: POST, the URL without query, and all decoded form, query and oauth_ parameters but oauth_signature and realm, each occurrence once, sorted by encoded name and value.',
    },
    {
      openPoint: 'A3',
      answer:
        'RFC 5849 3.3: a nonce is used once for a timestamp and consumer key. The width of the time window is observed, never judged.',
    },
    { openPoint: 'A27', answer: 'The close-day body is JSON in UTF-8.' },
    { openPoint: 'A29', answer: 'RFC 4180: a quote inside a quoted cell is doubled.' },
  ],
} as const satisfies Profile;
