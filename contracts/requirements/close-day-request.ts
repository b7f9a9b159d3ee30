/** Requirements on close-day requests and on the gateway that receives them: sections 1, 2.1, 4.1, 8 and 9. */
import { rowMaker } from './requirement.ts';
import { callRows } from './transport.ts';

const shared = { operation: 'close-day', dimension: 'payload-encoding', kind: 'required' } as const;
const client = rowMaker({ ...shared, side: 'client' });
const formRow = rowMaker({ ...shared, side: 'client', restsOn: ['close-day/body-is-form'] });
const gateway = rowMaker({ ...shared, side: 'gateway' });
const expected = rowMaker({ ...shared, side: 'gateway', kind: 'expected' });

export const closeDayRequest = [
  ...callRows('close-day', 'close-day/body-is-form'),
  client({ id: 'close-day/body-is-form', section: '4.1', covers: ['4.1/bullet/3'] })(
    'The body is form-urlencoded and holds no fields but those of 2.1, each at most once.',
    'Encode the fields as application/x-www-form-urlencoded. Send nothing else in the body.',
    { part: 'form' },
  ),
  formRow({ id: 'close-day/request-id-present', section: '2.1', covers: ['2.1/row/1'] })(
    'day_close_request_id is always sent, and never empty.',
    'Send day_close_request_id with every close-day request.',
    { breachAtGateway: 'close-day/missing-request-id-refused' },
  ),
  formRow({ id: 'close-day/request-id-alphabet', section: '2.1', covers: ['2.1/row/1', '8/row/1'] })(
    'day_close_request_id consists of letters and digits only, and the client replaces none that its caller gave.',
    'Remove dashes and underscores from the id. A UUID without dashes is valid.',
    { breachAtGateway: 'close-day/request-id-alphabet-enforced' },
  ),
  formRow({ id: 'close-day/request-id-length', section: '2.1', covers: ['2.1/row/1', '8/row/1'] })(
    'day_close_request_id has 8 to 32 characters, and the client neither cuts nor fills up the one that its caller gave.',
    'Use an id of 8 to 32 characters, and send it as the caller gave it.',
    { schemaSees: 'ascii', breachAtGateway: 'close-day/request-id-length-enforced' },
  ),
  client({ id: 'close-day/request-id-unique', section: '2.1', covers: ['2.1/row/1'] })(
    'day_close_request_id identifies one request: no two requests share it.',
    undefined,
    {
      dimension: 'behaviour',
      untestable: 'The caller chooses the id. Requests do not show whether the caller used it elsewhere.',
    },
  ),
  optionalTotal(2, 'sale_approved_count', 'sale-approved-count', 'number of confirmed sales'),
  optionalTotal(3, 'sale_approved_sum', 'sale-approved-sum', 'amount of confirmed sales'),
  optionalTotal(4, 'reversal_approved_count', 'reversal-approved-count', 'number of confirmed reversals'),
  optionalTotal(5, 'reversal_approved_sum', 'reversal-approved-sum', 'amount of confirmed reversals'),
  client({
    id: 'close-day/environment-independent',
    section: '2.1',
    covers: ['2.1/row/1', '2.1/row/2', '2.1/row/3', '2.1/row/4', '2.1/row/5'],
  })(
    'The same input gives the same fields and header parameters whatever the time zone and the locale.',
    'Do not use the locale of the machine to format numbers or to change case. Compute the time in seconds since the epoch.',
    { restsOn: ['close-day/*', 'authentication/header-*'] },
  ),

  gateway({ id: 'close-day/missing-request-id-refused', section: '2.1', covers: ['2.1/row/1'] })(
    'A request without day_close_request_id, or with an empty one, is refused.',
    'Refuse a close-day request whose body lacks day_close_request_id.',
  ),
  gateway({ id: 'close-day/request-id-bounds-accepted', section: '2.1', covers: ['2.1/row/1', '8/row/1'] })(
    'A day_close_request_id of 8 and one of 32 letters and digits are accepted.',
    'Accept both ends of the range 8 to 32.',
  ),
  expected({ id: 'close-day/request-id-length-enforced', section: '8', covers: ['8/row/1'] })(
    'A day_close_request_id outside 8 to 32 characters is refused.',
    'Callers must stay within the limit. If the gateway accepts other lengths, callers may begin to depend on them.',
  ),
  expected({ id: 'close-day/request-id-alphabet-enforced', section: '8', covers: ['8/row/1'] })(
    'A day_close_request_id with a character that is neither a letter nor a digit is refused.',
    'Callers must use only letters and digits. If the gateway accepts other characters, callers may begin to depend on them.',
  ),
  expected({ id: 'close-day/content-type-enforced', section: '4.1', covers: ['4.1/bullet/2'] })(
    'A request with another content type, or without one, is refused.',
    'Callers must send this Content-Type. A body of another type is not a form.',
    { dimension: 'transport' },
  ),
  acceptsTotal(2, 'sale_approved_count', 'sale-approved-count'),
  acceptsTotal(3, 'sale_approved_sum', 'sale-approved-sum'),
  acceptsTotal(4, 'reversal_approved_count', 'reversal-approved-count'),
  acceptsTotal(5, 'reversal_approved_sum', 'reversal-approved-sum'),
  gateway({ id: 'close-day/generated-requests-accepted', section: '2.1', covers: ['2.1/row/1', '8/row/1'] })(
    'A request with any day_close_request_id of 8 to 32 ASCII letters and digits, and nothing else, is accepted.',
    'The exchanges contain the smallest request that fails. Compare its values with those of its twin.',
  ),
] as const;

function optionalTotal<const Slug extends string>(line: number, field: string, slug: Slug, meaning: string) {
  return formRow({ id: `close-day/${slug}`, section: '2.1', covers: [`2.1/row/${line}`] })(
    `${field} (${meaning}) is optional text: given, it is sent unchanged or as an equal number; not given, it has no value.`,
    `Send the ${field} of the caller unchanged. If the caller gives none, leave the field out.`,
  );
}

/** A gateway must accept the total that it computed itself. It may refuse any other total (A28). */
function acceptsTotal<const Slug extends string>(line: number, field: string, slug: Slug) {
  return gateway({
    id: `close-day/accepts-${slug}`,
    section: '2.1',
    covers: [`2.1/row/${line}`, '8/row/5', '1/bullet/1'],
  })(
    `A request that carries the optional ${field}, with the gateway's own total, is accepted.`,
    `Accept the field ${field} with the gateway's own total. Compare the request with the accepted request without that field.`,
    {
      condition: "the gateway's own totals are known",
      arises: "Set totals in the configuration to the gateway's own totals.",
    },
  );
}
