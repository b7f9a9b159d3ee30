/** Seventeen inputs that together reveal every signing mistake that any input can reveal. Ordinary values reveal a third. */
import { type Labelled, open } from './labelled.ts';

export interface DiscriminatingInput {
  /** The mistake that it reveals. */
  readonly reveals: string;
  /** Form fields to append to a valid request, in this order. */
  readonly form?: readonly (readonly [name: string, value: string])[];
  /** The consumer secret for the subject. */
  readonly secret?: string;
  /** The address of the request. Absent parts stay unchanged. */
  readonly url?: {
    readonly scheme?: 'http' | 'https';
    readonly port?: number;
    /** Fixed path before /api/. */
    readonly prefix?: string;
    readonly query?: string;
  };
}

/** The most revealing first. The document names none of them, so each has an open point. */
export const discriminatingInputs: readonly Labelled<DiscriminatingInput>[] = [
  open('A1', 'repeated-name-with-accent-and-z', {
    reveals: 'values of one name not sorted, sorted before encoding, or collapsed; text not taken as UTF-8',
    form: [
      ['sale_approved_sum', 'z'],
      ['sale_approved_sum', '\u00e9'],
    ],
  }),
  open('A9', 'sub-delimiters', {
    reveals: "! * ' ( ) left unescaped, as encodeURIComponent leaves them",
    form: [['sale_approved_sum', "!*'()"]],
  }),
  open('A9', 'spaces-at-the-edges', {
    reveals: 'a space signed as +, or values trimmed before signing',
    form: [['sale_approved_sum', ' 1 0 ']],
  }),
  open('A1', 'http-on-another-port', {
    reveals: 'a port that is not the default left out, put after the path, or compared with 443 only',
    url: { scheme: 'http', port: 8080 },
  }),
  open('A2', 'secret-with-space-plus-ampersand-percent', {
    reveals: 'the secret used as the key without percent-encoding, or with the encoding of forms',
    secret: 'secret with +, & and %41 inside',
  }),
  open('A9', 'plus', { reveals: 'a plus read as a space', form: [['sale_approved_sum', '1+1']] }),
  open('A1', 'query', {
    reveals: 'parameters of the query left out of the base string, or left in its URI',
    url: { query: 'x=1' },
  }),
  open('A9', 'literal-percent-escape', {
    reveals: 'values decoded once more before they are encoded',
    form: [['sale_approved_sum', '1%20000']],
  }),
  open('A9', 'slash-colon-at-comma-semicolon', {
    reveals: 'reserved characters left unescaped, as path or query encoders leave them',
    form: [['sale_approved_sum', 'a/b:c@d,e;f']],
  }),
  open('A9', 'empty-value', { reveals: 'empty values left out', form: [['sale_approved_sum', '']] }),
  open('A9', 'line-end', {
    reveals: 'line ends rewritten after signing',
    form: [['sale_approved_sum', '1\r\n2']],
  }),
  open('A1', 'written-default-port', {
    reveals: 'the default port kept in the URI',
    url: { scheme: 'https', port: 443 },
  }),
  open('A1', 'upper-case-in-the-path', {
    reveals: 'the whole URI put into lower case, path included',
    url: { prefix: '/PayNet' },
  }),
  open('A1', 'escape-in-the-path', {
    reveals: 'the path decoded, or encoded once more, before signing',
    url: { prefix: '/pay%20net' },
  }),
  open('A1', 'names-a-and-a-dash-b', {
    reveals: 'parameters sorted as joined name=value texts, where - comes before =',
    form: [
      ['a', '2'],
      ['a-b', '1'],
    ],
  }),
  open('A1', 'names-with-capitals', {
    reveals: 'names sorted without regard to case',
    form: [
      ['a', '1'],
      ['B', '2'],
    ],
  }),
  open('A2', 'secret-with-sub-delimiters', {
    reveals: "! * ' ( ) of the secret left unescaped, or ~ escaped",
    secret: "secret!*'()~secret",
  }),
];
