/** Small changes of a finished request. */
import type { SentRequest } from '../../record/exchange.ts';

/** The request with another body and the length that it has. */
export function requestWithBody(request: SentRequest, text: string): SentRequest {
  const body = Buffer.from(text, 'utf8');
  return requestWithHeader({ ...request, body }, 'Content-Length', String(body.length));
}

/** The request with another value in a header that it has. */
export function requestWithHeader(request: SentRequest, name: string, value: string): SentRequest {
  return { ...request, headers: request.headers.map(([found, old]) => [found, found === name ? value : old]) };
}

export function requestWithoutHeader(request: SentRequest, name: string): SentRequest {
  return { ...request, headers: request.headers.filter(([found]) => found !== name) };
}
