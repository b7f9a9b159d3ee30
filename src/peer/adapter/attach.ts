/** A session over TCP with an adapter that a person started, for example in a debugger. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { reasonOf } from '../../record/errors.ts';
import { adapterError, type Channel, type ChannelListener, type Ending, LineReader } from './channel.ts';
import { type ClientSession, maxLineBytes } from './messages.ts';
import { Notes } from './notes.ts';
import { type AdapterOptions, conversationOptions, openSession } from './session.ts';

const hourMs = 3_600_000;

interface AttachOptions extends Omit<AdapterOptions, 'command' | 'args' | 'cwd' | 'env'> {
  readonly port: number;
  readonly announce: (sentence: string, port: number) => void;
  /** Milliseconds to wait for a connection; default one hour. */
  readonly connectMs?: number;
}

/** Waits for the adapter on 127.0.0.1 and greets it. A case may take one hour. Rejects with AdapterError. */
export async function openAttachSession(options: AttachOptions): Promise<ClientSession> {
  const server = await listenForAdapter(options.port);
  const waiting: Socket[] = [];
  server.on('connection', (socket) => {
    // One adapter at a time: further connections wait in this list.
    socket.on('error', () => {});
    waiting.push(socket);
    server.emit('adapter');
  });
  const end = (): void => {
    for (const socket of waiting) socket.destroy();
    server.close();
  };
  try {
    const session = await openSession(
      async (listener, signal) => overSocket(await connected(server, waiting, options, signal), listener),
      {
        ...conversationOptions({ ...options, command: '' }),
        heldMs: hourMs,
        // The wait for the next connection already announces a restart.
        notes: new Notes((sentence, kind) => void (kind === 'restarts' || options.announce(sentence, options.port))),
      },
    );
    const { introduction } = session;
    return {
      introduction,
      perform: (asked) => session.perform(asked),
      takeNotes: () => session.takeNotes(),
      close: () => session.close().finally(end),
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** Listens on 127.0.0.1. Rejects with AdapterError `cannot-listen`. */
export async function listenForAdapter(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    throw adapterError('cannot-listen', cause)`
      The suite cannot listen on 127.0.0.1:${port} (${reasonOf(cause)}).
      Choose another port.`;
  });
  return server;
}

async function connected(
  server: Server,
  waiting: Socket[],
  { announce, connectMs = hourMs }: AttachOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { port } = server.address() as { port: number };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), connectMs);
  const limited = AbortSignal.any([signal, late.signal]);
  for (let isAnnounced = false; ; isAnnounced = true) {
    let socket = waiting.shift();
    while (socket?.destroyed) socket = waiting.shift();
    if (socket !== undefined) {
      clearTimeout(timer);
      return socket;
    }
    if (!isAnnounced) {
      announce(`waiting on 127.0.0.1:${port} for an adapter to connect, ${inMinutes(connectMs)} at most.`, port);
    }
    await once(server, 'adapter', { signal: limited }).catch(() => {
      clearTimeout(timer);
      throw adapterError('no-connection')`
        ${signal.aborted ? 'The session was closed before an adapter connected.' : `No adapter connected to port ${port} within ${connectMs / 1000} s.`}
        Start the adapter so that it connects to 127.0.0.1:${port}.`;
    });
  }
}

function inMinutes(ms: number): string {
  const minutes = Math.max(Math.round(ms / 60_000), 1);
  return minutes === 1 ? 'one minute' : `${minutes} minutes`;
}

function overSocket(socket: Socket, listener: ChannelListener): Channel {
  const reader = new LineReader(maxLineBytes, listener);
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    listener.bytes(chunk.length);
    reader.push(chunk);
  });
  const ended = new Promise<Ending>((resolve) =>
    socket.once('close', (hadError: boolean) =>
      resolve({ code: 'disconnected', how: hadError ? 'broke the connection' : 'hung up', orderly: !hadError }),
    ),
  );
  return {
    send: (line) => void (socket.writable && socket.write(line)),
    finish: () => void socket.end(),
    kill: () => void socket.destroy(),
    ended,
    rest: () => reader.rest(),
    lastWords: () => '',
  };
}
