/** An answer in chunks: they end inside characters, and together they are the body. */
import { request, ServerResponse } from 'node:http';
import { openLocalGateway } from '../../../src/peer/local-gateway/index.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { expect, test } from '../../engine.ts';

async function chunksOf(text: string): Promise<Buffer[]> {
  return (await answered(text)).chunks;
}

/** What a client reads of such an answer, and what the gateway has recorded. */
async function answered(text: string): Promise<{ readonly chunks: Buffer[]; readonly recorded: Exchange }> {
  const gateway = await openLocalGateway({ folder: '.', now: Date.now, plainHttp: true });
  try {
    const headers = [['Transfer-Encoding', 'chunked']] as const;
    const place = await gateway.open({ kind: 'reply', status: 200, headers, body: Buffer.from(text) });
    if ('unavailable' in place) throw new Error(place.unavailable);
    const read = await new Promise<Buffer[]>((resolve, reject) => {
      const chunks: Buffer[] = [];
      request(place.baseUrl, { method: 'POST', agent: false, timeout: 5_000 }, (answer) => {
        answer
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('end', () => resolve(chunks))
          .once('error', reject);
      })
        .once('error', reject)
        .end();
    });
    await place.settled();
    return { chunks: read, recorded: place.exchanges()[0]! };
  } finally {
    await gateway.close();
  }
}

test('who decodes each chunk by itself loses every character of several bytes', async () => {
  const text = 'Ger\u00e4t \u6f22 \u{1f600}, ASCII';
  const chunks = await chunksOf(text);
  expect(Buffer.concat(chunks).toString('utf8')).toBe(text);
  const alone = chunks.map((chunk) => chunk.toString('utf8')).join('');
  expect(alone.replace(/\ufffd+/g, '?')).toBe('Ger?t ? ?, ASCII');
});

test('a body of ASCII, and one of more cut characters than are cut, come whole too', async () => {
  for (const text of ['', 'ASCII', '\u6f22'.repeat(1000)]) {
    expect(Buffer.concat(await chunksOf(text)).toString('utf8')).toBe(text);
  }
});

test('an answer whose chunks were joined on their way to the socket is recorded as not sent', async () => {
  const text = 'Ger\u00e4t \u6f22';
  expect((await answered(text)).recorded).toMatchObject({ response: { status: 200 } });
  const { write, end } = ServerResponse.prototype;
  const held: Uint8Array[] = [];
  Object.assign(ServerResponse.prototype, {
    write: (chunk: Uint8Array, written: () => void) => held.push(chunk) && written(),
    end(this: ServerResponse) {
      return end.call(this, Buffer.concat(held), 'utf8');
    },
  });
  try {
    const { chunks, recorded } = await answered(text);
    expect(chunks.map(String)).toEqual([text]);
    expect(recorded.response).toBeUndefined();
    expect(recorded.failure).toEqual({ kind: 'not-sent', message: expect.stringContaining('separate chunks') });
  } finally {
    Object.assign(ServerResponse.prototype, { write, end });
  }
});
