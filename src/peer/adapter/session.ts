/** Sessions with an adapter: one process that is restarted after an end or a hang, or one process for each case. */

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../../record/errors.ts';
import {
  AdapterError,
  adapterError,
  type Channel,
  type ChannelListener,
  type Ending,
  LineReader,
  type OpenChannel,
} from './channel.ts';
import { type CaseAnswer, Conversation, type ConversationOptions } from './conversation.ts';
import { sessionClosed } from './faults.ts';
import { type AdapterLimits, defaultLimits, RetryBudget } from './limits.ts';
import {
  type ClientSession,
  type Introduction,
  type Message,
  maxLineBytes,
  type Noted,
  type SessionCase,
  type SessionReply,
  type TrustedAuthority,
} from './messages.ts';
import { Notes } from './notes.ts';
import { type AdapterCommand, adapterEnvironment, startProcess } from './process-channel.ts';

export interface AdapterOptions {
  /** A program in PATH, not a shell command line. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Variables in addition to those of the system and of runtimes; proxies are always off. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<AdapterLimits>;
  readonly seed: string;
  /** Absent without HTTPS. */
  readonly ca?: TrustedAuthority;
  readonly suite: { readonly name: string; readonly version: string };
  /** Shared by all sessions with the same client; default: a new one that prints nothing. */
  readonly retryBudget?: RetryBudget;
  readonly watch?: (message: Message) => void;
}

/** Starts the adapter and waits for its introduction. Rejects with AdapterError after the process has ended. */
export function openAdapterSession(options: AdapterOptions): Promise<ClientSession> {
  return openSession((listener) => startProcess(commandOf(options), listener), conversationOptions(options));
}

export function commandOf({ command, args, cwd, env, ca }: AdapterOptions): AdapterCommand {
  return { command, args, cwd, env: adapterEnvironment(process.env, env, ca) };
}

export function conversationOptions(options: AdapterOptions): Omit<ConversationOptions, 'signal'> {
  const { command, args = [], suite, seed, ca, watch } = options;
  const limits = { ...defaultLimits, ...options.limits };
  return {
    greeting: { suite, seed, ca },
    limits,
    notes: new Notes(),
    command: [command, ...args],
    retryBudget: options.retryBudget ?? new RetryBudget(limits),
    watch,
  };
}

/** Rejects with AdapterError if the first adapter cannot be started or does not introduce itself. */
async function openSession(open: OpenChannel, options: Omit<ConversationOptions, 'signal'>): Promise<ClientSession> {
  const closed = new AbortController();
  const begin = async (): Promise<Conversation> => {
    const conversation = await Conversation.open(open, { ...options, signal: closed.signal });
    await conversation.greet();
    return conversation;
  };
  return new Session(await begin(), begin, options, closed);
}

class Session implements ClientSession {
  readonly introduction: Introduction;
  readonly #begin: () => Promise<Conversation>;
  readonly #options: Omit<ConversationOptions, 'signal'>;
  readonly #closed: AbortController;
  readonly #turns: Turns;
  #current: Promise<Conversation>;
  #crashes = 0;
  #lastStuck: AdapterError | undefined;
  #explained: AdapterError | undefined;

  constructor(
    first: Conversation,
    begin: () => Promise<Conversation>,
    options: Omit<ConversationOptions, 'signal'>,
    closed: AbortController,
  ) {
    this.introduction = first.introduced.introduction;
    this.#begin = begin;
    this.#options = options;
    this.#closed = closed;
    this.#turns = new Turns(this.introduction.offers.maxInFlight);
    this.#current = Promise.resolve(first);
  }

  async perform(call: SessionCase): Promise<SessionReply> {
    const first = await this.#attempt(call, false);
    if (this.#closed.signal.aborted && first.kind !== 'reply') return failed(sessionClosed());
    if (first.kind === 'reply') return { reply: first.reply };
    if (first.kind !== 'ended') return failed(first.error);
    // Other cases may have been open too. Repeating this one alone shows whether it is the cause.
    const second = await this.#attempt(call, true);
    if (second.kind === 'ended') {
      this.#explained = second.error;
      this.#options.retryBudget.explained();
    }
    return { ...(second.kind === 'reply' ? { reply: second.reply } : failed(second.error)), repeated: true };
  }

  takeNotes(): readonly Noted[] {
    return this.#options.notes.take();
  }

  async close(): Promise<void> {
    const last = this.#current;
    this.#closed.abort();
    // Do not say goodbye to an adapter that was given up: it may not react, and a person waits.
    const { over } = this.#options.retryBudget;
    await last.then(
      (conversation) => (over === undefined ? conversation.close() : conversation.stop(over)),
      () => {},
    );
  }

  async #attempt(call: SessionCase, alone: boolean): Promise<CaseAnswer> {
    const over = await this.#turns.take({ alone });
    try {
      const conversation = await this.#alive();
      const askedAt = performance.now();
      const answer = await conversation.ask(call);
      if (answer.kind === 'timed-out') void this.#settle(conversation, answer).then(over);
      else over();
      if (answer.kind === 'reply') {
        this.#crashes = 0;
        this.#options.retryBudget.answered(performance.now() - askedAt);
      }
      return answer;
    } catch (error) {
      over();
      if (error instanceof AdapterError) return { kind: 'fault', error };
      throw error;
    }
  }

