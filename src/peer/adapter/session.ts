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
  const closing = new AbortController();
  const first = await begin();
  const { introduction } = first.ready;
  const takeTurn = newTurns(introduction.offers.maxInFlight);
  let current = Promise.resolve(first);
  let crashes = 0;
  let lastStuck: AdapterError | undefined;
  let explainedError: AdapterError | undefined;
  return { introduction, perform, takeNotes: () => notes.take(), close };

  async function begin(): Promise<Conversation> {
    const conversation = await Conversation.open(open, { ...options, signal: closing.signal });
    await conversation.greet();
    return conversation;
  }

  async function perform(call: SessionCase): Promise<SessionReply> {
    const answer = await attempt(call, false);
    if (closing.signal.aborted && answer.kind !== 'reply') return faultReply(sessionClosed());
    if (answer.kind === 'reply') return { reply: answer.reply };
    if (answer.kind !== 'ended') return faultReply(answer.error);
    // Several cases may have been open. Repeat this case alone: if the adapter ends again, this case is the cause.
    const retry = await attempt(call, true);
    if (retry.kind === 'ended') {
      explainedError = retry.error;
      retryBudget.undoEnd();
    }
    return { ...(retry.kind === 'reply' ? { reply: retry.reply } : faultReply(retry.error)), repeated: true };
  }

  async function close(): Promise<void> {
    const last = current;
    closing.abort();
    // After too many failures, kill the adapter without `bye`. It may ignore `bye`, and the user would wait.
    const { finalError } = retryBudget;
    await last.then(
      (conversation) => (finalError === undefined ? conversation.close() : conversation.stop(finalError)),
      () => {},
    );
  }

  async function attempt(call: SessionCase, exclusive: boolean): Promise<CaseAnswer> {
    const endTurn = await takeTurn(exclusive);
    try {
      const conversation = await liveConversation();
      const sentAt = performance.now();
      const answer = await conversation.sendCase(call);
      if (answer.kind === 'timed-out') void waitForLateAnswer(conversation, answer).then(endTurn);
      else endTurn();
      if (answer.kind === 'reply') {
        crashes = 0;
        retryBudget.countAnswer(performance.now() - sentAt);
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
    if ((await late) || conversation.finalError !== undefined) return;
    notes.add('stuck adapters that the suite ended', 'The adapter was stuck after a timeout, so the suite ended it.');
    lastStuck = error;
    await conversation.stop(error);
  }

  /** Returns the current conversation, or a new one if the current one has ended. Rejects with AdapterError. */
  async function liveConversation(): Promise<Conversation> {
    for (;;) {
      if (closing.signal.aborted) throw sessionClosed();
      if (retryBudget.finalError !== undefined) throw retryBudget.finalError;
      const known = current;
      const conversation = await known;
      if (conversation.finalError === undefined) return conversation;
      if (current !== known) continue;
      current = restart(conversation.finalError);
      // Mark a failed restart as handled. If no case waits for it, an unhandled rejection would end the suite.
      current.catch(() => {});
    }
  }

  async function restart(cause: AdapterError): Promise<Conversation> {
    let lastError = cause;
    for (;;) {
      countFailure(lastError);
      notes.add('restarts', `The adapter was started again: ${lastError.message}`);
      const waitMs = Math.min(1000, limits.restartMs * 2 ** Math.max(0, crashes - 1));
      await pause(waitMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) throw sessionClosed();
      try {
        return await begin();
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        lastError = error;
      }
    }
  }

  /** Counts a failure. Throws `gave-up` after too many failures, or if a restart would fail in the same way. */
  function countFailure(last: AdapterError): void {
    // An adapter that closes its input during a case never answers, so this counts as a hang.
    if (last === lastStuck || last.code === 'input-closed') {
      retryBudget.countHang(last);
      if (retryBudget.finalError !== undefined) throw retryBudget.finalError;
      return;
    }
    crashes++;
    if (last !== explainedError) retryBudget.countEnd(last);
    if (retryBudget.finalError !== undefined) throw retryBudget.finalError;
    const pointless = ['cannot-start', 'unsupported', 'no-ready', 'wrong-version', 'no-connection'].includes(last.code);
    if (pointless || crashes >= limits.maxCrashes) {
      throw retryBudget.giveUp(last, `failed ${crashes} times in a row`);
    }
  }
}

function faultReply({ code, message, hint }: AdapterError): SessionReply {
  return { fault: { code, message, hint } };
}

/**
 * At most `limit` cases run at once. The result waits for a turn, and resolves to a function that ends this turn.
 * An `exclusive` case is the first in the queue, and starts when no other case runs.
 */
function newTurns(limit: number): (exclusive?: boolean) => Promise<() => void> {
  const waiting: { readonly needed: number; readonly start: () => void }[] = [];
  let free = limit;
  const next = (): void => {
    while (waiting[0] !== undefined && waiting[0].needed <= free) {
      free -= waiting[0].needed;
      waiting.shift()!.start();
    }
  };
  return (exclusive = false) =>
    new Promise((resolve) => {
      let slots = exclusive ? limit : 1;
      const end = (): void => {
        free += slots;
        slots = 0;
        next();
      };
      waiting[exclusive ? 'unshift' : 'push']({ needed: slots, start: () => resolve(end) });
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
  const greeting = first.greet();
  first.finish();
  await greeting;
  // Measure how long a process takes to start, because each case gets extra time for the start of its process.
  const startMs = performance.now() - startedAt;
  await waitAndStop(first);
  const { introduction } = first.ready;
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
        if (retryBudget.finalError !== undefined) throw retryBudget.finalError;
        const conversation = await open();
        // If the greeting fails, `sendCase` returns the same error, so ignore it here.
        conversation.greet().catch(() => {});
        const sentAt = performance.now();
        const pendingAnswer = conversation.sendCase(call, offers, 2 * startMs);
        conversation.finish();
        const answer = await pendingAnswer;
        const processEnd = answer.kind === 'timed-out' ? conversation.stop(answer.error) : waitAndStop(conversation);
        running.add(processEnd);
        void processEnd.finally(() => {
          running.delete(processEnd);
          endTurn();
        });
        if (answer.kind === 'reply') retryBudget.countAnswer(performance.now() - sentAt - startMs);
        // The next case gets a new process, but count the hang: each hang costs a whole deadline.
        if (answer.kind === 'timed-out') retryBudget.countHang(answer.error);
        return answer.kind === 'reply' ? { reply: answer.reply } : faultReply(answer.error);
      } catch (error) {
        endTurn();
        if (!(error instanceof AdapterError)) throw error;
        return faultReply(error);
      }
    },
    takeNotes: () => notes.take(),
    close: async () => {
      closed.abort();
      await Promise.all(running);
    },
  };
}

