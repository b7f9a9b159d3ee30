/** Sessions with an adapter: a process that is restarted after a failure, a process for each case, or a connection. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../../record/errors.ts';
import { pluralize } from '../../record/pluralize.ts';
import { type AdapterCommand, type OpenChannel, overSocket, startProcess } from './channel.ts';
import { type CaseAnswer, Conversation, type ConversationOptions } from './conversation.ts';
import { AdapterError, adapterError, sessionClosed } from './faults.ts';
import { type AdapterLimits, defaultLimits, RetryBudget } from './limits.ts';
import type { ClientSession, Message, SessionCase, SessionReply } from './messages.ts';
import { Notes } from './notes.ts';

export interface AdapterOptions extends AdapterCommand {
  readonly limits?: Partial<AdapterLimits>;
  readonly seed: string;
  readonly suite: { readonly name: string; readonly version: string };
  /** All sessions with the same client share this budget; default: a new budget that prints nothing. */
  readonly retryBudget?: RetryBudget;
  readonly watch?: (message: Message) => void;
}

/** Starts the adapter and waits for `ready`. If none comes, rejects with AdapterError after the process has ended. */
export function openAdapterSession(options: AdapterOptions): Promise<ClientSession> {
  return openSession((listener) => startProcess(options, listener), conversationOptions(options));
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

async function openSession(open: OpenChannel, options: Omit<ConversationOptions, 'signal'>): Promise<ClientSession> {
  const { limits, notes, retryBudget } = options;
  const closed = new AbortController();
  const first = await begin();
  const { introduction } = first.introduced;
  const takeTurn = newTurns(introduction.offers.maxInFlight);
  let current = Promise.resolve(first);
  let crashes = 0;
  let lastStuck: AdapterError | undefined;
  let explained: AdapterError | undefined;
  return { introduction, perform, takeNotes: () => notes.take(), close };

  async function begin(): Promise<Conversation> {
    const conversation = await Conversation.open(open, { ...options, signal: closed.signal });
    await conversation.greet();
    return conversation;
  }

  async function perform(call: SessionCase): Promise<SessionReply> {
    const answer = await attempt(call, false);
    if (closed.signal.aborted && answer.kind !== 'reply') return failed(sessionClosed());
    if (answer.kind === 'reply') return { reply: answer.reply };
    if (answer.kind !== 'ended') return failed(answer.error);
    // Several cases may have been open. Repeat this case alone: if the adapter ends again, this case is the cause.
    const again = await attempt(call, true);
    if (again.kind === 'ended') {
      explained = again.error;
      retryBudget.explained();
    }
    return { ...(again.kind === 'reply' ? { reply: again.reply } : failed(again.error)), repeated: true };
  }

  async function close(): Promise<void> {
    const last = current;
    closed.abort();
    // After too many failures, kill the adapter without `bye`. It may ignore `bye`, and the user would wait.
    const { over } = retryBudget;
    await last.then(
      (conversation) => (over === undefined ? conversation.close() : conversation.stop(over)),
      () => {},
    );
  }

  async function attempt(call: SessionCase, alone: boolean): Promise<CaseAnswer> {
    const endTurn = await takeTurn(alone);
    try {
      const conversation = await alive();
      const sentAt = performance.now();
      const answer = await conversation.ask(call);
      if (answer.kind === 'timed-out') void waitForLateAnswer(conversation, answer).then(endTurn);
      else endTurn();
      if (answer.kind === 'reply') {
        crashes = 0;
        retryBudget.answered(performance.now() - sentAt);
      }
      return answer;
    } catch (error) {
      endTurn();
      if (error instanceof AdapterError) return { kind: 'fault', error };
      throw error;
    }
  }

  /** Waits for the late answer. If none comes, ends the adapter. Until then, the case keeps its turn. */
  async function waitForLateAnswer(
    conversation: Conversation,
    { late, error }: Extract<CaseAnswer, { kind: 'timed-out' }>,
  ): Promise<void> {
    if ((await late) || conversation.over !== undefined) return;
    notes.add('stuck adapters that the suite ended', 'The adapter was stuck after a timeout, so the suite ended it.');
    lastStuck = error;
    await conversation.stop(error);
  }

  /** Returns the current conversation, or a new one if the current one has ended. Rejects with AdapterError. */
  async function alive(): Promise<Conversation> {
    for (;;) {
      if (closed.signal.aborted) throw sessionClosed();
      if (retryBudget.over !== undefined) throw retryBudget.over;
      const known = current;
      const conversation = await known;
      if (conversation.over === undefined) return conversation;
      if (current !== known) continue;
      current = restarted(conversation.over);
      // Mark a failed restart as handled. If no case waits for it, an unhandled rejection would end the suite.
      current.catch(() => {});
    }
  }

  async function restarted(why: AdapterError): Promise<Conversation> {
    let last = why;
    for (;;) {
      countFailure(last);
      notes.add('restarts', `The adapter was started again: ${last.message}`);
      const waitMs = Math.min(1000, limits.restartMs * 2 ** Math.max(0, crashes - 1));
      await pause(waitMs, undefined, { signal: closed.signal }).catch(() => {});
      if (closed.signal.aborted) throw sessionClosed();
      try {
        return await begin();
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        last = error;
      }
    }
  }

  /** Counts a failure. Throws `gave-up` after too many failures, or if a restart would fail in the same way. */
  function countFailure(last: AdapterError): void {
    // An adapter that closes its input during a case never answers, so this counts as a hang.
    if (last === lastStuck || last.code === 'input-closed') {
      retryBudget.stuck(last);
      if (retryBudget.over !== undefined) throw retryBudget.over;
      return;
    }
    crashes++;
    if (last !== explained) retryBudget.ended(last);
    if (retryBudget.over !== undefined) throw retryBudget.over;
    const pointless = ['cannot-start', 'unsupported', 'no-ready', 'wrong-version', 'no-connection'].includes(last.code);
    if (pointless || crashes >= limits.crashes) {
      throw retryBudget.end(last, `failed ${crashes} times in a row`);
    }
  }
}

function failed({ code, message, hint }: AdapterError): SessionReply {
  return { fault: { code, message, hint } };
}

/**
 * At most `limit` cases run at once. The result waits for a turn, and resolves to a function that ends this turn.
 * A case that runs `alone` is the first in the queue, and starts when no other case runs.
 */
function newTurns(limit: number): (alone?: boolean) => Promise<() => void> {
  const waiting: { readonly needed: number; readonly start: () => void }[] = [];
  let free = limit;
  const next = (): void => {
    while (waiting[0] !== undefined && waiting[0].needed <= free) {
      free -= waiting[0].needed;
      waiting.shift()!.start();
    }
  };
  return (alone = false) =>
    new Promise((resolve) => {
      let held = alone ? limit : 1;
      const end = (): void => {
        free += held;
        held = 0;
        next();
      };
      waiting[alone ? 'unshift' : 'push']({ needed: held, start: () => resolve(end) });
      next();
    });
}

const maxProcesses = 4;

/** Starts one process for the greeting, then one for each case. Rejects with AdapterError if the greeting fails. */
export async function openOneShotSession(options: AdapterOptions): Promise<ClientSession> {
  const closed = new AbortController();
  const common: ConversationOptions = { ...conversationOptions(options), signal: closed.signal };
  const { notes, retryBudget } = common;
  const open = () => Conversation.open((listener) => startProcess(options, listener), common);

  const startedAt = performance.now();
  const first = await open();
  const greeted = first.greet();
  first.finish();
  await greeted;
  // Measure how long a process takes to start, because each case gets extra time for the start of its process.
  const startMs = performance.now() - startedAt;
  await ended(first);
  const { introduction } = first.introduced;
  // Each process gets only one case, so here `maxInFlight` is the number of processes.
  const offers = { ...introduction.offers, maxInFlight: maxProcesses };
  const takeTurn = newTurns(maxProcesses);
  const running = new Set<Promise<void>>();
  return {
    introduction: { ...introduction, offers },
    perform: async (call) => {
      const endTurn = await takeTurn();
      try {
        if (closed.signal.aborted) throw sessionClosed();
        if (retryBudget.over !== undefined) throw retryBudget.over;
        const conversation = await open();
        // If the greeting fails, `ask` returns the same error, so ignore it here.
        conversation.greet().catch(() => {});
        const sentAt = performance.now();
        const answering = conversation.ask(call, offers, 2 * startMs);
        conversation.finish();
        const answer = await answering;
        const processEnd = answer.kind === 'timed-out' ? conversation.stop(answer.error) : ended(conversation);
        running.add(processEnd);
        void processEnd.finally(() => {
          running.delete(processEnd);
          endTurn();
        });
        if (answer.kind === 'reply') retryBudget.answered(performance.now() - sentAt - startMs);
        // The next case gets a new process, but count the hang: each hang costs a whole deadline.
        if (answer.kind === 'timed-out') retryBudget.stuck(answer.error);
        return answer.kind === 'reply' ? { reply: answer.reply } : failed(answer.error);
      } catch (error) {
        endTurn();
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
  readonly connectMs: number;
}

/** Waits on 127.0.0.1 for an adapter, then sends hello. A case may take one hour. Rejects with AdapterError. */
export async function openAttachSession(options: AttachOptions): Promise<ClientSession> {
  const server = await listenForAdapter(options.port);
  const waiting: Socket[] = [];
  server.on('connection', (socket) => {
    // The session uses one connection at a time. Further connections wait in `waiting`.
    socket.on('error', () => {});
    waiting.push(socket);
    server.emit('adapter');
  });
  const end = (): void => {
    for (const socket of waiting) socket.destroy();
    server.close();
  };
  const open: OpenChannel = async (listener, signal) =>
    overSocket(await connected(server, waiting, options, signal), listener);
  const notes = new Notes((sentence, kind) => {
    // Omit restarts, because `connected` already announces that the suite waits for a connection.
    if (kind !== 'restarts') options.announce(sentence, options.port);
  });
  try {
    const session = await openSession(open, {
      ...conversationOptions({ ...options, command: '' }),
      heldMs: hourMs,
      notes,
    });
    return { ...session, close: () => session.close().finally(end) };
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
  { announce, connectMs }: AttachOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { port } = server.address() as { port: number };
  const late = AbortSignal.timeout(connectMs);
  const limited = AbortSignal.any([signal, late]);
  for (let isAnnounced = false; ; isAnnounced = true) {
    let socket = waiting.shift();
    while (socket?.destroyed) socket = waiting.shift();
    if (socket !== undefined) return socket;
    if (!isAnnounced) {
      const time = pluralize(Math.max(Math.round(connectMs / 60_000), 1), 'minute');
      announce(`waiting at most ${time} for an adapter to connect to 127.0.0.1:${port}.`, port);
    }
    await once(server, 'adapter', { signal: limited }).catch(() => {
      const reason = late.aborted
        ? `No adapter connected to port ${port} within ${connectMs / 1000} s.`
        : 'The session was closed before an adapter connected.';
      throw adapterError('no-connection')`
        ${reason}
        Start the adapter so that it connects to 127.0.0.1:${port}.`;
    });
  }
}
