/** `node newman.mjs MAIN COUNT`: starts the mock, and sends it signed close-day requests with newman. */
import { spawn } from 'node:child_process';
import newman from 'newman';
import * as sample from './sample.mjs';

const [, , main, count] = process.argv;
const mock = spawn(process.execPath, [main, 'mock', '--port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
const port = await new Promise((resolve, reject) => {
  let printed = '';
  mock.stderr.on('data', (chunk) => {
    printed += chunk;
    const found = /127\.0\.0\.1:(\d+)/.exec(printed);
    if (found) resolve(found[1]);
  });
  mock.once('exit', () => reject(new Error('the mock did not start')));
});

const auth = { consumerKey: sample.consumerKey, consumerSecret: sample.consumerSecret, signatureMethod: 'HMAC-SHA1' };
const oauth1 = Object.entries({ ...auth, version: '1.0', addParamsToHeader: true }).map(([key, value]) => ({
  key,
  value,
}));
const item = (at) => ({
  name: `close-day ${at}`,
  request: {
    method: 'POST',
    url: `http://127.0.0.1:${port}${sample.path}`,
    auth: { type: 'oauth1', oauth1 },
    body: {
      mode: 'urlencoded',
      urlencoded: sample.closeDay.map(([key, value], i) => ({ key, value: i === 0 ? `${value}${at}` : value })),
    },
  },
});
const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const collection = {
  info: { name: 'bench', schema },
  item: Array.from({ length: Number(count) }, (_, at) => item(at)),
};
newman.run({ collection, reporters: [] }, (failure, summary) => {
  mock.kill();
  const right = summary?.run.executions.filter(({ response }) => response?.code === 200).length;
  process.exitCode = failure === null && right === Number(count) ? 0 : 1;
});
