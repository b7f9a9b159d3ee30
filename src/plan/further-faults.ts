/** Faults that are sent where there is room for them, as on the mock: more ways to leave out a part of what section 5 asks a gateway to verify. A live target's refusals have to be believed, and only a limited number is. */
import { type OAuthParameter, oauthParameters } from '../../contracts/oauth-parameters.ts';
import { type Area, operations } from '../../contracts/operations.ts';
import { changing } from '../../generators/authorization-cases.ts';
import { rightHeader } from '../../generators/authorization-parameters.ts';
import { encodeForm, type Pair } from '../protocol/form.ts';
import { lenientReadings } from './lenient-readings.ts';
import { unverifiedForms } from './open-forms.ts';
import { faultsIn, inOpenForm, withFurtherColumn, withLines } from './requests.ts';
import type { Draw, ImitatedMethod, PlannedCase, RequestPlan } from './scenario.ts';

/** `large`: a request of many fields or rows, right or not; that it is refused says nothing, that it is accepted does. */
export function furtherFaults(area: Area, right: RequestPlan, large: RequestPlan, draw: Draw): readonly PlannedCase[] {
  const method = operations[right.operation].signatureMethod;
  const fault = faultsIn(right);
  const body = `authentication/${area}-altered-body-refused` as const;
  const uri = `authentication/${area}-altered-uri-refused` as const;
  // Readers keep a body in memory up to a limit of their own.
  const huge = longer(right);
  return [
    fault(body, 'an unknown field that is not signed', {
      body: [...right.body, ['note', 'added']],
      signed: { body: (sent) => sent.filter(([name]) => name !== 'note') },
    }),
    fault(body, 'an empty field that is not signed', {
      body: [...right.body, ['note', '']],
      signed: { body: (sent) => sent.filter(([name]) => name !== 'note') },
    }),
    // In capitals, since our ids have none: in small letters the body would be the right one.
    ...[
      ['the body in capitals', (text: string) => text.toUpperCase()] as const,
      ['the names of the fields alone', () => ''] as const,
    ].map(([what, change]) =>
      fault(body, `a signature made over ${what}`, {
        signed: { body: (sent) => sent.map(([name, value]): Pair => [name, change(value)]) },
      }),
    ),
    fault(body, 'a field twice that is signed once', {
      body: [...right.body, ...right.body],
      signed: { body: (sent) => sent.slice(right.body.length) },
    }),
    // RFC 5849 3.4.1.3: a parameter of the query counts with a value, without one, and without a sign between them.
    ...['x=1', 'x=', 'x'].map((query) =>
      inOpenForm('A30', fault(uri, `the query ${query}, which is not signed`, { query, signed: { query: [] } })),
    ),
    // RFC 5849 3.4.1.2: the port counts unless it is the default one, and the path as it is sent.
    fault(uri, 'no port signed, or one that the URL does not have', {
      signed: { host: (sent) => (/:\d+$/.test(sent) ? sent.replace(/:\d+$/, '') : `${sent}:8443`) },
    }),
    fault(uri, 'a slash signed behind the path', { signed: { target: (sent) => `${sent}/` } }),
    // What stands before a gateway may add a prefix or take it away: signed is the path that the client has sent.
    fault(uri, 'another prefix of the path signed', { signed: { target: (sent) => `/paynet${sent}` } }),
    fault(uri, 'the path signed without its first segment', {
      signed: { target: (sent) => sent.replace(/^\/[^/]+/, '') },
    }),
    fault(uri, 'the path signed in capitals', { signed: { target: (sent) => sent.toUpperCase() } }),
    // Text behind the padding would be lax base64, which is open (A16).
    fault(`authentication/${area}-wrong-signature-refused`, 'three zero bytes behind the signature', {
      signature: (finished) => Buffer.concat([Buffer.from(finished, 'base64'), Buffer.alloc(3)]).toString('base64'),
    }),
    fault(`authentication/${area}-wrong-signature-refused`, 'three zero bytes before the signature', {
      signature: (finished) => Buffer.concat([Buffer.alloc(3), Buffer.from(finished, 'base64')]).toString('base64'),
    }),
    // Whose reader stops there has compared nothing.
    inOpenForm(
      'A4',
      fault(`authentication/${area}-wrong-signature-refused`, 'a percent sign without an escape as the signature', {
        header: (fresh) => ({ ...rightHeader({ operation: right.operation, ...fresh }), escape: 'raw-signature' }),
        signature: () => '%',
      }),
    ),
    // Not lax base64: no character of it is one of either alphabet, and what decodes it all the same compares nothing.
    fault(`authentication/${area}-wrong-signature-refused`, 'a signature without a character of base64', {
      signature: () => '****',
    }),
    // Whether OAuth parameters are read there is open (A31); who reads them has to verify them all the same.
    ...(['body', 'query'] as const).map((credentialsIn) =>
      inOpenForm(
        'A31',
        fault(
          `authentication/${area}-wrong-key-refused`,
          `a signature made with another key, in the ${credentialsIn} in place of the header`,
          { key: 'other', credentialsIn },
        ),
      ),
    ),
    fault(`authentication/${area}-missing-signature-refused`, 'oauth_consumer_key alone', {
      header: (fresh) => {
        const plan = rightHeader({ operation: right.operation, ...fresh });
        return { ...plan, parameters: plan.parameters.filter(([name]) => name === 'oauth_consumer_key') };
      },
    }),
    fault(`authentication/${area}-unsigned-refused`, 'OAuth with a realm alone', {
      authorization: 'OAuth realm="Gateway"',
    }),
    // What finds no way to verify a method may compute nothing, which is as empty as the signature.
    fault(`authentication/${area}-missing-signature-refused`, 'an empty signature by a method that does not exist', {
      header: (fresh) =>
        changing('oauth_signature_method', () => 'NONE')(rightHeader({ operation: right.operation, ...fresh })),
      signature: () => '',
    }),
    // Who goes by what a signature can be, and not by its name, asks for the wrong key.
    fault(`authentication/${area}-other-method-refused`, `the method of the other operation under the name ${method}`, {
      otherMethod: { names: method, signs: method === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1' },
    }),
    ...(method === 'HMAC-SHA1'
      ? [
          ...['sale_approved_count', 'reversal_approved_count', 'reversal_approved_sum'].map((total) =>
            fault(body, `${total} beside the id, which is not signed`, {
              body: [...right.body, [total, '10']],
              signed: { body: (sent) => sent.filter(([name]) => name !== total) },
            }),
          ),
          // Who leaves empty parameters out of what is signed shows it only by a field that it takes: further ones may be refused.
          fault(body, 'an empty total that is not signed', {
            body: [...right.body, ['sale_approved_sum', '']],
            signed: { body: (sent) => sent.filter(([name]) => name !== 'sale_approved_sum') },
          }),
          fault(`authentication/${area}-wrong-key-refused`, 'the secret in letters of the other case', {
            key: 'other-case',
          }),
          fault(`authentication/${area}-wrong-key-refused`, 'a signature made with the consumer key as the secret', {
            key: 'consumer-key',
          }),
        ]
      : []),
    ...['oauth_callback', 'note'].map((name) => addedToHeader(area, right, name)),
    ...oauthParameters
      .filter((name) => name !== 'oauth_signature')
      .map((name) =>
        fault(`authentication/${area}-wrong-signature-refused`, `a signature that leaves out ${name}`, {
          signed: { parameters: (sent) => sent.filter(([one]) => one !== name) },
        }),
      ),
    ...[['a large body', large] as const, ['a body of more than 64 KiB', huge] as const].flatMap(([what, plan]) =>
      [
        fault(`authentication/${area}-unsigned-refused`, `no Authorization header, and ${what}`, {
          ...plan,
          unsigned: true,
        }),
        fault(`authentication/${area}-wrong-key-refused`, `another key, and ${what}`, { ...plan, key: 'other' }),
        fault(body, `a signature made over no body in place of ${what}`, { ...plan, signed: { body: () => [] } }),
      ].map((planned) => inOpenForm('A23', planned)),
    ),
    ...(method === 'RSA-SHA256' ? [...imitations(area, right), ...partlySigned(area, right, large)] : []),
    ...severalMissing(area, right),
    ...lenientReadings(area, right),
    ...inTwoPlaces(area, right),
    ...unverifiedForms(area, right, draw),
  ];
}

/** With a field of 70,000 characters; or with a cell so long in a further column, since more rows would be more payments. */
function longer({ operation, body }: RequestPlan): RequestPlan {
  if (operation === 'close-day') return { operation, body: [...body, ['note', 'x'.repeat(70_000)]] };
  return {
    operation,
    body: body.map(([name, payload]) => [name, withFurtherColumn(payload, 'order_desc', 'x'.repeat(52_500))]),
  };
}

/** RFC 5849 3.4.1.3.1: every parameter of the header is signed, but for realm and the signature. */
function addedToHeader(area: Area, right: RequestPlan, name: string): PlannedCase {
  return faultsIn(right)(
    `authentication/${area}-wrong-signature-refused`,
    `${name} in the header, which is not signed`,
    {
      header: (fresh) => {
        const plan = rightHeader({ operation: right.operation, ...fresh });
        return { ...plan, parameters: [...plan.parameters, [name, 'added']] };
      },
      signed: { parameters: (sent) => sent.filter(([one]) => one !== name) },
    },
  );
}

/** What a reader takes for RSASSA-PKCS1-v1_5 with SHA-256 that looks at a part of the padded message only. */
function imitations(area: Area, right: RequestPlan): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const wrong = `authentication/${area}-wrong-signature-refused` as const;
  const imitation = (signs: ImitatedMethod) => ({
    otherMethod: { names: 'RSA-SHA256', signs } as const,
  });
  return [
    fault(wrong, 'a signature over the digest without the name of its hash', imitation('RSA-DIGEST-ALONE')),
    fault(wrong, 'a signature whose padding is zeros', imitation('RSA-OTHER-PADDING')),
    fault(wrong, 'a signature of another block type', imitation('RSA-OTHER-BLOCK')),
    fault(wrong, 'a signature with little padding, and bytes behind the digest', imitation('RSA-BYTES-BEHIND')),
    fault(`authentication/${area}-other-method-refused`, 'RSASSA-PSS under the name RSA-SHA256', imitation('RSA-PSS')),
  ];
}

