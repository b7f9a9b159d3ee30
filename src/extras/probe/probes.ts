/** Requests in which ways to sign differ: the plainest first, and then each with as little besides as shows a difference. Pure. */
import { rightHeader } from '../../../generators/authorization-parameters.ts';
import { closeDay } from '../../plan/requests.ts';
import type { RequestPlan } from '../../plan/scenario.ts';
import type { Pair } from '../../protocol/form.ts';

export interface SigningProbe {
  readonly name: string;
  readonly request: RequestPlan;
}

/** Its id is renewed for every request. */
const plain = closeDay({ day_close_request_id: 'measured' });

/** One character each, since a gateway that reads one of them in its own way shows that by itself. */
const characters = [
  ' ', '+', '~', '*', '!', '!!', "'", '()', '/', ':', ',', '@', ';', '?', '-', '%41', 'é', 'e\u0301', '€', '😀', 'ä ö',
]; // biome-ignore format: a list of characters

/** Further fields, which a gateway may take for what it does not know. */
export const probes: readonly SigningProbe[] = [
  { name: 'plain', request: plain },
  ...characters.map((one) => both(one, `a${one}b`)),
  withFields('a + in the body', [['zz', 'a b']], (body) => body.replace('%20', '+')),
  withFields('a space as %20', [['zz', 'a b']], (body) => body.replace('+', '%20')),
  withFields('lower-case escapes in the body', [['zz', 'a/b']], (body) => body.replace('%2F', '%2f')),
  withFields('spaces around a value', [['zz', ' ab ']]),
  withFields('an empty value', [['zz', '']]),
  withFields('a name twice', [
    ['zz', 'b'],
    ['zz', 'a'],
  ]),
  withFields('a name and its value twice', [
    ['zz', 'a'],
    ['zz', 'a'],
  ]),
  withFields('capitals in a name', [
    ['ZZ', 'a'],
    ['zy', 'a'],
  ]),
  withFields('a space in a name', [['z z', 'a']]),
  withFields('names that begin alike', [
    ['zz', 'a'],
    ['zz-', 'a'],
    ['zz0', 'a'],
  ]),
  withFields('names with numbers', [
    ['zz10', 'a'],
    ['zz9', 'a'],
  ]),
  withFields('names that sort otherwise once encoded', [
    ['zz:', 'a'],
    ['zzA', 'a'],
  ]),
  withFields('names beside those of oauth', [
    ['aa', 'a'],
    ['p', 'a'],
    ['zz', 'a'],
  ]),
  withFields('a line feed', [['zz', 'a\nb']]),
  withFields('a carriage return and a line feed', [['zz', 'a\r\nb']]),
  withFields('a line feed at the end', [['zz', 'a\n']]),
  { name: 'a query', request: { ...plain, query: 'yy=b&xx=a' } },
  { name: 'a query with a space', request: { ...plain, query: 'yy=a+b' } },
  { name: 'a realm', request: { ...plain, header: (right) => header(right, '', [['realm', 'r']]) } },
];

function withFields(name: string, fields: readonly Pair[], rawBody?: (encoded: string) => string): SigningProbe {
  const request = { ...plain, body: [...plain.body, ...fields] };
  return { name, request: rawBody === undefined ? request : { ...request, rawBody } };
}

/** In the body and in a parameter of the header: one may be read otherwise than the other. */
function both(character: string, value: string): SigningProbe {
  return {
    name: JSON.stringify(character),
    request: { ...plain, body: [...plain.body, ['zz', value]], header: (right) => header(right, character, []) },
  };
}

function header(
  { consumerKey, timestamp, nonce }: Parameters<NonNullable<RequestPlan['header']>>[0],
  nonceEnd: string,
  further: readonly Pair[],
): ReturnType<typeof rightHeader> {
  const right = rightHeader({ operation: 'close-day', consumerKey, timestamp, nonce: nonce + nonceEnd });
  return { ...right, parameters: [...further, ...right.parameters] };
}
