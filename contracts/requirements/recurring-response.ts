/** Requirements on the answers to a batch and on the client that reads them: sections 2.4, 4.2, 7 and 8. */
import { rowMaker } from './requirement.ts';

const gateway = { operation: 'process-recurring-payments', side: 'gateway', kind: 'required' } as const;
const transport = rowMaker({ ...gateway, dimension: 'transport' });
const decoding = rowMaker({ ...gateway, dimension: 'response-decoding' });
const bodyFields = {
  ...gateway,
  dimension: 'response-decoding',
  condition: 'a response body with the parameters of 2.4',
  arises:
    'No request causes such an answer. Use a gateway that answers with bodies of section 2.4, or a mock: set control-url in the configuration.',
} as const;
const body = rowMaker(bodyFields);
const acceptedType = 'process-recurring-payment-response';
const errorTypes = 'validation-error or error';
const acceptedBody = rowMaker({ ...bodyFields, condition: `a response body of type ${acceptedType}` });
const errorBody = rowMaker({ ...bodyFields, condition: `a response body of type ${errorTypes}` });
const client = rowMaker({
  operation: 'process-recurring-payments',
  side: 'client',
  dimension: 'response-decoding',
  kind: 'required',
});

export const recurringResponse = [
  transport({ id: 'recurring/success-status-200', section: '4.2', covers: ['4.2/bullet/5'] })(
    'An accepted batch is answered with HTTP 200.',
    'Answer an accepted batch with status 200, not 201, 202 or 204.',
  ),
  decoding({ id: 'recurring/success-body-empty', section: '4.2', covers: ['4.2/bullet/5'] })(
    'The answer to an accepted batch has an empty body, unless it has the parameters of 2.4.',
    'Send no body: a client may read any text as an error.',
  ),
  transport({ id: 'recurring/success-content-length-zero', section: '4.2', covers: ['4.2/bullet/5'] })(
    'The empty answer says Content-Length: 0, and no Transfer-Encoding beside it.',
    'Send Content-Length: 0 with the empty answer, and do not use chunked transfer coding.',
    {
      condition: 'an accepted batch that is answered with an empty body',
      arises: 'Use a gateway that answers an accepted batch with an empty body.',
    },
  ),
  transport({ id: 'recurring/failure-status-403', section: '4.2', covers: ['4.2/bullet/6', '7/row/2'] })(
    'An unsuccessful request is answered with HTTP 403, or with 401 where its authentication failed, unless a body of 2.4 reports the error.',
    'Answer an unsuccessful request with status 403.',
    {
      condition: 'a refusal without a body of section 2.4',
      arises: 'Use a gateway that refuses a batch with an HTTP status and without a body of section 2.4.',
    },
  ),
  decoding({ id: 'recurring/failure-body-empty', section: '4.2', covers: ['4.2/bullet/6', '7/row/2'] })(
    'The 403 answer has an empty body, unless it has the parameters of 2.4.',
    'Send no body with 403. An error page of a proxy in front of the gateway counts as a body.',
    { condition: 'a refusal with HTTP 403', arises: 'Use a gateway that refuses a batch with HTTP 403.' },
  ),
  transport({ id: 'recurring/keep-alive-timeout', section: '8', covers: ['8/row/6'] })(
    'The response announces a keep-alive timeout of 60 seconds.',
    'Send Keep-Alive: timeout=60. A proxy in front of the gateway may have replaced it.',
    { kind: 'expected' },
  ),
  transport({ id: 'recurring/keep-alive-kept', section: '8', covers: ['8/row/6'] })(
    'An idle connection is kept for 60 seconds.',
    'Keep an idle connection open for the time that the answer announces. A proxy in front of the gateway may have closed it.',
    {
      kind: 'expected',
      condition: 'a connection that is left silent for a minute: a run with --slow',
      arises: 'Run with --slow.',
    },
  ),
  body({ id: 'recurring/parameters-content-type', section: '4.2', covers: ['4.2/bullet/7'] })(
    'A body of 2.4 comes with content type text/html and charset utf-8.',
    'Send Content-Type: text/html;charset=utf-8.',
    { dimension: 'transport' },
  ),
  body({ id: 'recurring/parameters-line-feed', section: '2.4', covers: ['2.4/text/1'] })(
    'A body of 2.4 is form-urlencoded and each of its values ends with the character 0x0A.',
    'End every value, also the last one, with one line feed.',
  ),
  body({ id: 'recurring/type-present', section: '2.4', covers: ['2.4/row/1'] })(
    'A body of 2.4 has the parameter type once, with a value.',
    'Add type: it distinguishes an accepted batch from a failed one.',
  ),
  body({ id: 'recurring/type-value', section: '2.4', covers: ['2.4/row/1'] })(
    'type is process-recurring-payment-response, validation-error or error.',
    'Send one of the three types, because callers know no other type.',
    { kind: 'expected' },
  ),
  presence(acceptedBody, 'status', ['2.4/row/2'], acceptedType),
  presence(acceptedBody, 'serial-number', ['2.4/row/3'], acceptedType),
  body({ id: 'recurring/serial-number-unique', section: '2.4', covers: ['2.4/row/3'] })(
    'No two responses have the same serial-number.',
    'Assign a new serial-number to each request.',
    { dimension: 'behaviour', condition: 'two response bodies with a serial-number' },
  ),
  presence(errorBody, 'error-message', ['2.4/row/1', '2.4/row/4', '7/row/3'], errorTypes),
  presence(errorBody, 'error-code', ['2.4/row/1', '2.4/row/5', '7/row/3'], errorTypes),
  errorBody({ id: 'recurring/error-code-value', section: '2.4', covers: ['2.4/row/5', '7/row/3'] })(
    'error-code is one of the codes named: 200, 403, 500.',
    'Send one of the three codes, because callers know no other code.',
    { kind: 'expected' },
  ),
  errorBody({ id: 'recurring/error-id-with-500', section: '7', covers: ['7/row/3'] })(
    'A body with error-code 500 has an error ID besides, in a further parameter or in error-message.',
    'Add an error ID to an error with code 500. The document does not define the place of the ID (A20): it may be a header.',
    { condition: 'a response body with error-code 500' },
  ),

  client({ id: 'recurring/decodes-accepted', section: '4.2', covers: ['4.2/bullet/5'] })(
    'HTTP 200 with an empty body is read as accepted.',
    'Do not parse the empty body of a 200 answer: it means success. The adapter reports decoded.kind accepted.',
  ),
  client({ id: 'recurring/decodes-refused', section: '4.2', covers: ['4.2/bullet/6', '7/row/2'] })(
    'HTTP 403 with an empty body is read as refused.',
    'HTTP 403 is a refusal without a body. The adapter reports decoded.kind refused with http_status.',
  ),
  client({
    id: 'recurring/decodes-parameters',
    section: '2.4',
    covers: ['2.4/text/1', '2.4/row/2', '2.4/row/3', '4.2/bullet/7'],
  })(
    'The parameters of 2.4 are read without the line feed that ends each value.',
    'Split on &, decode, and drop exactly one trailing 0x0A from each value. The adapter reports all parameters in decoded.params.',
  ),
  client({ id: 'recurring/decodes-response-type', section: '2.4', covers: ['2.4/row/1'] })(
    'type process-recurring-payment-response is read as accepted, with its parameters.',
    'First drop the line feed of the value, then decide by type. The adapter reports all parameters in decoded.params.',
  ),
  client({
    id: 'recurring/decodes-validation-error',
    section: '2.4',
    covers: ['2.4/row/1', '2.4/row/4', '2.4/row/5', '7/row/3'],
  })(
    'type validation-error is read as a failure with its error-message and error-code, and under no HTTP status as success.',
    'Decode each parameter of the body, and decode + as a space. HTTP 200 with type validation-error is not success. The adapter reports all parameters in decoded.params.',
  ),
  client({ id: 'recurring/decodes-error', section: '2.4', covers: ['2.4/row/1', '2.4/row/4', '2.4/row/5', '7/row/3'] })(
    'type error is read as a failure with its error-message and error-code 200, 403 or 500, and under no HTTP status as success.',
    'Decode each parameter of the body, and decode + as a space. Also error-code 200 is an error, so decide by type. The adapter reports all parameters in decoded.params.',
  ),
  client({ id: 'recurring/decodes-error-id', section: '7', covers: ['7/row/3'] })(
    'The further parameter that comes with error-code 500 reaches the caller.',
    'Pass unknown parameters of an error to the caller: one of them is the error ID. The adapter reports all parameters in decoded.params.',
    { kind: 'expected' },
  ),
  client({ id: 'recurring/decodes-own-line-feed', section: '2.4', covers: ['2.4/text/1'] })(
    'Of the line feeds at the end of a value of 2.4 exactly one is dropped: those before it belong to the value.',
    'Drop exactly one trailing 0x0A from each value. Do not use strip() or trim(): they drop more.',
    {
      kind: 'expected',
      condition: 'an answer with a value that itself ends with a line feed',
      arises: 'Run `countersign client`: it sends such an answer.',
    },
  ),
  client({ id: 'recurring/broken-body-not-success', section: '4.2', covers: ['4.2/bullet/5'] })(
    'Any body but one of type process-recurring-payment-response, and any HTTP status but 200, is never read as accepted.',
    'A batch is accepted only if the body is empty, or if its type is process-recurring-payment-response.',
  ),
] as const;

function presence<const Name extends string>(row: typeof body, name: Name, covers: readonly string[], types: string) {
  return row({ id: `recurring/${name}-present`, section: '2.4', covers })(
    `A body of type ${types} has the parameter ${name} once, with a value.`,
    `Add ${name} to every body of type ${types}.`,
  );
}
