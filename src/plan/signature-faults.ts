/** Requests with a missing or wrong signature or with a used nonce (section 5; RFC 5849 3.3). */
import { type Operation, oauthParameters, operations } from '../../contracts/operations.ts';
import { flipBit, swapCase, withParameter, wrongSignature } from '../../generators/authorization.ts';
import { encodeForm, type Pair } from '../protocol/form.ts';
import type { SignatureMethod } from '../protocol/oauth/signature.ts';
import { caseOf, editHeader, faultsIn, mapped, replace, scenarioOf, withLines, without, withTwin } from './requests.ts';
import type { Draw, ImitatedMethod, PlannedCase, RequestPlan, Scenario, SigningMethod } from './scenario.ts';
import { unverifiedForms } from './unusual-forms.ts';

/** RFC 5849 3.1 makes oauth_version optional (A38). */
const required = oauthParameters.filter((name) => name !== 'oauth_version');

function missingRule(parameter: (typeof required)[number]) {
  return `missing-${parameter.slice('oauth_'.length).replaceAll('_', '-') as 'nonce'}` as const;
}

interface SignedRequests {
  readonly operation: Operation;
  readonly valid: (draw: Draw) => RequestPlan;
  readonly alter: (plan: RequestPlan) => RequestPlan;
  readonly enlarge: (plan: RequestPlan, draw: Draw) => RequestPlan;
  readonly ownFaults: (plan: RequestPlan) => readonly PlannedCase[];
  readonly otherOperation: (draw: Draw) => RequestPlan;
}

export function signatureScenarios(requests: SignedRequests): Scenario[] {
  const { operation, valid, alter, enlarge } = requests;
  const { area } = operations[operation];
  return [
    scenarioOf(
      operation,
      'signature-faults',
      [
        ...(['unsigned', 'wrong-key', 'altered-body', 'other-method', 'wrong-signature', 'altered-uri'] as const),
        ...required.map((parameter) => missingRule(parameter)),
      ].map((row) => `authentication/${area}-${row}-refused` as const),
      (draw) => {
        const planned = withTwin(valid(draw), (plan) => [
          ...faults(plan, requests),
          ...methodFaults(plan, draw),
          ...(draw.isThorough ? furtherFaults(plan, enlarge(plan, draw), draw) : []),
          ...draw.generate(wrongSignature, Math.ceil(draw.cases / 8), ({ edge, change }) =>
            faultsIn(plan).signature(edge, change),
          ),
        ]);
        const twin = planned.length - 1;
        return [...planned, ...(draw.isThorough ? faultsAfterTwin(planned[twin]!.request, alter, twin) : [])];
      },
    )`Requests with a missing or wrong signature are refused. Their correctly signed twin is accepted`,
    reusedNonce(requests),
  ];
}