/** Batches of which the signature covers a part: who takes one lets payments be added on the way. */
function partlySigned(area: Area, right: RequestPlan, large: RequestPlan): readonly PlannedCase[] {
  const part = (what: string, plan: RequestPlan, covered: (payload: string) => string) =>
    faultsIn(plan)(`authentication/${area}-altered-body-refused`, what, {
      signed: { body: (sent) => sent.map(([name, payload]): Pair => [name, covered(payload)]) },
    });
  const lines =
    (change: (lines: readonly string[]) => readonly string[]) =>
    (payload: string): string =>
      withLines(payload, change);
  // The second payment has an order id of its own.
  const second = lines(([header, row]) => [header!, row!, row!.replace(';', '-2;')]);
  const two = { ...right, body: right.body.map(([name, payload]): Pair => [name, second(payload)]) };
  const ofLarge = (what: string, covered: (payload: string) => string) => inOpenForm('A23', part(what, large, covered));
  return [
    part(
      'a second payment that is not signed',
      two,
      lines((all) => all.slice(0, 2)),
    ),
    part(
      'two payments of which the last one is signed',
      two,
      lines(([header, , ...rest]) => [header!, ...rest]),
    ),
    part(
      'two payments signed in the other order',
      two,
      lines(([header, ...rest]) => [header!, ...rest.reverse()]),
    ),
    part(
      'a batch of which the header row alone is signed',
      right,
      lines(([header]) => [header!]),
    ),
    part(
      'a batch that is signed without its header row',
      right,
      lines(([, ...rest]) => rest),
    ),
    ofLarge(
      'a large batch of which all but the last row is signed',
      lines((all) => all.slice(0, -1)),
    ),
    ofLarge('a large batch of which 1,024 characters are signed', (payload) => payload.slice(0, 1_024)),
  ];
}

