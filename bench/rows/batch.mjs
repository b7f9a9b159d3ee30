/** A batch of a million rows in process: its CSV by all rules, and the way from rows to a verdict. A child for each run. */
import { createSign, createVerify } from 'node:crypto';
import * as sample from '../sample.mjs';

const million = { full: 1_000_000, smoke: 50 };
const rowsFor = (smoke) => (smoke ? million.smoke : million.full);
const url = `http://127.0.0.1:8080${sample.batchPath}`;
const shape = { delimiter: ';', record_delimiter: '\n' };

/** A peer has the text and counts its rows; it looks at no rule. */
const peer = (read) => async (context) => {
  const bytes = Buffer.from(sample.csvOf(rowsFor(context.smoke)));
  const rows = await read();
  return () => rows(bytes.toString('utf8')) === rowsFor(context.smoke);
};

const p5 = {
  id: 'P5',
  work: 'CSV by all rules of 2.3, 1,000,000 rows',
  base: 'csv-parse',
  goal: { atLeast: 12 },
  growth: 16,
  units: 1,
  smoke: 1,
  fresh: true,
  contenders: {
    'csv-parse': peer(async () => {
      const { parse } = await import('csv-parse/sync');
      return (text) => parse(text, shape).length - 1;
    }),
    countersign: async ({ load, smoke }) => {
      const { newCsvScan } = await load('src/mock/csv-scan.js');
      const bytes = Buffer.from(sample.csvOf(rowsFor(smoke)));
      return () => {
        const scan = newCsvScan();
        // As they come from a socket: 64 KiB of base64 at a time.
        for (let at = 0; at < bytes.length; at += 49_152) scan.push(bytes.subarray(at, at + 49_152));
        const { utf8, table, broken, payments } = scan.end();
        return utf8 && table !== undefined && broken.size === 0 && payments.count === rowsFor(smoke);
      };
    },
    udsv: peer(async () => {
      const { inferSchema, initParser } = await import('udsv');
      return (text) => {
        const schema = inferSchema(text, { col: ';' });
        return initParser(schema).stringArrs(text).length;
      };
    }),
  },
};

const p6 = (name, ascii, goal) => ({
  id: `P6 ${name}`.trim(),
  work: `build, sign, verify, check 1,000,000 rows${ascii ? '' : ', not ASCII'}`,
  base: 'libraries',
  goal: { atLeast: goal },
  units: 1,
  smoke: 1,
  fresh: true,
  contenders: {
    libraries: async ({ load, smoke }) => {
      const { publishedIdentity } = await load('src/mock/identity.js');
      return withLibraries(sample.rowsOf(rowsFor(smoke), ascii), publishedIdentity);
    },
    countersign: async ({ load, smoke }) => {
      const { buildRecurring, encodeForm, readPrivateKey, signRequest } = await load('src/protocol/index.js');
      const { openBatchStream } = await load('src/mock/streamed-batch.js');
      const { defaultSettings, defaultWorld, publishedIdentity, respond } = await load('src/mock/index.js');
      const rows = sample.rowsOf(rowsFor(smoke), ascii);
      const world = defaultWorld();
      const target = { method: 'POST', scheme: 'http', host: '127.0.0.1:8080', target: sample.batchPath };
      const key = { method: 'RSA-SHA256', privateKey: readPrivateKey(publishedIdentity.privateKeyPem) };
      return () => {
        const { body } = buildRecurring({ columns: sample.columns, rows });
        const fresh = { timestamp: '1700000000', nonce: String(world.serial) };
        const credentials = { consumerKey: sample.consumerKey, key };
        const { authorization } = signRequest({ ...target, body }, credentials, fresh);
        const headers = [
          ['Authorization', authorization],
          ['Content-Type', 'application/x-www-form-urlencoded'],
        ];
        const wire = Buffer.from(encodeForm(body), 'latin1');
        const head = { ...target, headers, body: new Uint8Array(0) };
        const now = 1_700_000_000_000;
        const stream = openBatchStream(head, world, defaultSettings, now);
        for (let at = 0; at < wire.length; at += 65_536) stream.push(wire.subarray(at, at + 65_536));
        respond(head, world, defaultSettings, now, undefined, stream.end());
        return world.counters.startedPayments;
      };
    },
  },
});

/** What a programmer puts together from well-known packages; it checks the signature and counts rows. */
async function withLibraries(rows, identity) {
  const [{ stringify }, { parse }, { default: OAuth }] = await Promise.all([
    import('csv-stringify/sync'),
    import('csv-parse/sync'),
    import('oauth-1.0a'),
  ]);
  const client = new OAuth({
    consumer: { key: sample.consumerKey, secret: '' },
    signature_method: 'RSA-SHA256',
    hash_function: (base) => createSign('RSA-SHA256').update(base).sign(identity.privateKeyPem, 'base64'),
  });
  return () => {
    const csv = stringify([sample.columns, ...rows], shape);
    const payload = Buffer.from(csv).toString('base64');
    const signed = client.authorize({ url, method: 'POST', data: { payload } });
    const wire = new URLSearchParams({ payload }).toString();

    const received = new URLSearchParams(wire).get('payload');
    const { oauth_signature: signature, ...given } = signed;
    const base = client.getBaseString({ url, method: 'POST', data: { payload: received } }, given);
    const right = createVerify('RSA-SHA256').update(base).verify(identity.publicKeyPem, signature, 'base64');
    const read = parse(Buffer.from(received, 'base64').toString('utf8'), shape);
    return right ? read.length - 1 : -1;
  };
}

export const batches = [p5, p6('', true, 8), p6('not ASCII', false, 4)];
