/** URI, normalized parameters and base string (RFC 5849 section 3.4.1), by the vectors. */
import { decodeForm, encodeForm } from '../../../src/protocol/form.ts';
import { baseStringUri, collectParameters } from '../../../src/protocol/oauth/base-string.ts';
import { parseAuthorization } from '../../../src/protocol/oauth/header.ts';
import { unsignedSteps } from '../../../src/protocol/oauth/sign-request.ts';
import { formParameters } from '../../../src/protocol/oauth/verify-request.ts';
import { expect, test } from '../../engine.ts';
import { disagreements, errorCode, type RequestText, readVectors, type Vector, wireRequest } from './vectors.ts';

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
  const [authorization, query, body] = [
    'realm=a&oauth_signature=b&oauth_nonce=c',
    'realm=d',
    'oauth_signature=e&x=f&x=f',
  ];
  const parameters = collectParameters({
    authorization: decodeForm(authorization!),
    query: decodeForm(query!),
    body: decodeForm(body!),
  });
  expect(encodeForm(parameters)).toBe('realm=d&oauth_nonce=c&oauth_signature=e&x=f&x=f');
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
