/** Requests that a gateway must refuse for their signature or their nonce, the same for both operations: section 5, RFC 5849 3.3, each with its accepted twin. */
import type { OAuthParameter } from '../../contracts/oauth-parameters.ts';
import { type Area, type Operation, operations } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import { bitFlipped, caseSwapped, wrongSignature } from '../../generators/authorization-parameters.ts';
import type { SignatureMethod } from '../protocol/oauth/signature.ts';
import { faultsOfTheKnown, furtherFaults } from './further-faults.ts';
import { faultsIn } from './requests.ts';
import type { Draw, OtherMethod, PlannedCase, RequestPlan, Scenario } from './scenario.ts';

/** All but oauth_version, which RFC 5849 3.1 lets a client leave out (A38). */
const missing = [
  ['consumer-key', 'oauth_consumer_key'],
  ['signature-method', 'oauth_signature_method'],
  ['timestamp', 'oauth_timestamp'],
  ['nonce', 'oauth_nonce'],
  ['signature', 'oauth_signature'],
] as const satisfies readonly (readonly [string, OAuthParameter])[];

/** What the signature scenarios of one operation are made of. */
export interface SignedRequests {
  readonly operation: Operation;
  /** Draws a right request. */
  readonly right: (draw: Draw) => RequestPlan;
  /** The same request with another body that would be right too: the altered-body case signs it in place of what it sends. */
  readonly altered: (plan: RequestPlan) => RequestPlan;
  /** The same with more in it than a reader with a limit of its own may look at. */
  readonly large: (plan: RequestPlan, draw: Draw) => RequestPlan;
  /** Faults that the operation has to itself. */
  readonly own: (plan: RequestPlan) => readonly PlannedCase[];
  /** Draws a right request of another operation. */
  readonly other: (draw: Draw) => RequestPlan;
}

export function signatureScenarios(requests: SignedRequests): Scenario[] {
  const { operation, right, altered, large, other } = requests;
  const { area, effect } = operations[operation];
  const common = { operation, situation: 'open', effect, inFlight: 1 } as const;
  return [
    {
      ...common,
      id: `${area}/signature-faults`,
      title: 'Requests with a missing or wrong signature are refused while their twin is accepted',
      shows: [
        `authentication/${area}-unsigned-refused`,
        `authentication/${area}-wrong-key-refused`,
        `authentication/${area}-altered-body-refused`,
        `authentication/${area}-other-method-refused`,
        `authentication/${area}-wrong-signature-refused`,
        `authentication/${area}-altered-uri-refused`,
        ...missing.map(([slug]): TestableId<'gateway'> => `authentication/${area}-missing-${slug}-refused`),
      ],
      plan: (draw) =>
        withKnown(
          area,
          altered,
          draw,
          withTwin(right(draw), (plan) => [
            ...faults(area, plan, requests),
            ...methodFaults(plan, draw),
            ...(draw.hasRoom ? furtherFaults(area, plan, large(plan, draw), draw) : []),
            ...drawnFaults(area, plan, draw),
          ]),
        ),
    },
    reusedNonce(operation, right, other),
  ];
}

/** Faults first, their accepted twin last: on a live target nothing has an effect before the one positive that settles them. */
export function withTwin(
  right: RequestPlan,
  faultsOf: (plan: RequestPlan) => readonly PlannedCase[],
): readonly PlannedCase[] {
  const faults = faultsOf(right);
  const twin = faults.length;
  return [
    ...faults.map((fault) => ({ ...fault, label: { ...fault.label, twin } })),
    { label: { intent: 'valid' }, request: right },
  ];
}

