/** Writes a scripted answer to a connection, and says what became of it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalAnswer } from '../../plan/scenario.ts';
import { type Header, headerValues, type ReceivedResponse } from '../../record/exchange.ts';
import type { Entry, Failure } from './places.ts';

export type Handled =
  | { readonly response: ReceivedResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: Failure };

type LocalReply = Extract<LocalAnswer, { readonly kind: 'reply' }>;

/** The answer behind all its delays, and their sum in milliseconds. */
function afterDelays(answer: LocalAnswer): {
  readonly afterMs: number;
  readonly answer: Exclude<LocalAnswer, { readonly kind: 'slow' }>;
} {
  let afterMs = 0;
  let last = answer;
  while (last.kind === 'slow') {
    afterMs += last.afterMs;
    last = last.then;
  }
  return { afterMs, answer: last };
}

/** What a client gets that waits `deadlineMs`. */
export function asSeen(scripted: LocalAnswer, deadlineMs: number): Handled {
  const { afterMs, answer } = afterDelays(scripted);
  if (afterMs >= deadlineMs || answer.kind === 'endless') {
    return { failure: { kind: 'timeout', message: `no whole answer within ${deadlineMs} ms` } };
  }
  if (answer.kind === 'reset') return { failure: { kind: 'reset', message: 'the connection was reset' } };
  return { response: responseOf(answer) };
}

/** The reply as it goes out: its header lines as given, and Content-Length where no line frames the body. */
function responseOf(reply: LocalReply): ReceivedResponse {
  return { status: reply.status, reason: '', headers: framed(reply), body: reply.body };
}

/** Whether the body has another length than the reply says: then the connection ends with it. */
function contradictsItsLength(reply: LocalReply): boolean {
  return headerValues(reply.headers, 'content-length').some((length) => length !== String(reply.body.length));
}

function framed(reply: LocalReply): readonly Header[] {
  const isFramed = reply.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  // RFC 9110 section 8.6: these have no body, and 204 must not name a length.
  const isBodyless = reply.status < 200 || reply.status === 204 || reply.status === 304;
  return isFramed || isBodyless ? reply.headers : [...reply.headers, ['Content-Length', String(reply.body.length)]];
}

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
      entry.end({ failure: { kind: 'timeout', message: 'the connection ended before the answer did' } });
    }
  });
  entry.onClose(() => response.destroy());
  const go = (): void => {
    if (answer.kind === 'reset') {
      entry.end({ failure: { kind: 'reset', message: 'the connection was reset as planned' } });
      if (answer.closed) request.socket.end();
      else reset(request.socket);
    } else if (answer.kind === 'endless') {
      timer = writeEndlessly(response);
    } else {
      void writeReply(answer, request, response, entry);
    }
  };
  if (afterMs > 0) timer = setTimeout(go, afterMs);
  else go();
}

async function writeReply(
  reply: LocalReply,
  request: IncomingMessage,
  response: ServerResponse,
  entry: Entry,
): Promise<void> {
  const { status, headers, body } = responseOf(reply);
  response.sendDate = false;
  // Without this node adds Connection and Keep-Alive; the connection is kept all the same (RFC 9112 section 9.3).
  if (response.shouldKeepAlive) response.removeHeader('Connection');
  // A client of HTTP/1.0 knows no chunks: to it the end of the connection is that of the body.
  const isOld = request.httpVersion === '1.0';
  response.writeHead(status, headers.filter(([name]) => !isOld || name !== 'Transfer-Encoding').flat());
  const isChunked = !isOld && headers.some(([name]) => name === 'Transfer-Encoding');
  const chunks = isChunked ? chunksOf(body) : [body];
  const isCut = chunks.length === 1 || (await writeChunks(chunks, response, request.socket));
  response.once('finish', () => {
    entry.end(isCut ? { response: responseOf(reply) } : { failure: { kind: 'not-sent', message: joined } });
    if (contradictsItsLength(reply)) request.socket.destroySoon();
  });
  response.end(chunks.length === 1 ? body : undefined);
}

const joined = 'the local gateway could not send the answer in separate chunks';

/** Gives the client time to read a chunk before the next one arrives. */
const chunkPauseMs = 2;

/** Returns whether each chunk left by itself: Node may join writes, and a client that gets one chunk proves nothing. */
async function writeChunks(chunks: readonly Uint8Array[], response: ServerResponse, socket: Socket): Promise<boolean> {
  let isCut = true;
  for (const [at, chunk] of chunks.entries()) {
    const before = socket.bytesWritten;
    await new Promise((written) => response.write(chunk, written));
    // Its length, two line ends and its bytes (RFC 9112 section 7.1); the first one follows the headers.
    const framed = chunk.length.toString(16).length + 4 + chunk.length;
    isCut &&= at === 0 || socket.bytesWritten - before === framed;
    await pause(chunkPauseMs);
  }
  return isCut;
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
