/**
 * The control interface of a running mock: what a person does in the administration UI of a gateway, as JSON over HTTP for
 * programs. It listens on 127.0.0.1 on a port of its own, so that no path of the gateway can lead to it.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { foreignPage } from '../record/hosts.ts';
import { type Controlled, routes } from './control-routes.ts';
import { type Listener, openListener } from './listener.ts';
import { MockError } from './mock-error.ts';
import { routeIn } from './router.ts';
import { readBody, refuseUnread } from './wire.ts';
import { rememberWorld, type World } from './world.ts';

interface ControlRequest {
  readonly method: string;
  /** Path as received; a query is not looked at. */
  readonly target: string;
  readonly body: Uint8Array;
}

interface ControlAnswer {
  readonly status: number;
  /** Methods of the path, where another one was used (RFC 9110 section 15.5.6). */
  readonly allow?: string;
  readonly json: object;
}

const byPath = Object.fromEntries(routes.map((route) => [`${route.method} ${route.path}`, route]));

/** A request that cannot be done is answered with `error` and `hint`, a sentence each; only a fault of the mock is thrown. */
function answerControl(request: ControlRequest, controlled: Controlled): ControlAnswer {
  const { method, target, body } = request;
  const found = routeIn(byPath, method, target);
  if ('methods' in found) {
    if (found.methods.length === 0) return { status: 404, json: noRoute(request) };
    const allow = found.methods.join(', ');
    return { status: 405, allow, json: { error: `${target} does not take ${method}`, hint: `send ${allow}` } };
  }
  try {
    return { status: 200, json: found.route.act(controlled, found.ids, body) };
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    return { status: error.code === 'no-such-thing' ? 404 : 400, json: { error: error.message, hint: error.hint } };
  }
}

function noRoute({ method, target }: ControlRequest): object {
  return {
    error: `there is no ${method} ${target}`,
    hint: 'GET / says what each route does',
    routes: Object.keys(byPath),
  };
}

const host = '127.0.0.1';
const maxBodyBytes = 64 * 1024;

/** Starts it; a reset returns to the present state of the world. Throws MockError where it cannot listen. */
export function openControl(world: World, port: number): Promise<Listener> {
  const controlled: Controlled = { world, reset: rememberWorld(world) };
  return openListener({ host, port, maxHeaderBytes: 16 * 1024 }, (request, response) =>
    handle(request, response, controlled),
  );
}

/** Base URL of the control interface on that port. */
export function controlUrlOf(port: number): string {
  return `http://${host}:${port}`;
}

async function handle(request: IncomingMessage, response: ServerResponse, controlled: Controlled): Promise<void> {
  const body = await readBody(request, maxBodyBytes);
  if (body === 'gone') return;
  if (body === 'too-large') return refuseUnread(request, response);
  const asked = { method: request.method ?? '', target: request.url ?? '', body };
  let answer: ControlAnswer;
  try {
    answer = refusedPage(request) ?? answerControl(asked, controlled);
  } catch {
    answer = { status: 500, json: { error: 'a fault of the mock', hint: 'reset it, or start it again' } };
  }
  const bytes = Buffer.from(`${JSON.stringify(answer.json, undefined, 2)}\n`);
  response.writeHead(answer.status, {
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
    ...(answer.allow === undefined ? {} : { Allow: answer.allow }),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/**
 * A page in a browser on this machine may neither look at the mock nor change it. A request that it sends
 * unasked can have no body of this type, and none without a body either: so every request that moves something names it.
 */
function refusedPage(request: IncomingMessage): ControlAnswer | undefined {
  const { method, headers } = request;
  const named = headers['content-type'] ?? '';
  if (method !== 'GET' && method !== 'HEAD' && !/^application\/json\s*(?:;|$)/i.test(named)) {
    const hint = 'send Content-Type: application/json, also without a body';
    return { status: 415, json: { error: `${method} needs a request of type application/json`, hint } };
  }
  if (foreignPage(request, { types: ['application/json'] }) === undefined) return undefined;
  const hint = 'send it from a program, to 127.0.0.1 or localhost';
  return { status: 403, json: { error: 'the request comes from a page of another site', hint } };
}
