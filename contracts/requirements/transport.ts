/** Requirements on the connection and the request line of both operations: introduction and section 4. */
import { type Operation, operations } from '../operations.ts';
import { rowMaker } from './requirement.ts';

/** Client requirements that both operations share. `form`: id of the requirement on the form body of the operation. */
export function callRows<const Op extends Operation>(operation: Op, form: string) {
  const { area, section, version } = operations[operation] as (typeof operations)[Op];
  const client = rowMaker({ operation, side: 'client', dimension: 'transport', kind: 'required' });
  return [
    client({ id: `${area}/path`, section, covers: ['1/bullet/3', `${section}/bullet/1`, '9/bullet/1'] })(
      `The request goes to {base_url}/api/${version}/${operation}/<endpoint_id>, with the configured prefix and endpoint.`,
      `Build the path from the configured base URL, /api/${version}/${operation}/ and the endpoint id. Keep the prefix as configured.`,
    ),
    client({ id: `${area}/method`, section, covers: [`${section}/bullet/1`] })(
      'The request method is POST.',
      'Send the request with the method POST.',
    ),
    client({ id: `${area}/content-type-sent`, section, covers: [`${section}/bullet/2`] })(
      'The request carries one Content-Type, application/x-www-form-urlencoded, in any case and with any parameters.',
      'Set the header Content-Type: application/x-www-form-urlencoded.',
      { restsOn: [form] },
    ),
    client({ id: `${area}/authorization-sent`, section, covers: [`${section}/bullet/2`, '1/bullet/4'] })(
      'The request carries an Authorization header.',
      'Put the OAuth parameters into the Authorization header, not into the body or the query.',
      { dimension: 'signing' },
    ),
  ] as const;
}

const shared = { operation: 'both', dimension: 'transport', kind: 'required' } as const;
const gateway = rowMaker({ ...shared, side: 'gateway' });

export const transport = [
  rowMaker({ ...shared, side: 'client' })({ id: 'transport/https', section: '4', covers: ['0/text/1'] })(
    'Requests are sent over HTTPS, to a server whose certificate was verified.',
    'Use the https base URL and leave certificate verification on.',
  ),
  gateway({ id: 'transport/https-served', section: '4', covers: ['0/text/1'] })(
    'Both operations are served over HTTPS.',
    'Serve both operations over TLS with a certificate that the caller can verify.',
    { condition: 'a target with an https base URL', arises: 'Run against an https base URL.', liveOnly: true },
  ),
  gateway({ id: 'transport/environments', section: '4', covers: ['0/text/2'] })(
    'Integration and production each have their own base URL.',
    undefined,
    { untestable: 'A run speaks to one base URL and never to the other environment.' },
  ),
] as const;
