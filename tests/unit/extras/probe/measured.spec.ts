/** Measurements of mocks: intervals contain the true limit, and dialect and differences of gateways are named. */
import { createHash } from 'node:crypto';
import { chooseVariants, fidelityOf, measuredSettings, replayable } from '../../../../src/app/compare-with-mock.ts';
import { runInProcess, transportTo } from '../../../../src/app/prove/run-in-process.ts';
import { measureIn } from '../../../../src/extras/probe/measure.ts';
import { signatureMaterial, verifies } from '../../../../src/mock/authentication.ts';
import type { Reading } from '../../../../src/mock/decode-request.ts';
import type { Alteration } from '../../../../src/mock/gateway.ts';
import type { SignatureMaterial } from '../../../../src/mock/step.ts';
import { consumerOf, defaultWorld } from '../../../../src/mock/world.ts';
import { decodeBase64 } from '../../../../src/protocol/base64.ts';
import { decodeCsv } from '../../../../src/protocol/csv.ts';
import type { Measured } from '../../../../src/record/result/result.ts';
import { completeRunOptions } from '../../../../src/run/options/run-options.ts';
import { publishedCredentials } from '../../../../src/run/target/published.ts';
import { placeOf, publishedConfig } from '../../../../src/run/target/target.ts';
import type { Transport } from '../../../../src/run/transport/transport.ts';
import { gatewayEvidence } from '../../../../src/verdict/gateway-evidence.ts';
import { expect, test } from '../../../engine.ts';

for (const at of [0, 1, 2, 3, 4]) {
  const seed = `setting ${at}`;
  test(`the measurements of the drawn gateway ${seed} are true`, { tag: at === 0 ? [] : ['@all'] }, async () => {
    const gateway = randomGateway(seed);
    const measured = await measure(gateway, seed);
    const wrong = measured.limits.filter(({ id, least, most }) => !isBetween(gateway.truth[id]!, { least, most }));
    expect(wrong).toEqual([]);
    const bounded = measured.limits.filter(({ least, most }) => least !== undefined && most !== undefined);
    expect(bounded.map(({ id }) => id)).toEqual(measured.limits.map(({ id }) => id));
    const { follows, takes, reason } = measured.dialect!;
    const actual = { follows: follows.map(nameOf).sort(), takes: takes.map(nameOf).sort(), reason };
    expect(actual).toEqual({ follows: gateway.follows.toSorted(), takes: gateway.takes.toSorted(), reason: undefined });
  });
}

test('a batch that is refused because of its body length gives no limit of rows', { tag: '@all' }, async () => {
  const { limits } = await measure(randomGateway('short bodies', { 'body-bytes': 2000, rows: 90 }), 'short bodies');
  const { least = 0, most } = limits.find(({ id }) => id === 'rows')!;
  expect({ isTrue: least > 20 && least <= 90, most }).toEqual({ isTrue: true, most: undefined });
});

function nameOf({ deviation, alternatives = [] }: NonNullable<Measured['dialect']>['follows'][number]): string {
  return [deviation, ...alternatives].join(' or ');
}

function isBetween(truth: number, { least = 0, most = Infinity }: { least?: number; most?: number }): boolean {
  return least <= truth && truth <= most;
}

async function measure({ alterations, truth }: RandomGateway, seed: string): Promise<Measured> {
  const at = Date.now();
  const options = completeRunOptions({ seed: seed.replace(' ', '-'), measure: 900 }, at, '/nowhere');
  let nonces = 0;
  const fresh = () => {
    nonces += 1;
    return { timestamp: String(Math.floor(at / 1000)), nonce: `nonce${nonces}` };
  };
  const { endpointId = '' } = publishedConfig;
  const record = await measureIn(
    {
      seed,
      target: {
        ...placeOf({ ...publishedConfig, target: 'http://127.0.0.1:8080', states: { closing: '1112' } }),
        ...publishedCredentials(),
        gates: { [endpointId]: 1 },
      },
      transport: withLimit(transportTo(defaultWorld(), alterations, { at }), truth['body-bytes']!),
      usesOracle: false,
      fresh,
    },
    options,
  );
  expect(record.suiteErrors).toEqual([]);
  return gatewayEvidence([record]).measured!()!;
}

