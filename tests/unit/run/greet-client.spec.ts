/** What a client cannot do at all is said once, before the run, with what to do about it. */
import { greetClient } from '../../../src/run/client/open-client.ts';
import { expect, test } from '../../engine.ts';

/** An adapter whose every call fails for this reason. */
function failing(reason: string): string[] {
  const offers = { ops: ['close-day'], signature_methods: ['HMAC-SHA1'], max_in_flight: 1, tls: true };
  const ready = { t: 'ready', protocol: 1, adapter: { name: 'a' }, client: { name: 'c' }, offers };
  const script = `
    const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { t, id, n } = JSON.parse(line);
      if (t === 'hello') say(${JSON.stringify(ready)});
      if (t === 'ping') say({ t: 'pong', n });
      if (t === 'case') say({ t: 'result', id, outcome: 'transport_error', reason: ${JSON.stringify(reason)} });
      if (t === 'bye') process.exit();
    });`;
  return [process.execPath, '-e', script];
}

for (const [reason, says] of [
  ['ConnectionRefusedError: [Errno 111] Connection refused', /^Call base_url of the case with its port/],
  ['self-signed certificate in certificate chain', /^If it does not trust the certificate: /],
] as const) {
  test(`a client that reaches nothing, since ${reason}, is told what to look at first`, async () => {
    const client = { mode: 'process', command: failing(reason), plainHttp: true, cwd: process.cwd() } as const;
    expect(await greetClient({ client, seed: '1' })).toMatchObject({
      fault: expect.stringContaining(reason),
      hint: expect.stringMatching(says),
    });
  });
}
