/** Trial of the autopsy, to be removed. */
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { test } from '@playwright/test';
import { autopsy } from '../../../src/autopsy/index.ts';
import { choiceOf, randomOf, rsaKeys, tellingRequest, drawRequest, payloadOf } from './drawn.ts';
import { signedWith } from './deviant.ts';
const log = (...a: unknown[]) => appendFileSync('/tmp/trial.log', `${a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ')}\n`);

test('trial', async () => {
  const keys = rsaKeys();
  const session = new Session(); session.connect();
  const post = (m: string, p?: object) => new Promise<any>((res, rej) => session.post(m, p as never, (e: unknown, r: unknown) => (e ? rej(e) : res(r))));
  await post('Profiler.enable'); await post('Profiler.start');
  for (const method of ['HMAC-SHA1', 'RSA-SHA256'] as const) {
    const choice = choiceOf(randomOf(9));
    for (let i = 0; i < 6; i++) {
      const drawn = i === 0 ? tellingRequest(choice, method) : drawRequest(choice, method);
      const s = signedWith({ ...drawn, body: `${drawn.body}x` }, [], keys.privateKey);
      const request = { ...s.request, body: Buffer.from(drawn.body) };
      for (const limits of [{ depth: 1 }, { depth: 2 }, {}]) {
        const t = performance.now();
        const a = autopsy(request, { consumerSecret: drawn.consumerSecret, tokenSecret: drawn.tokenSecret, publicKey: keys.publicKey }, { limits });
        log(method, i, limits, a.triedCount, a.completeDepth, Math.round(performance.now() - t), a.baseString.length, a.deviations.length);
      }
    }
  }
  const { profile } = await post('Profiler.stop');
  const self = new Map<string, number>();
  const dt: number[] = profile.timeDeltas; const byId = new Map<number, any>(profile.nodes.map((n: any) => [n.id, n]));
  profile.samples.forEach((id: number, i: number) => { const n = byId.get(id); const k = `${n.callFrame.functionName} ${n.callFrame.url.split('/').pop()}:${n.callFrame.lineNumber}`; self.set(k, (self.get(k) ?? 0) + dt[i]!); });
  for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 30)) log(Math.round(v / 1000), k);
  void payloadOf;
});
