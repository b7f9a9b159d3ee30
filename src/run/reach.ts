/** Whether a live target can be reached and speaks HTTP: asked before credentials are looked at, and without any effect. */
import type { SentRequest } from '../exchange/exchange.ts';
import { openTransport, transportDefaults } from './transport.ts';

/**
 * A sentence that says why the target cannot be used; undefined where it answered anything in HTTP. The request is a GET of
 * the base URL, which leads to neither operation.
 */
export async function whyUnreachable(baseUrl: URL, deadlineMs = 5_000): Promise<string | undefined> {
  const transport = openTransport({ ...transportDefaults, deadlineMs });
  const request: SentRequest = {
    method: 'GET',
    scheme: baseUrl.protocol === 'https:' ? 'https' : 'http',
    host: baseUrl.host,
    target: `${baseUrl.pathname.replace(/\/+$/, '')}/`,
    headers: [],
    body: Buffer.alloc(0),
  };
  try {
    const { failure } = await transport.send(request);
    return failure?.message;
  } finally {
    await transport.close();
  }
}
