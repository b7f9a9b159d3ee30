/** The mock over loopback with everything checked, against a bare node:http server that receives the same bytes. */
import { createPrivateKey, createVerify } from 'node:crypto';
import { createServer } from 'node:http';
import { post, postAll } from '../load.mjs';
import * as sample from '../sample.mjs';

const finished =
  '{"response":{"status":"finished","gates":[{"gateId":7101,"isDayClosing":false,"gateCloseDate":"Tue Nov 03 23:59:59 UTC 2026",' +
  '"epntId":1111,"saleApprovedCount":"0","saleAmount":"0.00","reversalApprovedCount":"0","reversalAmount":"0.00","code39":"00",' +
  '"RRN":"000000000001"}]},"theRequestSerialNumber":"00000000-0000-0000-0000-000000000000"}';

/** Reads a body to its end and says what the mock says. */
const bare = (answer) => () =>
  listening((request, response) => {
    request.on('data', () => {});
    request.on('end', () => response.writeHead(200, { 'Content-Length': Buffer.byteLength(answer) }).end(answer));
  });

async function countersign({ load }) {
  const { startMock } = await load('src/mock/index.js');
  const mock = await startMock();
  return { port: mock.port, close: () => mock.close() };
}

/** The batch verified with packages: oauth-1.0a for the base string, csv-parse for the rows. */
async function libraries({ load }) {
  const [{ default: OAuth }, { parse }] = await Promise.all([import('oauth-1.0a'), import('csv-parse/sync')]);
  const { publishedIdentity } = await load('src/mock/identity.js');
  const consumer = { key: sample.consumerKey, secret: '' };
  const client = new OAuth({ consumer, signature_method: 'RSA-SHA256', hash_function: () => '' });
  return listening((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const payload = new URLSearchParams(Buffer.concat(chunks).toString()).get('payload');
      const given = Object.fromEntries(
        [...request.headers.authorization.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
          name,
          decodeURIComponent(value),
        ]),
      );
      const { oauth_signature: signature, ...oauth } = given;
      const url = `http://${request.headers.host}${request.url}`;
      const base = client.getBaseString({ url, method: 'POST', data: { payload } }, oauth);
      const right = createVerify('RSA-SHA256').update(base).verify(publishedIdentity.publicKeyPem, signature, 'base64');
      const rows = parse(Buffer.from(payload, 'base64').toString('utf8'), { delimiter: ';' }).length - 1;
      response.writeHead(right && rows > 0 ? 200 : 403, { 'Content-Length': 0 }).end();
    });
  });
}

function listening(listener) {
  const server = createServer(listener);
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const close = () => new Promise((done) => server.close(done).closeAllConnections());
      resolve({ port: server.address().port, close });
    }),
  );
}

let nonces = 0;

/** Signs before the clock runs; 16 connections that stay open. */
async function closeDays(port, count) {
  const calls = sample.signedCloseDay(`127.0.0.1:${port}`, count, nonces);
  nonces += count;
  return () => postAll(port, calls, 16);
}

const p3 = {
  id: 'P3',
  work: '`mock`, close-day, all checks, 16 connections',
  base: 'node:http',
  goal: { atLeast: 0.3 },
  units: 8_000,
  smoke: 20,
  drive: closeDays,
  contenders: { 'node:http': bare(finished), countersign },
};

const soak = {
  ...p3,
  id: 'P3 soak',
  work: '`mock`, memory after 400,000 close-day requests',
  goal: { memory: 150 },
  units: 20_000,
  rounds: 20,
  once: true,
  contenders: { countersign },
};

/** Signed calls with one and the same batch. */
async function batches(port, count, rows, { load, smoke }) {
  const { publishedIdentity } = await load('src/mock/identity.js');
  const privateKey = createPrivateKey(publishedIdentity.privateKeyPem);
  const encoded = sample.escapedBase64(Buffer.from(sample.csvOf(smoke ? 10 : rows)).toString('base64'));
  const body = Buffer.from(`payload=${encoded}`, 'latin1');
  return Array.from({ length: count }, () => {
    nonces += 1;
    const authorization = sample.signedBatch(`127.0.0.1:${port}`, encoded, privateKey, `n${nonces}`);
    return { path: sample.batchPath, authorization, body };
  });
}

const p4 = (name, rows, units, goal) => ({
  id: `P4 ${name}`,
  work: `\`mock\`, a batch of ${rows.toLocaleString('en')} rows, verified`,
  base: 'node:http',
  goal: { atMost: goal },
  growth: 16,
  units,
  smoke: 1,
  drive: async (port, count, context) => {
    const calls = await batches(port, count, rows, context);
    return async () => {
      const statuses = [];
      for (const call of calls) statuses.push(await post(port, call));
      return { answer: statuses.every((status) => status === 200) };
    };
  },
  contenders: { 'node:http': bare(''), countersign, 'oauth-1.0a + csv-parse': libraries },
});

/** What another connection waits for at most, while a batch of a million rows comes in. */
const p4w = {
  id: 'P4w',
  work: '`mock`, longest wait of a close-day beside 1,000,000 rows',
  base: 'node:http',
  goal: { seconds: 0.05 },
  longest: true,
  units: 1,
  smoke: 1,
  drive: async (port, _, context) => {
    const [batch] = await batches(port, 1, 1_000_000, context);
    const calls = sample.signedCloseDay(`127.0.0.1:${port}`, context.smoke ? 20 : 20_000, nonces + 1);
    nonces += calls.length;
    return async () => {
      let isOver = false;
      const batchStatus = post(port, batch).finally(() => {
        isOver = !context.smoke;
      });
      const waits = await postAll(port, calls, 1, () => isOver);
      return { longest: waits.longest, answer: waits.answer && (await batchStatus) === 200 };
    };
  },
  contenders: { 'node:http': bare(finished), countersign },
};

export const servers = [
  p3,
  soak,
  p4('1k', 1_000, 60, 3),
  p4('100k', 100_000, 3, 6.5),
  p4('1M', 1_000_000, 1, 6.5),
  p4w,
];
