/** Judges of the request line and its headers: sections 4.1 and 4.2. */
import { type Operation, operations, pathTo } from '../../../contracts/operations.ts';
import type { ClientCase } from '../../record/case.ts';
import { type Exchange, headerValues, withoutBlanks } from '../../record/exchange.ts';
import { lacks, losses } from '../../record/har-entry.ts';
import { isLoopback } from '../../record/hosts.ts';
import { byArea, type ClientJudges, type Finding, fail, inconclusive, pass, type Verdict } from '../judge.ts';
import { splitBaseUrl } from './inputs.ts';
import { decodeLeniently, type RequestReading } from './reading.ts';
import { isUntrustedServer, isWireCase, type WireCase, wireJudge } from './wire-judge.ts';

const formType = 'application/x-www-form-urlencoded';

/** The path must equal prefix and endpoint. Other rows judge parameters that are misplaced in the query. */
function pathOf(operation: Operation) {
  return wireJudge(operation, ({ testCase, reading }) => {
    const { asked } = testCase.call;
    const query = foreignQuery(reading, namedElsewhere(operation, asked?.input ?? {}));
    const sent = query === '' ? reading.path : `${reading.path}?${query}`;
    if (asked === undefined) {
      const isExtended = new RegExp(`${pathTo(operation)}[^/?]+[/?]`).test(sent);
      const fits = query === '' && new RegExp(`${pathTo(operation)}[^/]+$`).test(reading.path);
      if (fits) return pass();
      const finding = fail(`a path that ends in ${pathTo(operation)}<endpoint_id>`, sent);
      return isExtended ? { ...finding, hint: addedOnTheWay } : finding;
    }
    const expected = `${splitBaseUrl(asked.baseUrl).prefix}${pathTo(operation)}${asked.endpointId}`;
    if (sent === expected) return pass();
    return normalized(sent) === normalized(expected) ? pass(`the path is written ${sent}`) : fail(expected, sent);
  });
}

/** Fields with a requirement that reports their absence from the body. */
function namedElsewhere(operation: Operation, input: object): readonly string[] {
  return operations[operation].fields.filter((name, at) => at === 0 || name in input);
}

const addedOnTheWay =
  'Send nothing after the endpoint id. If the client sends nothing there, a proxy adds or decodes it: record in front of the proxy.';

function methodOf(operation: Operation) {
  return wireJudge(operation, ({ exchange: { request } }) =>
    request.method === 'POST' ? pass() : fail('POST', request.method),
  );
}

function contentTypeOf(operation: Operation) {
  return wireJudge(operation, ({ exchange: { request } }) => {
    const values = headerValues(request.headers, 'content-type');
    const [only] = values;
    if (values.length !== 1 || only === undefined) return fail(formType, values.join(' and ') || 'no Content-Type');
    if (withoutBlanks(only.split(';', 1)[0]!).toLowerCase() !== formType) return fail(formType, only);
    return only === formType ? pass() : pass(`Content-Type is written ${only}`);
  });
}

function authorizationOf(operation: Operation) {
  return wireJudge(
    operation,
    ({ reading }: WireCase): Finding =>
      (reading.authorization[0] ?? '').trim() === ''
        ? fail('an Authorization header', reading.authorization.length === 0 ? 'none' : 'an empty one')
        : pass(),
  );
}

/** RFC 3986 6.2.2: hex digits ignore case, and an unreserved character equals its escape. */
function normalized(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
  });
}

/** The query without what other rows report: oauth_ parameters, and fields that are missing in the body. */
function foreignQuery({ query, form }: RequestReading, missed: readonly string[]): string {
  const elsewhere = missed.filter((name) => !form.pairs.some((pair) => pair.name === name));
  return query
    .split('&')
    .filter((piece) => {
      const name = decodeLeniently(piece.split('=')[0]!);
      return piece !== '' && !name.startsWith('oauth_') && !elsewhere.includes(name);
    })
    .join('&');
}

export const requestJudges = {
  ...byArea({
    path: pathOf,
    method: methodOf,
    'content-type-sent': contentTypeOf,
    'authorization-sent': authorizationOf,
  }),
  /** Passes only with both: requests over TLS, and a refused certificate of another authority. */
  'transport/https': ({ cases }) => {
    const untrusted = cases.filter(({ call: { label } }) => isUntrustedServer(label.server)).flatMap(atUntrustedServer);
    const refused = untrusted.some(
      ({ testCase, finding }) => testCase.call.label.server === 'other-authority' && finding.outcome === 'pass',
    );
    const ordinary = cases
      .filter(isWireCase)
      .flatMap((testCase) =>
        testCase.exchanges.map((exchange) => ({ testCase, exchange, finding: overTls(testCase, exchange, refused) })),
      );
    return [...ordinary, ...untrusted];
  },
} satisfies ClientJudges;

function overTls(testCase: ClientCase, { request }: Exchange, refused: boolean): Finding {
  const { asked } = testCase.call;
  if (request.scheme === 'http' && lacks(testCase.call, 'address'))
    return inconclusive(`the record lacks ${losses.address}`);
  const askedFor = asked === undefined ? undefined : splitBaseUrl(asked.baseUrl).scheme;
  if (request.scheme === 'http') {
    const toPlainHttp = askedFor === 'http' || (askedFor === undefined && isLoopback(request.host));
    return toPlainHttp ? inconclusive('plain http was asked for', 'configuration') : fail('https', 'http');
  }
  return refused
    ? pass()
    : inconclusive('no server with a certificate of another authority was refused', 'configuration');
}

function atUntrustedServer(testCase: ClientCase): Verdict<ClientCase>[] {
  const { exchanges } = testCase;
  const { label, reply } = testCase.call;
  const [exchange] = exchanges;
  if (exchange !== undefined) {
    return [{ testCase, exchange, finding: fail('no request', `a request ${trusted[label.server!] ?? ''}`.trim()) }];
  }
  if (reply?.outcome === 'transport_error') return [{ testCase, finding: pass() }];
  if (reply === undefined && testCase.call.adapterFault === undefined) return [];
  const said = reply?.outcome ?? testCase.call.adapterFault!.code;
  const blame = reply?.outcome === 'unsupported' ? 'configuration' : 'subject';
  return [{ testCase, finding: inconclusive(`no request arrived, and the client reported ${said}`, blame) }];
}

const trusted: Readonly<Record<string, string>> = {
  'other-authority': 'to a server with a certificate of another authority',
  'wrong-name': 'to a server with a certificate for another name',
  expired: 'to a server with an expired certificate',
};