function faults(valid: RequestPlan, { alter, ownFaults }: SignedRequests): readonly PlannedCase[] {
  const { fault, target, host, body, signature, bytes } = faultsIn(valid);
  return [
    fault('unsigned', 'no Authorization header', { unsigned: true }),
    fault('unsigned', 'Basic in place of OAuth', { authorization: 'Basic bWVyY2hhbnQ6cGFzc3dvcmQ=' }),
    fault('unsigned', 'Bearer in place of OAuth', { authorization: 'Bearer dG9rZW4tb2Ytbm9ib2R5' }),
    fault('unsigned', 'OAuth without parameters', { authorization: 'OAuth' }),
    fault('wrong-key', 'a signature made with another key', { key: 'other' }),
    body('a signature made over another body', (sent) => alter({ ...valid, body: sent }).body),
    body('a signature made over no body', () => []),
    ...ownFaults(valid),
    signature('a signature cut short', (base64) => base64.slice(0, -8)),
    // A gateway that compares only part of the signature, or ignores letter case, accepts one of these faults.
    signature('the first bit of the signature', flipBit(7)),
    fault('wrong-signature', 'a bit in the middle of the signature', {
      signature: (base64) => flipBit(4 * Buffer.byteLength(base64, 'base64'))(base64),
    }),
    fault('wrong-signature', 'the last bit of the signature', {
      signature: (base64) => flipBit(8 * Buffer.byteLength(base64, 'base64') - 8)(base64),
      // A gateway that compares C strings stops at a zero byte. So it misses the changed bit after the zero byte.
      signUntil: hasZeroInside,
    }),
    signature('the case of one letter of the signature', swapCase(0)),
    bytes('a byte more at the end of the signature', (sent) => Buffer.concat([sent, Buffer.of(0)])),
    bytes('a signature of zeros', (sent) => Buffer.alloc(sent.length)),
    fault('wrong-signature', 'the signature of a request with another nonce', {
      signed: {
        parameters: (sent) => sent.map(([name, value]) => [name, name === 'oauth_nonce' ? 'anothernonce' : value]),
      },
    }),
    fault('altered-uri', 'GET signed in place of POST', { signed: { method: 'GET' } }),
    fault('altered-uri', 'the other scheme signed', {
      signed: { scheme: (sent) => (sent === 'https' ? 'http' : 'https') },
    }),
    target('another endpoint signed', (sent) => sent.replace(/[^/]+$/, (id) => (id === '1112' ? '1113' : '1112'))),
    target('another path signed', (sent) => `${sent}0`),
    host('another host signed', (sent) => sent.replace(/^(\[.*\]|[^:]*)/, 'gateway.example')),
    host('another port signed', (sent) => `${sent.replace(/:\d+$/, '')}:1`),
    fault('altered-uri', 'a query signed that is not sent', { signed: { query: [['x', '1']] } }),
    ...required.map((parameter) => fault(missingRule(parameter), `no ${parameter}`, { omit: parameter })),
    caseOf('A38', 'no oauth_version', { ...valid, omit: 'oauth_version' }),
  ];
}

/** True if the first zero byte follows at least two other bytes. A shorter beginning may match by chance. */
function hasZeroInside(signature: string): boolean {
  return Buffer.from(signature, 'base64').subarray(0, -1).indexOf(0) >= 2;
}

const otherMethods: Readonly<Record<SignatureMethod, readonly SigningMethod[]>> = {
  'HMAC-SHA1': ['RSA-SHA256', 'HMAC-SHA256', 'HMAC-SHA512', 'RSA-SHA1'],
  'RSA-SHA256': ['HMAC-SHA1', 'RSA-SHA1', 'RSA-SHA512', 'HMAC-SHA256'],
};

const otherHash = { 'HMAC-SHA1': 'HMAC-SHA256', 'RSA-SHA256': 'RSA-SHA1' } as const;

function methodFaults(valid: RequestPlan, { showsSecret }: Draw): readonly PlannedCase[] {
  const { fault } = faultsIn(valid);
  const own = operations[valid.operation].signatureMethod;
  const other = otherHash[own];
  const hmac = { names: 'HMAC-SHA1', signs: 'HMAC-SHA1' } as const;
  const signedBy = (name: SigningMethod) => {
    const differsIn = name in otherMethods ? "the other operation's signature method" : name;
    return fault('other-method', differsIn, { otherMethod: { names: name, signs: name } });
  };
  const misnamed = (names: SigningMethod, signs: SigningMethod) =>
    fault('other-method', `${signs} under the name ${names}`, { otherMethod: { names, signs } });
  return [
    ...otherMethods[own].map(signedBy),
    misnamed(own, other),
    misnamed(other, own),
    ...(showsSecret ? [signedBy('PLAINTEXT')] : []),
    // A gateway that trusts the method in the header may use the public key of the consumer as the HMAC secret.
    ...(own === 'RSA-SHA256'
      ? [fault('other-method', 'HMAC-SHA1 with the public key as its secret', { otherMethod: hmac, key: 'public' })]
      : []),
  ];
}

