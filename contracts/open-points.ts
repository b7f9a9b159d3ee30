/** Open points: questions that the interface document does not answer. A run records the answers, without a verdict. */
import { type ProfileName, profiles } from './profiles.ts';

/** A question that the interface document leaves open. */
export interface OpenPoint {
  /** `A` and a number. An id never changes and is never used again. */
  readonly id: `A${number}`;
  readonly question: string;
  /** Sections of the interface document that should answer the question. */
  readonly sections: readonly string[];
  /** Places in the document that leave the question open, such as `2.4/row/2` (see tests/house/document-shape.ts). */
  readonly covers: readonly string[];
  /** How the suite observes the answer, or why it cannot observe the answer. */
  readonly observation: string;
  /** What shows the answer: any exchange, one with an accepted twin, one with an allowed effect, or nothing. */
  readonly probe: 'traffic' | 'twins' | 'effect' | 'none';
  /** The profile that answers the question, if any. */
  readonly answeredBy?: ProfileName;
}

function probedBy(probe: OpenPoint['probe']) {
  return (
    covers: readonly string[],
    sections: readonly string[] = [...new Set(covers.map((statement) => statement.split('/')[0]!))],
  ) =>
    (question: string, observation: string) => ({ sections, question, covers, observation, probe });
}

const traffic = probedBy('traffic');
const twins = probedBy('twins');
const effect = probedBy('effect');
const unobserved = probedBy('none');

