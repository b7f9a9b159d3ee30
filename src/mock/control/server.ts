/**
 * The control interface of a running mock: what a person does in the administration UI of a gateway, as JSON over HTTP for
 * programs. It listens on 127.0.0.1 on a port of its own, so that no path of the gateway can lead to it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { foreignPage } from '../../record/hosts.ts';
import { readBody } from '../body.ts';
import { type Listener, openListener } from '../listener.ts';
import type { World } from '../state.ts';
import { refuseUnread } from '../wire.ts';
import { rememberWorld } from '../world-memory.ts';
import { answerControl, type ControlAnswer } from './answer.ts';
import type { Controlled } from './routes.ts';

const host = '127.0.0.1';
const maxBodyBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024;

/** Starts it; a reset returns to the present state of the world. Throws MockError where it cannot listen. */
export function openControl(world: World, port: number): Promise<Listener> {
  const controlled: Controlled = { world, reset: rememberWorld(world) };
  return openListener({ host, port, maxHeaderBytes }, (request, response) => handle(request, response, controlled));
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
