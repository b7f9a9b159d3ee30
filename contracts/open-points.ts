/** Open points: questions that the interface document does not answer. A run records the answers, without a verdict. */
import { type ProfileName, profiles } from './profiles.ts';

/** A question that the interface document leaves open. */
export interface OpenPoint {
  /** `A` and a number. An id never changes and is never used again. */
  readonly id: `A${number}`;
  readonly question: string;
  /** Sections of the interface document that should answer the question. */
  readonly sections: readonly string[];
  /** Statements and gaps of the document that leave the question open (tests/house/document-shape.ts). */
  readonly covers: readonly string[];
  /** How the suite observes the answer, or why the suite cannot observe the answer. */
  readonly observation: string;
  /** How a run observes the answer: in any exchange, by comparing twins, by an allowed effect, or not at all. */
  readonly probe: 'traffic' | 'twins' | 'effect' | 'none';
  /** The profile that answers the question, if any. */
  readonly answeredBy?: ProfileName;
}

/** By default `sections` has the sections of the covered statements. */
type Entry = Omit<OpenPoint, 'id' | 'sections' | 'answeredBy'> & Partial<Pick<OpenPoint, 'sections'>>;

const entries = {
  A1: {
    question: 'How is the signature base string built and how are parameters normalised?',
    covers: ['5/silence/1', '5/bullet/9'],
    observation: 'The suite sends requests signed in several dialects, each with its twin.',
    probe: 'twins',
  },
  A2: {
    question: 'How are keys and secrets issued, exchanged and rotated, and which key sizes are accepted?',
    covers: ['5/silence/2', '5/bullet/10'],
    observation: 'A client run tries a private key in PKCS#1. Ask the operator the other questions.',
    probe: 'traffic',
  },
  A3: {
    question: 'How far may a timestamp differ from the clock, and in which scope must a nonce be unique?',
    covers: ['5/bullet/7', '5/bullet/3'],
    observation: 'The suite sends requests with older and newer timestamps and with repeated nonces.',
    probe: 'twins',
  },
  A4: {
    question:
      'Which order, quoting, white space, realm and letter case of names are accepted in the Authorization header?',
    covers: ['5/bullet/1'],
    observation: 'The suite sends twins that differ only in the form of the header.',
    probe: 'twins',
  },
  A5: {
    question: 'Is the close-day body wrapped in an enclosing object?',
    covers: ['4.1/silence/1', '4.1/bullet/7'],
    observation: 'The suite looks for response at the top of the body and one object deep.',
    probe: 'traffic',
  },
  A6: {
    question: 'Which status values, error codes and messages exist?',
    covers: ['3/silence/1', '3/bullet/1', '7/silence/1', '7/bullet/1'],
    observation: 'The suite records all values that it receives.',
    probe: 'traffic',
  },
  A7: {
    question:
      'What happens if a day_close_request_id or a client-orderid is used again, or a recurring-payment-id is twice in a batch?',
    covers: ['2.1/row/1', '2.3/row/1'],
    observation: 'If effects are allowed, the suite sends the same id in two signed requests, or twice in a batch.',
    probe: 'effect',
  },
  A8: {
    question: 'Are letters of an id ASCII letters only, and does their case matter?',
    covers: ['2.1/row/1'],
    observation: 'The suite sends twins with a letter outside ASCII.',
    probe: 'twins',
  },
  A9: {
    question: 'Which formats and lengths may counts and sums of a close-day request have?',
    covers: ['2.1/silence/1', '2.1/silence/2', '2.1/silence/3', '2.1/silence/4', '8/row/5'],
    observation: 'If effects are allowed, the suite sends signs, separators and long values.',
    probe: 'effect',
  },
  A10: {
    question: 'Is errorCode text or a number?',
    covers: ['2.2/row/3'],
    observation: 'The suite records the JSON type.',
    probe: 'traffic',
  },
  A11: {
    question: 'Which language and zone names does gateCloseDate use, and is it the day of the answer?',
    covers: ['2.2/row/8'],
    observation:
      'The suite records the zones and whether the names are English. It compares English dates with the Date header. It judges only one fault: an English month before an English weekday.',
    probe: 'traffic',
  },
  A12: {
    question:
      'Which line ends, quoting of data rows, charset, byte-order mark, header order and extra columns may the CSV have?',
    covers: ['2.3/silence/1', '2.3/text/3'],
    observation: 'The suite sends twins that differ only in the form of the CSV.',
    probe: 'twins',
  },
  A13: {
    question:
      'Is 10 the exact or the maximum length of recurring-payment-id, and do lengths count bytes or characters?',
    covers: ['2.3/row/1', '2.3/row/2', '8/row/2', '8/row/3'],
    observation: 'The suite sends values one below, at and one above each limit, in ASCII and beyond.',
    probe: 'twins',
  },
  A14: {
    question: 'Does the point count towards the length of amount, and which scale, zeros and signs are accepted?',
    covers: ['2.3/row/3', '8/row/4'],
    observation: 'The suite sends values one below, at and one above the limit.',
    probe: 'twins',
  },
  A15: {
    question: 'What do amount-from, amount-to and amount-sequence contain, and may a row have them beside amount?',
    covers: ['2.3/silence/1'],
    observation: 'If effects are allowed, the suite sends rows with each form of the amount.',
    probe: 'effect',
  },
  A16: {
    question: 'Which base64 alphabet, padding and line breaks are accepted?',
    covers: ['4.2/step/2'],
    observation: 'The suite sends twins that differ only in the form of the base64 text.',
    probe: 'twins',
  },
  A17: {
    question:
      'When does an answer have the parameters of 2.4 instead of an empty body, and which HTTP status does it have?',
    sections: ['2.4', '4.2'],
    covers: ['4.2/silence/1', '4.2/bullet/7'],
    observation: 'The suite records whether an answer has a body, and its HTTP status.',
    probe: 'traffic',
  },
  A18: {
    question: 'Is the 0x0A of a 2.4 value sent as a byte or as %0A, and does the last value have it too?',
    covers: ['2.4/text/1'],
    observation: 'The suite looks at the raw bytes.',
    probe: 'traffic',
  },
  A19: {
    question: 'What does code 200 mean among the error codes?',
    covers: ['2.4/row/5'],
    observation: 'The suite records bodies with error-code 200.',
    probe: 'traffic',
  },
  A20: {
    question: 'Where is the error ID of code 500, and what is its name?',
    covers: ['7/row/3'],
    observation:
      'The suite records further parameters and headers of answers with error-code 500, and an error ID in error-message.',
    probe: 'traffic',
  },
  A21: {
    question: 'Which conditions lead to HTTP 403?',
    covers: ['7/silence/2', '7/bullet/2', '7/row/2'],
    observation:
      'The suite records which broken requirements a gateway answers with 403. Twins show which broken requirement caused the 403.',
    probe: 'twins',
  },
  A22: {
    question: 'What happens to a batch with one bad CSV row among good ones?',
    sections: ['1', '4.2'],
    covers: ['1/bullet/2'],
    observation: 'If effects are allowed, the suite sends batches with one bad row.',
    probe: 'effect',
  },
  A23: {
    question: 'How many rows and bytes may a CSV have, and which rates are limited?',
    covers: ['8/silence/1', '8/silence/2', '8/bullet/1', '8/bullet/2'],
    observation: 'The suite sends growing batches within the allowance.',
    probe: 'effect',
  },
  A24: {
    question: 'Are gateId and epntId 64 bits wide?',
    covers: ['2.2/row/6', '2.2/row/9'],
    observation: 'The suite records the number of digits. Client runs use ids above 2^53.',
    probe: 'traffic',
  },
  A25: {
    question: 'Which changes may a new version bring?',
    covers: ['9/silence/1', '9/bullet/3'],
    observation: 'Requests cannot show the answer. Compare two runs.',
    probe: 'none',
  },
  A26: {
    question:
      'Which events exist, which fields does a recurring payment profile have, and which further effects and transitions exist?',
    covers: ['2.3/silence/2', '3/silence/2', '3/silence/3', '3/silence/4', '3/bullet/2', '6/silence/1'],
    observation: 'Requests cannot show the answer.',
    probe: 'none',
  },
  A27: {
    question: 'How is the close-day body serialised?',
    sections: ['2.2', '4.1'],
    covers: ['2.2/text/1'],
    observation: 'The suite records whether the body is JSON.',
    probe: 'traffic',
  },
  A28: {
    question:
      'Is epntId the endpoint id of the path, what happens if sent totals differ from those of the gateway, and what does close-day do on a locked gate?',
    sections: ['1', '2.2', '3'],
    covers: ['1/bullet/3', '1/bullet/1', '2.2/row/9'],
    observation:
      'The suite compares epntId with the path. It tests totals and locked gates only if effects are allowed.',
    probe: 'traffic',
  },
  A29: {
    question: 'How is a double quote inside a CSV cell escaped?',
    covers: ['2.3/text/2'],
    observation: 'Only the mock gets such cells. The suite assumes doubled quotes, as in RFC 4180.',
    probe: 'twins',
  },
  A30: {
    question:
      'What does a gateway do with repeated and further parameters, fields in the query, another method, path or version, the endpoint of another consumer, and unusual HTTP framing?',
    covers: ['4.1/bullet/1', '4.2/bullet/1', '4.2/bullet/3'],
    observation: 'The suite sends twins that differ only in one of these forms. Only the mock gets another path.',
    probe: 'twins',
  },
  A31: {
    question:
      'What does a gateway do with oauth_ parameters in the body or the query, with an Authorization header or without one?',
    covers: ['5/bullet/1'],
    observation:
      'One twin repeats a parameter in the body, which RFC 5849 3.5 forbids to clients. Other twins have all parameters in the body or in the query.',
    probe: 'twins',
  },
  A32: {
    question: 'Does the Accept header change the form of an answer?',
    covers: ['4.1/bullet/4', '4.2/bullet/7'],
    observation:
      'The suite sends a twin with Accept: application/vnd.pay+json, and records the content type of its answer.',
    probe: 'twins',
  },
  A33: {
    question:
      'What happens to a batch with an unknown or stopped recurring payment, and to a batch for a gate that is closing or locked?',
    sections: ['1', '2.3', '3'],
    covers: ['1/bullet/2', '3/bullet/2'],
    observation:
      'If effects are allowed, the suite sends a known profile together with an unknown one, and a batch for each state of a gate.',
    probe: 'effect',
  },
  A34: {
    question: 'Which status does the body of an accepted batch have?',
    covers: ['2.4/row/2'],
    observation: 'The suite records the values.',
    probe: 'traffic',
  },
  A35: {
    question: 'In which form is a wrong signature refused?',
    sections: ['4.1', '5', '7'],
    covers: ['4.1/bullet/6', '7/silence/2'],
    observation: 'The suite records HTTP status and body of refusals.',
    probe: 'traffic',
  },
  A36: {
    question: 'Does a client send a request again on its own if it gets an error or no answer?',
    covers: ['4.1/bullet/1', '4.2/bullet/1'],
    observation: 'The suite counts the requests of one call after a reset, an error or a redirect.',
    probe: 'traffic',
  },
  A37: {
    question: 'Which characters may client-orderid contain besides letters, digits and hyphens?',
    covers: ['2.3/row/1'],
    observation: 'The suite sends twins that differ only in one order id.',
    probe: 'twins',
  },
  A38: {
    question: 'May a client omit oauth_version, as RFC 5849 3.1 allows?',
    covers: ['5/bullet/2', '5/bullet/4'],
    observation: 'The suite sends a twin without oauth_version.',
    probe: 'twins',
  },
  A39: {
    question: 'Does every close-day request get its own theRequestSerialNumber?',
    covers: ['2.2/row/5'],
    observation: 'The suite compares the numbers of different requests.',
    probe: 'traffic',
  },
  A40: {
    question:
      'Which values may the counts, amounts, code39 and RRN of a gate have, and which gates and close-days share an RRN?',
    covers: ['2.2/row/10', '2.2/row/11', '2.2/row/12', '2.2/row/13', '2.2/row/14', '2.2/row/15'],
    observation:
      'The suite records empty, negative and non-numeric values, and whether gates of one endpoint share an RRN.',
    probe: 'traffic',
  },
  A41: {
    question: 'Which further members may a close-day body have, and may an error have gates?',
    covers: ['2.2/text/1', '2.2/row/2'],
    observation: 'The suite records the names of further members, and whether an error has gates.',
    probe: 'traffic',
  },
  A42: {
    // Open, because section 2.4 lists both parameters without a condition, but does not say that every body has both.
    question: 'Do error bodies of 2.4 also have status and serial-number?',
    covers: ['2.4/row/2', '2.4/row/3'],
    observation: 'The suite records which of the two parameters an error body has.',
    probe: 'traffic',
  },
} as const satisfies Readonly<Record<OpenPoint['id'], Entry>>;

export type OpenPointId = keyof typeof entries;

/** All open points, in the order of their numbers. */
export const openPoints: readonly (OpenPoint & { readonly id: OpenPointId })[] = Object.entries<Entry>(entries).map(
  ([name, entry]) => {
    const id = name as OpenPointId;
    const sections = [...new Set(entry.covers.map((statement) => statement.split('/')[0]!))];
    const profile = profiles.find(({ answers }) => answers.some(({ openPoint }) => openPoint === id));
    return { sections, id, ...entry, ...(profile && { answeredBy: profile.name }) };
  },
);

/** Open points on which a verdict on these statements depends. A1 is always one, because every request is signed. */
export function assumedBy({ covers }: { readonly covers: readonly string[] }): OpenPointId[] {
  return openPoints
    .filter((point) => point.id === 'A1' || point.covers.some((statement) => covers.includes(statement)))
    .map(({ id }) => id);
}
