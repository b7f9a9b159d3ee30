/** What a passing run does not test. docs/explanation/limits.md has all limits. A report has the limits of its run. */

interface Limit {
  readonly side: 'gateway' | 'client';
  readonly topic: string;
  /** Markdown text. It says what is not tested, or what a run does instead. */
  readonly detail: string;
  /** Runs that do not have this limit: `mock` means runs on the mock, `measured` means runs with `--measure`. */
  readonly unless?: 'mock' | 'measured';
}

type LimitRow = string | readonly [detail: string, unless: Limit['unless']];

const rows: Readonly<Record<Limit['side'], Readonly<Record<string, LimitRow>>>> = {
  gateway: {
    'What happens after the answer':
      'The gateway may charge half of a batch, charge twice, charge cents as whole units, or act after a refusal',
    'Rare wrong signatures': [
      'A run sends about a hundred kinds of wrong signatures. `--measure` tries mistakes that real clients make',
      'measured',
    ],
    'How long nonces are remembered': [
      'A run repeats a nonce after a few seconds. `--measure` counts the remembered nonces',
      'measured',
    ],
    'Unusual nonces': 'Correct requests use nonces of 32 letters and digits',
    'Values that the configuration does not list': [
      'A real gateway gets only payment ids, amounts and totals that the configuration lists',
      'mock',
    ],
    'Ids such as eight zeros or one letter 128 times': [
      'Only the built-in mock gets these ids: they are the same in every run, and a real gateway may accept an id only once',
      'mock',
    ],
    'Unusual values':
      'Not sent: ids such as `true`, `NaN`, `0b101` or `--a`, a tab after an id, digits of another script, a pipe as delimiter, a form sent as `text/csv`',
    'Base64 with `+` or `/`':
      'Only order ids with characters that the document leaves open (A12, A37) give such base64',
    'Rare conditions':
      'Bodies over 70 KB, more than 25 payments, other spellings of the path, two `Authorization` headers, proxy headers; requests at the same moment, limits after hundreds of requests, the same nonce at another host, checks that are skipped sometimes',
    'Rules that the document states only in words':
      'Not checked: the weekday of a date, the language of `gateCloseDate`, repeated error IDs',
    'A single odd answer':
      'One HTTP 500 may be a transport fault. A run may miss one refused correct request in a hundred',
    'What the document leaves open': 'A run records the answers, and judges only what the profile decides',
  },
  client: {
    'Values that the adapter never reports':
      'The report has the remark `not exposed`. An adapter that reports a value in one call must report it in every call',
    'A clock that has stopped': 'A timestamp may be wrong by up to 300 seconds, and a run takes less time',
    'What the document leaves open':
      'Text around the JSON, further CSV columns, `charset`, unescaped ASCII in a form, redirects, answers cut off after a complete body',
    'Other statuses, zones, locales, ports, certificates, lengths and characters':
      'A run tries a few of each. Keys and secrets are ASCII and not empty',
    'Rare conditions':
      'More than 30 gates or 500 rows, requests over 17 KB, answers over 7 KB, `Content-Encoding`, values that the client keeps from an earlier call, timeouts of the client',
    'Calls at the same moment': 'Tested only if the adapter offers `max_in_flight` above 1',
    'Repeated requests': 'Recorded as a hazard and under open point A36, but not judged',
  },
};

export const limits: readonly Limit[] = (['gateway', 'client'] as const).flatMap((side) =>
  Object.entries(rows[side]).map(([topic, row]) => {
    const [detail, unless] = typeof row === 'string' ? [row] : row;
    return { side, topic, detail, unless };
  }),
);
