/** The pieces that page and API share: a request that was read, an answer that is to be written. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../../mock/body.ts';
import { printedJson } from '../../report/visible.ts';
import { DeskError } from './desk-error.ts';
import type { DeskService } from './desk-service.ts';

export interface WebRequest {
  readonly method: string;
  /** Decoded segments of the path behind /desk. */
  readonly segments: readonly string[];
  readonly body: string;
  readonly desk: DeskService;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A public key and a name take far less. */
const maxBodyBytes = 64 * 1024;

/** The body as text. Throws DeskError `bad-request`. */
export async function readSmallBody(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, maxBodyBytes);
  if (typeof body !== 'string') return Buffer.from(body).toString('utf8');
  throw new DeskError('bad-request', 'the body is too large, or was cut off', `send at most ${maxBodyBytes} bytes`);
}

export function jsonAnswer(value: unknown, status = 200): WebAnswer {
  return { status, headers: { 'Content-Type': 'application/json;charset=utf-8' }, body: printedJson(value, 2) };
}

/** Redirects so that a reload does not send the form again (RFC 9110 section 15.4.4). */
export function seeOther(location: string): WebAnswer {
  return { status: 303, headers: { Location: location }, body: '' };
}

/** The status that a fault of the caller, or of the state file, is answered with. */
export function statusOfError({ code }: DeskError): number {
  switch (code) {
    case 'bad-request':
    case 'bad-public-key':
      return 400;
    case 'foreign-origin':
      return 403;
    case 'no-such-thing':
      return 404;
    case 'already-given':
      return 410;
    case 'too-many':
      return 409;
    default:
      return 503;
  }
}

export function methodRefused(allowed: string): WebAnswer {
  const value = { error: `only ${allowed} is possible here`, hint: 'docs/desk.md lists the routes' };
  return { ...jsonAnswer(value, 405), headers: { Allow: allowed, 'Content-Type': 'application/json;charset=utf-8' } };
}

export function writeWebAnswer({ status, headers, body }: WebAnswer, response: ServerResponse): void {
  const bytes = Buffer.from(body);
  response
    .writeHead(status, {
      ...headers,
      'Content-Length': String(bytes.length),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // With `no-referrer` browsers would leave the origin of a form unnamed.
      'Referrer-Policy': 'same-origin',
    })
    .end(bytes);
}
