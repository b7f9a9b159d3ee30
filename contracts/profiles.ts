/** Profiles: the sets of decisions that a run can be judged under. */

/** A named set of answers to open points. */
export interface Profile {
  /** Value of `--profile`. */
  readonly name: string;
  /** One line for `list profiles`. */
  readonly summary: string;
  /** Other profiles whose answers it includes. */
  readonly includes: readonly string[];
  /** True: a deviation from an `expected` row fails. False: it passes with a remark. */
  readonly expectedIsJudged: boolean;
  /** True: a hazard (contracts/hazards.ts) that no baseline lists fails the run. */
  readonly hazardFails: boolean;
  /** Its decisions on open points. */
  readonly answers: readonly { readonly openPoint: `A${number}`; readonly answer: string }[];
}

/** The default profile: RFC 5849 defines the signature; RFC 4180, RFC 4648 and RFC 8259 define the encodings. */
const rfc5849 = {
  name: 'rfc5849',
  summary:
    'Signature by RFC 5849, CSV by RFC 4180 in UTF-8, base64 by RFC 4648, close-day body as JSON. The default on a live target.',
  includes: [],
  expectedIsJudged: false,
  hazardFails: false,
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
    {
      openPoint: 'A4',
      answer:
        'RFC 5849 3.5.1: a client writes name="value", percent-encoded once. Order, white space after commas and realm are free; what a gateway takes is observed.',
    },
    {
      openPoint: 'A12',
      answer:
        'RFC 4180: a client ends lines with CRLF or LF, the last one or not, quotes a cell of data or not, and has to where it holds ;, " or a line end; it writes UTF-8 without a byte-order mark. Other forms that a gateway accepts are only observed.',
    },
    {
      openPoint: 'A14',
      answer:
        'A fraction follows a point, and digits are not grouped. Scale, zeros and signs are observed, never judged, and so is an amount of 10 digits and a point.',
    },
    {
      openPoint: 'A16',
      answer:
        'RFC 4648 section 4: a client uses the standard alphabet with padding and without line breaks. Other forms that a gateway accepts are only observed.',
    },
    { openPoint: 'A24', answer: 'A long has 64 bits: a client keeps every digit of it.' },
    { openPoint: 'A27', answer: 'The close-day body is JSON in UTF-8.' },
    { openPoint: 'A29', answer: 'RFC 4180: a quote inside a quoted cell is doubled.' },
    {
      openPoint: 'A31',
      answer:
        'RFC 5849 3.5: a client sends them only in the header. How a gateway treats other places is only observed.',
    },
  ],
} as const satisfies Profile;

/** rfc5849 with all `expected` rows and hazards judged. For the mock and for tests of the judges, where everything is known. */
const strict = {
  name: 'strict',
  summary:
    'Like rfc5849, but a deviation from an expected requirement is a failure, and a hazard gives exit code 1. The default on the mock.',
  includes: ['rfc5849'],
  expectedIsJudged: true,
  hazardFails: true,
  answers: [],
} as const satisfies Profile;

/** Every value of `--profile`. */
export const profiles = [rfc5849, strict] as const satisfies readonly Profile[];

export type ProfileName = (typeof profiles)[number]['name'];

/** Undefined if the name is unknown. */
export function profileByName(name: string): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}

/** True for `document`, and for `profile:x` if x is this profile or included in it. */
export function answers(profile: Profile, basis: string): boolean {
  return basis === 'document' || [profile.name, ...profile.includes].some((name) => basis === `profile:${name}`);
}