/** The same faults again, sent after their twin: a gateway may look only until it knows the consumer. */
export function faultsOfTheKnown(
  area: Area,
  right: RequestPlan,
  altered: (plan: RequestPlan) => RequestPlan,
  flipped: (signature: string) => string,
  twin: number,
): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const after = 'after an accepted request';
  return [
    fault(`authentication/${area}-unsigned-refused`, `no Authorization header, ${after}`, { unsigned: true }),
    fault(`authentication/${area}-wrong-key-refused`, `another key, ${after}`, { key: 'other' }),
    fault(`authentication/${area}-wrong-signature-refused`, `the first bit of the signature, ${after}`, {
      signature: flipped,
    }),
    fault(`authentication/${area}-altered-body-refused`, `a signature made over another body, ${after}`, {
      signed: { body: (sent) => altered({ ...right, body: sent }).body },
    }),
    fault(`authentication/${area}-altered-uri-refused`, `GET signed in place of POST, ${after}`, {
      signed: { method: 'GET' },
    }),
    // Nor may one that gives a request it knows by its ids the answer that it gave before.
    fault(`authentication/${area}-unsigned-refused`, 'no Authorization header, and the ids of an accepted request', {
      unsigned: true,
      idsOf: twin,
    }),
    fault(`authentication/${area}-wrong-key-refused`, 'another key, and the ids of an accepted request', {
      key: 'other',
      idsOf: twin,
    }),
    // Nor one that the session of an accepted request is enough for.
    fault(
      `authentication/${area}-unsigned-refused`,
      'no Authorization header, and the cookies of an accepted request',
      {
        unsigned: true,
        cookiesOf: twin,
      },
    ),
    fault(`authentication/${area}-wrong-key-refused`, 'another key, and the cookies of an accepted request', {
      key: 'other',
      cookiesOf: twin,
    }),
    // A reader that remembers what it took may not look again.
    fault(`authentication/${area}-wrong-signature-refused`, 'the signature of an accepted request', {
      signatureOf: twin,
    }),
  ];
}

