/** The secrets of generated consumers. Do not import fast-check here, because it takes 40 ms to load. */
import { createHash } from 'node:crypto';
import { digits, lettersAndDigits, printable, unreserved } from './alphabets.ts';

const hex = [...digits, ...'abcdef'];
const checksumLength = 8;

type PickCharacters = (alphabet: readonly string[], length: number) => string;

interface SecretForm {
  readonly feature: string;
  /** True if key and secret may have characters to percent-encode. A client may decline such credentials. */
  readonly isReserved: boolean;
  /** `extraLength` grows with the length of the consumer key: when fast-check shrinks the key, the secret shrinks. */
  readonly write: (pick: PickCharacters, extraLength: number) => string;
}

/** Forms of secrets. In a consumer key, the digit before the checksum is the index of the form in this list. */
export const secretForms: readonly SecretForm[] = [
  form('letters of both cases', (pick, extraLength) => pick(lettersAndDigits, 16 + 2 * extraLength)),
  form('a tilde', (pick, extraLength) => `${pick(unreserved, 16)}~${pick(unreserved, extraLength)}`),
  form('hexadecimal digits', (pick) => pick(hex, 40)),
  form('the form of a UUID', (pick) => [8, 4, 4, 4, 12].map((length) => pick(hex, length)).join('-')),
  form('digits that begin with zeros', (pick) => `00${pick(digits, 20)}`),
  form('base64', (pick) => `${pick([...lettersAndDigits, '+', '/'], 30)}==`, true),
  form('reserved characters', (pick, extraLength) => pick(printable, 16 + 2 * extraLength), true),
  form('spaces at both ends', (pick) => ` ${pick(lettersAndDigits, 20)} `, true),
];

function form(feature: string, write: SecretForm['write'], isReserved = false): SecretForm {
  return { feature, isReserved, write };
}

/** Computes the secret of a generated consumer key; undefined for any other key. */
export function issuedSecret(consumerKey: string): string | undefined {
  const prefix = consumerKey.slice(0, -checksumLength);
  const secretForm = secretForms[Number(prefix.at(-1))];
  if (secretForm === undefined || checksumOf(prefix) !== consumerKey.slice(-checksumLength)) return undefined;
  let at = 0;
  const bytes = createHash('shake256', { outputLength: 256 }).update(consumerKey).digest();
  const pick: PickCharacters = (alphabet, length) =>
    Array.from({ length }, () => alphabet[bytes[at++]! % alphabet.length]).join('');
  return secretForm.write(pick, prefix.length - 1);
}

/** The checksum at the end of a generated key. It has only digits, so that a whole key can look like a number. */
export function checksumOf(prefix: string): string {
  const number = createHash('sha256').update(`countersign consumer ${prefix}`).digest().readUInt32BE();
  return String(number).slice(-checksumLength).padStart(checksumLength, '0');
}
