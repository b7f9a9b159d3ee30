/** Signing and verifying in process, against the bare hash or signature over a base string that is ready. */
import { createHmac, createPrivateKey, createSecretKey, createSign } from 'node:crypto';
import * as sample from '../sample.mjs';

const url = { scheme: 'http', host: '127.0.0.1:8080', target: sample.path };
const batchUrl = { ...url, target: sample.batchPath };
const href = ({ scheme, host, target }) => `${scheme}://${host}${target}`;
const fresh = { timestamp: '1700000000', nonce: 'nonce-of-the-measurement' };
const oauth = (method) => [
  ['oauth_consumer_key', sample.consumerKey],
  ['oauth_nonce', fresh.nonce],
  ['oauth_signature_method', method],
  ['oauth_timestamp', fresh.timestamp],
  ['oauth_version', '1.0'],
];
const signatureIn = (authorization) => decodeURIComponent(/oauth_signature="([^"]*)"/.exec(authorization)[1]);

/** Calls `once` n times; the answer is the last one's. */
function loop(once) {
  return (n) => {
    let last;
    for (let i = 0; i < n; i++) last = once();
    return last;
  };
}

const hmacBase = () => sample.baseString(href(url), [...sample.closeDay, ...oauth('HMAC-SHA1')]);

function rawHmac(answer) {
  const key = createSecretKey(`${sample.consumerSecret}&`, 'utf8');
  const base = hmacBase();
  return loop(() => {
    const digest = createHmac('sha1', key).update(base).digest('base64');
    return answer ?? digest;
  });
}

async function oauthLibrary(method, sign) {
  const { default: OAuth } = await import('oauth-1.0a');
  const client = new OAuth({
    consumer: { key: sample.consumerKey, secret: sample.consumerSecret },
    signature_method: method,
    hash_function: sign,
  });
  client.getNonce = () => fresh.nonce;
  client.getTimeStamp = () => Number(fresh.timestamp);
  return client;
}

/** The whole Authorization header of a close-day call. */
const p1 = {
  id: 'P1',
  work: 'close-day Authorization header',
  base: 'createHmac',
  goal: { atLeast: 0.25 },
  units: 20_000,
  smoke: 20,
  contenders: {
    createHmac: () => rawHmac(),
    countersign: async ({ load }) => {
      const { signRequest } = await load('src/protocol/index.js');
      const key = { method: 'HMAC-SHA1', consumerSecret: sample.consumerSecret };
      const request = { method: 'POST', ...url, body: sample.closeDay };
      const run = loop(() => signRequest(request, { consumerKey: sample.consumerKey, key }, fresh).authorization);
      return (n) => signatureIn(run(n));
    },
    'oauth-1.0a': async () => {
      const client = await oauthLibrary('HMAC-SHA1', (base, key) =>
        createHmac('sha1', key).update(base).digest('base64'),
      );
      const data = Object.fromEntries(sample.closeDay);
      const run = loop(() => client.toHeader(client.authorize({ url: href(url), method: 'POST', data })).Authorization);
      return (n) => signatureIn(run(n));
    },
  },
};

/** The same call, as it arrived: header, base string, comparison. */
const p1v = {
  id: 'P1v',
  work: 'verify the same in process',
  base: 'createHmac',
  goal: { atLeast: 0.15 },
  units: 20_000,
  smoke: 20,
  contenders: {
    createHmac: () => rawHmac(true),
    countersign: async ({ load }) => {
      const { verifyRequest } = await load('src/protocol/index.js');
      const key = { method: 'HMAC-SHA1', consumerSecret: sample.consumerSecret };
      const [call] = sample.signedCloseDay(url.host, 1, 0);
      const headers = [
        ['Host', url.host],
        ['Content-Type', 'application/x-www-form-urlencoded'],
        ['Authorization', call.authorization],
      ];
      const request = { method: 'POST', ...url, headers, body: Buffer.from(call.body) };
      return loop(() => verifyRequest(request, () => [key]).ok);
    },
  },
};

const p2 = (name, rows, ascii, goal, units) => ({
  id: `P2 ${name}`,
  work: `RSA-SHA256 signature, ${rows.toLocaleString('en')} rows${ascii ? '' : ', not ASCII'}`,
  base: 'createSign',
  goal: { atLeast: goal },
  units,
  smoke: 1,
  contenders: {
    createSign: async ({ load, smoke }) => {
      const { privateKey, payload } = await batch(load, smoke ? 10 : rows, ascii);
      const ready = Buffer.from(sample.baseString(href(batchUrl), [...oauth('RSA-SHA256'), ['payload', payload]]));
      return loop(() => createSign('RSA-SHA256').update(ready).sign(privateKey, 'base64'));
    },
    countersign: async ({ load, smoke }) => {
      const { signRequest } = await load('src/protocol/index.js');
      const { privateKey, payload } = await batch(load, smoke ? 10 : rows, ascii);
      const key = { method: 'RSA-SHA256', privateKey };
      const request = { method: 'POST', ...batchUrl, body: [['payload', payload]] };
      const run = loop(() => signRequest(request, { consumerKey: sample.consumerKey, key }, fresh).authorization);
      return (n) => signatureIn(run(n));
    },
    'oauth-1.0a': async ({ load, smoke }) => {
      const { pem, payload } = await batch(load, smoke ? 10 : rows, ascii);
      const sign = (base) => createSign('RSA-SHA256').update(base).sign(pem, 'base64');
      const client = await oauthLibrary('RSA-SHA256', sign);
      const call = { url: href(batchUrl), method: 'POST', data: { payload } };
      const run = loop(() => client.toHeader(client.authorize(call)).Authorization);
      return (n) => signatureIn(run(n));
    },
  },
});

async function batch(load, rows, ascii) {
  const { publishedIdentity } = await load('src/mock/identity.js');
  const pem = publishedIdentity.privateKeyPem;
  const payload = Buffer.from(sample.csvOf(rows, ascii)).toString('base64');
  return { pem, privateKey: createPrivateKey(pem), payload };
}

export const signing = [
  p1,
  p1v,
  p2('10', 10, true, 0.97, 300),
  p2('1k', 1_000, true, 0.93, 250),
  p2('100k', 100_000, true, 0.6, 12),
  p2('100k not ASCII', 100_000, false, 0.3, 8),
];
