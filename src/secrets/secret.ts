/** What must never be seen outside of this process, and every form in which it could be. */
import type { KeyObject } from 'node:crypto';
import { base64, type Encoding, encoders, hexadecimal } from './encoders.ts';
import { standInFor } from './stand-in.ts';

/** One form of a secret, and what is in its place where it is taken out; both have the same length. */
export interface SecretBytes {
  readonly bytes: Buffer;
  readonly standIn: Buffer;
}

export interface Secret {
  /** What it is, never what it says: `the consumer secret`. */
  readonly name: string;
  /** The plain text, or a piece of a key, is the first. Each walk through them may make them anew. */
  readonly forms: Iterable<SecretBytes>;
  /** Set for very many texts: among them are some that a text which was made up spells by chance. */
  readonly areMany?: true;
}

/** Bytes; a shorter form turns up anywhere by chance. */
const shortestForm = 6;

export interface SecretTextOptions {
  /** As long as the text, class by class (see `standInFor`, which is the default). */
  readonly standIn?: string;
  /** Encodings one inside the other, 2 by default: a client escapes what it put into base64. */
  readonly depth?: number;
  /** All by default. */
  readonly by?: readonly Encoding[];
}

/**
 * A secret text, such as a consumer secret: as it is, percent-encoded, in JSON, HTML, base64 and hex, and in each of these
 * inside another one.
 */
export function secretText(name: string, text: string, options: SecretTextOptions = {}): SecretWithForms {
  const { standIn = standInFor(text), depth = 2, by = Object.values(encoders) } = options;
  const forms = charsets(text, standIn).flatMap((plain) => nested([plain], depth, by));
  return { name, forms: distinct(forms) };
}

/** All of them are at hand. */
type SecretWithForms = Secret & { readonly forms: readonly SecretBytes[] };

/**
 * Very many values of one kind, such as the ids of a record: each is known by its text alone, so that a million of them can be
 * looked for. Encodings of it are met by the layers that a search takes off. They are asked for again in each walk: as objects
 * they would take ten times the memory of the texts.
 */
export function manyTexts(name: string, texts: Iterable<readonly [text: string, standIn?: string]>): Secret {
  const forms = {
    *[Symbol.iterator]() {
      for (const [text, standIn = standInFor(text)] of texts) {
        // UTF-16 of ASCII is a layer.
        if (!/^[\0-\x7f]*$/.test(text)) yield* distinct(charsets(text, standIn));
        else if (text.length >= shortestForm) {
          yield sameLength({ bytes: Buffer.from(text, 'latin1'), standIn: Buffer.from(standIn) });
        }
      }
    },
  };
  return { name, forms, areMany: true };
}

/** Bytes of a private number that are looked for together; 96 bits do not turn up by chance. */
const piece = 12;

/**
 * An RSA private key: any piece of a private number, in PEM of whatever line length, in DER, hex and JWK. What is public
 * in it is not a secret.
 */
export function secretKey(name: string, key: KeyObject): SecretWithForms {
  const { d, p, q, dp, dq, qi } = key.export({ format: 'jwk' });
  const known = new Map<string, SecretBytes>();
  for (const number of [d, p, q, dp, dq, qi]) addPieces(Buffer.from(number ?? '', 'base64url'), known);
  return { name, forms: [...known.values()] };
}

/** Lines of base64 start anywhere in a number: the pieces overlap, and the one that starts where four characters do is found. */
function addPieces(number: Buffer, known: Map<string, SecretBytes>): void {
  const add = (form: string, standIn: string) => {
    if (!known.has(form)) known.set(form, { bytes: Buffer.from(form, 'latin1'), standIn: standInBytes(standIn) });
  };
  for (let start = 0; start + piece <= number.length; start += 1) {
    const bytes = number.subarray(start, start + piece);
    const texts = [bytes.toString('base64')];
    const standIns = ['A'.repeat(16)];
    for (const encode of [percentOf, base64Of, hexOf]) addEncoded(encode, texts[0]!, standIns[0]!, texts, standIns);
    const once = texts.length;
    for (let at = 1; at < once; at += 1) addEncoded(percentOf, texts[at]!, standIns[at]!, texts, standIns);
    for (let at = 0; at < texts.length; at += 1) add(texts[at]!, standIns[at]!);
    if (start % piece !== 0) continue;
    add(bytes.toString('latin1'), '\0'.repeat(piece));
    for (const form of hexOf(bytes.toString('latin1'))) add(form, '0'.repeat(2 * piece));
  }
}

