/** Writes a scripted answer to a connection, and says what became of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterDelays, contradictsItsLength, type LocalReply, responseOf } from './full-answer.ts';
import type { Entry } from './places.ts';

const endlessPauseMs = 50;
/** Whatever the client does, an endless answer ends then. */
const endlessLimitMs = 120_000;

/** Answers one request; the entry gets the outcome when the answer has left, or the client has. */
export function writeAnswer(entry: Entry, request: IncomingMessage, response: ServerResponse): void {
  const { afterMs, answer } = afterDelays(entry.answer);
  let timer: NodeJS.Timeout | undefined;
  // A response that was finished is closed too; the first of the two outcomes counts.
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableFinished) {
      entry.end({ failure: { kind: 'reset', message: 'the connection ended before the answer did' } });
    }
  });
  entry.onClose(() => response.destroy());
  const go = (): void => {
    if (answer.kind === 'reset') {
      entry.end({ failure: { kind: 'reset', message: 'the connection was reset as planned' } });
      reset(request.socket);
    } else if (answer.kind === 'endless') {
      timer = writeEndlessly(response);
    } else {
      response.once('finish', () => entry.end({ response: responseOf(answer) }));
      writeReply(answer, request, response);
    }
  };
  if (afterMs > 0) timer = setTimeout(go, afterMs);
  else go();
}

function writeReply(reply: LocalReply, request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = responseOf(reply);
  response.sendDate = false;
  // Without this node adds Connection and Keep-Alive; the connection is kept all the same (RFC 9112 section 9.3).
  if (response.shouldKeepAlive) response.removeHeader('Connection');
  // A client of HTTP/1.0 knows no chunks: to it the end of the connection is that of the body.
  const isOld = request.httpVersion === '1.0';
  response.writeHead(status, headers.filter(([name]) => !isOld || name !== 'Transfer-Encoding').flat());
  const isChunked = !isOld && headers.some(([name]) => name === 'Transfer-Encoding');
  const chunks = isChunked ? chunksOf(body) : [body];
  for (const chunk of chunks.slice(0, -1)) response.write(chunk);
  response.end(chunks.at(-1), () => {
    if (contradictsItsLength(reply)) request.socket.destroySoon();
  });
}

const mostCuts = 100;

/** Cut behind the first byte of each character that has several: who decodes each chunk by itself breaks it. */
function chunksOf(body: Uint8Array): Uint8Array[] {
  const cuts = [...body.keys()].filter((at) => body[at]! >= 0xc2).slice(0, mostCuts);
  const starts = [0, ...cuts.map((at) => at + 1)];
  return starts.map((start, at) => body.subarray(start, starts[at + 1]));
}

/** Blanks, which every format allows before its text: the client cannot know that nothing will follow. */
function writeEndlessly(response: ServerResponse): NodeJS.Timeout {
  response.writeHead(200, ['Content-Type', 'text/html;charset=utf-8']);
  response.write(' ');
  let left = endlessLimitMs / endlessPauseMs;
  return setInterval(() => {
    if (--left > 0) response.write(' ');
    else response.destroy();
  }, endlessPauseMs);
}

/** RST where the connection below can be reached: node offers it for TCP sockets, and keeps TLS's own below it. */
function reset(socket: Socket): void {
  const below = (socket as { _parent?: Socket })._parent;
  const tcp = below ?? socket;
  try {
    tcp.resetAndDestroy();
  } catch {
    tcp.destroy();
  }
  socket.destroy();
}