/** Requests with a used nonce. `otherOperation` draws a valid request of the other operation. */
function reusedNonce({ operation, valid, otherOperation }: SignedRequests): Scenario {
  const { area, effect } = operations[operation];
  const about = `authentication/${area}-reused-nonce-refused` as const;
  const fault = (differsIn: string, request: RequestPlan, twin = 0): PlannedCase => ({
    label: { intent: 'fault', about, twin, differsIn },
    request,
  });
  const acceptedCase = (request: RequestPlan): PlannedCase => ({ label: { intent: 'valid' }, request });
  return scenarioOf(operation, 'reused-nonce', [about], (draw) => {
    const plan = valid(draw);
    const cases = [
      acceptedCase(plan),
      fault('a used nonce', { ...plan, replay: 0 }),
      fault('the nonce of another request', { ...plan, nonceOf: 0 }),
    ];
    if (!draw.isThorough) return cases;
    const otherPlan = valid(draw);
    return [
      ...cases,
      // A gateway that remembers only the last nonce accepts the first nonce again.
      acceptedCase(otherPlan),
      fault('a used nonce, after another accepted request', { ...otherPlan, replay: 0 }),
      // RFC 5849 3.3: a nonce is unique per timestamp and consumer, so both operations must refuse a used nonce.
      acceptedCase(otherOperation(draw)),
      fault('the nonce of a request to the other operation', { ...plan, nonceOf: 5 }, 5),
      // A gateway accepts the first nonce again if it keeps only a few nonces, or only those of one connection.
      ...[valid(draw), valid(draw), valid(draw)].map(acceptedCase),
      fault('a used nonce, after several other accepted requests and over another connection', {
        ...plan,
        replay: 0,
        late: true,
        framing: 'own-connection',
      }),
      // Each endpoint must refuse a used nonce. Error 99 of the closing gate means that the nonce was accepted.
      ...(effect === 'closes-day'
        ? [fault('the nonce of a request to another endpoint', { ...plan, situation: 'closing', nonceOf: 0 })]
        : []),
    ];
  })`If two requests have the same nonce, the second one is refused`;
}

