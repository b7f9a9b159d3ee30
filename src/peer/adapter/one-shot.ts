/** A session with a command that is run once for each case: greeting and case on its input, introduction and result on its output. */
import { AdapterError } from './adapter-error.ts';
import type { ClientSession, Introduction, Noted, SessionCase, SessionReply } from './client-session.ts';
import { Conversation, type ConversationOptions } from './conversation.ts';
import { sessionClosed } from './faults.ts';
import type { Introduced } from './messages.ts';
import { startProcess } from './process-channel.ts';
import { type AdapterOptions, commandOf, conversationOptions, failed, Turns } from './session.ts';

export interface OneShotOptions extends AdapterOptions {
  /** Processes at once; default 4. */
  readonly processes?: number;
}

/**
 * Runs the command once with the greeting alone, for its introduction.
 * Rejects with an AdapterError, and then no process is left.
 */
export async function openOneShotSession(options: OneShotOptions): Promise<ClientSession> {
  const closed = new AbortController();
  const common: ConversationOptions = { ...conversationOptions(options), signal: closed.signal };
  const open = (): Promise<Conversation> =>
    Conversation.open((listener) => startProcess(commandOf(options), listener), common);

  const startedAt = performance.now();
  const first = await open();
  const greeted = first.greet();
  first.finish();
  await greeted;
  const startMs = performance.now() - startedAt;
  await ended(first);
  return new OneShotSession(first.introduced, open, { common, closed, startMs, processes: options.processes ?? 4 });
}

interface Means {
  readonly common: ConversationOptions;
  readonly closed: AbortController;
  /** Milliseconds from the start of a process to its introduction: each case has as many more. */
  readonly startMs: number;
  readonly processes: number;
}

class OneShotSession implements ClientSession {
  readonly introduction: Introduction;
  readonly #open: () => Promise<Conversation>;
  readonly #means: Means;
  readonly #turns: Turns;
  readonly #running = new Set<Promise<void>>();

  constructor({ introduction }: Introduced, open: () => Promise<Conversation>, means: Means) {
    const { processes } = means;
    // Whatever one process can do at once: it gets one case.
    this.introduction = { ...introduction, offers: { ...introduction.offers, maxInFlight: processes } };
    this.#open = open;
    this.#means = means;
    this.#turns = new Turns(processes);
  }

  async perform(asked: SessionCase): Promise<SessionReply> {
    const over = await this.#turns.take();
    try {
      if (this.#means.closed.signal.aborted) throw sessionClosed();
      if (this.#means.common.patience.over !== undefined) throw this.#means.common.patience.over;
      return await this.#run(asked, over);
    } catch (error) {
      over();
      if (!(error instanceof AdapterError)) throw error;
      return failed(error);
    }
  }

  takeNotes(): readonly Noted[] {
    return this.#means.common.notes.take();
  }

  async close(): Promise<void> {
    this.#means.closed.abort();
    await Promise.all(this.#running);
  }

  /** @param over called when the process is gone, which is after the answer */
  async #run(asked: SessionCase, over: () => void): Promise<SessionReply> {
    const conversation = await this.#open();
    // What becomes of the greeting shows in the answer.
    conversation.greet().catch(() => {});
    const askedAt = performance.now();
    const asking = conversation.ask(asked, this.introduction.offers, 2 * this.#means.startMs);
    conversation.finish();
    const answer = await asking;
    const gone = answer.kind === 'timed-out' ? conversation.stop(answer.error) : ended(conversation);
    this.#running.add(gone);
    void gone.finally(() => {
      this.#running.delete(gone);
      over();
    });
    const { patience } = this.#means.common;
    if (answer.kind === 'reply') patience.answered(performance.now() - askedAt - this.#means.startMs);
    // Each process is new, and each costs a deadline all the same.
    if (answer.kind === 'timed-out') patience.stuck(answer.error);
    return answer.kind === 'reply' ? { reply: answer.reply } : failed(answer.error);
  }
}

/** Lets a process end by itself, within a limit. */
async function ended(conversation: Conversation): Promise<void> {
  await conversation.gone();
  await conversation.stop(sessionClosed());
}
