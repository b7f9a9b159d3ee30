/** Requests with an unusual Authorization header (section 5), Content-Type or framing (A30 to A32). */
import type { OpenPointId } from '../../contracts/open-points.ts';
import {
  type Area,
  type OAuthParameter,
  type Operation,
  operationNames,
  operations,
} from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import {
  authorizationHeaders,
  changeParameter,
  faultyHeader,
  type HeaderChange,
  headerFaults,
  validHeader,
  withParameter,
} from '../../generators/authorization.ts';
import type { Labelled } from '../../generators/labelled.ts';
import { encodeForm } from '../protocol/form.ts';
import type { Header } from '../record/exchange.ts';
import { caseOf, concurrent, editHeader, faultsIn, replace, scenarioOf, without, withTwin } from './requests.ts';
import type { Draw, Framing, PlannedCase, RequestPlan, Scenario } from './scenario.ts';

/** The scenarios `header-forms` and `framings`: requests with an unusual Authorization header or unusual framing. */
export function formScenarios(operation: Operation, valid: (draw: Draw) => RequestPlan): Scenario[] {
  return [headerForms(operation, valid), framingScenario(operation, valid)];
}

/** Maps the name of a fault to its requirement. The first match counts. A fault without a match is only recorded. */
const requirementsByName: readonly (readonly [RegExp, (area: Area, parameter: string) => TestableId<'gateway'>])[] = [
  [/^empty-oauth_version$|^version-|^any-version$/, (area) => `authentication/${area}-wrong-version-refused`],
  [
    /^(?:empty|misspelt)-oauth_(?!version)/,
    (area, parameter) => `authentication/${area}-missing-${parameter as 'nonce'}-refused`,
  ],
  [/^(?:other|any)-consumer-key$|^consumer-key-/, (area) => `authentication/${area}-unknown-consumer-refused`],
  [/^plaintext-method$|^method-of-the-other-operation$/, (area) => `authentication/${area}-other-method-refused`],
  [/^method-in-lower-case$/, (area) => `authentication/${area}-method-name-enforced`],
  [
    /^(?:negative|any)-timestamp$|^timestamp-(?:with-fraction|zero|as-date|in-hexadecimal)$/,
    (area) => `authentication/${area}-malformed-timestamp-refused`,
  ],
];

const testedElsewhere = /^missing-|^documented-order$/;

function headerForms(operation: Operation, valid: (draw: Draw) => RequestPlan): Scenario {
  const { area } = operations[operation];
  const namedFaults = [...headerFaults(operation), ...authorizationHeaders.edges].filter(
    ({ edge = '' }) => !testedElsewhere.test(edge),
  );
  return scenarioOf(
    operation,
    'header-forms',
    [...new Set(namedFaults.flatMap(({ edge = '' }) => requirementFor(area, edge) ?? []))],
    (draw) => {
      const cases = withTwin(valid(draw), (twin) => {
        const build = (labelled: Labelled<HeaderChange>) => headerCase(labelled, twin);
        const drawCount = Math.ceil(draw.cases / 8);
        return [
          ...namedFaults.map(build),
          ...(draw.isThorough ? lenientHeaders(twin) : []),
          ...draw.generate(faultyHeader(operation), drawCount, build),
          ...draw.generate(
            // Leave out `nonce-of-one-character`: an earlier request may have the same short nonce.
            authorizationHeaders.edge.filter(({ edge }) => edge !== 'nonce-of-one-character'),
            drawCount,
            build,
          ),
        ];
      });
      return futureTimestampsLast(cases);
    },
  )`Authorization headers in unusual forms. If the document does not define a form, the answer is only recorded`;
}

/** Puts future timestamps last: after one of them, a gateway may refuse all earlier timestamps (A3). */
function futureTimestampsLast(cases: readonly PlannedCase[]): readonly PlannedCase[] {
  const others = cases.filter(({ request }) => request.late !== true);
  const twin = others.length - 1;
  const inOrder = [...others, ...cases.filter(({ request }) => request.late === true)];
  return inOrder.map((one) => (one.label.twin === undefined ? one : { ...one, label: { ...one.label, twin } }));
}

