/** An answer in chunks: they end inside characters, and together they are the body. */
import { request } from 'node:http';
import { openLocalGateway } from '../../../src/local-gateway/index.ts';
import { expect, test } from '../../engine.ts';

async function chunksOf(text: string): Promise<Buffer[]> {
  const gateway = await openLocalGateway({ folder: '.', now: Date.now, plainHttp: true });
  try {
    const headers = [['Transfer-Encoding', 'chunked']] as const;
    const place = await gateway.open({ kind: 'reply', status: 200, headers, body: Buffer.from(text) });
    if ('unavailable' in place) throw new Error(place.unavailable);
    return await new Promise((resolve, reject) => {
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
