/** Server-sent events (WHATWG HTML section 9.2): a line whenever something is new, so that a page need not ask. */
import type { ServerResponse } from 'node:http';
import { DeskError } from './desk-error.ts';
import type { DeskService } from './desk-service.ts';

/** Proxies end connections that are silent for long. */
const silenceMs = 15_000;
const mostStreams = 50;
let open = 0;

/** The data of each event is the id of an engagement, or `*` for all of them. Throws DeskError `too-many`. */
export function streamEvents(desk: DeskService, response: ServerResponse): void {
  if (open >= mostStreams)
    throw new DeskError('too-many', `${mostStreams} pages are open already`, 'close some of them');
  open += 1;
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write('data: *\n\n');
  const stop = desk.watch((changed) => response.write(`data: ${changed ?? '*'}\n\n`));
  const beat = setInterval(() => response.write(': still here\n\n'), silenceMs).unref();
  response.once('close', () => {
    open -= 1;
    clearInterval(beat);
    stop();
  });
}