function withLimit(transport: Transport, bytes: number): Transport {
  const response = { status: 413, reason: 'Payload Too Large', headers: [], body: new Uint8Array() };
  return {
    ...transport,
    send: async (request) =>
      request.body.length > bytes ? { request, response, startedAt: 0, durationMs: 1 } : transport.send(request),
  };
}

const only = ['authentication/close-day-valid-accepted', 'authentication/close-day-timestamp-required'];

async function casesOf(faults: { readonly defects?: readonly string[]; readonly variants?: readonly string[] }) {
  const options = completeRunOptions({ ...faults, only, seed: '1', cases: 1 }, Date.now(), '/nowhere');
  return replayable((await runInProcess(options)).cases);
}

test('a gateway that behaves like the mock has no differences', async () => {
  const cases = await casesOf({});
  const { compared, alike, requirements } = fidelityOf(cases);
  expect([compared, alike]).toEqual([cases.length, cases.length]);
  expect(requirements.filter(({ gateway, mock }) => gateway !== mock)).toEqual([]);
  expect(requirements.length).toBeGreaterThan(20);
});

test('answers show the variants of a gateway, and a defect is a requirement with another outcome', async () => {
  const cases = await casesOf({ variants: ['wrapped-body', 'date-in-russian'] });
  const { variants, alike, compared } = chooseVariants(cases);
  expect(variants.map(({ id }) => id).sort()).toEqual(['date-in-russian', 'wrapped-body']);
  expect(alike).toEqual([0, compared]);
  const broken = fidelityOf(await casesOf({ defects: ['close-day/sale-count-as-number'] }));
  expect(broken.requirements.filter(({ gateway, mock }) => gateway !== mock).map(({ mock }) => mock)).toContain('pass');
});

test('measured limits become settings of the mock', () => {
  const common = { openPoint: 'A3', unit: 'seconds', requests: 1, exchanges: [] };
  expect(measuredSettings([{ ...common, id: 'timestamp-behind', least: 119, most: 120 }])).toEqual({
    settings: { timestampWindowSeconds: 120 },
  });
});

interface RandomGateway {
  readonly truth: Readonly<Record<string, number>>;
  /** Ids of the deviations that the gateway follows instead of RFC 5849 (`follows`) or accepts as well (`takes`). */
  readonly follows: readonly string[];
  readonly takes: readonly string[];
  readonly alterations: readonly Alteration[];
}

type Pairs = readonly (readonly [string, string])[];
type Encode = (text: string) => string;

