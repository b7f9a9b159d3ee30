/** Requests with a bad signature or nonce that a gateway must refuse, with their accepted twins (section 5; RFC 5849 3.3). */
import { type Operation, oauthParameters, operations } from '../../contracts/operations.ts';
import { bitFlipped, caseSwapped, wrongSignature } from '../../generators/authorization.ts';
import type { SignatureMethod } from '../protocol/oauth/signature.ts';
import { faultsAfterTwin, furtherFaults } from './further-faults.ts';
import { caseOf, faultsIn, scenarioOf, signingFaultsIn, withTwin } from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario, SigningMethod } from './scenario.ts';

/** The required parameters. RFC 5849 3.1 makes oauth_version optional (A38). */
const missing = oauthParameters.filter((name) => name !== 'oauth_version');

function missingRow(parameter: (typeof missing)[number]) {
  return `missing-${parameter.slice('oauth_'.length).replaceAll('_', '-') as 'nonce'}` as const;
}

interface SignedRequests {
  readonly operation: Operation;
  readonly right: (draw: Draw) => RequestPlan;
  /** Returns the request with another valid body. The case `altered-body` signs that body. */
  readonly altered: (plan: RequestPlan) => RequestPlan;
  /** Returns a request with more content than a gateway may check. */
  readonly large: (plan: RequestPlan, draw: Draw) => RequestPlan;
  readonly own: (plan: RequestPlan) => readonly PlannedCase[];
  readonly other: (draw: Draw) => RequestPlan;
}

export function signatureScenarios(requests: SignedRequests): Scenario[] {
  const { operation, right, altered, large } = requests;
  const { area } = operations[operation];
  return [
    scenarioOf(
      operation,
      'signature-faults',
      [
        ...(['unsigned', 'wrong-key', 'altered-body', 'other-method', 'wrong-signature', 'altered-uri'] as const),
        ...missing.map((parameter) => missingRow(parameter)),
      ].map((row) => `authentication/${area}-${row}-refused` as const),
      (draw) => {
        const planned = withTwin(right(draw), (plan) => [
          ...faults(plan, requests),
          ...methodFaults(plan, draw),
          ...(draw.hasRoom ? furtherFaults(plan, large(plan, draw), draw) : []),
          ...draw.generate(wrongSignature, Math.ceil(draw.cases / 8), ({ edge, change }) =>
            faultsIn(plan)('wrong-signature', edge, { signature: change }),
          ),
        ]);
        const twin = planned.length - 1;
        return [...planned, ...(draw.hasRoom ? faultsAfterTwin(planned[twin]!.request, altered, twin) : [])];
      },
    )`Requests with a missing or wrong signature are refused while their twin is accepted`,
    reusedNonce(requests),
  ];
}

function faults(right: RequestPlan, { altered, own }: SignedRequests): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const signed = signingFaultsIn(right);
  return [
    fault('unsigned', 'no Authorization header', { unsigned: true }),
    fault('unsigned', 'Basic in place of OAuth', { authorization: 'Basic bWVyY2hhbnQ6cGFzc3dvcmQ=' }),
    fault('unsigned', 'Bearer in place of OAuth', { authorization: 'Bearer dG9rZW4tb2Ytbm9ib2R5' }),
    fault('unsigned', 'OAuth without parameters', { authorization: 'OAuth' }),
    fault('wrong-key', 'a signature made with another key', { key: 'other' }),
    signed.body('a signature made over another body', (sent) => altered({ ...right, body: sent }).body),
    signed.body('a signature made over no body', () => []),
    ...own(right),
    fault('wrong-signature', 'a signature cut short', { signature: (right) => right.slice(0, -8) }),
    // A gateway that compares only part of the signature, or ignores case, accepts one of these faults.
    fault('wrong-signature', 'the first bit of the signature', { signature: bitFlipped(7) }),
    fault('wrong-signature', 'a bit in the middle of the signature', {
      signature: (right) => bitFlipped(4 * Buffer.byteLength(right, 'base64'))(right),
    }),
    fault('wrong-signature', 'the last bit of the signature', {
      signature: (right) => bitFlipped(8 * Buffer.byteLength(right, 'base64') - 8)(right),
      // A comparison of C strings stops at a zero byte, so it misses a changed bit after the zero byte.
      until: hasZeroInside,
    }),
    fault('wrong-signature', 'the case of one letter of the signature', { signature: caseSwapped(0) }),
    signed.bytes('a byte more at the end of the signature', (right) => Buffer.concat([right, Buffer.of(0)])),
    signed.bytes('a signature of zeros', (right) => Buffer.alloc(right.length)),
    fault('wrong-signature', 'the signature of a request with another nonce', {
      signed: {
        parameters: (sent) => sent.map(([name, value]) => [name, name === 'oauth_nonce' ? 'anothernonce' : value]),
      },
    }),
    fault('altered-uri', 'GET signed in place of POST', { signed: { method: 'GET' } }),
    fault('altered-uri', 'the other scheme signed', {
      signed: { scheme: (sent) => (sent === 'https' ? 'http' : 'https') },
    }),
    signed.target('another endpoint signed', (sent) =>
      sent.replace(/[^/]+$/, (id) => (id === '1112' ? '1113' : '1112')),
    ),
    signed.target('another path signed', (sent) => `${sent}0`),
    signed.host('another host signed', (sent) => sent.replace(/^(\[.*\]|[^:]*)/, 'gateway.example')),
    signed.host('another port signed', (sent) => `${sent.replace(/:\d+$/, '')}:1`),
    fault('altered-uri', 'a query signed that is not sent', { signed: { query: [['x', '1']] } }),
    ...missing.map((parameter) => fault(missingRow(parameter), `no ${parameter}`, { omit: parameter })),
    caseOf('A38', 'no oauth_version', { ...right, omit: 'oauth_version' }),
  ];
}

