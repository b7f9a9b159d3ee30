/** The server's front door: /desk is the page and the API, everything else belongs to clients. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../../mock/wire.ts';
import { foreignPage } from '../../record/hosts.ts';
import { DeskError } from './desk-error.ts';
import type { DeskService } from './desk-service.ts';
import { problemPage, type WebAnswer } from './pages/shell.ts';
import type { Handler } from './receive.ts';
import { jsonAnswer, route } from './routes.ts';

interface FrontOptions {
  /** Handles what is not for the desk; absent on the port of the page. */
  readonly clients?: Handler;
  /** Host that a proxy in front has. */
  readonly publicHost?: string | undefined;
  readonly caFile?: string | undefined;
}

/** A public key and a name take far less. */
const maxBodyBytes = 64 * 1024;

/** Never rejects. */
export function front(desk: DeskService, options: FrontOptions): Handler {
  return async (request, response) => {
    const path = (request.url ?? '').split(/[?#]/)[0]!;
    const isHome = path === '/' && request.method === 'GET';
    if (path === '/desk' || path.startsWith('/desk/') || isHome) {
      await answerDesk(request, response, path, desk, options);
    } else if (options.clients !== undefined) {
      await options.clients(request, response);
    } else {
      const value = { error: 'clients have another port', hint: 'their base URL is on the page' };
      writeWebAnswer(jsonAnswer(value, 404), response);
    }
  };
}

async function answerDesk(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  desk: DeskService,
  { publicHost, caFile }: FrontOptions,
): Promise<void> {
  try {
    refuseForeign(request, publicHost);
    if (path === '/desk/api/events' && request.method === 'GET') return streamEvents(desk, response);
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const body = method === 'GET' ? '' : await readText(request);
    const isHome = path === '/';
    const segments = path.split('/').filter((segment) => segment !== '');
    writeWebAnswer(
      isHome
        ? { status: 303, headers: { Location: '/desk' }, body: '' }
        : await route({ method, path: segments.slice(1).join('/'), body, desk, caFile }),
      response,
    );
  } catch (cause) {
    if (response.headersSent || response.destroyed) response.destroy();
    else writeWebAnswer(problem(cause, /^\/desk\/api(?:\/|$)/.test(path)), response);
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, maxBodyBytes);
  if (typeof body !== 'string') return Buffer.from(body).toString('utf8');
  throw new DeskError('bad-request', 'the body is too large, or was cut off', `send at most ${maxBodyBytes} bytes`);
}

const statuses: Readonly<Partial<Record<DeskError['code'], number>>> = {
  'bad-request': 400,
  'bad-public-key': 400,
  'foreign-origin': 403,
  'no-such-thing': 404,
  'already-given': 410,
  'too-many': 409,
};

function problem(cause: unknown, isApi: boolean): WebAnswer {
  const known = cause instanceof DeskError ? cause : undefined;
  const status = known === undefined ? 500 : (statuses[known.code] ?? 503);
  const error = known?.message ?? 'the desk itself failed';
  const hint = known?.hint ?? 'what was recorded is safe; please report it';
  return isApi ? jsonAnswer({ error, code: known?.code, hint }, status) : problemPage(status, error, hint);
}

/** Nobody over a foreign name, and no page of another site. Throws DeskError `foreign-origin`. */
function refuseForeign(request: IncomingMessage, publicHost: string | undefined): void {
  const why = foreignPage(request, { publicHost, types: ['application/json'] });
  if (why === undefined) return;
  const [message, hint] = foreign[why];
  throw new DeskError('foreign-origin', message, hint);
}

const foreign: Readonly<Record<NonNullable<ReturnType<typeof foreignPage>>, readonly [message: string, hint: string]>> =
  {
    name: [
      'the desk is not known under this name',
      'open it as 127.0.0.1 or localhost, or name the host with --public-url',
    ],
    site: ['the request comes from another site', 'send it from the page of the desk, or from a program'],
    type: [
      'the request has no Content-Type: application/json',
      'send it with that header, as programs do: without it a page of another site could have sent it',
    ],
  };

function writeWebAnswer({ status, headers, body }: WebAnswer, response: ServerResponse): void {
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

/** Proxies end connections that are silent for long. */
const silenceMs = 15_000;

/**
 * Server-sent events (WHATWG HTML section 9.2): a line whenever something is new, so that a page need not ask. The data of each
 * is the id of an engagement, or `*` for all of them.
 */
function streamEvents(desk: DeskService, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write('data: *\n\n');
  const stop = desk.watch((changed) => response.write(`data: ${changed ?? '*'}\n\n`));
  const beat = setInterval(() => response.write(': still here\n\n'), silenceMs).unref();
  response.once('close', () => {
    clearInterval(beat);
    stop();
  });
}