async function waitAndStop(conversation: Conversation): Promise<void> {
  await conversation.waitForEnd();
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
    overSocket(await nextConnection(server, waiting, options, signal), listener);
  const notes = new Notes((sentence, kind) => {
    // Omit restarts, because `nextConnection` already announces that the suite waits for a connection.
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

async function nextConnection(
  server: Server,
  waiting: Socket[],
  { announce, connectMs }: AttachOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { port } = server.address() as { port: number };
  const timeout = AbortSignal.timeout(connectMs);
  const limited = AbortSignal.any([signal, timeout]);
  for (let isAnnounced = false; ; isAnnounced = true) {
    let socket = waiting.shift();
    while (socket?.destroyed) socket = waiting.shift();
    if (socket !== undefined) return socket;
    if (!isAnnounced) {
      const time = pluralize(Math.max(Math.round(connectMs / 60_000), 1), 'minute');
      announce(`waiting at most ${time} for an adapter to connect to 127.0.0.1:${port}.`, port);
    }
    await once(server, 'adapter', { signal: limited }).catch(() => {
      const reason = timeout.aborted
        ? `No adapter connected to port ${port} within ${connectMs / 1000} s.`
        : 'The session was closed before an adapter connected.';
      throw adapterError('no-connection')`
        ${reason}
        Start the adapter so that it connects to 127.0.0.1:${port}.`;
    });
  }
}