function faults(area: Area, right: RequestPlan, { altered, own }: SignedRequests): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const unsigned = `authentication/${area}-unsigned-refused` as const;
  return [
    fault(unsigned, 'no Authorization header', { unsigned: true }),
    // What none of these holds is a signature: a name and a password, or a token, is another scheme than OAuth.
    fault(unsigned, 'Basic in place of OAuth', { authorization: 'Basic bWVyY2hhbnQ6cGFzc3dvcmQ=' }),
    fault(unsigned, 'Bearer in place of OAuth', { authorization: 'Bearer dG9rZW4tb2Ytbm9ib2R5' }),
    fault(unsigned, 'OAuth without parameters', { authorization: 'OAuth' }),
    fault(`authentication/${area}-wrong-key-refused`, 'a signature made with another key', { key: 'other' }),
    fault(`authentication/${area}-altered-body-refused`, 'a signature made over another body', {
      signed: { body: (sent) => altered({ ...right, body: sent }).body },
    }),
    fault(`authentication/${area}-altered-body-refused`, 'a signature made over no body', {
      signed: { body: () => [] },
    }),
    ...own(right),
    fault(`authentication/${area}-wrong-signature-refused`, 'a signature cut short', {
      signature: (right) => right.slice(0, -8),
    }),
    // A reader that compares a part of the signature, or its letters without regard to case, takes one of these.
    ...[
      ['the first bit of the signature', bitFlipped(7)] as const,
      [
        'a bit in the middle of the signature',
        (right: string) => bitFlipped(4 * Buffer.byteLength(right, 'base64'))(right),
      ] as const,
      [
        'the last bit of the signature',
        (right: string) => bitFlipped(8 * Buffer.byteLength(right, 'base64') - 8)(right),
        // What compares as C compares texts has ended by then.
        hasZeroInside,
      ] as const,
      ['the case of one letter of the signature', caseSwapped(0)] as const,
      ['a byte more at the end of the signature', (right: string) => withByte(right)] as const,
      [
        'a signature of zeros',
        (right: string) => Buffer.alloc(Buffer.byteLength(right, 'base64')).toString('base64'),
      ] as const,
    ].map(([differsIn, signature, until]) =>
      fault(`authentication/${area}-wrong-signature-refused`, differsIn, { signature, until }),
    ),
    fault(`authentication/${area}-wrong-signature-refused`, 'the signature of a request with another nonce', {
      signed: { nonce: 'anothernonce' },
    }),
    fault(`authentication/${area}-altered-uri-refused`, 'GET signed in place of POST', { signed: { method: 'GET' } }),
    fault(`authentication/${area}-altered-uri-refused`, 'the other scheme signed', {
      signed: { scheme: (sent) => (sent === 'https' ? 'http' : 'https') },
    }),
    fault(`authentication/${area}-altered-uri-refused`, 'another endpoint signed', {
      signed: { target: (sent) => sent.replace(/[^/]+$/, (id) => (id === '1112' ? '1113' : '1112')) },
    }),
    fault(`authentication/${area}-altered-uri-refused`, 'another path signed', {
      signed: { target: (sent) => `${sent}0` },
    }),
    fault(`authentication/${area}-altered-uri-refused`, 'another host signed', {
      signed: { host: (sent) => sent.replace(/^(\[.*\]|[^:]*)/, 'gateway.example') },
    }),
    fault(`authentication/${area}-altered-uri-refused`, 'another port signed', {
      signed: { host: (sent) => `${sent.replace(/:\d+$/, '')}:1` },
    }),
    fault(`authentication/${area}-altered-uri-refused`, 'a query signed that is not sent', {
      signed: { query: [['x', '1']] },
    }),
    ...missing.map(([slug, parameter]) =>
      fault(`authentication/${area}-missing-${slug}-refused`, `no ${parameter}`, { omit: parameter }),
    ),
    {
      label: { intent: 'open', openPoint: 'A38', differsIn: 'no oauth_version' },
      request: { ...right, omit: 'oauth_version' },
    },
  ];
}

/** Where effects are free a few faults come once more, after their accepted twin. */
function withKnown(
  area: Area,
  altered: (plan: RequestPlan) => RequestPlan,
  { hasRoom }: Draw,
  planned: readonly PlannedCase[],
): readonly PlannedCase[] {
  const twin = planned.length - 1;
  const right = planned[twin]!.request;
  const again = hasRoom ? faultsOfTheKnown(area, right, altered, bitFlipped(7), twin) : [];
  return [...planned, ...again.map((fault) => ({ ...fault, label: { ...fault.label, twin } }))];
}

function drawnFaults(area: Area, right: RequestPlan, draw: Draw): readonly PlannedCase[] {
  return draw.generate(wrongSignature, Math.ceil(draw.cases / 8), ({ edge, change }) => ({
    label: { intent: 'fault', about: `authentication/${area}-wrong-signature-refused`, differsIn: edge },
    request: { ...right, signature: change },
  }));
}

/** Not among the first two bytes: in one of 65,536 pairs both signatures begin with a zero byte, and a comparison that ends there takes a wrong one by chance. */
function hasZeroInside(signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64').subarray(0, -1);
  return bytes.indexOf(0) >= 2;
}

function withByte(signature: string): string {
  return Buffer.concat([Buffer.from(signature, 'base64'), Buffer.of(0)]).toString('base64');
}

const otherMethods: Readonly<Record<SignatureMethod, readonly (readonly [differsIn: string, method: OtherMethod])[]>> =
  {
    'HMAC-SHA1': [
      ["the other operation's signature method", { names: 'RSA-SHA256', signs: 'RSA-SHA256' }],
      ['HMAC-SHA256', { names: 'HMAC-SHA256', signs: 'HMAC-SHA256' }],
      ['HMAC-SHA512', { names: 'HMAC-SHA512', signs: 'HMAC-SHA512' }],
      ['RSA-SHA1', { names: 'RSA-SHA1', signs: 'RSA-SHA1' }],
      ['HMAC-SHA256 under the name HMAC-SHA1', { names: 'HMAC-SHA1', signs: 'HMAC-SHA256' }],
      ['HMAC-SHA1 under the name HMAC-SHA256', { names: 'HMAC-SHA256', signs: 'HMAC-SHA1' }],
    ],
    'RSA-SHA256': [
      ["the other operation's signature method", { names: 'HMAC-SHA1', signs: 'HMAC-SHA1' }],
      ['RSA-SHA1', { names: 'RSA-SHA1', signs: 'RSA-SHA1' }],
      ['RSA-SHA512', { names: 'RSA-SHA512', signs: 'RSA-SHA512' }],
      ['HMAC-SHA256', { names: 'HMAC-SHA256', signs: 'HMAC-SHA256' }],
      ['RSA-SHA1 under the name RSA-SHA256', { names: 'RSA-SHA256', signs: 'RSA-SHA1' }],
      ['RSA-SHA256 under the name RSA-SHA1', { names: 'RSA-SHA1', signs: 'RSA-SHA256' }],
    ],
  };