  /** The case keeps its turn until the adapter answers late or has ended. */
  async #settle(
    conversation: Conversation,
    { late, error }: Extract<CaseAnswer, { kind: 'timed-out' }>,
  ): Promise<void> {
    if ((await late) || conversation.over !== undefined) return;
    this.#options.notes.add('ends of a stuck adapter', 'The adapter was stuck after a timeout, so it was ended.');
    this.#lastStuck = error;
    await conversation.stop(error);
  }

  /** The current conversation, or a new one. Rejects with AdapterError. */
  async #alive(): Promise<Conversation> {
    for (;;) {
      if (this.#closed.signal.aborted) throw sessionClosed();
      if (this.#options.retryBudget.over !== undefined) throw this.#options.retryBudget.over;
      const known = this.#current;
      const conversation = await known;
      if (conversation.over === undefined) return conversation;
      if (this.#current !== known) continue;
      this.#current = this.#restarted(conversation.over);
      // Callers handle the failure; without callers it must not be an unhandled rejection.
      this.#current.catch(() => {});
    }
  }

  async #restarted(why: AdapterError): Promise<Conversation> {
    const { limits, notes } = this.#options;
    for (let last = why; ; ) {
      this.#count(last);
      notes.add('restarts', `The adapter was started again: ${last.message}`);
      const waitMs = Math.min(1000, limits.restartMs * 2 ** Math.max(0, this.#crashes - 1));
      await pause(waitMs, undefined, { signal: this.#closed.signal }).catch(() => {});
      if (this.#closed.signal.aborted) throw sessionClosed();
      try {
        return await this.#begin();
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        last = error;
      }
    }
  }

  /** Throws `gave-up` after too many failures, or if a restart would fail the same way. */
  #count(last: AdapterError): void {
    const { limits, retryBudget } = this.#options;
    // The adapter closed its input during the case before, so that case counts as stuck.
    if (last === this.#lastStuck || last.code === 'input-closed') {
      retryBudget.stuck(last);
      if (retryBudget.over !== undefined) throw retryBudget.over;
      return;
    }
    this.#crashes++;
    if (last !== this.#explained) retryBudget.ended(last);
    if (retryBudget.over !== undefined) throw retryBudget.over;
    const pointless = ['cannot-start', 'unsupported', 'no-ready', 'wrong-version', 'no-connection'].includes(last.code);
    if (pointless || this.#crashes >= limits.crashes) {
      throw retryBudget.end(last, `failed ${this.#crashes} times in a row`);
    }
  }
}

function failed({ code, message, hint }: AdapterError): SessionReply {
  return { fault: { code, message, hint } };
}

/** At most `limit` at once. One that is alone takes all turns, and goes before the others that wait. */
export class Turns {
  readonly #limit: number;
  #free: number;
  readonly #waiting: { readonly needed: number; readonly start: () => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  /** Waits for a turn and resolves to the function that ends it. */
  take({ alone = false } = {}): Promise<() => void> {
    const needed = alone ? this.#limit : 1;
    return new Promise((resolve) => {
      this.#waiting[alone ? 'unshift' : 'push']({ needed, start: () => resolve(this.#begin(needed)) });
      this.#next();
    });
  }

  #begin(needed: number): () => void {
    this.#free -= needed;
    let held = needed;
    return () => {
      this.#free += held;
      held = 0;
      this.#next();
    };
  }

  #next(): void {
    while (this.#waiting[0] !== undefined && this.#waiting[0].needed <= this.#free) this.#waiting.shift()!.start();
  }
}

interface OneShotOptions extends AdapterOptions {
  /** Default 4. */
  readonly processes?: number;
}

/** Runs a command for each case, first with the greeting only. Rejects with AdapterError after the process ended. */
export async function openOneShotSession({ processes = 4, ...options }: OneShotOptions): Promise<ClientSession> {
  const closed = new AbortController();
  const common: ConversationOptions = { ...conversationOptions(options), signal: closed.signal };
  const { notes, retryBudget } = common;
  const open = () => Conversation.open((listener) => startProcess(commandOf(options), listener), common);

  const startedAt = performance.now();
  const first = await open();
  const greeted = first.greet();
  first.finish();
  await greeted;
  // Each case gets extra time for the start of its process.
  const startMs = performance.now() - startedAt;
  await ended(first);
  const { introduction } = first.introduced;
  // Each process gets one case, whatever it offers.
  const offers = { ...introduction.offers, maxInFlight: processes };
  const turns = new Turns(processes);
  const running = new Set<Promise<void>>();

  /** @param over called when the process is gone, after the answer */
  const run = async (call: SessionCase, over: () => void): Promise<SessionReply> => {
    const conversation = await open();
    // The answer of the case reports a failed greeting.
    conversation.greet().catch(() => {});
    const askedAt = performance.now();
    const asking = conversation.ask(call, offers, 2 * startMs);
    conversation.finish();
    const answer = await asking;
    const gone = answer.kind === 'timed-out' ? conversation.stop(answer.error) : ended(conversation);
    running.add(gone);
    void gone.finally(() => {
      running.delete(gone);
      over();
    });
    if (answer.kind === 'reply') retryBudget.answered(performance.now() - askedAt - startMs);
    // Each process is new, but each hang costs a deadline.
    if (answer.kind === 'timed-out') retryBudget.stuck(answer.error);
    return answer.kind === 'reply' ? { reply: answer.reply } : failed(answer.error);
  };
  return {
    introduction: { ...introduction, offers },
    perform: async (call) => {
      const over = await turns.take();
      try {
        if (closed.signal.aborted) throw sessionClosed();
        if (retryBudget.over !== undefined) throw retryBudget.over;
        return await run(call, over);
      } catch (error) {
        over();
        if (!(error instanceof AdapterError)) throw error;
        return failed(error);
      }
    },
    takeNotes: () => notes.take(),
    close: async () => {
      closed.abort();
      await Promise.all(running);
    },
  };
}

async function ended(conversation: Conversation): Promise<void> {
  await conversation.gone();
  await conversation.stop(sessionClosed());
}

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
