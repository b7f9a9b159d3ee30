/** Reads RSA keys for RSA-SHA256 as KeyObject, the input of `sign` and `verifySignature`. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { ProtocolError } from './protocol-error.ts';

/** NIST SP 800-131A demands this size. RFC 8017 has no minimum. */
const minKeyBits = 2048;

type Half = 'private' | 'public';

/** A message about a key file. It never quotes the key. `what` follows the words "the file x", such as `is empty`. */
interface KeyNote {
  readonly id: string;
  readonly what: string;
  readonly hint: string;
}

type ParsedKey =
  | { readonly key: KeyObject; readonly form: string; readonly remarks: readonly KeyNote[] }
  | { readonly problem: KeyNote & { readonly code: 'not-a-key' | 'not-rsa' | 'key-too-small' } };

/** Reads an RSA private key in PEM or another unambiguous form. Throws `not-a-key`, `not-rsa` or `key-too-small`. */
export function readPrivateKey(text: string | Uint8Array): KeyObject {
  return keyOrThrow(parseKey(text, 'private'));
}

/** Like `readPrivateKey`, for a public key or certificate. Refuses a private key. `minBits`: default 2048 bits. */
export function readPublicKey(text: string | Uint8Array, minBits = minKeyBits): KeyObject {
  return keyOrThrow(parseKey(text, 'public', minBits));
}

function keyOrThrow(result: ParsedKey): KeyObject {
  if ('key' in result) return result.key;
  const { code, what, hint } = result.problem;
  throw new ProtocolError(code, `the text ${what}`, { hint });
}

