/** A named set of answers to open points. A run is judged by one profile. */
export interface Profile {
  /** Value of `--profile`. */
  readonly name: string;
  /** One line for `list profiles`. */
  readonly summary: string;
  /** Profiles whose answers this profile includes. */
  readonly includes: readonly string[];
  /** If true, a broken `expected` requirement is a failure. If false, the requirement passes with a remark. */
  readonly expectedIsJudged: boolean;
  /** If true, each hazard (contracts/hazards.ts) makes the run fail, unless a baseline has the hazard. */
  readonly hazardFails: boolean;
  /** Decisions on open points. */
  readonly answers: readonly { readonly openPoint: `A${number}`; readonly answer: string }[];
}

const rfc5849Answers: Readonly<Record<`A${number}`, string>> = {
  A1: 'RFC 5849 3.4.1: the base string has POST, the URL without query, and the decoded form, query and oauth_ parameters. oauth_signature and realm are left out. Every occurrence of a parameter counts. Parameters are sorted by encoded name, then by encoded value.',
  A3: 'RFC 5849 3.3: a client uses a nonce once for each timestamp and consumer key. The time window is observed, not judged.',
  A4: 'RFC 5849 3.5.1: a client writes name="value" and percent-encodes the value once. Order, realm and white space after commas are free. What a gateway accepts is only observed.',
  A12: 'RFC 4180 in UTF-8 without a byte-order mark. Lines end with CRLF or LF, and the last line end is optional. A cell with ;, " or a line end must be quoted, and other cells may be quoted. Other forms that a gateway accepts are only observed.',
  A14: 'A decimal fraction follows a point, and digits are not grouped. Scale, zeros, signs, and amounts of 10 digits and a point are observed, not judged.',
  A16: 'RFC 4648 section 4: a client uses the standard alphabet with padding and without line breaks. Other forms that a gateway accepts are only observed.',
  A24: 'A long has 64 bits: a client keeps every digit.',
  A27: 'The close-day body is JSON in UTF-8.',
  A29: 'RFC 4180: a quote inside a quoted cell is doubled.',
  A31: 'RFC 5849 3.5: a client sends oauth_ parameters only in the header. How a gateway treats other places is only observed.',
};

const rfc5849 = {
  name: 'rfc5849',
  summary:
    'Signature by RFC 5849, CSV by RFC 4180 in UTF-8, base64 by RFC 4648, close-day body as JSON. The default on a live target.',
  includes: [],
  expectedIsJudged: false,
  hazardFails: false,
  answers: Object.entries(rfc5849Answers).map(([id, answer]) => ({ openPoint: id as `A${number}`, answer })),
} as const satisfies Profile;

const strict = {
  name: 'strict',
  summary:
    'Like rfc5849, but a deviation from an expected requirement is a failure, and a hazard gives exit code 1. The default on the mock.',
  includes: ['rfc5849'],
  expectedIsJudged: true,
  hazardFails: true,
  answers: [],
} as const satisfies Profile;

/** Every value of `--profile`. The default on the mock is `strict`, because the behaviour of the mock is known. */
export const profiles = [rfc5849, strict] as const satisfies readonly Profile[];

export type ProfileName = (typeof profiles)[number]['name'];

/** Finds a profile by its name; undefined if the name is unknown. */
export function profileByName(name: string): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}

/** True if `basis` is `document`, this profile, or a profile that this profile includes. */
export function includesBasis(profile: Profile, basis: string): boolean {
  return basis === 'document' || [profile.name, ...profile.includes].some((name) => basis === `profile:${name}`);
}
