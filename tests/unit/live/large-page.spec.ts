/** A page of any size under the base URL is an answer: doctor and the probe of a run ask for no more. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mostBodyBytes } from '../../../src/record/exchange.ts';
import type { EffectGuard } from '../../../src/run/allowance/guard.ts';
import { examineTarget } from '../../../src/run/doctor/examine-target.ts';
import { newProbe } from '../../../src/run/live/session.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';

test('a first page that is longer than an answer may be is there, and keeps being there', async () => {
  const page = Buffer.alloc(mostBodyBytes + 1, ' ');
  const server = createServer((_request, response) => void response.end(page)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = openTransport();
  try {
    const { send } = transport;
    const io = { send: (request: Parameters<typeof send>[0]) => send(request), now: Date.now, env: {} };
    const { answers, findings } = await examineTarget({ target: `http://${host}`, deadlineMs: 5000 }, io);
    expect([answers, findings.filter(({ status }) => status === 'problem')]).toEqual([true, []]);
    const guard = { send: (request: Parameters<typeof send>[0]) => send(request) } as unknown as EffectGuard;
    const probe = newProbe(guard, { scheme: 'http', host, prefix: '' } as Parameters<typeof newProbe>[1], send);
    expect(await probe()).toEqual({ gone: false });
  } finally {
    await transport.close();
    server.close();
  }
});