const rfc: Encode = (text) =>
  encodeURIComponent(text).replace(/[!*'()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const encodings: Readonly<Record<string, Encode>> = {
  'space-as-plus': (text) => text.replaceAll('%20', '+'),
  'star-left-bare': (text) => text.replaceAll('%2A', '*'),
  'tilde-encoded': (text) => text.replaceAll('~', '%7E'),
  'slash-left-bare': (text) => text.replaceAll('%2F', '/'),
  'apostrophe-left-bare': (text) => text.replaceAll('%27', "'"),
  'lower-case-hex': (text) => text.replace(/%../g, (one) => one.toLowerCase()),
};

type SignatureSteps = SignatureMaterial['steps'];

const stepChanges: Readonly<Record<string, (steps: SignatureSteps, encode: Encode) => Partial<SignatureSteps>>> = {
  'joined-string-not-encoded': (_, encode) => ({ base: (method, uri, text) => `${method}&${encode(uri)}&${text}` }),
  'body-left-out': ({ collect }) => ({ collect: (from) => collect({ ...from, body: [] }) }),
  'query-left-out': ({ collect }) => ({ collect: (from) => collect({ ...from, query: [] }) }),
  'empty-values-left-out': ({ collect }) => ({ collect: (from) => collect(from).filter(([, value]) => value !== '') }),
  'copies-dropped': ({ collect }) => ({
    collect: (from) => [...new Map(collect(from).map((pair) => [JSON.stringify(pair), pair])).values()],
  }),
  'method-lower-case': ({ base }) => ({
    base: (method, uri, text) => base(method, uri, text).replace(/^[A-Z]+/, (one) => one.toLowerCase()),
  }),
  'port-left-out': ({ uri }) => ({ uri: (url) => uri(url).replace(/:\d+(?=\/)/, '') }),
  'trailing-ampersand': ({ normalize }) => ({ normalize: (pairs) => `${normalize(pairs)}&` }),
};

const showEverywhere = [
  ...['lower-case-hex', 'slash-left-bare', 'joined-string-not-encoded', 'body-left-out'],
  ...['method-lower-case', 'port-left-out', 'trailing-ampersand'],
];
const ids = [...Object.keys(encodings), ...Object.keys(stepChanges)];

function randomGateway(seed: string, overrides: Readonly<Record<string, number>> = {}): RandomGateway {
  let count = 0;
  const draw = (from: number, to: number) => {
    count += 1;
    return from + (createHash('sha256').update(`${seed} ${count}`).digest().readUInt32BE(0) % (to - from + 1));
  };
  const truth = {
    'timestamp-behind': draw(1, 4000),
    'timestamp-ahead': 0,
    'nonces-remembered': draw(3, 60),
    'request-id-longest': draw(33, 120),
    'request-id-shortest': draw(2, 8),
    'order-id-longest': draw(20, 300),
    'payment-id-longest': draw(10, 30),
    'payment-id-shortest': draw(2, 10),
    rows: draw(1, 90),
    'body-bytes': draw(10_000, 90_000),
    ...overrides,
  };
  truth['timestamp-ahead'] = truth['timestamp-behind'];
  const quiet = ids.filter((id) => !showEverywhere.includes(id));
  // Use at most one deviation that changes every signature. Two of them together would need too many requests.
  const chosen = [...new Set([ids[draw(0, ids.length - 1)]!, quiet[draw(0, quiet.length - 1)]!])];
  const isLenient = draw(0, 1) === 1;
  return {
    truth,
    follows: isLenient ? [] : chosen,
    takes: isLenient ? chosen : [],
    alterations: [limitsOf(truth), isLenient ? accept(chosen) : { signs: (material) => follow(material, chosen) }],
  };
}

function follow(material: SignatureMaterial, deviations: readonly string[]): SignatureMaterial {
  const encode: Encode = (text) => deviations.reduce((encoded, id) => encodings[id]?.(encoded) ?? encoded, rfc(text));
  let steps: SignatureSteps = {
    ...material.steps,
    normalize: (pairs: Pairs) =>
      pairs
        .map(([name, value]) => [encode(name), encode(value)] as const)
        .sort(byCode)
        .map((pair) => pair.join('='))
        .join('&'),
    base: (method, uri, text) => `${method}&${encode(uri)}&${encode(text)}`,
  };
  for (const [id, change] of Object.entries(stepChanges)) {
    if (deviations.includes(id)) steps = { ...steps, ...change(steps, encode) };
  }
  return { ...material, steps };
}

function byCode([a, x]: readonly [string, string], [b, y]: readonly [string, string]): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) || Buffer.compare(Buffer.from(x), Buffer.from(y));
}

/** A gateway that accepts RFC 5849 and each of these deviations. */
function accept(deviations: readonly string[]): Alteration {
  return {
    accepts: (reading, step, world) => {
      const material = signatureMaterial(reading, consumerOf(world, reading.oauth));
      return (
        step === 'signature' &&
        material !== undefined &&
        deviations.some((deviation) => verifies(follow(material, [deviation])))
      );
    },
  };
}

function limitsOf(truth: Readonly<Record<string, number>>): Alteration {
  return {
    settings: {
      timestampWindowSeconds: truth['timestamp-behind']!,
      maxNonces: truth['nonces-remembered']!,
      maxBodyBytes: truth['body-bytes']!,
    },
    skips: ['request-id-length', 'client-orderid-length', 'recurring-payment-id-length'],
    refuses: (reading) => (isWithin(reading, truth) ? undefined : 'it is beyond a limit'),
  };
}

function isWithin({ operation, form }: Reading, truth: Readonly<Record<string, number>>): boolean {
  const between = (text: string, least: string, most: string) =>
    text.length >= (truth[least] ?? 0) && text.length <= truth[most]!;
  if (operation === 'close-day') {
    const id = form.find(([name]) => name === 'day_close_request_id')?.[1] ?? '';
    return between(id, 'request-id-shortest', 'request-id-longest');
  }
  const payload = form.find(([name]) => name === 'payload')?.[1] ?? '';
  const { rows } = decodeCsv(Buffer.from(decodeBase64(payload)).toString('utf8'));
  return (
    rows.length <= truth.rows! &&
    rows.every(
      ([order = '', id = '']) =>
        between(order, 'order-id-shortest', 'order-id-longest') &&
        between(id, 'payment-id-shortest', 'payment-id-longest'),
    )
  );
}
