/** The server's front door: /desk is the page and the API, everything else belongs to clients. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { foreignPage, type Known } from '../../record/hosts.ts';
import { html } from '../../report/pages/markup.ts';
import { visible } from '../../report/visible.ts';
import { apiAnswer } from './api.ts';
import { DeskError } from './desk-error.ts';
import type { DeskService } from './desk-service.ts';
import { pageRoute } from './pages/routes.ts';
import { pageAnswer } from './pages/shell.ts';
import type { Handler } from './receive.ts';
import { streamEvents } from './stream-events.ts';
import {
  jsonAnswer,
  readSmallBody,
  seeOther,
  statusOfError,
  type WebAnswer,
  type WebRequest,
  writeWebAnswer,
} from './web.ts';

type GuardOptions = Pick<Known, 'publicHost'>;

export interface FrontOptions extends GuardOptions {
  /** Handles what is not for the desk; absent on the port of the page. */
  readonly clients?: Handler;
  readonly caFile?: string;
}

/** Never rejects. */
export function front(desk: DeskService, options: FrontOptions): Handler {
  return async (request, response) => {
    const path = (request.url ?? '').split(/[?#]/)[0]!;
    if (path !== '/desk' && !path.startsWith('/desk/') && !(path === '/' && request.method === 'GET')) {
      if (options.clients !== undefined) return options.clients(request, response);
      return writeWebAnswer(
        jsonAnswer({ error: 'clients have another port', hint: 'their base URL is on the page' }, 404),
        response,
      );
    }
    await answerDesk(request, response, path, desk, options);
  };
}

async function answerDesk(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  desk: DeskService,
  options: FrontOptions,
): Promise<void> {
  const isApi = path === '/desk/api' || path.startsWith('/desk/api/');
  try {
    guard(request, options);
    if (path === '/desk/api/events' && request.method === 'GET') return streamEvents(desk, response);
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const body = method === 'GET' ? '' : await readSmallBody(request);
    const asked: WebRequest = { method, segments: segmentsOf(path), body, desk };
    const answer = path === '/' ? seeOther('/desk') : isApi ? apiAnswer(asked) : pageRoute(asked, options.caFile);
    writeWebAnswer(await answer, response);
  } catch (cause) {
    if (response.headersSent || response.destroyed) response.destroy();
    else writeWebAnswer(problem(cause, isApi), response);
  }
}

function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .slice(2)
    .filter((segment) => segment !== '');
}

function problem(cause: unknown, isApi: boolean): WebAnswer {
  const known = cause instanceof DeskError;
  const status = known ? statusOfError(cause) : 500;
  const error = known ? cause.message : 'the desk itself failed';
  const hint = known ? cause.hint : 'what was recorded is safe; please report it';
  if (isApi) return jsonAnswer({ error, ...(known ? { code: cause.code } : {}), hint }, status);
  const content = html`<main id="content"><p class="bread"><a href="/desk">All engagements</a></p>
    <div class="card"><h1>${status}</h1><p class="lead">${visible(error)}</p><p>${visible(hint)}</p></div></main>`;
  return pageAnswer({ title: error, content: [content] }, status);
}

/** Nobody over a foreign name, and no page of another site. Throws DeskError `foreign-origin`. */
function guard(request: IncomingMessage, { publicHost }: GuardOptions): void {
  switch (foreignPage(request, { publicHost, types: ['application/json'] })) {
    case 'name':
      throw new DeskError(
        'foreign-origin',
        'the desk is not known under this name',
        'open it as 127.0.0.1 or localhost, or name the host with --public-url',
      );
    case 'site':
      throw new DeskError(
        'foreign-origin',
        'the request comes from another site',
        'send it from the page of the desk, or from a program',
      );
    case 'type':
      throw new DeskError(
        'foreign-origin',
        'the request has no Content-Type: application/json',
        'send it with that header, as programs do: without it a page of another site could have sent it',
      );
  }
}
