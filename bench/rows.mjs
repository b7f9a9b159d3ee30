/** The rows of the table: work that users wait for, with a peer or a limit. --quick omits rows with `quick: false`. */
import { execFileSync } from 'node:child_process';
import { createHmac, createPrivateKey, createSecretKey, createSign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { post, postAll } from './load.mjs';
import * as sample from './sample.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const url = { scheme: 'http', host: '127.0.0.1:8080', target: sample.path };
const batchUrl = { ...url, target: sample.batchPath };
const href = ({ scheme, host, target }) => `${scheme}://${host}${target}`;
const fresh = { timestamp: '1700000000', nonce: 'nonce-of-the-measurement' };
const signatureIn = (authorization) => decodeURIComponent(/oauth_signature="([^"]*)"/.exec(authorization)[1]);

/** Makes a function that calls `once` n times, and returns the last result. */
function loop(once) {
  return (n) => {
    let last;
    for (let i = 0; i < n; i++) last = once();
    return last;
  };
}

async function oauthLibrary(method, sign) {
  const { default: OAuth } = await import('oauth-1.0a');
  const consumer = { key: sample.consumerKey, secret: sample.consumerSecret };
  const client = new OAuth({ consumer, signature_method: method, hash_function: sign });
  client.getNonce = () => fresh.nonce;
  client.getTimeStamp = () => Number(fresh.timestamp);
  return client;
}

/** Signing a whole request, compared with only signing a finished base string. */
const signing = [
  {
    id: 'sign',
    work: 'Authorization header of a close-day request',
    base: 'createHmac',
    goal: { atLeast: 0.25 },
    units: 20_000,
    contenders: {
      createHmac: () => {
        const key = createSecretKey(`${sample.consumerSecret}&`, 'utf8');
        const base = sample.baseString(href(url), [...sample.closeDay, ...sample.oauth('HMAC-SHA1', fresh)]);
        return loop(() => createHmac('sha1', key).update(base).digest('base64'));
      },
      countersign: async ({ load }) => {
        const { signRequest } = await load('src/protocol/index.js');
        const key = { method: 'HMAC-SHA1', consumerSecret: sample.consumerSecret };
        const request = { method: 'POST', ...url, body: sample.closeDay };
        const run = loop(() => signRequest(request, { consumerKey: sample.consumerKey, key }, fresh).authorization);
        return (n) => signatureIn(run(n));
      },
      'oauth-1.0a': async () => {
        const sign = (base, key) => createHmac('sha1', key).update(base).digest('base64');
        const client = await oauthLibrary('HMAC-SHA1', sign);
        const call = { url: href(url), method: 'POST', data: Object.fromEntries(sample.closeDay) };
        const run = loop(() => client.toHeader(client.authorize(call)).Authorization);
        return (n) => signatureIn(run(n));
      },
    },
  },
  {
    id: 'sign-batch',
    work: 'Authorization header of a batch of 1,000 rows',
    base: 'createSign',
    goal: { atLeast: 0.9 },
    units: 250,
    contenders: {
      createSign: async ({ load, smoke }) => {
        const { privateKey, payload } = await batch(load, smoke);
        const pairs = [...sample.oauth('RSA-SHA256', fresh), ['payload', payload]];
        const base = Buffer.from(sample.baseString(href(batchUrl), pairs));
        return loop(() => createSign('RSA-SHA256').update(base).sign(privateKey, 'base64'));
      },
      countersign: async ({ load, smoke }) => {
        const { signRequest } = await load('src/protocol/index.js');
        const { privateKey, payload } = await batch(load, smoke);
        const key = { method: 'RSA-SHA256', privateKey };
        const request = { method: 'POST', ...batchUrl, body: [['payload', payload]] };
        const run = loop(() => signRequest(request, { consumerKey: sample.consumerKey, key }, fresh).authorization);
        return (n) => signatureIn(run(n));
      },
      'oauth-1.0a': async ({ load, smoke }) => {
        const { pem, payload } = await batch(load, smoke);
        const sign = (base) => createSign('RSA-SHA256').update(base).sign(pem, 'base64');
        const client = await oauthLibrary('RSA-SHA256', sign);
        const call = { url: href(batchUrl), method: 'POST', data: { payload } };
        const run = loop(() => client.toHeader(client.authorize(call)).Authorization);
        return (n) => signatureIn(run(n));
      },
    },
  },
];

