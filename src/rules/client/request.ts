/** Judges of the request line and the headers: sections 4.1 and 4.2. */
import { type Operation, operations, pathTo } from '../../../contracts/operations.ts';
import type { ClientCase } from '../../record/case.ts';
import { type Exchange, headerValues, trimBlanks } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import { lacks, losses } from '../../record/losses.ts';
import { byArea, type ClientJudges, type Finding, fail, inconclusive, pass, passIf, type Verdict } from '../judge.ts';
import { splitBaseUrl } from './inputs.ts';
import { decodeLeniently, type RequestReading } from './reading.ts';
import { isJudgeable, untrustedCertificate, wireJudge } from './wire-judge.ts';

const formType = 'application/x-www-form-urlencoded';

function pathJudge(operation: Operation) {
  return wireJudge(operation, ({ testCase, reading }) => {
    const { asked } = testCase.call;
    const bodyFields = operations[operation].fields.filter((name, at) => at === 0 || name in (asked?.input ?? {}));
    const query = foreignQuery(reading, bodyFields);
    const sent = query === '' ? reading.path : `${reading.path}?${query}`;
    if (asked === undefined) {
      const isExtended = new RegExp(`${pathTo(operation)}[^/?]+[/?]`).test(sent);
      const isMatch = query === '' && new RegExp(`${pathTo(operation)}[^/]+$`).test(reading.path);
      if (isMatch) return pass();
      const finding = fail(`a path that ends in ${pathTo(operation)}<endpoint_id>`, sent);
      return isExtended ? { ...finding, hint: pathExtendedHint } : finding;
    }
    const expected = `${splitBaseUrl(asked.baseUrl).prefix}${pathTo(operation)}${asked.endpointId}`;
    if (sent === expected) return pass();
    return normalizePath(sent) === normalizePath(expected) ? pass(`the path is written ${sent}`) : fail(expected, sent);
  });
}

const pathExtendedHint =
  'Send nothing after the endpoint id. If the client adds no text there, a proxy does: record the traffic between client and proxy.';

/** Gives equal paths the same text: upper-case escapes, and no escapes of unreserved characters (RFC 3986 6.2.2). */
function normalizePath(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
  });
}

/** The query without OAuth parameters, and without `fields` that the body lacks. Other judges report these. */
function foreignQuery({ query, form }: RequestReading, fields: readonly string[]): string {
  const missing = fields.filter((name) => !form.pairs.some((pair) => pair.name === name));
  const isForeign = (piece: string) => {
    const name = decodeLeniently(piece.split('=')[0]!);
    return piece !== '' && !name.startsWith('oauth_') && !missing.includes(name);
  };
  return query.split('&').filter(isForeign).join('&');
}

export const requestJudges = {
  ...byArea({
    path: pathJudge,
    method: (operation) =>
      wireJudge(operation, ({ exchange: { request } }) => passIf(request.method === 'POST', 'POST', request.method)),
    'content-type-sent': (operation) =>
      wireJudge(operation, ({ exchange: { request } }) => {
        const values = headerValues(request.headers, 'content-type');
        const [type] = values;
        if (values.length !== 1 || type === undefined) return fail(formType, values.join(' and ') || 'no Content-Type');
        if (trimBlanks(type.split(';', 1)[0]!).toLowerCase() !== formType) return fail(formType, type);
        return type === formType ? pass() : pass(`Content-Type is written ${type}`);
      }),
    'authorization-sent': (operation) =>
      wireJudge(operation, ({ reading: { authorization } }) => {
        const actual = authorization.length === 0 ? 'no such header' : 'an empty header';
        return passIf((authorization[0] ?? '').trim() !== '', 'an Authorization header', actual);
      }),
  }),
  /** A pass needs a request over TLS, and a client that refused a certificate of an unknown authority. */
  'transport/https': ({ cases }) => {
    const untrusted = cases.flatMap(judgeUntrustedServer);
    const refused = untrusted.some(
      ({ testCase, finding }) => testCase.call.label.server === 'other-authority' && finding.outcome === 'pass',
    );
    const ordinary = cases
      .filter(isJudgeable)
      .flatMap((testCase) =>
        testCase.exchanges.map((exchange) => ({ testCase, exchange, finding: judgeTls(testCase, exchange, refused) })),
      );
    return [...ordinary, ...untrusted];
  },
} satisfies ClientJudges;

function judgeTls(testCase: ClientCase, { request }: Exchange, refused: boolean): Finding {
  const { asked } = testCase.call;
  if (request.scheme === 'http' && lacks(testCase.call, 'address'))
    return inconclusive(`the record lacks ${losses.address}`);
  if (request.scheme === 'http') {
    const isExpected = asked === undefined ? isLoopback(request.host) : splitBaseUrl(asked.baseUrl).scheme === 'http';
    return isExpected ? inconclusive('the base URL has the scheme http', 'configuration') : fail('https', 'http');
  }
  return refused
    ? pass()
    : inconclusive('the client did not refuse a server certificate of another authority', 'configuration');
}

function judgeUntrustedServer(testCase: ClientCase): Verdict<ClientCase>[] {
  const { label, reply, adapterFault } = testCase.call;
  const certificate = untrustedCertificate(label);
  if (certificate === undefined) return [];
  const [exchange] = testCase.exchanges;
  if (exchange !== undefined) {
    return [{ testCase, exchange, finding: fail('no request', `a request to a server with ${certificate}`) }];
  }
  if (reply?.outcome === 'transport_error') return [{ testCase, finding: pass() }];
  const reported = reply?.outcome ?? adapterFault?.code;
  if (reported === undefined) return [];
  const blame = reply?.outcome === 'unsupported' ? 'configuration' : 'subject';
  return [{ testCase, finding: inconclusive(`no request arrived, and the client reported ${reported}`, blame) }];
}
