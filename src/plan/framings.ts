/** Right requests in unusual HTTP/1.1 framing: what a gateway makes of them is an open point (A30), observed and never judged. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import { type Operation, operationNames, operations } from '../../contracts/operations.ts';
import { encodeForm } from '../protocol/form.ts';
import type { Draw, Framing, PlannedCase, RequestPlan, Scenario } from './scenario.ts';
import { withTwin } from './signature-faults.ts';

const framings: readonly (readonly [Framing, string])[] = [
  ['absolute-form', 'the request target in absolute form'],
  ['chunked', 'the body in chunks'],
  ['duplicate-authorization', 'two Authorization headers'],
  ['duplicate-content-type', 'two Content-Type headers'],
  ['duplicate-content-length', 'two equal Content-Length headers'],
  ['duplicate-host', 'two Host headers'],
  ['content-length-too-long', 'a Content-Length longer than the body'],
  ['content-length-too-short', 'a Content-Length shorter than the body'],
];

/** The framings of one operation, and the methods and paths that the document does not name. */
export function framingScenario(operation: Operation, right: (draw: Draw) => RequestPlan): Scenario {
  const { area, effect } = operations[operation];
  const observed = (
    differsIn: string,
    deviation: Partial<RequestPlan>,
    twin: RequestPlan,
    openPoint: OpenPointId = 'A30',
  ): PlannedCase => ({
    label: { intent: 'open', openPoint, differsIn },
    request: { ...twin, ...deviation },
  });
  return {
    id: `${area}/framings`,
    operation,
    title: 'Right requests in unusual framing, with another method, or in another way that the document leaves open',
    situation: 'open',
    effect,
    inFlight: 16,
    shows: [],
    plan: (draw) =>
      withTwin(right(draw), (twin) => [
        ...framings.map(([framing, differsIn]) => observed(differsIn, { framing }, twin)),
        observed('GET in place of POST', { method: 'GET' }, twin),
        observed('PUT in place of POST', { method: 'PUT' }, twin),
        observed('an unknown endpoint', { situation: 'unknown' }, twin),
        observed('the endpoint of another consumer', { situation: 'of-another-consumer' }, twin),
        observed('the version of the other operation in the path', { target: withVersionOf(operation) }, twin),
        ...(['body', 'query'] as const).map((credentialsIn) =>
          observed(
            `the OAuth parameters in the ${credentialsIn} in place of the header`,
            { credentialsIn },
            twin,
            'A31',
          ),
        ),
        observed('the fields in the query in place of the body', { body: [], query: encodeForm(twin.body) }, twin),
        observed('oauth_version in the body too', { body: [...twin.body, ['oauth_version', '1.0']] }, twin, 'A31'),
        observed('Accept application/vnd.pay+json', { accept: 'application/vnd.pay+json' }, twin, 'A32'),
      ]),
  };
}

function withVersionOf(operation: Operation): (path: string) => string {
  const { version } = operations[operationNames.find((name) => name !== operation)!];
  return (path) => path.replace(/(?<=\/api\/)[^/]+(?=\/)/, version);
}