/** Each is signed as it is sent, so that what it lacks is its only fault. */
export function severalMissing(area: Area, right: RequestPlan): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const lacking = (...names: readonly OAuthParameter[]): Partial<RequestPlan> => ({
    header: (fresh) => {
      const plan = rightHeader({ operation: right.operation, ...fresh });
      return { ...plan, parameters: plan.parameters.filter(([name]) => !names.some((one) => one === name)) };
    },
  });
  return [
    // RFC 5849 3.1 lets both go together for PLAINTEXT alone, and readers that know it may let them go for every method.
    fault(
      `authentication/${area}-missing-nonce-refused`,
      'neither oauth_timestamp nor oauth_nonce',
      lacking('oauth_timestamp', 'oauth_nonce'),
    ),
    fault(
      `authentication/${area}-missing-signature-method-refused`,
      'oauth_consumer_key and oauth_signature alone',
      lacking('oauth_signature_method', 'oauth_timestamp', 'oauth_nonce', 'oauth_version'),
    ),
    fault(
      `authentication/${area}-missing-signature-refused`,
      'neither oauth_consumer_key nor oauth_signature',
      lacking('oauth_consumer_key', 'oauth_signature'),
    ),
  ];
}

/** Who joins the places under their names signs one of two values (RFC 5849 3.4.1.3 counts both). */
export function inTwoPlaces(area: Area, right: RequestPlan): PlannedCase[] {
  const fault = faultsIn(right);
  const body = `authentication/${area}-altered-body-refused` as const;
  const uri = `authentication/${area}-altered-uri-refused` as const;
  const others = right.body.map(([name]): Pair => [name, 'added']);
  const version: Pair = ['oauth_version', '1.0'];
  return [
    inOpenForm(
      'A30',
      fault(uri, 'the field of the body in the query too, unsigned', {
        query: encodeForm(others),
        signed: { query: [] },
      }),
    ),
    inOpenForm(
      'A30',
      fault(body, 'the field of the query in the body too, unsigned', {
        query: encodeForm(right.body),
        body: others,
        signed: { body: () => [] },
      }),
    ),
    inOpenForm(
      'A31',
      fault(body, 'a parameter of the header in the body too, unsigned', {
        body: [...right.body, version],
        signed: { body: (sent) => sent.filter(([name]) => name !== version[0]) },
      }),
    ),
    inOpenForm(
      'A31',
      fault(uri, 'a parameter of the header in the query too, unsigned', {
        query: encodeForm([version]),
        signed: { query: [] },
      }),
    ),
  ];
}
