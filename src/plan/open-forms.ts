/** Request forms that a gateway may accept or refuse (A30 to A32). Valid requests are observed; faulty requests must be refused. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import { type Operation, operationNames, operations } from '../../contracts/operations.ts';
import { changing, type HeaderChange, withParameter } from '../../generators/authorization.ts';
import { encodeForm } from '../protocol/form.ts';
import type { Header } from '../record/exchange.ts';
import { atOnce, caseOf, faultsIn, inHeader, openFaultsIn, scenarioOf, withParameters, withTwin } from './requests.ts';
import type { ConsumerKeys, Draw, Framing, PlannedCase, RequestPlan, Scenario } from './scenario.ts';

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

export function framingScenario(operation: Operation, right: (draw: Draw) => RequestPlan): Scenario {
  const title = 'Valid requests with unusual framing, another method, or other forms that the document leaves open';
  const plan: Scenario['plan'] = (draw) =>
    withTwin(right(draw), (twin) => {
      const observed = (differsIn: string, deviation: Partial<RequestPlan>, openPoint: OpenPointId = 'A30') =>
        caseOf(openPoint, differsIn, { ...twin, ...deviation });
      return [
        ...framings.map(([framing, differsIn]) => observed(differsIn, { framing })),
        observed('GET in place of POST', { method: 'GET' }),
        observed('PUT in place of POST', { method: 'PUT' }),
        observed('an unknown endpoint', { situation: 'unknown' }),
        observed('the endpoint of another consumer', { situation: 'of-another-consumer' }),
        observed('the version of the other operation in the path', { target: withVersionOf(operation) }),
        ...(['body', 'query'] as const).map((credentialsIn) =>
          observed(`the OAuth parameters in the ${credentialsIn} in place of the header`, { credentialsIn }, 'A31'),
        ),
        observed('the fields in the query in place of the body', { body: [], query: encodeForm(twin.body) }),
        observed('oauth_version in the body too', { body: [...twin.body, ['oauth_version', '1.0']] }, 'A31'),
        observed(json[0], json[2], 'A32'),
      ];
    });
  return atOnce(scenarioOf(operation, 'framings', [], plan)`${title}`);
}

function withVersionOf(operation: Operation): (path: string) => string {
  const { version } = operations[operationNames.find((name) => name !== operation)!];
  return (path) => path.replace(/(?<=\/api\/)[^/]+(?=\/)/, version);
}

type Form = readonly [what: string, openPoint: OpenPointId, form: Partial<RequestPlan>];

const types: readonly Form[] = [
  ['Content-Type with charset', 'A30', { contentType: 'application/x-www-form-urlencoded; charset=UTF-8' }],
  ['Content-Type in capitals', 'A30', { contentType: 'APPLICATION/X-WWW-FORM-URLENCODED' }],
];

/** Section 4 names only POST. OPTIONS and HEAD are not sent, because a server answers these methods without its application. */
const methods = ({ body }: RequestPlan): readonly Form[] => [
  ...['PUT', 'PATCH', 'DELETE'].map((method): Form => [`${method} in place of POST`, 'A30', { method }]),
  // Servers read the parameters of a GET request from the query, and some servers also from a body.
  ['GET in place of POST', 'A30', { method: 'GET' }],
  ['GET with the fields in the query', 'A30', { method: 'GET', body: [], query: encodeForm(body) }],
];

const json: Form = [
  'Accept application/vnd.pay+json',
  'A32',
  { furtherHeaders: [['Accept', 'application/vnd.pay+json']] },
];
const chunked: Form = ['a body in chunks', 'A30', { framing: 'chunked' }];

const proxyHeaders: readonly Header[] = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-Host', 'localhost'],
  ['X-Forwarded-Proto', 'https'],
  ['Forwarded', 'for=127.0.0.1;host=localhost;proto=https'],
];
const overrides: readonly Header[] = [
  ['X-HTTP-Method-Override', 'GET'],
  ['X-Original-URL', '/'],
  ['X-Rewrite-URL', '/'],
];

/** Unusual framing, and headers of proxies, which any client can send. */
const arrivals: readonly Form[] = [
  chunked,
  ['a request target in absolute form', 'A30', { framing: 'absolute-form' }],
  ['HTTP/1.0', 'A30', { framing: 'http-1.0' }],
  ['the headers of a proxy on this machine', 'A30', { furtherHeaders: proxyHeaders }],
  ['headers that name another method and path', 'A30', { furtherHeaders: overrides }],
];

export function unverifiedForms(right: RequestPlan, { showsSecret }: Draw): PlannedCase[] {
  const openFault = openFaultsIn(right);
  const header = (change: HeaderChange) => inHeader(right, change);
  const token = (value: string) => header(withParameter(['oauth_token', value]));
  const forms: readonly Form[] = [
    ...types,
    json,
    ['no oauth_version', 'A38', withParameters(right, (name) => name !== 'oauth_version')],
    ['a realm', 'A4', header((plan) => ({ ...plan, parameters: [['realm', 'Gateway'], ...plan.parameters] }))],
    ['an empty oauth_token', 'A4', token('')],
    ['a token that was not issued', 'A4', token('token1')],
    ['the scheme in lower case', 'A4', header((plan) => ({ ...plan, scheme: 'oauth' }))],
    ['the method in lower case', 'A4', header(changing('oauth_signature_method', (name) => name.toLowerCase()))],
    ...arrivals,
    ...methods(right),
    // A parser that fails at this escape may skip the verification.
    ['a field with escapes that cannot be decoded', 'A30', { rawBody: (encoded) => `${encoded}&note=%FF%` }],
  ];
  const query: Form = ['a query', 'A30', { query: 'x=1' }];
  return [
    ...forms.map(([what, openPoint, form]) =>
      openFault(openPoint, 'wrong-key', `another key beside ${what}`, { ...form, key: 'other' }),
    ),
    ...[...types, chunked].map(([what, openPoint, form]) =>
      openFault(openPoint, 'altered-body', `no body signed beside ${what}`, { ...form, signed: { body: () => [] } }),
    ),
    ...[...types, json, query, ...arrivals, ...methods(right)].map(([what, openPoint, form]) =>
      openFault(openPoint, 'unsigned', `no Authorization header beside ${what}`, { ...form, unsigned: true }),
    ),
    ...otherSchemes(right, showsSecret),
  ];
}

function otherSchemes(right: RequestPlan, showsSecret: boolean): PlannedCase[] {
  const schemes: readonly (readonly [string, RequestPlan['authorization']])[] = [
    ['an empty Authorization header', ''],
    ['Digest in place of OAuth', 'Digest bWVyY2hhbnQ6MQ=='],
    ['a scheme that does not exist in place of OAuth', 'Signed merchant'],
    ['OAuth2 in place of OAuth', 'OAuth2 bWVyY2hhbnQ6MQ=='],
    ['OAuth with an empty realm', 'OAuth realm=""'],
    ['OAuth with the name of a parameter alone', 'OAuth oauth_signature'],
    ...(showsSecret ? [['Basic with the consumer key and its secret', basic] as const] : []),
  ];
  return schemes.map(([what, authorization]) => faultsIn(right)('unsigned', what, { authorization }));
}

function basic({ consumerKey, consumerSecret }: ConsumerKeys): string {
  return `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
}