function headerCase({ value, edge = 'header', label }: Labelled<HeaderChange>, twin: RequestPlan): PlannedCase {
  const { operation } = twin;
  const about = requirementFor(operations[operation].area, edge);
  const headerOpenPoint = label.kind === 'open' ? label.openPoint : 'A4';
  const openPoint = edge === 'misspelt-oauth_version' ? 'A38' : headerOpenPoint;
  const request: RequestPlan = {
    ...twin,
    header: (fresh) => value(validHeader({ operation, ...fresh })),
    // Sign until the signature has a + or a /, because base64url differs from base64 only in these characters.
    ...(edge === 'signature-in-url-safe-alphabet' && { signUntil: (signature) => /[+/]/.test(signature) }),
    ...(/^timestamp-in-(?!hexadecimal)/.test(edge) && { late: true }),
  };
  const { label: caseLabel } = caseOf(about ?? openPoint, edge, request);
  return { label: { ...caseLabel, edge: { generator: 'authorization', name: edge } }, request };
}

function requirementFor(area: Area, edge: string): TestableId<'gateway'> | undefined {
  const parameter = /oauth_(\w+)$/.exec(edge)?.[1]?.replaceAll('_', '-') ?? '';
  return requirementsByName.find(([pattern]) => pattern.test(edge))?.[1](area, parameter);
}

/** Faults that a gateway may accept if it reads a consumer key as a pattern or a list, or parses numbers leniently. */
function lenientHeaders(twin: RequestPlan): readonly PlannedCase[] {
  const { fault } = faultsIn(twin);
  const valueFault = (
    rule: 'unknown-consumer' | 'wrong-version' | 'malformed-timestamp',
    what: string,
    name: OAuthParameter,
    change: (value: string) => string,
  ) => fault(rule, what, editHeader(twin, changeParameter(name, change)));
  const consumers: readonly (readonly [string, (key: string) => string])[] = [
    ['a consumer key with _ for a character', (key) => `_${key.slice(1)}`],
    ['a consumer key that is a regular expression', () => '.*'],
    ['a consumer key that is an asterisk', () => '*'],
    ['a consumer key that is a word for nothing', () => 'null'],
    ['a consumer key that is a blank', () => ' '],
    ['a consumer key that is a member of every object', () => 'constructor'],
    ['a consumer key with a hyphen less or more', (key) => key.replace(/-|$/, (found) => (found === '-' ? '' : '-'))],
    ['a consumer key in quotes', (key) => `"${key}"`],
    ['two consumer keys', (key) => `${key},nobody`],
    ['a consumer key that ends a condition of SQL', () => "' OR '1'='1"],
    // If a gateway puts the key into a URL, the next keys may lead to the same address as the issued key.
    ['a consumer key with a segment of one point before it', (key) => `./${key}`],
    ['a consumer key with a question mark behind it', (key) => `${key}?`],
    [
      'a consumer key whose first character is an escape',
      (key) => `%${key.charCodeAt(0).toString(16).padStart(2, '0')}${key.slice(1)}`,
    ],
  ];
  return [
    ...consumers.map(([what, change]) => valueFault('unknown-consumer', what, 'oauth_consumer_key', change)),
    // If a gateway verifies unknown consumers with an empty secret, it accepts this signature.
    ...(operations[twin.operation].signatureMethod === 'HMAC-SHA1'
      ? [
          fault('unknown-consumer', 'an unknown consumer key, and a signature made with an empty secret', {
            ...replace(twin, 'oauth_consumer_key', 'nobody-knows-this-key'),
            key: 'empty',
          }),
        ]
      : []),
    ...['v1.0', '1.00', '1,0'].map((version) =>
      valueFault('wrong-version', `the version ${version}`, 'oauth_version', () => version),
    ),
    ...(
      [
        ['a word', () => 'now'],
        ['a blank', () => ' '],
        // Python and Ruby ignore an underscore in a number, so a gateway may accept this timestamp.
        ['a number with an underscore', (now) => now.replace(/^./, '$&_')],
      ] satisfies [string, (now: string) => string][]
    ).map(([what, change]) => valueFault('malformed-timestamp', `${what} as the timestamp`, 'oauth_timestamp', change)),
  ];
}

