/** Trial of the autopsy, to be removed. */
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { test } from '@playwright/test';
import { autopsy } from '../../../src/autopsy/index.ts';
import { choiceOf, randomOf, rsaKeys, drawRequest } from './drawn.ts';
import { signedWith } from './deviant.ts';
const log = (...a: unknown[]) => appendFileSync('/tmp/trial.log', `${a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ')}\n`);

test('trial', async () => {
  const keys = rsaKeys();
  const session = new Session(); session.connect();
  const post = (m: string, p?: object) => new Promise<any>((res, rej) => session.post(m, p as never, (e: unknown, r: unknown) => (e ? rej(e) : res(r))));
  await post('Profiler.enable');
  const choice = choiceOf(randomOf(9));
  let n = 0; let cpu = 0;
  for (let i = 0; i < 40; i++) {
    if (i === 10) await post('Profiler.start');
      const drawn = drawRequest(choice, 'HMAC-SHA1');
      const request = signedWith({ ...drawn, body: `${drawn.body}x` }, [], keys.privateKey);
      const other = { ...request, body: Buffer.from(drawn.body) };
      const t = process.cpuUsage();
      const a = autopsy(other, { consumerSecret: drawn.consumerSecret, tokenSecret: drawn.tokenSecret, publicKey: keys.publicKey }, { limits: { depth: 2 } });
      if (i >= 10) { n += a.triedCount; cpu += process.cpuUsage(t).user; }
  }
  log('us per candidate', cpu / n, 'ms per autopsy', cpu / 30 / 1000);
  const { profile } = await post('Profiler.stop');
  const self = new Map<string, number>();
  const dt: number[] = profile.timeDeltas; const byId = new Map<number, any>(profile.nodes.map((x: any) => [x.id, x]));
  profile.samples.forEach((id: number, i: number) => { const x = byId.get(id); const k = `${x.callFrame.functionName} ${x.callFrame.url.split('/').pop()}:${x.callFrame.lineNumber}`; self.set(k, (self.get(k) ?? 0) + dt[i]!); });
  for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 25)) log(Math.round(v / 1000), k);
});
