/** Whether what is kept as the consumer secret is plausible: most wrong secrets are right ones that an editor or a copy changed. Pure. */
import { type DoctorFinding, ok, problem, remark } from './examination.ts';

/** Shorter secrets can be guessed, and turn up in a report by chance. */
const shortestSecret = 16;

/** A longer one costs an autopsy minutes: it tries thousands of ways to sign. */
const longestSecret = 1024;

export interface ExaminedSecret {
  /** The secret without one line end and a byte-order mark; undefined where a problem makes it useless. */
  readonly secret?: string;
  readonly findings: readonly DoctorFinding[];
}

/** `name` is what the secret is kept in, such as `the file secret.txt`. No finding quotes the secret. */
export function examineSecret(bytes: Uint8Array, name: string): ExaminedSecret {
  const text = decoded(bytes);
  if (text === undefined) {
    return useless(
      problem(
        'secret/encoding',
        `${name} is not UTF-8 text`,
        'Save it as plain UTF-8 text, with nothing but the secret.',
      ),
    );
  }
  const unmarked = text.replace(/^\uFEFF/, '');
  const secret = unmarked.replace(/\r?\n$/, '');
  const wrong = unusable(secret, name);
  if (wrong !== undefined) return useless(wrong);
  const findings = [
    ...(unmarked === text
      ? []
      : [
          remark(
            'secret/byte-order-mark',
            `the byte-order mark at the start of ${name} was left out`,
            'Other programs may take it for a part of the secret: save the file without it.',
          ),
        ]),
    ...(secret === unmarked ? [] : [remark('secret/line-end', `the line end at the end of ${name} was left out`)]),
    ...suspicions(secret, name),
  ];
  const doubtful = findings.some(({ status }) => status === 'problem');
  return { secret, findings: doubtful ? findings : [ok('secret', `${name} holds a plausible secret`), ...findings] };
}

/** Findings about a right secret that only looks wrong; a gateway that accepts its signatures has the last word. */
export const onlyDoubts: ReadonlySet<string> = new Set(['secret/quotes', 'secret/spaces']);

function useless(finding: DoctorFinding): ExaminedSecret {
  return { findings: [finding] };
}

function unusable(secret: string, name: string): DoctorFinding | undefined {
  if (secret.trim() === '') return problem('secret/empty', `${name} is empty`, 'Put the consumer secret into it.');
  if (secret.includes('-----BEGIN ')) {
    return problem(
      'secret/key',
      `${name} holds a key or a certificate`,
      'The secret of HMAC-SHA1 is a text that the operator of the gateway issues together with the consumer key.',
    );
  }
  if (/\p{Cc}/u.test(secret)) {
    return problem(
      'secret/lines',
      `${name} holds more than one line, or control characters`,
      'It has to hold the consumer secret and nothing else; one line end at its end does no harm.',
    );
  }
  if ([...secret].length < shortestSecret) {
    return problem(
      'secret/short',
      `${name} holds a secret of fewer than ${shortestSecret} characters`,
      'Check whether it was cut off; if not, ask for a longer one: this one can be guessed.',
    );
  }
  if (secret.length > longestSecret) {
    return problem(
      'secret/long',
      `${name} holds a secret of more than ${longestSecret} characters`,
      'Name the file with the consumer secret: this one is something else.',
    );
  }
  return undefined;
}

function suspicions(secret: string, name: string): DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (/^(["'`]).*\1$/.test(secret)) {
    findings.push(
      problem(
        'secret/quotes',
        `the secret in ${name} is in quotes, which are signed as a part of it`,
        'Remove the quotes, unless they belong to the secret.',
      ),
    );
  }
  if (secret !== secret.trim()) {
    findings.push(
      problem(
        'secret/spaces',
        `the secret in ${name} starts or ends with blanks, which are signed as a part of it`,
        'Remove them, unless they belong to the secret.',
      ),
    );
  }
  const encoding = encodingOf(secret);
  if (encoding !== undefined) {
    findings.push(
      remark(
        'secret/encoded',
        `the secret in ${name} looks like the ${encoding} form of a text`,
        'It is used unchanged. If it was handed over in encoded form, put the decoded text in its place.',
      ),
    );
  }
  return findings;
}

/** Only where decoding gives readable text: random letters are base64 and hexadecimal by chance. */
function encodingOf(secret: string): string | undefined {
  if (/%[0-9A-Fa-f]{2}/.test(secret)) return 'percent-encoded';
  if (/^(?:[0-9a-f]{2}){8,}$/i.test(secret)) {
    return isReadable(Buffer.from(secret, 'hex')) ? 'hexadecimal' : undefined;
  }
  const base64 = /^[A-Za-z0-9+/]{14,}={0,2}$/.test(secret) && secret.length % 4 === 0;
  return base64 && isReadable(Buffer.from(secret, 'base64')) ? 'base64' : undefined;
}

function isReadable(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** A byte-order mark is kept, so that it can be spoken of. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
