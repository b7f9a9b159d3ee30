/** Open points: questions that the interface document does not answer. They are observed and recorded, and never fail a subject on their own. */

/** One open point. */
export interface OpenPoint {
  /** Number in the register; never changes and is never reused. */
  readonly id: `A${number}`;
  /** The question that the document leaves open. */
  readonly question: string;
  /** Sections of the interface document that should answer it. */
  readonly sections: readonly string[];
  /** The statements and gaps of the document that belong to this point (tests/house/document-shape.ts). */
  readonly covers: readonly string[];
  /** The way to observe it, or the reason why it is not observed. */
  readonly observation: string;
  /** `traffic`: in ordinary exchanges. `twins`: with probes and their twins. `effect`: only if effects are allowed. `none`: not observable. */
  readonly probe: 'traffic' | 'twins' | 'effect' | 'none';
  /** The profile that answers it, if any. */
  readonly answeredBy?: 'rfc5849';
}

/** By default the sections are those of the covered statements. */
type Entry = Omit<OpenPoint, 'sections'> & Partial<OpenPoint>;

const entries = [
  {
    id: 'A1',
    question: 'How is the signature base string built and how are parameters normalised?',
    covers: ['5/silence/1', '5/bullet/9'],
    observation: 'Requests signed in several dialects, each with its twin.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A2',
    question: 'How are keys and secrets issued, exchanged and rotated, and which key sizes are accepted?',
    covers: ['5/silence/2', '5/bullet/10'],
    observation: 'Whether a client also accepts a private key as PKCS#1. Ask the operator about the rest.',
    probe: 'traffic',
  },
  {
    id: 'A3',
    question: 'How far may a timestamp differ from the clock, and in which scope must a nonce be unique?',
    covers: ['5/bullet/7', '5/bullet/3'],
    observation: 'Requests with older and newer timestamps and with repeated nonces.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A4',
    question:
      'Which order, quoting, white space, realm and letter case of names are accepted in the Authorization header?',
    covers: ['5/bullet/1'],
    observation: 'Twins that differ only in the form of the header.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A5',
    question: 'Is the close-day body wrapped in an enclosing object?',
    covers: ['4.1/silence/1', '4.1/bullet/7'],
    observation: 'Whether response is at the top of the body or one object deep.',
    probe: 'traffic',
  },
  {
    id: 'A6',
    question: 'Which status values, error codes and messages exist?',
    covers: ['3/silence/1', '3/bullet/1', '7/silence/1', '7/bullet/1'],
    observation: 'All values received.',
    probe: 'traffic',
  },
  {
    id: 'A7',
    question:
      'What happens if a day_close_request_id or a client-orderid is used again, or a recurring-payment-id is twice in a batch?',
    covers: ['2.1/row/1', '2.3/row/1'],
    observation: 'Only if effects are allowed: the same id in two signed requests, or twice in a batch.',
    probe: 'effect',
  },
  {
    id: 'A8',
    question: 'Are letters of an id ASCII letters only, and does their case matter?',
    covers: ['2.1/row/1'],
    observation: 'Twins with a letter outside ASCII.',
    probe: 'twins',
  },
  {
    id: 'A9',
    question: 'Which formats and lengths may counts and sums of a close-day request have?',
    covers: ['2.1/silence/1', '2.1/silence/2', '2.1/silence/3', '2.1/silence/4', '8/row/5'],
    observation: 'Only if effects are allowed: signs, separators, long values.',
    probe: 'effect',
  },
  {
    id: 'A10',
    question: 'Is errorCode text or a number?',
    covers: ['2.2/row/3'],
    observation: 'The JSON type received.',
    probe: 'traffic',
  },
  {
    id: 'A11',
    question: 'Which language and zone names does gateCloseDate use, and is it the day of the answer?',
    covers: ['2.2/row/8'],
    observation:
      'The zones, whether the names are English, and English dates compared with the Date header. Names may have any length; only an English month before an English weekday is wrong.',
    probe: 'traffic',
  },
  {
    id: 'A12',
    question:
      'Which line ends, quoting of data rows, charset, byte-order mark, header order and extra columns may the CSV have?',
    covers: ['2.3/silence/1', '2.3/text/3'],
    observation: 'Twins that differ only in the form of the CSV.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A13',
    question:
      'Is 10 the exact or the maximum length of recurring-payment-id, and do lengths count bytes or characters?',
    covers: ['2.3/row/1', '2.3/row/2', '8/row/2', '8/row/3'],
    observation: 'Values one below, at and one above each limit, in ASCII and beyond.',
    probe: 'twins',
  },
  {
    id: 'A14',
    question: 'Does the point count towards the length of amount, and which scale, zeros and signs are accepted?',
    covers: ['2.3/row/3', '8/row/4'],
    observation: 'Values one below, at and one above the limit.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A15',
    question: 'What do amount-from, amount-to and amount-sequence contain, and may a row have them and amount?',
    covers: ['2.3/silence/1'],
    observation: 'Only if effects are allowed: rows with each form of the amount.',
    probe: 'effect',
  },
  {
    id: 'A16',
    question: 'Which base64 alphabet, padding and line breaks are accepted?',
    covers: ['4.2/step/2'],
    observation: 'Twins that differ only in the form of the base64 text.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A17',
    question:
      'When does an answer have the parameters of 2.4 instead of an empty body, and which HTTP status does it have?',
    sections: ['2.4', '4.2'],
    covers: ['4.2/silence/1', '4.2/bullet/7'],
    observation: 'Whether there was a body, and its status.',
    probe: 'traffic',
  },
  {
    id: 'A18',
    question: 'Is the 0x0A of a 2.4 value sent as a byte or as %0A, and does the last value have one?',
    covers: ['2.4/text/1'],
    observation: 'The raw bytes received.',
    probe: 'traffic',
  },
  {
    id: 'A19',
    question: 'What does code 200 mean among the error codes?',
    covers: ['2.4/row/5'],
    observation: 'Bodies with error-code 200.',
    probe: 'traffic',
  },
  {
    id: 'A20',
    question: 'Where is the error ID of code 500, and what is its name?',
    covers: ['7/row/3'],
    observation: 'The names of further parameters and headers with error-code 500, or that it is in error-message.',
    probe: 'traffic',
  },
  {
    id: 'A21',
    question: 'Which conditions lead to HTTP 403?',
    covers: ['7/silence/2', '7/bullet/2', '7/row/2'],
    observation: 'The requirements whose breach was answered with 403. Their twins distinguish them.',
    probe: 'twins',
  },
  {
    id: 'A22',
    question: 'What happens to a batch with one bad CSV row among good ones?',
    sections: ['1', '4.2'],
    covers: ['1/bullet/2'],
    observation: 'Only if effects are allowed.',
    probe: 'effect',
  },
  {
    id: 'A23',
    question: 'How many rows and bytes may a CSV have, and which rates are limited?',
    covers: ['8/silence/1', '8/silence/2', '8/bullet/1', '8/bullet/2'],
    observation: 'Growing batches within a budget.',
    probe: 'effect',
  },
  {
    id: 'A24',
    question: 'Are gateId and epntId 64 bits wide?',
    covers: ['2.2/row/6', '2.2/row/9'],
    observation: 'The number of digits received. Clients are tested above 2^53.',
    probe: 'traffic',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A25',
    question: 'Which changes may a new version bring?',
    covers: ['9/silence/1', '9/bullet/3'],
    observation: 'Requests cannot show it. Compare two runs.',
    probe: 'none',
  },
  {
    id: 'A26',
    question:
      'Which events exist, which fields does a recurring payment profile have, and which further effects and transitions exist?',
    covers: ['2.3/silence/2', '3/silence/2', '3/silence/3', '3/silence/4', '3/bullet/2', '6/silence/1'],
    observation: 'Not by traffic.',
    probe: 'none',
  },
  {
    id: 'A27',
    question: 'How is the close-day body serialised?',
    sections: ['2.2', '4.1'],
    covers: ['2.2/text/1'],
    observation: 'JSON, a form, or something else.',
    probe: 'traffic',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A28',
    question:
      'Is epntId the endpoint id of the path, what happens if sent totals differ from those of the gateway, and what does close-day do on a locked gate?',
    sections: ['1', '2.2', '3'],
    covers: ['1/bullet/3', '1/bullet/1', '2.2/row/9'],
    observation: 'epntId compared with the path. The rest only if effects are allowed.',
    probe: 'traffic',
  },
  {
    id: 'A29',
    question: 'How is a double quote inside a CSV cell escaped?',
    covers: ['2.3/text/2'],
    observation: 'Only on the mock. Doubling as in RFC 4180 is assumed.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A30',
    question:
      'What does a gateway do with repeated and further parameters, fields in the query, another method, path or version, the endpoint of another consumer, and unusual HTTP framing?',
    covers: ['4.1/bullet/1', '4.2/bullet/1', '4.2/bullet/3'],
    observation: 'Twins that differ only in one of these. Another path is requested only on the mock.',
    probe: 'twins',
  },
  {
    id: 'A31',
    question:
      'What does a gateway do with oauth_ parameters in the body or the query, with an Authorization header or without one?',
    covers: ['5/bullet/1'],
    observation:
      'A twin that repeats one of them in the body (RFC 5849 3.5 forbids that to clients), and twins with all of them in the body or query.',
    probe: 'twins',
    answeredBy: 'rfc5849',
  },
  {
    id: 'A32',
    question: 'Does the Accept header change the form of an answer?',
    covers: ['4.1/bullet/4', '4.2/bullet/7'],
    observation: 'A twin with Accept: application/vnd.pay+json, and the content type of its answer.',
    probe: 'twins',
  },
  {
    id: 'A33',
    question:
      'What happens to a batch with an unknown or stopped recurring payment, and to one for a gate that is closing or locked?',
    sections: ['1', '2.3', '3'],
    covers: ['1/bullet/2', '3/bullet/2'],
    observation:
      'Only if effects are allowed: a known profile together with an unknown one, and a batch for each state of a gate.',
    probe: 'effect',
  },
  {
    id: 'A34',
    question: 'Which status does the body of an accepted batch have?',
    covers: ['2.4/row/2'],
    observation: 'The values received.',
    probe: 'traffic',
  },
  {
    id: 'A35',
    question: 'In which form is a wrong signature refused?',
    sections: ['4.1', '5', '7'],
    covers: ['4.1/bullet/6', '7/silence/2'],
    observation: 'HTTP status and body of the refusals.',
    probe: 'traffic',
  },
  {
    id: 'A36',
    question: 'Does a client repeat a request on its own after no answer or an error?',
    covers: ['4.1/bullet/1', '4.2/bullet/1'],
    observation: 'Requests received for one call, after a reset, an error or a redirect.',
    probe: 'traffic',
  },
  {
    id: 'A37',
    question: 'Which characters may client-orderid contain besides letters, digits and hyphens?',
    covers: ['2.3/row/1'],
    observation: 'Twins that differ only in one order id.',
    probe: 'twins',
  },
  {
    id: 'A38',
    question: 'May a client omit oauth_version, as RFC 5849 3.1 allows?',
    covers: ['5/bullet/2', '5/bullet/4'],
    observation: 'A twin without oauth_version.',
    probe: 'twins',
  },
  {
    id: 'A39',
    question: 'Does every close-day request get its own theRequestSerialNumber?',
    covers: ['2.2/row/5'],
    observation: 'Whether two different requests got the same one.',
    probe: 'traffic',
  },
  {
    id: 'A40',
    question:
      'Which values may the counts, amounts, code39 and RRN of a gate have, and which gates and close-days share an RRN?',
    covers: ['2.2/row/10', '2.2/row/11', '2.2/row/12', '2.2/row/13', '2.2/row/14', '2.2/row/15'],
    observation: 'Whether values are empty, negative or not a number, and whether gates of one endpoint share an RRN.',
    probe: 'traffic',
  },
  {
    id: 'A41',
    question: 'Which further members may a close-day body have, and may an error have gates?',
    covers: ['2.2/text/1', '2.2/row/2'],
    observation: 'The names of further members, and whether an error has gates.',
    probe: 'traffic',
  },
  {
    id: 'A42',
    // Section 2.4 lists both without a condition, but does not say that every body has every parameter.
    question: 'Do error bodies of 2.4 also have status and serial-number?',
    covers: ['2.4/row/2', '2.4/row/3'],
    observation: 'Which of the two an error body has.',
    probe: 'traffic',
  },
] as const satisfies readonly Entry[];

export type OpenPointId = (typeof entries)[number]['id'];

/** All open points, in the order of their numbers. */
export const openPoints: readonly (OpenPoint & { readonly id: OpenPointId })[] = entries.map((entry) => ({
  sections: [...new Set(entry.covers.map((statement) => statement.split('/')[0]!))],
  ...entry,
}));

/** Open points that a verdict on these statements depends on. A1 always counts, because every accepted request needs a signature. */
export function assumedBy({ covers }: { readonly covers: readonly string[] }): OpenPointId[] {
  return openPoints
    .filter((point) => point.id === 'A1' || point.covers.some((statement) => covers.includes(statement)))
    .map(({ id }) => id);
}
