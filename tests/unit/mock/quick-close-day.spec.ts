/** An ordinary close-day request is decided on the fast path as `respond` decides it: any request, with the world that results. */

import {
  addEndpoint,
  defaultSettings,
  defaultWorld,
  type LogEntry,
  newGate,
  publishedIdentity,
  putIntoClosing,
  type Received,
  removeLock,
  respond,
  startMock,
  type World,
} from '../../../src/mock/index.ts';
import { newQuickCloseDay } from '../../../src/mock/quick-close-day.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';
import { type Call, noon, request } from './caller.ts';
import { sendBytes } from './send.ts';

const count = process.env.MUTATIONS === undefined ? 1_000 : Number(process.env.MUTATIONS) / 4;
const settings = { ...defaultSettings, prefix: '/paynet', maxNonces: 5 };

test('it answers as the list of steps does, or leaves the request and the world alone', () => {
  const draw = drawn(3);
  const differing: unknown[] = [];
  const told = { quick: 0, taken: 0, refused: 0 };
  for (let at = 0; at < count; ) {
    const [world, other] = [worldOf(), worldOf()];
    const readHead = newQuickCloseDay(world, settings, 'http');
    for (let same = 0; same < 20; same++, at++) {
      const { sent, httpVersion, now, change } = draw.request();
      change(world);
      change(other);
      const expected = respond(sent, other, settings, now);
      const rawHeaders = [...sent.headers.flat(), 'Content-Length', String(sent.body.length)];
      const decide = readHead({ method: sent.method, url: sent.target, httpVersion, rawHeaders });
      const before = stateOf(world);
      const answer = decide?.(sent.body, now);
      const accepted = expected.about.decision === 'accepted';
      told[answer ? 'quick' : accepted ? 'taken' : 'refused'] += 1;
      if (answer === undefined) {
        if (stateOf(world) !== before) differing.push([sent, 'changed']);
        respond(sent, world, settings, now);
      } else {
        const date = ['Date', new Date(now).toUTCString()];
        const [right, given] = [
          [200, ...expected.headers.flat(), ...date, Buffer.from(expected.body).toString()],
          [expected.status, ...answer.headers, answer.body],
        ].map((parts) => JSON.stringify(parts));
        if (right !== given) differing.push([sent, right, given]);
      }
      if (stateOf(world) !== stateOf(other)) differing.push([sent, stateOf(world), stateOf(other)]);
    }
  }
  expect(differing.slice(0, 2)).toEqual([]);
  // Ordinary requests take the fast path; what is written oddly and right, and what is refused, does not.
  expect(told.quick).toBeGreaterThan(count / 5);
  expect(told.taken).toBeGreaterThan(count / 100);
  expect(told.refused).toBeGreaterThan(count / 5);
});