export function methodFaults(right: RequestPlan, { showsSecret }: Draw): readonly PlannedCase[] {
  const { area, signatureMethod } = operations[right.operation];
  const plaintext = ['PLAINTEXT', { names: 'PLAINTEXT', signs: 'PLAINTEXT' }] as const;
  const fault = faultsIn(right);
  const about = `authentication/${area}-other-method-refused` as const;
  const methods = [...otherMethods[signatureMethod], ...(showsSecret ? [plaintext] : [])];
  const hmac = { names: 'HMAC-SHA1', signs: 'HMAC-SHA1' } as const;
  return [
    ...methods.map(([differsIn, otherMethod]) => fault(about, differsIn, { otherMethod })),
    // A reader that takes the method from the header and the key from the consumer has published its secret.
    ...(signatureMethod === 'RSA-SHA256'
      ? [fault(about, 'HMAC-SHA1 with the public key as its secret', { otherMethod: hmac, key: 'public' })]
      : []),
  ];
}

/** `right` draws a right request of the operation, `other` one of another operation. */
export function reusedNonce(
  operation: Operation,
  right: (draw: Draw) => RequestPlan,
  other: (draw: Draw) => RequestPlan,
): Scenario {
  const { area, effect } = operations[operation];
  const about = `authentication/${area}-reused-nonce-refused` as const;
  return {
    operation,
    situation: 'open',
    effect,
    inFlight: 1,
    id: `${area}/reused-nonce`,
    title: 'A request sent twice with the same nonce is refused the second time',
    shows: [about],
    plan: (draw) => {
      const plan = right(draw);
      return [
        { label: { intent: 'valid' }, request: plan },
        { label: { intent: 'fault', about, twin: 0, differsIn: 'a used nonce' }, request: { ...plan, replay: 0 } },
        // The same nonce over another body, signed anew: not the same bytes once more.
        {
          label: { intent: 'fault', about, twin: 0, differsIn: 'the nonce of another request' },
          request: { ...plan, nonceOf: 0 },
        },
        ...(draw.hasRoom
          ? [
              ...laterReplay(right(draw), about),
              ...nonceOfTheOther(plan, other(draw), about),
              ...lastReplay([right(draw), right(draw), right(draw)], plan, about),
              ...(effect === 'closes-day' ? nonceOfAnotherEndpoint(plan, about) : []),
            ]
          : []),
      ];
    },
  };
}

/** A reader that remembers the last nonce alone has forgotten the first one by then. */
function laterReplay(between: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'a used nonce, after another accepted request';
  return [
    { label: { intent: 'valid' }, request: between },
    { label: { intent: 'fault', about, twin: 0, differsIn }, request: { ...between, replay: 0 } },
  ];
}

/** A reader that remembers a few nonces, for a few seconds or for a connection, does not know the first one there. */
function lastReplay(between: readonly RequestPlan[], first: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'a used nonce, after several other accepted requests and over another connection';
  return [
    ...between.map((request): PlannedCase => ({ label: { intent: 'valid' }, request })),
    {
      label: { intent: 'fault', about, twin: 0, differsIn },
      request: { ...first, replay: 0, late: true, framing: 'own-connection' },
    },
  ];
}

/** RFC 5849 3.3: a nonce is unique for a timestamp and a consumer, whichever operation it was used for first. */
function nonceOfTheOther(right: RequestPlan, other: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'the nonce of a request to the other operation';
  return [
    { label: { intent: 'valid' }, request: other },
    { label: { intent: 'fault', about, twin: 5, differsIn }, request: { ...right, nonceOf: 5 } },
  ];
}

/** The same nonce is used up at every endpoint. That of a closing gate has no effect, and its error 99 shows that the nonce was taken. */
function nonceOfAnotherEndpoint(right: RequestPlan, about: TestableId<'gateway'>): PlannedCase[] {
  const differsIn = 'the nonce of a request to another endpoint';
  return [
    { label: { intent: 'fault', about, twin: 0, differsIn }, request: { ...right, situation: 'closing', nonceOf: 0 } },
  ];
}
