/** Whether a live target can be reached at all: asked before credentials are looked at, without any request to an operation. */
import { connect } from 'node:net';

/** A sentence that says why the host cannot be reached; undefined where a connection could be opened within the deadline. */
export function whyUnreachable(url: URL, deadlineMs = 5_000): Promise<string | undefined> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port });
    const end = (reason: string | undefined) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(deadlineMs, () => end(`${url.host} did not take a connection within ${deadlineMs} ms`));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(`${url.host} cannot be reached (${error.code ?? error.message})`),
    );
  });
}