function furtherFaults(valid: RequestPlan, large: RequestPlan, draw: Draw): readonly PlannedCase[] {
  const method = operations[valid.operation].signatureMethod;
  const { fault, openFault, target, host, body, values, signature, bytes } = faultsIn(valid);
  const addedField = (what: string, name: string, value: string) =>
    body(what, (sent) => sent.filter(([one]) => one !== name), [...valid.body, [name, value]]);
  return [
    addedField('an unknown field that is not signed', 'note', 'added'),
    addedField('an empty field that is not signed', 'note', ''),
    // The sent values have lower-case letters, so capitals give another signature.
    values('a signature made over the body in capitals', (value) => value.toUpperCase()),
    values('a signature made over the names of the fields alone', () => ''),
    body('a field twice that is signed once', (sent) => sent.slice(valid.body.length), [...valid.body, ...valid.body]),
    // RFC 5849 3.4.1.3: a signature covers query parameters, also those with an empty value or without `=`.
    ...['x=1', 'x=', 'x'].map((query) =>
      openFault('A30', 'altered-uri', `the query ${query}, which is not signed`, { query, signed: { query: [] } }),
    ),
    // RFC 5849 3.4.1.2: the base string contains the path as sent, and the port unless it is the default port.
    host('no port signed, or one that the URL does not have', (sent) =>
      /:\d+$/.test(sent) ? sent.replace(/:\d+$/, '') : `${sent}:8443`,
    ),
    target('a slash signed behind the path', (sent) => `${sent}/`),
    // The signature covers the path that the client sends, even if a proxy adds or removes a prefix.
    target('another prefix of the path signed', (sent) => `/paynet${sent}`),
    target('the path signed without its first segment', (sent) => sent.replace(/^\/[^/]+/, '')),
    target('the path signed in capitals', (sent) => sent.toUpperCase()),
    // Add the bytes before the base64 encoding: text after the padding would be an open point (A16).
    bytes('three zero bytes behind the signature', (sent) => Buffer.concat([sent, Buffer.alloc(3)])),
    bytes('three zero bytes before the signature', (sent) => Buffer.concat([Buffer.alloc(3), sent])),
    // A gateway that cannot decode this text may forget to compare the signatures.
    openFault('A4', 'wrong-signature', 'a percent sign without an escape as the signature', {
      ...editHeader(valid, (plan) => ({ ...plan, escape: 'raw-signature' })),
      signature: () => '%',
    }),
    // A lax base64 decoder drops each `*`, so no bytes are left to compare.
    signature('a signature without a character of base64', () => '****'),
    // A gateway may ignore OAuth parameters in body and query (A31). If it reads them, it must verify the signature.
    ...(['body', 'query'] as const).map((credentialsIn) => {
      const what = `a signature made with another key, in the ${credentialsIn} in place of the header`;
      return openFault('A31', 'wrong-key', what, { key: 'other', credentialsIn });
    }),
    fault('missing-signature', 'oauth_consumer_key alone', without(valid, ...allButConsumerKey)),
    fault('unsigned', 'OAuth with a realm alone', { authorization: 'OAuth realm="Gateway"' }),
    // A gateway may compute an empty signature for an unknown method. Then an empty signature is correct.
    fault('missing-signature', 'an empty signature by a method that does not exist', {
      ...replace(valid, 'oauth_signature_method', 'NONE'),
      signature: () => '',
    }),
    // A gateway may ignore the named method, and choose a method by the key or by the size of the signature.
    fault('other-method', `the method of the other operation under the name ${method}`, {
      otherMethod: { names: method, signs: method === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1' },
    }),
    ...(method === 'HMAC-SHA1'
      ? [
          ...['sale_approved_count', 'reversal_approved_count', 'reversal_approved_sum'].map((total) =>
            addedField(`${total} beside the id, which is not signed`, total, '10'),
          ),
          // Add a documented field, because a gateway may refuse an unknown field.
          addedField('an empty total that is not signed', 'sale_approved_sum', ''),
          fault('wrong-key', 'the secret in letters of the other case', { key: 'other-case' }),
          fault('wrong-key', 'a signature made with the consumer key as the secret', { key: 'consumer-key' }),
        ]
      : []),
    // RFC 5849 3.4.1.3.1: a signature covers all header parameters except realm and oauth_signature.
    ...['oauth_callback', 'note'].map((name) =>
      fault('wrong-signature', `${name} in the header, which is not signed`, {
        ...editHeader(valid, withParameter([name, 'added'])),
        signed: { parameters: (sent) => sent.filter(([one]) => one !== name) },
      }),
    ),
    ...oauthParameters
      .filter((name) => name !== 'oauth_signature')
      .map((name) =>
        fault('wrong-signature', `a signature that leaves out ${name}`, {
          signed: { parameters: (sent) => sent.filter(([one]) => one !== name) },
        }),
      ),
    // A gateway may verify only bodies that fit into its buffer.
    ...Object.entries({ 'a large body': large, 'a body of more than 64 KiB': withLongContent(valid) }).flatMap(
      ([what, plan]) => [
        openFault('A23', 'unsigned', `no Authorization header, and ${what}`, { ...plan, unsigned: true }),
        openFault('A23', 'wrong-key', `another key, and ${what}`, { ...plan, key: 'other' }),
        openFault('A23', 'altered-body', `a signature made over no body in place of ${what}`, {
          ...plan,
          signed: { body: () => [] },
        }),
      ],
    ),
    ...(method === 'RSA-SHA256' ? [...imitations(valid), ...partlySigned(valid, large)] : []),
    ...severalMissing(valid),
    ...partlySignedFields(valid),
    ...uriFaults(valid),
    ...otherMethodNames(valid),
    bytes('the bytes of the signature in reverse', (sent) => sent.toReversed()),
    bytes('the signature twice', (sent) => Buffer.concat([sent, sent])),
    bytes('each bit of the signature inverted', (sent) => sent.map((byte) => ~byte)),
    signature('a blank as the signature', () => ' '),
    ...parametersInTwoPlaces(valid),
    ...unverifiedForms(valid, draw),
  ];
}

/** Makes the body longer than 64 KiB. A batch gets a long cell, because more rows would start more payments. */
function withLongContent({ operation, body }: RequestPlan): RequestPlan {
  if (operation === 'close-day') return { operation, body: [...body, ['note', 'x'.repeat(70_000)]] };
  const longCell = 'x'.repeat(52_500);
  const withCell = (payload: string) =>
    withLines(payload, ([header, row]) => [`${header};"order_desc"`, `${row};${longCell}`]);
  return { operation, body: mapped(body, withCell) };
}

/** Wrong RSA signatures under the name RSA-SHA256, such as one with wrong padding. */
function imitations(valid: RequestPlan): readonly PlannedCase[] {
  const imitation = (
    signs: ImitatedMethod,
    what: string,
    rule: 'wrong-signature' | 'other-method' = 'wrong-signature',
  ) => faultsIn(valid).fault(rule, what, { otherMethod: { names: 'RSA-SHA256', signs } });
  return [
    imitation('RSA-DIGEST-ALONE', 'a signature over the digest without the name of its hash'),
    imitation('RSA-OTHER-PADDING', 'a signature whose padding is zeros'),
    imitation('RSA-OTHER-BLOCK', 'a signature of another block type'),
    imitation('RSA-BYTES-BEHIND', 'a signature with little padding, and bytes behind the digest'),
    imitation('RSA-PSS', 'RSASSA-PSS under the name RSA-SHA256', 'other-method'),
  ];
}

type EditLines = (lines: readonly string[]) => readonly string[];

/** Batches that are signed only in part. If a gateway accepts such a batch, an attacker can add payments. */
function partlySigned(valid: RequestPlan, large: RequestPlan): readonly PlannedCase[] {
  // The second payment gets another order id, because a gateway may accept each order id only once (A7).
  const addRow = (payload: string) => withLines(payload, ([header, row]) => [header!, row!, row!.replace(';', '-2;')]);
  const twoRows = { ...valid, body: mapped(valid.body, addRow) };
  const partly = (plan: RequestPlan, what: string, covered: EditLines) =>
    faultsIn(plan).values(what, (payload) => withLines(payload, covered));
  const { openFault } = faultsIn(large);
  const largeFault = (what: string, covered: (payload: string) => string) =>
    openFault('A23', 'altered-body', what, { signed: { body: (sent) => mapped(sent, covered) } });
  return [
    partly(twoRows, 'a second payment that is not signed', (all) => all.slice(0, 2)),
    partly(twoRows, 'two payments of which the last one is signed', ([header, , ...rest]) => [header!, ...rest]),
    partly(twoRows, 'two payments signed in the other order', ([header, ...rest]) => [header!, ...rest.reverse()]),
    partly(valid, 'a batch of which the header row alone is signed', ([header]) => [header!]),
    partly(valid, 'a batch that is signed without its header row', ([, ...rest]) => rest),
    largeFault('a large batch of which all but the last row is signed', (payload) =>
      withLines(payload, (all) => all.slice(0, -1)),
    ),
    largeFault('a large batch of which 1,024 characters are signed', (payload) => payload.slice(0, 1_024)),
  ];
}

/** Repeats faults after an accepted request, because a gateway may stop verifying a consumer that it knows. */
function faultsAfterTwin(
  valid: RequestPlan,
  alter: (plan: RequestPlan) => RequestPlan,
  twin: number,
): readonly PlannedCase[] {
  const { fault, signature } = faultsIn(valid);
  const after = 'after an accepted request';
  const faults = [
    fault('unsigned', `no Authorization header, ${after}`, { unsigned: true }),
    fault('wrong-key', `another key, ${after}`, { key: 'other' }),
    signature(`the first bit of the signature, ${after}`, flipBit(7)),
    fault('altered-body', `a signature made over another body, ${after}`, {
      signed: { body: (sent) => alter({ ...valid, body: sent }).body },
    }),
    fault('altered-uri', `GET signed in place of POST, ${after}`, { signed: { method: 'GET' } }),
    // A known id or a session cookie must not replace the signature.
    ...Object.entries({ ids: { idsOf: twin }, cookies: { cookiesOf: twin } }).flatMap(([what, of]) => [
      fault('unsigned', `no Authorization header, and the ${what} of an accepted request`, { unsigned: true, ...of }),
      fault('wrong-key', `another key, and the ${what} of an accepted request`, { key: 'other', ...of }),
    ]),
    // A gateway with a cache of accepted signatures may accept one of them for another request.
    fault('wrong-signature', 'the signature of an accepted request', { signatureOf: twin }),
  ];
  return faults.map(({ label, request }) => ({ label: { ...label, twin }, request }));
}

/** Headers that lack at least two parameters. Each header is signed as sent, so it has no other fault. */
function severalMissing(valid: RequestPlan): readonly PlannedCase[] {
  const { fault } = faultsIn(valid);
  const others = allButConsumerKey.filter((name) => name !== 'oauth_signature');
  return [
    // RFC 5849 3.1 allows this only for PLAINTEXT, but a gateway may allow it for every method.
    fault('missing-nonce', 'neither oauth_timestamp nor oauth_nonce', without(valid, 'oauth_timestamp', 'oauth_nonce')),
    fault('missing-signature-method', 'oauth_consumer_key and oauth_signature alone', without(valid, ...others)),
    fault(
      'missing-signature',
      'neither oauth_consumer_key nor oauth_signature',
      without(valid, 'oauth_consumer_key', 'oauth_signature'),
    ),
  ];
}

const allButConsumerKey = oauthParameters.filter((name) => name !== 'oauth_consumer_key');

/** Sends a parameter in two places, but signs only one. A gateway may verify that one and use the other. */
function parametersInTwoPlaces(valid: RequestPlan): PlannedCase[] {
  const { openFault } = faultsIn(valid);
  const others = valid.body.map(([name]): Pair => [name, 'added']);
  const version: Pair = ['oauth_version', '1.0'];
  return [
    openFault('A30', 'altered-uri', 'the field of the body in the query too, unsigned', {
      query: encodeForm(others),
      signed: { query: [] },
    }),
    openFault('A30', 'altered-body', 'the field of the query in the body too, unsigned', {
      query: encodeForm(valid.body),
      body: others,
      signed: { body: () => [] },
    }),
    openFault('A31', 'altered-body', 'a parameter of the header in the body too, unsigned', {
      body: [...valid.body, version],
      signed: { body: (sent) => sent.filter(([name]) => name !== version[0]) },
    }),
    openFault('A31', 'altered-uri', 'a parameter of the header in the query too, unsigned', {
      query: encodeForm([version]),
      signed: { query: [] },
    }),
  ];
}

/** Adds fields, but signs only parts of them. A gateway must verify such a field completely or refuse it (A30). */
function partlySignedFields(valid: RequestPlan): PlannedCase[] {
  const { openFault } = faultsIn(valid);
  const sent = (what: string, fields: readonly Pair[], signed: readonly Pair[]) =>
    openFault('A30', 'altered-body', `${what} in a further field`, {
      body: [...valid.body, ...fields],
      signed: { body: (all) => [...all.slice(0, valid.body.length), ...signed] },
    });
  const value = (what: string, text: string, signed: string) => sent(what, [['note', text]], [['note', signed]]);
  const many = (count: number) =>
    Array.from({ length: count - valid.body.length }, (_, at): Pair => [`n${String(at).padStart(4, '0')}`, '1']);
  const twice: Pair[] = [
    ['note', '1'],
    ['note', '2'],
  ];
  return [
    value('blanks that are signed trimmed', ' x ', 'x'),
    value('3,000 characters of which 255 are signed', 'x'.repeat(3_000), 'x'.repeat(255)),
    value('5,000 characters of which 4,096 are signed', 'x'.repeat(5_000), 'x'.repeat(4_096)),
    value('text behind a NUL that is not signed', 'a\0b', 'a'),
    value('a letter of two code points that is signed as one', 'e\u0301', '\u00e9'),
    value('a letter that is signed as a question mark', '\u6f22', '?'),
    sent('a name with a capital that is signed without', [['Note', 'x']], [['note', 'x']]),
    sent('the first of two equal names unsigned', twice, twice.slice(1)),
    sent('the second of two equal names unsigned', twice, twice.slice(0, 1)),
    ...['note[]', '_note', 'oauth_note', 'format'].map((name) =>
      sent(`${name}, which is not signed,`, [[name, 'added']], []),
    ),
    openFault('A30', 'altered-body', 'a further field that alone is signed', {
      body: [...valid.body, ['note', 'x']],
      signed: { body: (all) => all.slice(valid.body.length) },
    }),
    ...[100, 1_000].map((count) => sent(`all but ${count} fields unsigned`, [...many(count), ['z', '1']], many(count))),
  ];
}

function uriFaults(valid: RequestPlan): PlannedCase[] {
  const { fault, openFault, target, host, uri } = faultsIn(valid);
  const other = valid.operation === 'close-day' ? 'v4/process-recurring-payments' : 'v2/close-day';
  return [
    target('two slashes signed before the path', (sent) => `/${sent}`),
    target('a segment of one point signed in the path', (sent) => sent.replace('/api/', '/api/./')),
    target('a segment of one point signed before the endpoint', (sent) => sent.replace(/[^/]+$/, './$&')),
    target('a zero signed before the endpoint', (sent) => sent.replace(/[^/]+$/, '0$&')),
    ...['v1', 'v2', 'v3', 'v4']
      .filter((version) => version !== operations[valid.operation].version)
      .map((version) =>
        target(`${version} signed in the path`, (sent) => sent.replace(versionPattern, changeTo(version, '0'))),
      ),
    ...[80, 443].map((port) =>
      uri(`port ${port} signed as it is written`, (sent) =>
        sent.replace(/(?<=\/\/[^/]+?)(:\d+)?(?=\/)/, changeTo(`:${port}`, '0')),
      ),
    ),
    uri('a question mark signed behind the path', (sent) => `${sent}?`),
    target('the path of the other operation signed', (sent) => sent.replace(/[^/]+\/[^/]+(?=\/[^/]+$)/, other)),
    target('the path signed without its endpoint', (sent) => sent.replace(/\/[^/]+$/, '')),
    host('port 8080 or 8081 signed', (sent) => `${sent.replace(/:\d+$/, '')}:${sent.endsWith(':8080') ? 8081 : 8080}`),
    host('another name of this machine signed as the host', (sent) =>
      sent.replace(/^(\[.*\]|[^:]*)/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost')),
    ),
    host('a point signed behind the host', (sent) => sent.replace(/^(\[.*\]|[^:]*)/, '$1.')),
    ...['PUT', 'PATCH', 'DELETE'].map((method) =>
      fault('altered-uri', `${method} signed in place of POST`, { signed: { method } }),
    ),
    ...[
      ['the second of two query parameters', 'x=1&y=2', [['x', '1']]] as const,
      ['the first of two equal query parameters', 'x=1&x=2', [['x', '2']]] as const,
      ['the value of a query parameter', 'x=1', [['x', '']]] as const,
    ].map(([what, query, signed]) =>
      openFault('A30', 'altered-uri', `${what} unsigned`, { query, signed: { query: signed } }),
    ),
  ];
}

/** The version in a path, such as `v2` in `/api/v2/close-day/1111`. A configuration may change it. */
const versionPattern = /[^/]+(?=\/[^/]+\/[^/]+$)/;

function changeTo(text: string, suffix: string): (found: string) => string {
  return (found) => (found === text ? `${text}${suffix}` : text);
}

function otherMethodNames(valid: RequestPlan): PlannedCase[] {
  const own = operations[valid.operation].signatureMethod;
  const alias = own === 'HMAC-SHA1' ? 'HmacSHA1' : 'RS256';
  return ['NONE', own.replace(/\d+$/, '384'), own.replace('-', '_'), `${own}-2`, `${own} `, alias].map((name) =>
    faultsIn(valid).fault(
      'other-method',
      `a right signature under the name ${name}`,
      replace(valid, 'oauth_signature_method', name),
    ),
  );
}
