/** What arrives and is no request in HTTP is noted at its call: it would look as if nothing had been sent. Raw sockets, which no other spec has. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { type LocalGateway, openLocalGateway } from '../../../src/peer/local-gateway/local-gateway.ts';
import type { Place } from '../../../src/peer/local-gateway/places.ts';
import { expect, test } from '../../engine.ts';
import { empty, placeAt, slow } from './opened-place.ts';

let gateway: LocalGateway;

test.beforeAll(async () => {
  gateway = await openLocalGateway({ folder: '', now: Date.now, plainHttp: true });
});

test.afterAll(() => gateway.close());

/** The first line of the answer to the last of these bytes, in which PATH and HOST stand for those of the place. Each waits for its answer. */
async function sent(place: Place, ...requests: readonly string[]): Promise<string> {
  const { host, hostname, port, pathname } = new URL(place.baseUrl);
  const socket = connect(Number(port), hostname);
  let first = '';
  for (const bytes of requests) {
    socket.write(bytes.replace('PATH', `${pathname}/a`).replace('HOST', host), 'latin1');
    const [received] = (await once(socket, 'data')) as [Buffer];
    first = received.toString('latin1').split('\r\n', 1)[0]!;
  }
  socket.destroy();
  return first;
}

const head = 'POST PATH HTTP/1.1\r\nHost: HOST\r\n';
const junk: readonly (readonly [what: string, bytes: string, why: string])[] = [
  ['a folded header', `${head}X: a\n b\r\n\r\n`, 'its lines do not end with CR and LF'],
  ['a control character', `${head}X: a\u0001\r\n\r\n`, 'a header has a line or a character that none may have'],
  ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`, 'it has a second length'],
  ['a negative length', `${head}Content-Length: -1\r\n\r\n`, 'its Content-Length is no number'],
  ['a chunk of no size', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'the size of a chunk is no number'],
  ['a long header', `${head}X: ${'a'.repeat(70_000)}\r\n\r\n`, 'its headers are too long'],
  ['another version', 'POST PATH HTTP/9.7\r\nHost: HOST\r\n\r\n', 'it names another version of HTTP than 1.0 and 1.1'],
  ['line feeds alone', 'POST PATH HTTP/1.1\nHost: HOST\n\n', 'its lines do not end with CR and LF'],
  ['a line feed alone after Host', 'POST PATH HTTP/1.1\r\nHost: HOST\n\r\n', 'its lines do not end with CR and LF'],
  ['a method in small letters', 'post PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 'its method is post, and methods are in'],
  ['a method with one capital', 'Post PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 'its method is Post, and methods are in'],
  ['an unknown method', 'SENDS PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 'its method is SENDS, which is none of HTTP'],
  ['no method', '{"a":1} PATH HTTP/1.1\r\n\r\n', 'its first line begins with no method'],
  ['no Host', 'POST PATH HTTP/1.1\r\nContent-Length: 0\r\n\r\n', 'it has no Host'],
];
for (const [what, bytes, why] of junk) {
  test(`a request with ${what} is refused, and its call says what is missing`, async () => {
    const place = await placeAt(gateway);
    expect(await sent(place, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect([place.exchanges(), place.incomplete()]).toEqual([[], expect.stringContaining(why)]);
    place.close();
  });
}

for (const [what, afterMs] of [
  ['at once', 0],
  ['later', 150],
] as const) {
  test(`a body longer than its Content-Length: the request gets its own answer ${what}, and its call says what came behind it`, async () => {
    const place = await placeAt(gateway, afterMs === 0 ? empty : slow(afterMs));
    expect(await sent(place, `${head}Content-Length: 1\r\n\r\na=b&c=d`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(place.exchanges()).toMatchObject([{ request: { body: Buffer.from('a') }, response: { status: 200 } }]);
    expect(place.incomplete()).toContain('what is left of a body that is longer than its Content-Length');
    place.close();
  });
}

const blank = ['a blank in a name', `${head}X Y: a\r\n\r\n`, 'a header has a line or a character that'] as const;
for (const [what, bytes, why] of [blank, junk[2]!, junk[7]!, junk[11]!]) {
  test(`the second request of a connection with ${what} is told as that, and not as the rest of a body`, async () => {
    const place = await placeAt(gateway);
    expect(await sent(place, `${head}Content-Length: 1\r\n\r\na`, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect([place.exchanges().length, place.incomplete()]).toEqual([1, expect.stringContaining(why)]);
    place.close();
  });
}

test('a request of HTTP/1.0 needs no Host', async () => {
  const place = await placeAt(gateway);
  expect(await sent(place, 'POST PATH HTTP/1.0\r\nContent-Length: 0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  expect([place.exchanges().length, place.incomplete()]).toEqual([1, undefined]);
  place.close();
});
