/** Trial of the autopsy, to be removed. */
import { appendFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { autopsy } from '../../../src/autopsy/index.ts';
import { choiceOf, randomOf, rsaKeys, drawRequest, payloadOf } from './drawn.ts';
import { signedWith } from './deviant.ts';
const log = (...a: unknown[]) => appendFileSync('/tmp/trial.log', `${a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ')}\n`);
test('trial', async () => {
  const keys = rsaKeys();
  for (const method of ['HMAC-SHA1', 'RSA-SHA256'] as const) {
    const choice = choiceOf(randomOf(9));
    for (const limits of [{ depth: 1 }, { depth: 2 }, {}, { rows: 1 }]) {
      let n = 0; let cpu = 0; let wall = 0; const times = 'rows' in limits ? 2 : 25;
      for (let i = 0; i < times; i++) {
        let drawn = drawRequest(choice, method);
        if (method === 'RSA-SHA256' || 'rows' in limits) drawn = { ...drawn, body: `payload=${encodeURIComponent(payloadOf(choice, 'rows' in limits ? 100000 : 10))}` };
        const request = signedWith({ ...drawn, body: `${drawn.body}x` }, [], keys.privateKey);
        const other = { ...request, body: Buffer.from(drawn.body) };
        const t = process.cpuUsage(); const w = performance.now();
        const a = autopsy(other, { consumerSecret: drawn.consumerSecret, tokenSecret: drawn.tokenSecret, publicKey: keys.publicKey }, { limits: 'rows' in limits ? {} : limits });
        n += a.triedCount; cpu += process.cpuUsage(t).user; wall += performance.now() - w;
      }
      log(method, limits, 'tried', n / times, 'cpu ms', cpu / times / 1000, 'wall ms', wall / times, 'us per', cpu / n);
    }
  }
});
