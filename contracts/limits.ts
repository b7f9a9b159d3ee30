/** What no green run shows. docs/explanation/limits.md prints all rows, a report those that apply to its run. */

export interface Limit {
  /** Whose runs it limits. */
  readonly side: 'gateway' | 'client';
  /** What is not shown. */
  readonly topic: string;
  /** The part that a run shows, or another way to test it. Markdown. */
  readonly detail: string;
  /** Runs that are not limited so: those on the mock, or those with `--measure`. */
  readonly unless?: 'mock' | 'measured';
}

export const limits: readonly Limit[] = [
  {
    side: 'gateway',
    topic: 'What happens after the answer',
    detail: 'The gateway may charge half a batch, a batch twice or another unit, or act after a refusal',
  },
  {
    side: 'gateway',
    topic: 'Further accepted ways to sign',
    detail: 'About a hundred kinds of wrong signatures are sent. `--measure` tries those of real clients',
    unless: 'measured',
  },
  {
    side: 'gateway',
    topic: 'How long nonces are remembered',
    detail: 'A run repeats a nonce after seconds. `--measure` counts the remembered ones',
    unless: 'measured',
  },
  {
    side: 'gateway',
    topic: 'Nonces of other forms',
    detail: 'Right requests use 32 letters and digits. Other forms are an open point (A3)',
  },
  {
    side: 'gateway',
    topic: 'Values that the configuration does not list',
    detail: 'A live target gets only payment ids, amounts and totals of its configuration',
    unless: 'mock',
  },
  {
    side: 'gateway',
    topic: 'Ids such as eight zeros or one letter 128 times',
    detail: 'Only the mock gets them: a live gateway may accept each id once',
    unless: 'mock',
  },
  {
    side: 'gateway',
    topic: 'Ids that a parser misreads',
    detail: 'Not sent: `true`, `NaN`, `0b101`, a leading `--`',
  },
  {
    side: 'gateway',
    topic: 'Base64 with `+` or `/`',
    detail: 'They arise only from order ids with characters of open points (A12, A37)',
  },
  {
    side: 'gateway',
    topic: 'Other faulty characters and delimiters',
    detail: 'Not sent: a tab after an id, digits of another script, a pipe as delimiter, a form sent as `text/csv`',
  },
  {
    side: 'gateway',
    topic: 'Faults that occur only under a condition that no case creates',
    detail:
      'Bodies over 70 KB, more than 25 payments, other spellings of the path, two `Authorization` headers, proxy headers; requests at the same moment, limits after hundreds of requests, a nonce under another host, an occasional skipped check',
  },
  {
    side: 'gateway',
    topic: 'What the document describes only in words',
    detail:
      'A weekday that does not fit its date, any language of `gateCloseDate`, an error ID that is always the same',
  },
  {
    side: 'gateway',
    topic: 'A single odd answer',
    detail: 'One HTTP 500 may be a transport fault. One refused right request in a hundred may be missed',
  },
  {
    side: 'gateway',
    topic: 'Everything that the document leaves open',
    detail: 'A run records it under its open point. For the error ID of code 500 see A20',
  },
  {
    side: 'client',
    topic: 'What the adapter never reports',
    detail: 'It gives the remark `not exposed`. A value that was reported before fails',
  },
  {
    side: 'client',
    topic: 'A clock that stands still',
    detail: 'A run is shorter than the 300 seconds by which a timestamp may be wrong',
  },
  {
    side: 'client',
    topic: 'Everything that the document leaves open',
    detail:
      'Text around the JSON, further CSV columns, `charset`, unescaped ASCII in a form, redirects, answers cut off after a complete body',
  },
  {
    side: 'client',
    topic: 'Other statuses, zones, locales, ports, certificates, lengths and characters',
    detail: 'A few of each are tried. Keys are ASCII and not empty',
  },
  {
    side: 'client',
    topic: 'Faults that occur only under a condition that no case creates',
    detail:
      "More than 30 gates or 500 rows, requests over 17 KB, answers over 7 KB, `Content-Encoding`, values kept from an earlier call, a time limit of the client's own",
  },
  {
    side: 'client',
    topic: 'Calls at the same moment',
    detail: 'They need an adapter that offers `max_in_flight` above 1',
  },
  {
    side: 'client',
    topic: 'How often a client sends',
    detail: 'A repeat is a hazard, and A36 records it',
  },
];