async function batch(load, smoke) {
  const { publishedIdentity } = await load('src/mock/index.js');
  const pem = publishedIdentity.privateKeyPem;
  const payload = Buffer.from(sample.csvOf(smoke ? 10 : 1_000)).toString('base64');
  return { pem, privateKey: createPrivateKey(pem), payload };
}

/** A server that reads each body to its end, and gives the same answer as the mock. */
const bare = (answer) => () => {
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => response.writeHead(200, { 'Content-Length': Buffer.byteLength(answer) }).end(answer));
  });
  return new Promise((resolve) => {
    const close = () => new Promise((done) => server.close(done).closeAllConnections());
    server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, close }));
  });
};

async function mock({ load }) {
  const { startMock } = await load('src/mock/index.js');
  return startMock();
}

/** Prism validates a form against an OpenAPI document, and answers with an example. It checks no signature. */
async function prism() {
  const [{ createServer: start }, { getHttpOperationsFromSpec: read }, { createLogger }] = await Promise.all([
    import('@stoplight/prism-http-server'),
    import('@stoplight/prism-http'),
    import('@stoplight/prism-core'),
  ]);
  const config = { checkSecurity: true, validateRequest: true, validateResponse: true, errors: false };
  const components = { logger: createLogger('bench', { enabled: false }) };
  const whole = { ...config, mock: { dynamic: false }, isProxy: false, upstreamProxy: undefined };
  const server = start(await read(sample.openApi), { components, cors: false, config: whole });
  const address = await server.listen(0, '127.0.0.1');
  return { port: Number(new URL(address).port), close: () => server.close() };
}

let nonces = 0;

/** Servers. Requests are signed before the measurement starts. */
const servers = [
  {
    id: 'mock',
    work: '`mock`, close-day with all checks, 16 connections',
    base: 'node:http',
    goal: { atLeast: 0.3 },
    units: 8_000,
    drive: async (port, count) => {
      const calls = sample.signedCloseDay(`127.0.0.1:${port}`, count, nonces);
      nonces += count;
      return () => postAll(port, calls, 16);
    },
    contenders: { 'node:http': bare(sample.finished), countersign: mock, prism },
  },
  {
    id: 'mock-batch',
    work: '`mock`, a batch of 100,000 rows with all checks',
    base: 'node:http',
    goal: { atMost: 8 },
    units: 3,
    drive: async (port, count, { load, smoke }) => {
      const { publishedIdentity } = await load('src/mock/index.js');
      const privateKey = createPrivateKey(publishedIdentity.privateKeyPem);
      const csv = sample.csvOf(smoke ? 10 : 100_000);
      const encoded = sample.escapedBase64(Buffer.from(csv).toString('base64'));
      const body = Buffer.from(`payload=${encoded}`, 'latin1');
      const calls = Array.from({ length: count }, () => {
        nonces += 1;
        const authorization = sample.signedBatch(`127.0.0.1:${port}`, encoded, privateKey, `n${nonces}`);
        return { path: sample.batchPath, authorization, body };
      });
      return async () => {
        const statuses = [];
        for (const call of calls) statuses.push(await post(port, call));
        return { answer: statuses.every((status) => status === 200) };
      };
    },
    contenders: { 'node:http': bare(''), countersign: mock },
  },
];

let made;