/** Bytes as a text, in each form of one encoding; many of those are the same. */
type TextEncoding = (text: string) => readonly string[];

/** Adds the forms that are not among `texts` yet, and the stand-in of each; thousands of texts have the same stand-in. */
function addEncoded(encode: TextEncoding, text: string, standIn: string, texts: string[], standIns: string[]): void {
  const forms = encode(text);
  const theirs = encodedStandIn(encode, standIn);
  for (let at = 0; at < forms.length; at += 1) {
    const form = forms[at]!;
    if (texts.includes(form)) continue;
    texts.push(form);
    standIns.push(theirs[at]!.length === form.length ? theirs[at]! : 'x'.repeat(form.length));
  }
}

/**
 * As `percent` encodes what consists of the characters of base64 and of escapes: of those its first three kinds have the same
 * bare. With what every byte is escaped in.
 */
const percentOf: TextEncoding = (text) => {
  const bare = text.replaceAll('%', '%25');
  const every = Buffer.from(text, 'latin1').toString('hex').replace(/../g, '%$&');
  const [upper, lower] = [
    bare.replaceAll('+', '%2B').replaceAll('/', '%2F').replaceAll('=', '%3D'),
    bare.replaceAll('+', '%2b').replaceAll('/', '%2f').replaceAll('=', '%3d'),
  ];
  return [upper, lower, every.toUpperCase(), every];
};

const base64Of: TextEncoding = (text) => base64(Buffer.from(text, 'latin1')).map((form) => form.toString('latin1'));
const hexOf: TextEncoding = (text) => hexadecimal(Buffer.from(text, 'latin1')).map((form) => form.toString('latin1'));

/** Stand-ins of keys are a few texts: each is made once, and so are its encodings and its bytes. */
const encodedStandIns = new Map<TextEncoding, Map<string, readonly string[]>>();
const standInsOfKeys = new Map<string, Buffer>();

function encodedStandIn(encode: TextEncoding, standIn: string): readonly string[] {
  const ofEncoding = encodedStandIns.get(encode) ?? new Map<string, readonly string[]>();
  encodedStandIns.set(encode, ofEncoding);
  const known = ofEncoding.get(standIn) ?? encode(standIn);
  ofEncoding.set(standIn, known);
  return known;
}

function standInBytes(standIn: string): Buffer {
  const known = standInsOfKeys.get(standIn) ?? Buffer.from(standIn, 'latin1');
  standInsOfKeys.set(standIn, known);
  return known;
}

/** UTF-8, UTF-16, and Latin-1 where that can hold the text. */
function charsets(text: string, standIn: string): SecretBytes[] {
  const narrow = /^[\0-\xff]*$/.test(text) ? (['latin1'] as const) : [];
  return (['utf8', 'utf16le', ...narrow] as const).map((charset) => ({
    bytes: Buffer.from(text, charset),
    standIn: Buffer.from(standIn, charset),
  }));
}

/** The encoders write the stand-in as they write the secret, since both are of the same class. */
function nested(forms: readonly SecretBytes[], levels: number, by: readonly Encoding[]): readonly SecretBytes[] {
  if (levels === 0) return forms;
  return [...forms, ...nested(distinct(encodedBy(by, ...forms)), levels - 1, by)];
}

function encodedBy(some: readonly Encoding[], ...forms: readonly SecretBytes[]): SecretBytes[] {
  return forms.flatMap(({ bytes, standIn }) =>
    some.flatMap((encode) => {
      const standIns = encode(standIn);
      return encode(bytes).map((form, index) => ({ bytes: form, standIn: standIns[index]! }));
    }),
  );
}

function distinct(forms: readonly SecretBytes[]): SecretBytes[] {
  const known = new Map<string, SecretBytes>();
  for (const form of forms) {
    const key = form.bytes.toString('latin1');
    if (form.bytes.length >= shortestForm && !known.has(key)) known.set(key, sameLength(form));
  }
  return [...known.values()];
}

/** No form is ever replaced by one of another length: lengths that are elsewhere stay right. */
function sameLength(form: SecretBytes): SecretBytes {
  if (form.standIn.length === form.bytes.length) return form;
  return { bytes: form.bytes, standIn: Buffer.alloc(form.bytes.length, 'x') };
}