test('over a connection its answers, and the lines of the log, are those of a mock that takes every step', async () => {
  const bytesOf = (call: Call, closes = false) => {
    const { target, headers, body } = request({ host: 'mock.example', ...call });
    const lines = [...headers, ['Content-Length', body.length], ...(closes ? [['Connection', 'close']] : [])];
    const head = `POST ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    return Buffer.from(head + Buffer.from(body).toString());
  };
  // Sent at once: the next request waits in the connection while one is answered.
  const sent = Buffer.concat([
    bytesOf({}),
    bytesOf({ endpointId: '1114' }),
    bytesOf({ endpointId: '1112' }),
    bytesOf({ secret: 'another' }),
    bytesOf({ endpointId: '1113' }, true),
  ]);
  const answers: string[] = [];
  const logs: LogEntry[][] = [];
  for (const alterations of [[], [{ writes: <T>(reply: T) => reply }]]) {
    const log: LogEntry[] = [];
    const mock = await startMock({ now: () => noon, alterations, log: (entry) => log.push(entry) });
    answers.push(await sendBytes(mock.port, sent));
    logs.push(log);
    await mock.close();
  }
  expect(answers[0]).toBe(answers[1]);
  expect(answers[0]!.split('theRequestSerialNumber')).toHaveLength(6);
  expect(logs[0]).toEqual(logs[1]);
});

function worldOf(): World {
  const { consumerKey, consumerSecret, publicKeyPem } = publishedIdentity;
  const consumers = [
    { consumerKey, consumerSecret, publicKeyPem },
    { consumerKey: 'a b', consumerSecret: 's'.repeat(90) },
    { consumerKey: 'rsa', publicKeyPem },
  ];
  const world = defaultWorld({ consumers });
  addEndpoint(world, '7/8', [newGate('1', '7')]);
  addEndpoint(world, 'é', []);
  return world;
}

function stateOf({ counters, endpoints, nonces, serial }: World): string {
  return JSON.stringify([counters, [...endpoints], [...nonces], serial]);
}

/** Requests, and what a person does in between, all from one seed. */
function drawn(seed: number) {
  const { below: next, of } = diceFrom(seed);
  const rarely = <T>(usual: T, odd: () => T, one = 14): T => (next(one) === 0 ? odd() : usual);
  const id = (): [string, string] => [
    'day_close_request_id',
    rarely('902B4FF5', () => of(['', 'A', 'a-b-c-d-e', 'A'.repeat(33), 'é'.repeat(9)])),
  ];
  const more = (): [string, string][] =>
    of([
      [],
      [],
      [
        ['sale_approved_count', '12'],
        ['sale_approved_sum', '1042.50'],
      ],
      [['sale_approved_sum', of(['', '1 2', '+', 'é', '1042.50'])]],
      [rarely(['x', '1'] as [string, string], () => of([['oauth_x', '1'], ['x', ''], id()]))],
      [
        ['y', '1'],
        ['y', '2'],
      ],
    ]) as [string, string][];
  const oauth = (): Record<string, string | undefined> =>
    of<() => Record<string, string | undefined>>([
      () => ({ oauth_nonce: of(['a', 'b', 'c d', '"\\', 'é']) }),
      () => ({ oauth_timestamp: of(['0', '01', '-1', '1.5', '', String(noon / 1000 - 301), `${noon / 1000 + 300}`]) }),
      () => ({ oauth_version: of(['1.1', undefined]) }),
      () => ({ oauth_consumer_key: of(['nobody', 'rsa', '']) }),
      () => ({ oauth_signature_method: of(['RSA-SHA256', 'PLAINTEXT', undefined]) }),
      () => ({ oauth_token: of(['', 't']) }),
      () => ({ oauth_signature: of([undefined, '', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=']) }),
    ])();
  const edits: ((line: string) => string)[] = [
    (line) => line.replaceAll(', ', of([',', ' , ', ', , '])),
    (line) => line.replace('OAuth ', of(['oauth ', 'OAuth realm="x", ', 'Basic '])),
    (line) => line.replace('%3D"', of(['="', '%3d"', '%3D%3D"', '"'])),
    (line) => line.replace(/nonce="(.)/, (_, first: string) => `nonce="%${first.charCodeAt(0).toString(16)}`),
    (line) => line.replace(/signature="(.)/, 'signature="A'),
    (line) => line.split(', ').reverse().join(', ').replace('OAuth ', '').replace(/^/, 'OAuth '),
  ];
  return {
    request(): { sent: Received; httpVersion: string; now: number; change: (world: World) => void } {
      const known: Call = next(8) === 0 ? { oauth: { oauth_consumer_key: 'a b' }, secret: 's'.repeat(90) } : {};
      const call = request({
        prefix: rarely('/paynet', () => of(['', '/Paynet'])),
        endpointId: rarely(of(['1111', '1113', '1114']), () => of(['1112', '7/8', 'é', '', '9', '1111?'])),
        method: rarely('POST', () => of(['GET', 'post']), 40),
        query: next(30) === 0 ? of(['', 'a=1']) : undefined,
        fields: [...more(), ...rarely([id()], () => []), ...rarely([], more)],
        ...rarely(known, () => ({ oauth: oauth() }), 5),
      });
      const headers = call.headers.map(([name, value]): [string, string] => [
        rarely(name, () => of([name.toLowerCase(), name.toUpperCase()]), 6),
        name === 'Authorization' ? rarely(value, () => of(edits)(value), 6) : value,
      ]);
      const further: [string, string][] = [
        ['Connection', of(['keep-alive', 'Keep-Alive', 'close'])],
        ['Content-Type', 'text/plain'],
        ['Authorization', 'OAuth'],
        ['Accept', '*/*'],
      ];
      if (next(5) === 0) headers.push(of(further));
      if (next(30) === 0) headers.splice(next(headers.length), 1);
      const typed = headers.map(([name, value]): [string, string] =>
        name === 'Content-Type'
          ? [name, rarely(value, () => of([`${value}; charset=utf-8`, 'text/plain']), 20)]
          : [name, value],
      );
      const text = Buffer.from(call.body).toString();
      const odd = () =>
        of([`&${text}`, `${text}&`, text.replace('=', '%3D'), text.replace('d', '%64'), `${text}=`, '', 'é', '=']);
      const sent = { ...call, headers: typed, body: Buffer.from(rarely(text, odd)) };
      const changes: ((world: World) => void)[] = [
        (world) => putIntoClosing(world, '1111'),
        (world) => removeLock(world, '1113'),
        (world) => addEndpoint(world, '1111', [newGate('5', '1111')]),
        (world) => world.endpoints.delete('1114'),
        (world) => world.nonces.clear(),
      ];
      const change = rarely(
        () => {},
        () => of(changes),
        10,
      );
      return { sent, httpVersion: rarely('1.1', () => '1.0', 30), now: noon + next(3) * 500, change };
    },
  };
}