const entries = {
  A1: twins(['5/silence/1', '5/bullet/9'])(
    'How is the signature base string built, and how are parameters normalised?',
    'The suite sends requests signed in several dialects, each with its twin.',
  ),
  A2: traffic(['5/silence/2', '5/bullet/10'])(
    'How are keys and secrets issued, exchanged and rotated, and which key sizes are accepted?',
    'A run of a client tries a private key in PKCS#1. For the other questions, ask the operator of the gateway.',
  ),
  A3: twins(['5/bullet/7', '5/bullet/3'])(
    'How far may a timestamp differ from the clock, and in which scope must a nonce be unique?',
    'The suite sends requests with older and newer timestamps and with repeated nonces.',
  ),
  A4: twins(['5/bullet/1'])(
    'Which forms of the Authorization header are accepted (order, quoting, white space, realm, letter case of names)?',
    'The suite sends twins that differ only in the form of the header.',
  ),
  A5: traffic(['4.1/silence/1', '4.1/bullet/7'])(
    'Is the close-day body wrapped in an enclosing object?',
    'The suite looks for the member response at the top level of the body and one level deeper.',
  ),
  A6: traffic(['3/silence/1', '3/bullet/1', '7/silence/1', '7/bullet/1'])(
    'Which status values, error codes and messages exist?',
    'The suite records all values that it receives.',
  ),
  A7: effect(['2.1/row/1', '2.3/row/1'])(
    'What happens if a day_close_request_id or a client-orderid is used again, or if a recurring-payment-id occurs twice in a batch?',
    'If effects are allowed, the suite sends the same id in two signed requests, or twice in a batch.',
  ),
  A8: twins(['2.1/row/1'])(
    'May an id have letters outside ASCII, and does the case of letters matter?',
    'The suite sends twins with a letter outside ASCII.',
  ),
  A9: effect(['2.1/silence/1', '2.1/silence/2', '2.1/silence/3', '2.1/silence/4', '8/row/5'])(
    'Which formats and lengths may counts and sums of a close-day request have?',
    'If effects are allowed, the suite sends long values, and values with a minus sign or with separators.',
  ),
  A10: traffic(['2.2/row/3'])('Is errorCode text or a number?', 'The suite records the JSON type.'),
  A11: traffic(['2.2/row/8'])(
    'Which language and zone names does gateCloseDate use, and is its day the day of the answer?',
    'The suite records the zones and whether the names are English. It compares English dates with the Date header. It judges only one fault: an English month before an English weekday.',
  ),
  A12: twins(['2.3/silence/1', '2.3/text/3'])(
    'Which line ends, quoting of data rows, charset, byte-order mark, header order and extra columns may the CSV have?',
    'The suite sends twins that differ only in the form of the CSV.',
  ),
  A13: twins(['2.3/row/1', '2.3/row/2', '8/row/2', '8/row/3'])(
    'Is 10 the exact or the maximum length of recurring-payment-id, and do lengths count bytes or characters?',
    'The suite sends values at each limit, one below it and one above it, with ASCII and other characters.',
  ),
  A14: twins(['2.3/row/3', '8/row/4'])(
    'Does the length of amount include the decimal point, and which decimal places, zeros and signs are accepted?',
    'The suite sends values at the limit, one below it and one above it.',
  ),
  A15: effect(['2.3/silence/1'])(
    'What do amount-from, amount-to and amount-sequence contain, and may a row have them in addition to amount?',
    'If effects are allowed, the suite sends rows with each form of the amount.',
  ),
  A16: twins(['4.2/step/2'])(
    'Which base64 alphabet, padding and line breaks are accepted?',
    'The suite sends twins that differ only in the form of the base64 text.',
  ),
  A17: traffic(['4.2/silence/1', '4.2/bullet/7'], ['2.4', '4.2'])(
    'When does an answer have the parameters of section 2.4 instead of an empty body, and which HTTP status does it have?',
    'The suite records whether an answer has a body, and its HTTP status.',
  ),
  A18: traffic(['2.4/text/1'])(
    'Is the 0x0A after a value of section 2.4 sent as a byte or as %0A, and does it also follow the last value?',
    'The suite looks at the raw bytes.',
  ),
  A19: traffic(['2.4/row/5'])('What does error-code 200 mean?', 'The suite records bodies with error-code 200.'),
  A20: traffic(['7/row/3'])(
    'Where is the error ID of code 500, and what is its name?',
    'The suite records further parameters and headers of answers with error-code 500, and an error ID in error-message.',
  ),
  A21: twins(['7/silence/2', '7/bullet/2', '7/row/2'])(
    'Which conditions lead to HTTP 403?',
    'The suite records which broken requirements a gateway answers with 403. Twins show which broken requirement caused the 403.',
  ),
  A22: effect(['1/bullet/2'], ['1', '4.2'])(
    'What happens to a batch with one bad CSV row among good ones?',
    'If effects are allowed, the suite sends batches with one bad row.',
  ),
  A23: effect(['8/silence/1', '8/silence/2', '8/bullet/1', '8/bullet/2'])(
    'How many rows and bytes may a CSV have, and which rate limits exist?',
    'The suite sends growing batches within the allowance.',
  ),
  A24: traffic(['2.2/row/6', '2.2/row/9'])(
    'Are gateId and epntId 64 bits wide?',
    'The suite records the number of digits. Client runs use ids above 2^53.',
  ),
  A25: unobserved(['9/silence/1', '9/bullet/3'])(
    'Which changes may a new version bring?',
    'Requests cannot show the answer. Compare two runs.',
  ),
  A26: unobserved(['2.3/silence/2', '3/silence/2', '3/silence/3', '3/silence/4', '3/bullet/2', '6/silence/1'])(
    'Which events exist, which fields does a recurring payment profile have, and which further effects and transitions exist?',
    'Requests cannot show the answer.',
  ),
  A27: traffic(['2.2/text/1'], ['2.2', '4.1'])(
    'How is the close-day body serialised?',
    'The suite records whether the body is JSON.',
  ),
  A28: traffic(['1/bullet/3', '1/bullet/1', '2.2/row/9'], ['1', '2.2', '3'])(
    'Is epntId the endpoint id of the path, what happens if sent totals differ from those of the gateway, and what does close-day do on a locked gate?',
    'The suite compares epntId with the path. It tests totals and locked gates only if effects are allowed.',
  ),
  A29: twins(['2.3/text/2'])(
    'How is a double quote inside a CSV cell escaped?',
    'The suite doubles the quotes, as in RFC 4180. Only the mock gets such cells.',
  ),
  A30: twins(['4.1/bullet/1', '4.2/bullet/1', '4.2/bullet/3'])(
    'How does a gateway treat repeated or additional parameters, fields in the query, another method, path or version, the endpoint of another consumer, and unusual HTTP framing?',
    'The suite sends twins that differ only in one of these forms. Only the mock gets requests with another path.',
  ),
  A31: twins(['5/bullet/1'])(
    'What does a gateway do with oauth_ parameters in the body or the query, with an Authorization header or without one?',
    'In one twin, a parameter of the header is also in the body, which RFC 5849 3.5 forbids. In other twins, all oauth_ parameters are in the body or in the query.',
  ),
  A32: twins(['4.1/bullet/4', '4.2/bullet/7'])(
    'Does the Accept header change the form of an answer?',
    'The suite sends a twin with Accept: application/vnd.pay+json, and records the content type of its answer.',
  ),
  A33: effect(['1/bullet/2', '3/bullet/2'], ['1', '2.3', '3'])(
    'What happens to a batch with an unknown or stopped recurring payment, and to a batch for a gate that is closing or locked?',
    'If effects are allowed, the suite sends one batch with a known and an unknown profile, and one batch for each state of a gate.',
  ),
  A34: traffic(['2.4/row/2'])('Which status does the body of an accepted batch have?', 'The suite records the values.'),
  A35: traffic(['4.1/bullet/6', '7/silence/2'], ['4.1', '5', '7'])(
    'With which HTTP status and body does a gateway refuse a wrong signature?',
    'The suite records HTTP status and body of refusals.',
  ),
  A36: traffic(['4.1/bullet/1', '4.2/bullet/1'])(
    'After an error or without an answer, does a client repeat a request automatically?',
    'After a reset, an error or a redirect, the suite counts the requests of one call.',
  ),
  A37: twins(['2.3/row/1'])(
    'Which characters may client-orderid contain besides letters, digits and hyphens?',
    'The suite sends twins that differ only in one order id.',
  ),
  A38: twins(['5/bullet/2', '5/bullet/4'])(
    'May a client omit oauth_version, as RFC 5849 3.1 allows?',
    'The suite sends a twin without oauth_version.',
  ),
  A39: traffic(['2.2/row/5'])(
    'Does every close-day request get its own theRequestSerialNumber?',
    'The suite compares the numbers of different requests.',
  ),
  A40: traffic(['2.2/row/10', '2.2/row/11', '2.2/row/12', '2.2/row/13', '2.2/row/14', '2.2/row/15'])(
    'Which values may the counts, amounts, code39 and RRN of a gate have, and which gates and close-days share an RRN?',
    'The suite records empty, negative and non-numeric values, and whether gates of one endpoint share an RRN.',
  ),
  A41: traffic(['2.2/text/1', '2.2/row/2'])(
    'Which further members may a close-day body have, and may an answer with status error have gates?',
    'The suite records the names of further members, and whether an answer with status error has gates.',
  ),
  A42: traffic(['2.4/row/2', '2.4/row/3'])(
    'Do error bodies of section 2.4 also have status and serial-number?',
    'The suite records which of the two parameters an error body has.',
  ),
};

export type OpenPointId = keyof typeof entries;

/** All open points, in the order of their numbers. */
export const openPoints: readonly (OpenPoint & { readonly id: OpenPointId })[] = Object.entries(entries).map(
  ([name, { sections, ...entry }]) => {
    const id = name as OpenPointId;
    const profile = profiles.find(({ answers }) => answers.some(({ openPoint }) => openPoint === id));
    return { sections, id, ...entry, ...(profile && { answeredBy: profile.name }) };
  },
);

/** The question of the open point with this id; undefined for an unknown id. */
export function questionOf(openPoint: string): string | undefined {
  return openPoints.find(({ id }) => id === openPoint)?.question;
}

/** The open points about the statements in `covers`. Also A1 (signing), because every request is signed. */
export function openPointsOf({ covers }: { readonly covers: readonly string[] }): OpenPointId[] {
  return openPoints
    .filter((point) => point.id === 'A1' || point.covers.some((statement) => covers.includes(statement)))
    .map(({ id }) => id);
}