/** Reads a key in any common form, or returns the problem. Never throws. */
export function parseKey(input: string | Uint8Array, half: Half, minBits = minKeyBits): ParsedKey {
  const { blocks, remarks } = blocksOf(input);
  const block = blocks.find(({ label }) => labelPatterns[half].test(label));
  const wrongHalf = half === 'public' ? blocks.find(({ label }) => label.includes('PRIVATE')) : undefined;
  const chosen = wrongHalf ?? block ?? blocks[0];
  const text = typeof input === 'string' ? input : Buffer.from(input).toString('latin1').replaceAll('\0', '');
  const kind = chosen === undefined ? text : `${chosen.label}\n${chosen.isEncrypted ? 'Proc-Type: 4,ENCRYPTED' : ''}`;
  const mistake = mistakes.find(({ pattern, half: where }) => (where ?? half) === half && pattern.test(kind));
  if (mistake !== undefined) return { problem: { code: 'not-a-key', ...mistake } };
  const isCut = chosen?.der === undefined ? /BEGIN(?![\s\S]*END)/.test(text) : lengthOf(chosen.der) > chosen.der.length;
  if (isCut) return { problem: { ...unreadable(half), id: 'cut-off', what: `holds a ${half} key that is cut off` } };
  if (chosen?.der === undefined) return { problem: unreadable(half) };
  const lines = chosen.der.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN ${chosen.label}-----\n${lines.join('\n')}\n-----END ${chosen.label}-----\n`;
  try {
    const key = half === 'private' ? createPrivateKey(pem) : createPublicKey(pem);
    const certificateCount = blocks.filter(({ label }) => label === 'CERTIFICATE').length;
    const chainNote: KeyNote = {
      id: 'chain',
      what: `holds ${certificateCount} certificates, and the first one is used`,
      hint: "If the first certificate is not the client's own, keep only the client's own certificate in the file.",
    };
    const chainNotes = half === 'public' && chosen.label === 'CERTIFICATE' && certificateCount > 1 ? [chainNote] : [];
    const form = chosen.label === 'RSA PRIVATE KEY' ? 'PKCS#1' : 'PKCS#8';
    return keyProblem(key, minBits) ?? { key, form, remarks: [...remarks, ...chosen.remarks, ...chainNotes] };
  } catch {
    // Drop the parser's error, because it may quote the key.
    return { problem: unreadable(half) };
  }
}

const labelPatterns: Readonly<Record<Half, RegExp>> = {
  private: /^(?:RSA |EC |DSA )?PRIVATE KEY$/,
  public: /^(?:RSA )?PUBLIC KEY$|^CERTIFICATE$/,
};

function keyProblem(key: KeyObject, minBits: number): ParsedKey | undefined {
  const pair =
    'a pair of at least 2048 bits (`openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048`), and register the public key at the gateway.';
  if (key.asymmetricKeyType !== 'rsa') {
    const what = `holds a key of type ${key.asymmetricKeyType}; RSA-SHA256 needs an RSA key`;
    return { problem: { code: 'not-rsa', id: 'type', what, hint: `Make ${pair.replace('a pair', 'an RSA pair')}` } };
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits >= minBits) return undefined;
  const what = `holds a key of ${bits} bits; at least ${minBits} are needed`;
  return { problem: { code: 'key-too-small', id: 'small', what, hint: `Make ${pair}` } };
}

function unreadable(half: Half) {
  const name = half.toUpperCase();
  return {
    code: 'not-a-key',
    id: 'unreadable',
    what: `holds no readable ${half} key: it is another kind of file, or only a part of a key`,
    hint: `Copy the whole file: a PEM file goes from "-----BEGIN ${name} KEY-----" to "-----END ${name} KEY-----".`,
  } as const;
}

/** Mistakes in key files. `pattern` matches the PEM label, or the text if it has no label. The first match counts. */
const mistakes: readonly (KeyNote & { readonly pattern: RegExp; readonly half?: Half })[] = [
  { id: 'empty', pattern: /^\s*$/, what: 'is empty', hint: 'Write the RSA key into the file, in PEM.' },
  {
    id: 'openssh',
    pattern: /OPENSSH PRIVATE KEY/,
    half: 'private',
    what: 'holds a key in OpenSSH format',
    hint: 'Convert a copy of the file to PEM: `ssh-keygen -p -N "" -m PKCS8 -f COPY`.',
  },
  {
    id: 'private',
    pattern: /PRIVATE KEY|PuTTY-User-Key-File/,
    half: 'public',
    what: 'holds a private key, but the public one is needed',
    hint: 'Give the public key: `openssl pkey -in KEY -pubout` (for PuTTY: `puttygen KEY -O public-openssh`).',
  },
  {
    id: 'encrypted',
    pattern: /ENCRYPTED/,
    what: 'holds an encrypted private key',
    hint: 'Store the key without a passphrase, in a file that only this user may read: `openssl pkey -in KEY -out KEY.plain`.',
  },
  {
    id: 'putty',
    pattern: /PuTTY-User-Key-File/,
    what: 'holds a key in PuTTY format',
    hint: 'Convert the key: `puttygen KEY.ppk -O private-openssh -o KEY`, then `ssh-keygen -p -N "" -m PKCS8 -f KEY`.',
  },
  {
    id: 'request',
    pattern: /CERTIFICATE REQUEST/,
    what: 'holds a certificate request, not a key',
    hint: 'Give the private key of this certificate request, or its public key: `openssl req -in FILE -pubkey -noout`.',
  },
  {
    id: 'pkcs7',
    pattern: /^(?:PKCS ?#?7|CMS)/,
    what: 'holds certificates in PKCS#7 format (.p7b)',
    hint: 'Extract them: `openssl pkcs7 -print_certs -in FILE -out CERTIFICATES.pem` (with `-inform DER` if binary).',
  },
  {
    id: 'pkcs12',
    pattern: /^PKCS12/,
    what: 'is a PKCS#12 file (.p12, .pfx)',
    hint: 'Extract the private key: `openssl pkcs12 -in FILE -nocerts -nodes`. For the certificate, use `-clcerts -nokeys`.',
  },
  { id: 'pgp', pattern: /PGP/, what: 'holds a PGP key', hint: 'Give the RSA key that signs the requests, in PEM.' },
  {
    id: 'public',
    pattern: /PUBLIC KEY/,
    half: 'private',
    what: 'holds a public key',
    hint: 'Give the private key: it signs the requests. The gateway needs the public key.',
  },
  {
    id: 'certificate',
    pattern: /CERTIFICATE/,
    half: 'private',
    what: 'holds a certificate',
    hint: 'A certificate contains only a public key. Give the private key of this certificate.',
  },
  {
    id: 'ssh',
    pattern: /(?:ssh|ecdsa)-[a-z0-9-]+ AAAA|^SSH2/,
    what: 'holds an ssh key that is not RSA, or only a part of a key',
    hint: 'Give an RSA key in PEM: `ssh-keygen -e -m PKCS8 -f KEY` prints the public key.',
  },
  {
    id: 'modulus',
    pattern: /modulus|^\s*(?:0x)?(?:[0-9a-f]{2}[:\s]*){128,}$/i,
    what: 'holds only the modulus of a key, not the whole key',
    hint: 'Give the key in PEM, or as JSON: {"kty":"RSA","n":…,"e":"AQAB"} with n in base64url.',
  },
];

interface KeyBlock {
  /** The label that a PEM file with these contents should have. */
  readonly label: string;
  readonly der?: Buffer;
  readonly isEncrypted?: boolean;
  readonly remarks: readonly KeyNote[];
}

const dash = '[-\u2010-\u2015\u2212]';
const pemFrame = new RegExp(
  `(${dash}*) ?BEGIN ([A-Z0-9# ]+?) ?${dash}+((?:(?!BEGIN )[\\s\\S])*?)(${dash}*) ?END \\2 ?(?:${dash}+|$)`,
  'g',
);

function formNote(id: string, what: string): KeyNote {
  const hint =
    'Other programs may refuse this form. Save the key in PEM: ASCII text with line ends, and with a BEGIN and an END line.';
  return { id, what, hint };
}

function blocksOf(input: string | Uint8Array): { blocks: readonly KeyBlock[]; remarks: readonly KeyNote[] } {
  if (typeof input !== 'string' && lengthOf(input) > 0) {
    const der = Buffer.from(input);
    return { blocks: [derBlock(der, [formNote('der', 'is binary (DER), not PEM')])], remarks: [] };
  }
  const { text, remarks } = typeof input === 'string' ? { text: input, remarks: [] } : decoded(input);
  const found = [...text.matchAll(pemFrame)].map((match) => pemBlock(match, text));
  return { blocks: found.length > 0 ? found : [numberBlock(text) ?? bareBlocks(text)].flat(), remarks };
}

function decoded(bytes: Uint8Array): { text: string; remarks: readonly KeyNote[] } {
  const [first, second] = bytes;
  let encoding: string | undefined;
  if (first === 0xff || second === 0) encoding = 'utf-16le';
  else if (first === 0xfe || first === 0) encoding = 'utf-16be';
  const remarks = encoding === undefined ? [] : [formNote('utf-16', 'is in UTF-16, not in ASCII')];
  return { text: new TextDecoder(encoding).decode(bytes), remarks };
}

const lineEnd = /\\+[rn]|&#(?:10|13|x0?[ad]);|%0[ad]|<br ?\/?>/gi;

function pemBlock(match: RegExpMatchArray, text: string): KeyBlock {
  const [whole, , label = '', body = ''] = match;
  if (/Proc-Type: 4,ENCRYPTED/.test(body)) return { label, isEncrypted: true, remarks: [] };
  if (label === 'SSH2 PUBLIC KEY') {
    const [blob = ''] = /AAAA[A-Za-z0-9+/=\s]+/.exec(body) ?? [];
    return sshBlock(blob) ?? { label, remarks: [] };
  }
  const excerpt = text.slice(Math.max(match.index! - 1, 0), match.index! + whole.length + 1).trim();
  const plainPem = /^-----BEGIN [A-Z0-9 ]+-----\s*\n(?:[A-Za-z0-9+/=]+[ \t]*\r?\n)+-----END [A-Z0-9 ]+-----$/;
  const what = 'holds PEM text with unusual quotes, blanks, hyphens or line ends';
  return derBlock(bytesOf(body), plainPem.test(excerpt) ? [] : [formNote('spelling', what)], label);
}

/** Decodes base64. Ignores quotes and other characters that copying may insert. Undefined for any other character. */
function bytesOf(text: string): Buffer | undefined {
  // A key from source code may be several strings. Remove the operators that join them.
  const joined = text.replace(lineEnd, ' ').replace(/["'][ \t]*[+.&][ \t]*(?=[\s\\]|$)/g, '');
  const base64 = joined.replace(/[^A-Za-z0-9+/=_-]/g, '');
  const unexpected = joined.replace(/[\sA-Za-z0-9+/=_>|\\"'`,;\u0080-\uffff-]/g, '');
  return unexpected === '' && base64 !== '' ? Buffer.from(base64, 'base64') : undefined;
}

/** Reads a text without BEGIN and END lines. It may be DER in base64, DER in hex, or a PEM file in base64. */
function bareBlocks(text: string): readonly KeyBlock[] {
  const hex = text.replace(/[\s:]|^0x/g, '');
  const bytes = /^30[0-9a-f]+$/i.test(hex) ? Buffer.from(hex, 'hex') : bytesOf(text);
  if (bytes === undefined || bytes.length < 64) return [];
  if (lengthOf(bytes) > 0) return [derBlock(bytes, [formNote('frame', 'has no BEGIN and END line')])];
  if (!/BEGIN |PuTTY/.test(bytes.toString('latin1'))) return [];
  const { blocks, remarks } = blocksOf(bytes);
  const note = formNote('base64', 'holds a PEM file in base64');
  return blocks.map((block) => ({ ...block, remarks: [note, ...remarks, ...block.remarks] }));
}

/** Reads a JSON Web Key (RFC 7517), a key in the XML of .NET, or an ssh public key (RFC 4253 section 6.6). */
function numberBlock(text: string): KeyBlock | undefined {
  const [, ssh] = /ssh-rsa\s+(AAAA[A-Za-z0-9+/=]+)/.exec(text) ?? [];
  if (ssh !== undefined) return sshBlock(ssh);
  const json = [...text.matchAll(/["'](n|e|d|p|q|dp|dq|qi)["']\s*:\s*["']([A-Za-z0-9+/=_-]+)["']/g)];
  const xml = [...text.matchAll(/<(Modulus|Exponent|D|P|Q|DP|DQ|InverseQ)>([A-Za-z0-9+/=\s]+)</g)];
  const found = [...json, ...xml].map(([, name = '', number = '']) => {
    return [xmlToJwk[name] ?? name, Buffer.from(number, 'base64')] as const;
  });
  if (found.filter(([name]) => name === 'n').length !== 1) return undefined;
  const jsonNote = formNote('jwk', 'holds a key as JSON (JWK), not PEM');
  const xmlNote = formNote('xml', 'holds a key as .NET XML, not PEM');
  return jwkBlock(Object.fromEntries(found), json.length > 0 ? jsonNote : xmlNote);
}

const xmlToJwk: Readonly<Record<string, string>> = {
  Modulus: 'n',
  Exponent: 'e',
  D: 'd',
  P: 'p',
  Q: 'q',
  DP: 'dp',
  DQ: 'dq',
  InverseQ: 'qi',
};

function jwkBlock(numbers: Readonly<Record<string, Buffer>>, remark: KeyNote): KeyBlock | undefined {
  if (numbers.e === undefined) return undefined;
  const members = Object.entries(numbers).map(([name, number]) => [name, number.toString('base64url')]);
  const input = { key: { kty: 'RSA', ...Object.fromEntries(members) }, format: 'jwk' } as const;
  const label = numbers.d === undefined ? 'RSA PUBLIC KEY' : 'RSA PRIVATE KEY';
  try {
    const key = numbers.d === undefined ? createPublicKey(input) : createPrivateKey(input);
    return { label, der: key.export({ type: 'pkcs1', format: 'der' }), remarks: [remark] };
  } catch {
    return { label, remarks: [remark] };
  }
}

function sshBlock(base64: string): KeyBlock | undefined {
  const blob = Buffer.from(base64, 'base64');
  const parts: Buffer[] = [];
  for (let at = 0; at + 4 <= blob.length; at += 4 + parts.at(-1)!.length) {
    parts.push(blob.subarray(at + 4, at + 4 + blob.readUInt32BE(at)));
  }
  const [name, e, n] = parts;
  if (name?.toString() !== 'ssh-rsa' || e === undefined || n === undefined) return undefined;
  return jwkBlock({ n, e }, formNote('ssh', 'holds an ssh public key, not PEM'));
}

/** The first bytes of the DER contents for each PEM label, in hex. */
const derForms: readonly (readonly [label: string, start: RegExp])[] = [
  ['RSA PRIVATE KEY', /^020100028/],
  ['PRIVATE KEY', /^02010[01]30/],
  ['EC PRIVATE KEY', /^02010104/],
  ['PKCS12', /^02010330/],
  ['PKCS7', /^06092a864886f70d010702/],
  ['ENCRYPTED PRIVATE KEY', /^30..06092a864886f70d0105/],
  ['PUBLIC KEY', /^30(?!8)..06(?:(?!2a864886f70d010[57]).)+/],
  ['RSA PUBLIC KEY', /^028/],
  ['CERTIFICATE', /^308.(?:..){1,2}a003/],
  ['CERTIFICATE REQUEST', /^308.(?:..){1,2}02010030/],
];

/** Replaces a wrong PEM label. For example, a PKCS#1 key often has the label "PUBLIC KEY". */
function derBlock(der: Buffer | undefined, remarks: readonly KeyNote[], writtenLabel = 'DATA'): KeyBlock {
  const label = writtenLabel.replace(/^(?:X509|TRUSTED|NEW) (?=CERT)/, '');
  if (der === undefined) return { label, remarks };
  const content = der.subarray(2 + (der[1]! > 0x80 ? der[1]! & 0x7f : 0), 64).toString('hex');
  const actualLabel = derForms.find(([, start]) => start.test(content))?.[0] ?? label;
  const note = formNote('label', `has the PEM label "${label}", but its content is "${actualLabel}"`);
  const isLabelRight = actualLabel === label || writtenLabel === 'DATA';
  return { label: actualLabel, der, remarks: isLabelRight ? remarks : [...remarks, note] };
}

/** Length in bytes of the ASN.1 sequence at the start, with its header. 0 if there is no such sequence. */
function lengthOf(bytes: Uint8Array): number {
  if (bytes[0] !== 0x30 || bytes.length < 4) return 0;
  const [, size = 0, high = 0, low = 0] = bytes;
  if (size < 0x80) return 2 + size;
  if (size === 0x81) return 3 + high;
  return size === 0x82 ? 4 + high * 256 + low : 0;
}