/** Makes a folder that is removed when the measurements end. */
function folder() {
  if (made === undefined) {
    made = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  return mkdtempSync(join(made, 'run-'));
}

const out = () => ['--out', join(folder(), 'report')];
const node = (...args) => ({ command: () => ['node', ...args] });
const ours =
  (command) =>
  ({ at }) => ({ command: () => ['node', at('src/app/main.cjs'), ...command({ at })] });
const client = () => ['client', '--seed', '1', ...out()];
const adapter = ['--', 'node', here('../adapters/node/adapter.mjs')];
const once = (make) => {
  let value;
  return (...given) => {
    value ??= make(...given);
    return value;
  };
};

const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
const empty = () => node(playwright, 'test', '-c', here('empty/playwright.config.mjs'));

/** Makes a recording of 64 MB, and returns its folder. */
const recording = once((at) => {
  const [, path] = out();
  const command = ['gateway', '--seed', '1', '--cases', '4000', '--out', path];
  execFileSync('node', [at('src/app/main.cjs'), ...command], { stdio: 'ignore' });
  return path;
});
const parse = 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))';

/** Writes a request that was signed without its port. Returns the arguments for `autopsy`. */
const wrongRequest = once(() => {
  const [{ authorization, body }] = sample.signedCloseDay('127.0.0.1', 1, 0);
  const [path, secret] = ['request.txt', 'secret.txt'].map((name) => join(folder(), name));
  const head = `POST ${sample.path} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAuthorization: ${authorization}\r\n`;
  const type = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
  writeFileSync(path, head + type + body);
  writeFileSync(secret, sample.consumerSecret);
  return [path, '--consumer-secret-file', secret];
});

/** Whole commands, from start to exit. The result is correct if the exit code is in `exits`, by default only 0. */
const commands = [
  {
    id: 'gateway',
    work: '`gateway` on the mock',
    base: 'empty Playwright run',
    goal: { atMost: 2, memory: 250 },
    contenders: { 'empty Playwright run': empty, countersign: ours(() => ['gateway', '--seed', '1', ...out()]) },
  },
  {
    id: 'client',
    work: '`client` with the Node adapter',
    base: 'empty Playwright run',
    goal: { atMost: 2 },
    contenders: { 'empty Playwright run': empty, countersign: ours(() => [...client(), ...adapter]) },
  },
  {
    id: 'only',
    work: '`client --only` one requirement',
    base: 'all requirements',
    goal: { atMost: 0.1 },
    quick: false,
    contenders: {
      'all requirements': ours(() => [...client(), ...adapter]),
      countersign: ours(() => [...client(), '--only', 'recurring/amount-length', ...adapter]),
    },
  },
  {
    id: 'exchange',
    work: 'one signed exchange of a run',
    base: 'newman',
    goal: { atLeast: 20 },
    contenders: {
      newman: ({ at }) => ({ ...node(here('newman.mjs'), at('src/app/main.cjs'), '200'), exchanges: 200 }),
      // According to its report, a run with seed 1 has this number of exchanges.
      countersign: (context) => ({ ...ours(() => ['gateway', '--seed', '1', ...out()])(context), exchanges: 1681 }),
    },
  },
  { id: 'help', work: '`--help`', goal: { seconds: 0.12 }, contenders: { countersign: ours(() => ['--help']) } },
  {
    id: 'autopsy',
    work: '`autopsy` of one request',
    goal: { seconds: 0.3 },
    exits: [0, 1],
    contenders: {
      countersign: ours(() => ['autopsy', ...wrongRequest()]),
    },
  },
  {
    id: 'judge',
    work: '`judge` of a recording of 64 MB',
    base: 'JSON.parse of it',
    goal: { atMost: 8, memory: 600 },
    quick: false,
    contenders: {
      'JSON.parse of it': ({ at }) => ({ command: () => ['node', '-e', parse, join(recording(at), 'exchanges.har')] }),
      countersign: ours(({ at }) => ['judge', recording(at), ...out()]),
    },
  },
  {
    id: 'prove',
    work: '`npm run prove`, every defect',
    goal: { seconds: 30 },
    quick: false,
    rounds: 1,
    contenders: { countersign: ({ at }) => node(at('src/app/prove/main.js')) },
  },
];

export const rows = [...signing, ...servers, ...commands.map((row) => ({ ...row, whole: true }))];
