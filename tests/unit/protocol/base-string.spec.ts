/** URI, normalized parameters and base string (RFC 5849 section 3.4.1), by the vectors. */

import {
  baseString,
  baseStringUri,
  collectParameters,
  normalizeParameters,
} from '../../../src/protocol/oauth/base-string.ts';
import { parseAuthorization } from '../../../src/protocol/oauth/header.ts';
import { unsignedSteps } from '../../../src/protocol/oauth/sign-request.ts';
import { formParameters } from '../../../src/protocol/oauth/verify-request.ts';
import { expect, test } from '../../engine.ts';
import { errorCode } from './error-code.ts';
import { disagreements, readVectors, type Vector } from './vectors.ts';
import { type RequestText, wireRequest } from './wire.ts';

interface BaseStringVector extends Vector {
  readonly request: RequestText;
  readonly baseStringUri: string;
  readonly normalized: string;
  readonly baseString: string;
}

const vectors = readVectors<BaseStringVector>('base-string.json');

test('URI, parameters and base string of every vector come out as it says', () => {
  const wanted = ({ baseStringUri, normalized, baseString }: BaseStringVector) => [
    baseStringUri,
    normalized,
    baseString,
  ];
  const steps = (vector: BaseStringVector) => {
    const request = wireRequest(vector.request);
    const header = request.headers.find(([name]) => name === 'Authorization');
    const authorization = header === undefined ? [] : parseAuthorization(header[1]).parameters;
    const found = unsignedSteps({ ...request, body: formParameters(request) }, authorization);
    return [found.baseStringUri, found.normalized, found.baseString];
  };
  expect(disagreements(vectors, wanted, steps)).toEqual([]);
});

test('realm and signature of the header are left out, the same names elsewhere are not', () => {
  const parameters = collectParameters({
    authorization: [
      ['realm', 'a'],
      ['oauth_signature', 'b'],
      ['oauth_nonce', 'c'],
    ],
    query: [['realm', 'd']],
    body: [
      ['oauth_signature', 'e'],
      ['x', 'f'],
      ['x', 'f'],
    ],
  });
  expect(parameters).toEqual([
    ['realm', 'd'],
    ['oauth_nonce', 'c'],
    ['oauth_signature', 'e'],
    ['x', 'f'],
    ['x', 'f'],
  ]);
});

test('parameters are sorted by their encoded form, values as text and not as numbers', () => {
  const pairs = [
    ['a', '2'],
    ['a', '10'],
    ['b', ''],
    ['A', 'z'],
    ['a!', '0'],
    ['a0', '0'],
    ['é', '1'],
    ['~', '1'],
  ] as const;
  // "a!" is encoded as "a%21", and "%" comes before "0"; "é" begins with "%", "~" is the last unreserved character.
  expect(normalizeParameters(pairs)).toBe('%C3%A9=1&A=z&a=10&a=2&a%21=0&a0=0&b=&~=1');
});

test('a target that is a whole URI replaces scheme and host', () => {
  const url = { scheme: 'http', host: 'proxy.example', target: 'HTTPS://Gate.Example:443/a?b=c' };
  expect(baseStringUri(url)).toBe('https://gate.example/a');
  expect(baseStringUri({ ...url, target: 'https://gate.example' })).toBe('https://gate.example/');
});

test('a target that is neither path nor URI is refused', () => {
  for (const target of ['*', 'a/b', 'gate.example:443']) {
    expect(errorCode(() => baseStringUri({ scheme: 'https', host: 'gate.example', target }))).toBe('malformed-target');
  }
});

test('the method is in upper case and the three parts are encoded once more', () => {
  expect(baseString('post', 'http://a/', 'b=%20&c=d')).toBe('POST&http%3A%2F%2Fa%2F&b%3D%2520%26c%3Dd');
});
