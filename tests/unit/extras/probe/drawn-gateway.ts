/** A mock with limits and a dialect of signing that a seed draws. The dialects are written anew here, without the signer of the autopsy. */
import { createHash } from 'node:crypto';
import type { Alteration } from '../../../../src/mock/alteration.ts';
import { signatureMaterial, verifies } from '../../../../src/mock/authentication.ts';
import type { Reading } from '../../../../src/mock/received.ts';
import type { SignatureMaterial, SignatureSteps } from '../../../../src/mock/step.ts';
import { consumerOf } from '../../../../src/mock/world.ts';
import { decodeBase64 } from '../../../../src/protocol/base64.ts';
import { decodeCsv } from '../../../../src/protocol/csv.ts';

export interface DrawnGateway {
  /** By the id of the limit. */
  readonly truth: Readonly<Record<string, number>>;
  /** Ids of deviations, in place of RFC 5849 and beside it. */
  readonly follows: readonly string[];
  readonly takes: readonly string[];
  readonly alterations: readonly Alteration[];
}

type Pairs = readonly (readonly [string, string])[];
type Encode = (text: string) => string;

const rfc: Encode = (text) =>
  encodeURIComponent(text).replace(/[!*'()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** What each makes of an encoded text. */
const encodings: Readonly<Record<string, Encode>> = {
  'space-as-plus': (text) => text.replaceAll('%20', '+'),
  'star-left-bare': (text) => text.replaceAll('%2A', '*'),
  'tilde-encoded': (text) => text.replaceAll('~', '%7E'),
  'slash-left-bare': (text) => text.replaceAll('%2F', '/'),
  'apostrophe-left-bare': (text) => text.replaceAll('%27', "'"),
  'lower-case-hex': (text) => text.replace(/%../g, (one) => one.toLowerCase()),
};

/** What each does in place of a step. */
const others: Readonly<Record<string, (steps: SignatureSteps, encode: Encode) => Partial<SignatureSteps>>> = {
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
  'lower-case-hex',
  'slash-left-bare',
  'joined-string-not-encoded',
  'body-left-out',
  'method-lower-case',
  'port-left-out',
  'trailing-ampersand',
];
const ids = [...Object.keys(encodings), ...Object.keys(others)];

export function drawnGateway(seed: string, given: Readonly<Record<string, number>> = {}): DrawnGateway {
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
    ...given,
  };
  truth['timestamp-ahead'] = truth['timestamp-behind'];
  const quiet = ids.filter((id) => !showEverywhere.includes(id));
  // Of those that show in every request one at most: of two together nothing can be learnt in a few hundred requests.
  const two = [...new Set([ids[draw(0, ids.length - 1)]!, quiet[draw(0, quiet.length - 1)]!])];
  const isLenient = draw(0, 1) === 1;
  return {
    truth,
    follows: isLenient ? [] : two,
    takes: isLenient ? two : [],
    alterations: [limitsOf(truth), isLenient ? taking(two) : { signs: (material) => following(material, two) }],
  };
}

function following(material: SignatureMaterial, deviations: readonly string[]): SignatureMaterial {
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
  for (const [id, change] of Object.entries(others)) {
    if (deviations.includes(id)) steps = { ...steps, ...change(steps, encode) };
  }
  return { ...material, steps };
}

function byCode([a, x]: readonly [string, string], [b, y]: readonly [string, string]): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) || Buffer.compare(Buffer.from(x), Buffer.from(y));
}

/** Each by itself, beside RFC 5849. */
function taking(deviations: readonly string[]): Alteration {
  return {
    takes: (reading, step, world) => {
      const material = signatureMaterial(reading, consumerOf(world, reading.oauth));
      return (
        step === 'signature' &&
        material !== undefined &&
        deviations.some((deviation) => verifies(following(material, [deviation])))
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