/** Requests that differ from `twin` in the content type. */
export function contentTypes(twin: RequestPlan): PlannedCase[] {
  const area = operations[twin.operation].area;
  const about = `${area}/content-type-enforced` as const;
  const typed = (differsIn: string, contentType: string | null) => caseOf(about, differsIn, { ...twin, contentType });
  // These bodies are not form-encoded, so the signature does not cover them (RFC 5849 section 3.4.1.3.1).
  const bodyCase = (differsIn: string, contentType: string, rawBody: string) =>
    caseOf(about, differsIn, { ...twin, contentType, rawBody, signed: { body: () => [] } });
  return [
    typed('no Content-Type', null),
    typed('Content-Type text/plain', 'text/plain'),
    typed('Content-Type application/json', 'application/json'),
    bodyCase('a body of JSON', 'application/json', JSON.stringify(Object.fromEntries(twin.body))),
    bodyCase('a body of multipart/form-data', `multipart/form-data; boundary=${boundary}`, multipart(twin)),
    typed('the type as a parameter of another', 'text/plain; of=application/x-www-form-urlencoded'),
    typed('a longer type that starts alike', 'application/x-www-form-urlencoded-not'),
    ...formTypes.map(([what, openPoint, form]) => caseOf(openPoint, what, { ...twin, ...form })),
  ];
}

const boundary = 'countersign-boundary';

function multipart({ body }: RequestPlan): string {
  const parts = body.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}

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

function framingScenario(operation: Operation, valid: (draw: Draw) => RequestPlan): Scenario {
  const plan: Scenario['plan'] = (draw) =>
    withTwin(valid(draw), (twin) => {
      const openCase = (differsIn: string, deviation: Partial<RequestPlan>, openPoint: OpenPointId = 'A30') =>
        caseOf(openPoint, differsIn, { ...twin, ...deviation });
      return [
        ...framings.map(([framing, differsIn]) => openCase(differsIn, { framing })),
        openCase('GET in place of POST', { method: 'GET' }),
        openCase('PUT in place of POST', { method: 'PUT' }),
        openCase('an unknown endpoint', { situation: 'unknown' }),
        openCase('the endpoint of another consumer', { situation: 'of-another-consumer' }),
        openCase('the version of the other operation in the path', { target: withVersionOf(operation) }),
        ...(['body', 'query'] as const).map((credentialsIn) =>
          openCase(`the OAuth parameters in the ${credentialsIn} in place of the header`, { credentialsIn }, 'A31'),
        ),
        openCase('the fields in the query in place of the body', { body: [], query: encodeForm(twin.body) }),
        openCase('oauth_version in the body too', { body: [...twin.body, ['oauth_version', '1.0']] }, 'A31'),
        openCase(jsonAccept[0], jsonAccept[2], 'A32'),
      ];
    });
  return concurrent(
    scenarioOf(operation, 'framings', [], plan)`
      Valid requests with a framing, a method or another form that the document does not define`,
  );
}

function withVersionOf(operation: Operation): (path: string) => string {
  const { version } = operations[operationNames.find((name) => name !== operation)!];
  return (path) => path.replace(/(?<=\/api\/)[^/]+(?=\/)/, version);
}

type RequestForm = readonly [what: string, openPoint: OpenPointId, form: Partial<RequestPlan>];

const formTypes: readonly RequestForm[] = [
  ['Content-Type with charset', 'A30', { contentType: 'application/x-www-form-urlencoded; charset=UTF-8' }],
  ['Content-Type in capitals', 'A30', { contentType: 'APPLICATION/X-WWW-FORM-URLENCODED' }],
];