/** True if the first zero byte follows at least two other bytes. After fewer bytes, two signatures may be equal by chance. */
function hasZeroInside(signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64').subarray(0, -1);
  return bytes.indexOf(0) >= 2;
}

const otherMethods: Readonly<
  Record<SignatureMethod, readonly (readonly [names: SigningMethod, signs: SigningMethod])[]>
> = {
  'HMAC-SHA1': [
    ['RSA-SHA256', 'RSA-SHA256'],
    ['HMAC-SHA256', 'HMAC-SHA256'],
    ['HMAC-SHA512', 'HMAC-SHA512'],
    ['RSA-SHA1', 'RSA-SHA1'],
    ['HMAC-SHA1', 'HMAC-SHA256'],
    ['HMAC-SHA256', 'HMAC-SHA1'],
  ],
  'RSA-SHA256': [
    ['HMAC-SHA1', 'HMAC-SHA1'],
    ['RSA-SHA1', 'RSA-SHA1'],
    ['RSA-SHA512', 'RSA-SHA512'],
    ['HMAC-SHA256', 'HMAC-SHA256'],
    ['RSA-SHA256', 'RSA-SHA1'],
    ['RSA-SHA1', 'RSA-SHA256'],
  ],
};

function methodFaults(right: RequestPlan, { showsSecret }: Draw): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const own = operations[right.operation].signatureMethod;
  const methods = [...otherMethods[own], ...(showsSecret ? [['PLAINTEXT', 'PLAINTEXT'] as const] : [])];
  const hmac = { names: 'HMAC-SHA1', signs: 'HMAC-SHA1' } as const;
  return [
    ...methods.map(([names, signs]) => {
      const isOfTheOther = names === signs && Object.keys(otherMethods).includes(names);
      const name = names === signs ? names : `${signs} under the name ${names}`;
      const differsIn = isOfTheOther ? "the other operation's signature method" : name;
      return fault('other-method', differsIn, { otherMethod: { names, signs } });
    }),
    // A gateway that takes the method from the header and the key from the consumer uses the public key as a secret.
    ...(own === 'RSA-SHA256'
      ? [fault('other-method', 'HMAC-SHA1 with the public key as its secret', { otherMethod: hmac, key: 'public' })]
      : []),
  ];
}

/** Requests with a used nonce. `right` draws a valid request of this operation, and `other` of the other operation. */
function reusedNonce({ operation, right, other }: SignedRequests): Scenario {
  const { area, effect } = operations[operation];
  const about = `authentication/${area}-reused-nonce-refused` as const;
  const fault = (differsIn: string, request: RequestPlan, twin = 0): PlannedCase => ({
    label: { intent: 'fault', about, twin, differsIn },
    request,
  });
  const valid = (request: RequestPlan): PlannedCase => ({ label: { intent: 'valid' }, request });
  return scenarioOf(operation, 'reused-nonce', [about], (draw) => {
    const plan = right(draw);
    const cases = [
      valid(plan),
      fault('a used nonce', { ...plan, replay: 0 }),
      // This request has the same nonce, another body and a new signature.
      fault('the nonce of another request', { ...plan, nonceOf: 0 }),
    ];
    if (!draw.hasRoom) return cases;
    const between = right(draw);
    return [
      ...cases,
      // A gateway that remembers only the last nonce accepts the first nonce again.
      valid(between),
      fault('a used nonce, after another accepted request', { ...between, replay: 0 }),
      // RFC 5849 3.3: a nonce is unique per timestamp and consumer, so the other operation must not use the nonce again.
      valid(other(draw)),
      fault('the nonce of a request to the other operation', { ...plan, nonceOf: 5 }, 5),
      // A gateway that remembers few nonces, or nonces of one connection, accepts the first nonce again.
      ...[right(draw), right(draw), right(draw)].map(valid),
      fault('a used nonce, after several other accepted requests and over another connection', {
        ...plan,
        replay: 0,
        late: true,
        framing: 'own-connection',
      }),
      // A gateway must refuse a used nonce at every endpoint. At a closing gate, error 99 shows that the nonce was accepted.
      ...(effect === 'closes-day'
        ? [fault('the nonce of a request to another endpoint', { ...plan, situation: 'closing', nonceOf: 0 })]
        : []),
    ];
  })`A request sent twice with the same nonce is refused the second time`;
}
