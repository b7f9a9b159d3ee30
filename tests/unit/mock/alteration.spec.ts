/** Hooks for defects and variants, as far as no defect of the kill matrix shows them. */
import * as mock from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, csv, noon, request } from './caller.ts';

const { editBody, withBody, withHeader, withoutHeader, withStatus } = mock;

function send(alterations: readonly mock.Alteration[], sent: mock.Received, world = mock.defaultWorld()) {
  const answer = mock.respond(sent, world, mock.settingsWith(alterations), noon, mock.joinAlterations(alterations));
  return { ...answer, text: Buffer.from(answer.body).toString('utf8') };
}

test('a signature over what was received can be checked where the gateway reads something else', () => {
  const otherVersion: mock.Alteration = {
    reads: (seen) => ({ ...seen, target: seen.target.replace('/v3/', '/v2/') }),
    signs: (material, original) => ({ ...material, url: { ...material.url, target: original.target } }),
  };
  expect(send([otherVersion], request()).about.decision).toBe('accepted');
  expect(send([otherVersion], { ...request(), target: '/api/v3/close-day/1111' }).about.step).toBe('signature');
});

test('a nonce can be remembered without its timestamp', () => {
  const alteration: mock.Alteration = { settings: { nonceKey: (consumer, _, nonce) => `${consumer} ${nonce}` } };
  const world = mock.defaultWorld();
  const sent = (oauth_timestamp: string) =>
    send([alteration], request({ oauth: { oauth_nonce: 'n', oauth_timestamp } }), world).about.step;
  expect([sent(String(noon / 1000)), sent(String(noon / 1000 + 1))]).toEqual([undefined, 'nonce']);
});

test('a request that authentication refuses can be acted on all the same, and is counted', () => {
  const taking: mock.Alteration = { takes: (_, step) => step === 'has-oauth_signature' };
  const world = mock.defaultWorld();
  const unsigned = (endpointId: string) => request({ endpointId, oauth: { oauth_signature: undefined } });
  const { text, about } = send([taking], unsigned('1114'), world);
  expect([about.decision, text.match(/"gateId":\d+/g)?.length]).toEqual(['accepted', 3]);
  expect(send([taking], unsigned('7733'), world).text).toContain('"epntId":7733,');
  expect(send([taking], { ...unsigned('1111'), method: 'GET' }, world).about.step).toBe('method');
  expect(world.counters).toMatchObject({ closedDays: 2, refused: 1 });
});

test('a rewriting knows what it rewrites', () => {
  const seen: (string | undefined)[] = [];
  const alteration: mock.Alteration = {
    writes: (reply, { operation, decision, gates, request: sent }) => {
      seen.push(operation, decision, gates?.[0]?.gateId, sent.method);
      return reply;
    },
  };
  send([alteration], request());
  send([alteration], request({ endpointId: '1112' }));
  send([alteration], { ...request(), target: '/' });
  expect(seen).toEqual([
    ...['close-day', 'accepted', '7101', 'POST'],
    ...['close-day', 'closing', undefined, 'POST'],
    ...[undefined, 'not-found', undefined, 'POST'],
  ]);
});

test('alterations are applied in order', () => {
  const add = (letter: string): mock.Alteration => ({ writes: (reply) => editBody(reply, (text) => text + letter) });
  expect(send([add('a'), add('b')], batchRequest(csv)).text).toBe('ab');
});

test('explicit settings win over those of alterations, undefined over nothing', () => {
  const alterations = [{ settings: { refusalStatus: 401, timestampWindowSeconds: 1 } }] as const;
  const settings = mock.settingsWith(alterations, { refusalStatus: 403, timestampWindowSeconds: undefined });
  expect([settings.refusalStatus, settings.timestampWindowSeconds]).toEqual([403, 1]);
});

test('headers and status are changed in place, added first, taken away', () => {
  const reply = mock.recurringRefused();
  expect(withHeader(reply, 'keep-alive', 'timeout=5').headers[1]).toEqual(['Keep-Alive', 'timeout=5']);
  expect(withHeader(reply, 'X-Extra', '1').headers[0]).toEqual(['X-Extra', '1']);
  expect(withoutHeader(reply, 'content-length').headers.map(([name]) => name)).toEqual(['Keep-Alive', 'Connection']);
  expect(withStatus(reply, 401)).toMatchObject({ status: 401, reason: 'Unauthorized' });
  expect(withBody(reply, 'é').headers[0]).toEqual(['Content-Length', '2']);
});