/** Section 4 names only POST. OPTIONS and HEAD are left out, because web servers answer them themselves. */
const methods = ({ body }: RequestPlan): readonly RequestForm[] => [
  ...['PUT', 'PATCH', 'DELETE'].map((method): RequestForm => [`${method} in place of POST`, 'A30', { method }]),
  // Some servers read the parameters of a GET request only from the query, others also from the body.
  ['GET in place of POST', 'A30', { method: 'GET' }],
  ['GET with the fields in the query', 'A30', { method: 'GET', body: [], query: encodeForm(body) }],
];

const jsonAccept: RequestForm = [
  'Accept application/vnd.pay+json',
  'A32',
  { extraHeaders: [['Accept', 'application/vnd.pay+json']] },
];
const chunked: RequestForm = ['a body in chunks', 'A30', { framing: 'chunked' }];

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

const transportForms: readonly RequestForm[] = [
  chunked,
  ['a request target in absolute form', 'A30', { framing: 'absolute-form' }],
  ['HTTP/1.0', 'A30', { framing: 'http-1.0' }],
  ['the headers of a proxy on this machine', 'A30', { extraHeaders: proxyHeaders }],
  ['headers that name another method and path', 'A30', { extraHeaders: overrides }],
];

export function unverifiedForms(valid: RequestPlan, { showsSecret }: Draw): PlannedCase[] {
  const { openFault } = faultsIn(valid);
  const header = (change: HeaderChange) => editHeader(valid, change);
  const token = (value: string) => header(withParameter(['oauth_token', value]));
  const forms: readonly RequestForm[] = [
    ...formTypes,
    jsonAccept,
    ['no oauth_version', 'A38', without(valid, 'oauth_version')],
    ['a realm', 'A4', header((plan) => ({ ...plan, parameters: [['realm', 'Gateway'], ...plan.parameters] }))],
    ['an empty oauth_token', 'A4', token('')],
    ['a token that was not issued', 'A4', token('token1')],
    ['the scheme in lower case', 'A4', header((plan) => ({ ...plan, scheme: 'oauth' }))],
    ['the method in lower case', 'A4', header(changeParameter('oauth_signature_method', (name) => name.toLowerCase()))],
    ...transportForms,
    ...methods(valid),
    // A gateway that cannot decode this escape may forget to verify the signature.
    ['a field with escapes that cannot be decoded', 'A30', { rawBody: (encoded) => `${encoded}&note=%FF%` }],
  ];
  const query: RequestForm = ['a query', 'A30', { query: 'x=1' }];
  return [
    ...forms.map(([what, openPoint, form]) =>
      openFault(openPoint, 'wrong-key', `another key beside ${what}`, { ...form, key: 'other' }),
    ),
    ...[...formTypes, chunked].map(([what, openPoint, form]) =>
      openFault(openPoint, 'altered-body', `no body signed beside ${what}`, { ...form, signed: { body: () => [] } }),
    ),
    ...[...formTypes, jsonAccept, query, ...transportForms, ...methods(valid)].map(([what, openPoint, form]) =>
      openFault(openPoint, 'unsigned', `no Authorization header beside ${what}`, { ...form, unsigned: true }),
    ),
    ...otherSchemes(valid, showsSecret),
  ];
}

function otherSchemes(valid: RequestPlan, showsSecret: boolean): PlannedCase[] {
  const basic: RequestPlan['authorization'] = ({ consumerKey, consumerSecret }) => {
    const credentials = `${consumerKey}:${consumerSecret}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  };
  const schemes: readonly (readonly [string, RequestPlan['authorization']])[] = [
    ['an empty Authorization header', ''],
    ['Digest in place of OAuth', 'Digest bWVyY2hhbnQ6MQ=='],
    ['a scheme that does not exist in place of OAuth', 'Signed merchant'],
    ['OAuth2 in place of OAuth', 'OAuth2 bWVyY2hhbnQ6MQ=='],
    ['OAuth with an empty realm', 'OAuth realm=""'],
    ['OAuth with the name of a parameter alone', 'OAuth oauth_signature'],
    ...(showsSecret ? [['Basic with the consumer key and its secret', basic] as const] : []),
  ];
  return schemes.map(([what, authorization]) => faultsIn(valid).fault('unsigned', what, { authorization }));
}
