/** One conversation with a running adapter: hello and ready, then cases and results, until one side ends it. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { nearest } from '../../../schemas/nearest.ts';
import type { ClientReply } from '../../record/case.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Channel, ChannelListener, OpenChannel } from './channel.ts';
import * as faults from './faults.ts';
import type { AdapterLimits, RetryBudget } from './limits.ts';
import {
  caseLine,
  helloLine,
  lineOf,
  type Message,
  maxLineBytes,
  parseReady,
  readLine,
  replyOf,
  type SessionCase,
} from './messages.ts';
import type { Notes } from './notes.ts';

export interface ConversationOptions {
  readonly greeting: Parameters<typeof helloLine>[0];
  readonly limits: AdapterLimits;
  readonly notes: Notes;
  readonly command: readonly string[];
  /** Milliseconds that replace the deadline of each case. Set for an adapter that a debugger may pause. */
  readonly heldMs?: number;
  readonly watch?: (message: Message) => void;
  readonly retryBudget: RetryBudget;
  readonly signal: AbortSignal;
}

type CaseTime = ReturnType<RetryBudget['timeLimits']>;

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #cases: OpenCases;
  readonly #hello: OpenCases;
  readonly #noise: Noise = { lines: 0, bytes: 0, otherMessages: new Map() };
  readonly #pings = { sent: 0, sentAt: 0, isOpen: false, fastestMs: Number.POSITIVE_INFINITY };
  #channel: Channel | undefined;
  #ready: ReturnType<typeof parseReady> | undefined;
  #isGreeted = false;
  #isClosing = false;
  #finalError: faults.AdapterError | undefined;
  #ending: faults.Ending | undefined;

  private constructor(options: ConversationOptions) {
    this.#options = options;
    const common = {
      lateMs: options.limits.lateMs,
      note: (kind: string, sentence: string) => this.#note(kind, sentence),
    };
    this.#cases = new OpenCases({
      ...common,
      timedOut: (id, name, afterMs) => {
        if (this.#ready?.cancel) this.send(lineOf({ t: 'cancel', id }));
        return faults.timedOut(this.#state(), name, afterMs);
      },
    });
    this.#hello = new OpenCases({
      ...common,
      timedOut: (_, __, afterMs) => this.#fail(faults.noReady(this.#state(), Math.round(afterMs / 100) * 100)),
    });
  }

  static async open(open: OpenChannel, options: ConversationOptions): Promise<Conversation> {
    const conversation = new Conversation(options);
    const channel = await open(conversation.#listener(), options.signal);
    conversation.#channel = channel;
    channel.ended.then((ending) => conversation.#onEnd(ending));
    if (options.signal.aborted) conversation.#fail(faults.sessionClosed());
    if (conversation.finalError) channel.kill();
    return conversation;
  }

  get ready(): ReturnType<typeof parseReady> {
    return this.#ready!;
  }

  get finalError(): faults.AdapterError | undefined {
    return this.#finalError;
  }

  /** Sends hello and waits for ready. If no ready comes, waits for the adapter to end and rejects with AdapterError. */
  async greet(): Promise<void> {
    const { limits, greeting, signal } = this.#options;
    const deadlineMs = limits.helloAfterMs + limits.readyMs;
    const answer = this.#finalError ?? this.#hello.wait('hello', { deadlineMs, maxMs: deadlineMs }, 'hello');
    if (limits.helloAfterMs > 0) await Promise.race([answer, pause(limits.helloAfterMs)]);
    this.#isGreeted = true;
    this.send(helloLine(greeting));
    const onAbort = (): void => void this.#fail(faults.sessionClosed());
    signal.addEventListener('abort', onAbort);
    await answer;
    signal.removeEventListener('abort', onAbort);
    if (this.#finalError !== undefined) {
      await this.#channel!.ended;
      throw this.#finalError;
    }
    if (!this.#isClosing) this.#ping();
  }

  /** Sends a case and waits for its answer. `startMs` is added to the deadline. Slow pongs multiply the deadline. */
  sendCase(call: SessionCase, offers = this.ready.introduction.offers, startMs = 0): Promise<CaseAnswer> {
    const { heldMs, retryBudget } = this.#options;
    // Round trips over 100 ms extend the deadline, at most by the factor 4. Without a pong the factor is 1.
    const { fastestMs } = this.#pings;
    const slowness = fastestMs === Number.POSITIVE_INFINITY ? 1 : Math.min(4, Math.max(1, fastestMs / 100));
    const time = retryBudget.timeLimits(call.deadlineMs, { heldMs, startMs, slowness });
    const deadlineMs = heldMs !== undefined && call.isEndless ? call.deadlineMs : time.deadlineMs;
    return this.sendCaseLine((id) => caseLine(id, call, offers, deadlineMs), time, call.name);
  }

  /** Like `sendCase`, but sends the line that `lineFor` makes from the new id of the case. */
  sendCaseLine(lineFor: (id: string) => string, time: CaseTime, name = 'a case'): Promise<CaseAnswer> {
    if (this.#finalError !== undefined) return Promise.resolve({ kind: 'ended', error: this.#finalError });
    if (this.#cases.idle) this.#forgetOtherMessages();
    // The id is random, so that an adapter cannot recognize a case by its id.
    const id = `c_${randomBytes(8).toString('hex')}`;
    this.send(lineFor(id));
    return this.#cases.wait(id, time, name);
  }

  send(line: string): void {
    this.#channel!.send(line);
  }

  /** Closes the input of the adapter. The adapter should answer its open cases and then exit. */
  finish(): void {
    this.#isClosing = true;
    this.#channel!.finish();
  }

  /** Kills the adapter, and answers every open case with the error. */
  async stop(error: faults.AdapterError): Promise<void> {
    this.#fail(error);
    await this.#channel!.ended;
  }

  /** Sends bye, waits at most `byeMs`, then kills the adapter. Resolves when the adapter has ended. */
  async close(): Promise<void> {
    if (this.#finalError === undefined) {
      this.send(lineOf({ t: 'bye' }));
      this.finish();
      await this.waitForEnd();
    }
    await this.stop(faults.sessionClosed());
  }

  /** Waits at most `byeMs` for the adapter to end. Adds a note if it does not end, or if its exit code is not 0. */
  async waitForEnd(): Promise<void> {
    const { byeMs } = this.#options.limits;
    const waiting = new AbortController();
    await Promise.race([this.#channel!.ended, pause(byeMs, undefined, { signal: waiting.signal }).catch(() => {})]);
    waiting.abort();
    if (this.#ending === undefined)
      this.#note('adapters that did not end', `The adapter did not end within ${byeMs} ms after the end of its input.`);
    else if (!this.#ending.orderly)
      this.#note('disorderly ends', `At the end, the adapter ${this.#ending.how}. It should exit with code 0.`);
  }

  #listener(): ChannelListener {
    return {
      bytes: (count) => {
        this.#noise.bytes += count;
        this.#checkFlood();
      },
      line: (bytes) => this.#onLine(bytes),
      tooLong: (start) => this.#onBroken(start, faults.lineTooLong(start, maxLineBytes)),
      byteOrderMark: () =>
        this.#note('byte-order marks', 'The output starts with a byte-order mark. The suite ignored it.', true),
    };
  }

  #onLine(bytes: Uint8Array): void {
    if (this.#finalError !== undefined) return;
    const read = readLine(bytes);
    const noise = this.#noise;
    noise.lines++;
    if (read.kind === 'message') {
      if (this.#onMessage(read.message, bytes)) {
        noise.lines = 0;
        noise.bytes = 0;
      } else {
        noise.firstMessage ??= faults.quoteBytes(bytes);
      }
    } else if (read.kind === 'broken') {
      this.#onBroken(bytes, faults.brokenLine(read.code, read.where, bytes, this.#state().language));
    } else if (read.kind === 'stray') {
      const line = faults.quoteBytes(bytes);
      noise.firstStray ??= line;
      noise.strayWhileWaiting ??= line;
      const what = 'The adapter wrote a line that is not a message of the protocol';
      this.#note('lines that are not of the protocol', `${what}: ${line}`);
      this.#hurry(read.likelyKind);
    }
    this.#checkFlood();
  }

  #forgetOtherMessages(): void {
    this.#noise.otherMessages.clear();
    this.#noise.strayWhileWaiting = undefined;
  }

  /** Shortens the wait after an unreadable answer, because the adapter will probably not answer again. */
  #hurry(likelyKind: 'ready' | 'result' | undefined): void {
    const { limits, heldMs } = this.#options;
    if (likelyKind === undefined || heldMs !== undefined) return;
    const waiting = likelyKind === 'ready' ? this.#hello : this.#cases;
    waiting.shortenDeadline(limits.lateMs);
  }

  /** Returns whether the suite was waiting for this message. */
  #onMessage(message: Message, bytes: Uint8Array): boolean {
    this.#options.watch?.(message);
    const name = `"${faults.printable(message.t).slice(0, 40)}"`;
    if (!this.#isGreeted) this.#note('messages before hello', `The adapter sent ${name} before it got "hello".`);
    if (message.t === 'ready') return this.#onReady(message);
    if (message.t === 'pong') return this.#onPong(message.n);
    if (message.t === 'result') {
      this.#forgetOtherMessages();
      return this.#cases.result(message, bytes);
    }
    const kind = message.t === 'progress' || message.t === 'log' ? message.t : name;
    this.#noise.otherMessages.set(kind, (this.#noise.otherMessages.get(kind) ?? 0) + 1);
    if (message.t === 'progress') this.#cases.progress(String(message.id));
    else if (message.t !== 'log') {
      const likelyKind = (['ready', 'result'] as const).find((known) => nearest(message.t, [known]) !== undefined);
      const guess = likelyKind === undefined ? '' : ` Did you mean "${likelyKind}"?`;
      this.#note('messages of unknown kinds', `The suite ignored a message of the unknown kind ${name}.${guess}`);
      this.#hurry(likelyKind);
    } else if (typeof message.text === 'string') {
      this.#note('log messages', `The adapter says: ${faults.printable(message.text).slice(0, 300)}`);
    } else {
      const ignored = `The suite ignored a log message without a text: ${faults.quoteBytes(bytes)}`;
      this.#note('log messages without a text', ignored, true);
    }
    return false;
  }

  #onReady(message: Message): boolean {
    if (this.#ready !== undefined) {
      this.#note('repeated ready messages', 'The adapter sent "ready" again. The suite ignored it.');
      return false;
    }
    try {
      this.#ready = parseReady(message);
    } catch (error) {
      this.#fail(error as faults.AdapterError);
      return true;
    }
    for (const remark of this.#ready.remarks) this.#note(remark, remark, true);
    this.#hello.end();
    return true;
  }

  #ping(): void {
    const pings = this.#pings;
    pings.sent++;
    pings.sentAt = performance.now();
    pings.isOpen = true;
    this.send(lineOf({ t: 'ping', n: pings.sent }));
  }

  /** Keeps the fastest of three round trips, because the adapter may load code for its first pong. */
  #onPong(pingNumber: unknown): boolean {
    const pings = this.#pings;
    if (pingNumber !== pings.sent || !pings.isOpen) return false;
    pings.isOpen = false;
    pings.fastestMs = Math.min(pings.fastestMs, performance.now() - pings.sentAt);
    if (pings.sent < 3) this.#ping();
    return true;
  }

  #onBroken(bytes: Uint8Array, error: faults.AdapterError): void {
    if (this.#ready === undefined) this.#fail(error);
    else if (!this.#cases.broken(bytes, error)) this.#note('unreadable lines', error.message);
  }

  #checkFlood(): void {
    const { lines, bytes } = this.#noise;
    const { strayLines, strayBytes } = this.#options.limits;
    if (lines > strayLines || bytes > strayBytes + maxLineBytes) this.#fail(faults.flooded(this.#state(), this.#noise));
  }

  #onEnd(ending: faults.Ending): void {
    this.#ending = ending;
    this.#fail(faults.ended(this.#state(), ending, this.#ready === undefined));
  }

  #fail(error: faults.AdapterError): faults.AdapterError {
    if (this.#finalError !== undefined) return this.#finalError;
    this.#finalError = error;
    this.#channel?.kill();
    this.#cases.end(error);
    this.#hello.end(error);
    return error;
  }

  #note(kind: string, sentence: string, once?: boolean): void {
    // After an error the suite kills the adapter, so do not report what arrives later.
    if (this.#finalError === undefined || this.#isClosing) this.#options.notes.add(kind, sentence, once);
  }

  #state(): faults.AdapterState {
    const otherMessages = [...this.#noise.otherMessages].slice(0, 3);
    return {
      language: faults.languageOf(this.#ready?.introduction.client.language, this.#options.command),
      unfinished: this.#channel?.unfinished() ?? new Uint8Array(),
      lastErrorLines: this.#channel?.lastErrorLines() ?? '',
      firstStray: this.#noise.firstStray,
      ...this.#cases.state(),
      otherMessages: otherMessages.map(([kind, count]) => pluralize(count, `${kind} message`)),
      strayWhileWaiting: this.#noise.strayWhileWaiting,
    };
  }
}

/** Output of the adapter that is not an expected answer. */
interface Noise {
  /** The number of lines and bytes since the last expected answer. */
  lines: number;
  bytes: number;
  firstStray?: string;
  firstMessage?: string;
  /** While the suite waits for an answer: the first line that is not a message of the protocol. */
  strayWhileWaiting?: string | undefined;
  /** While the suite waits for an answer: the number of `progress`, `log` and unknown messages, by kind. */
  readonly otherMessages: Map<string, number>;
}

export type CaseAnswer =
  | { readonly kind: 'reply'; readonly reply: ClientReply }
  | { readonly kind: 'fault'; readonly error: faults.AdapterError }
  /** `late` resolves to true if the answer arrives within `lateMs` after the deadline, and to false if it does not. */
  | { readonly kind: 'timed-out'; readonly error: faults.AdapterError; readonly late: Promise<boolean> }
  | { readonly kind: 'ended'; readonly error: faults.AdapterError };

interface OpenCase {
  readonly name: string;
  readonly sentAt: number;
  time: CaseTime;
  timer?: NodeJS.Timeout;
  readonly deliver: (answer: CaseAnswer) => void;
}

interface OpenCasesOptions {
  readonly lateMs: number;
  readonly note: (kind: string, sentence: string) => void;
  readonly timedOut: (id: string, name: string, afterMs: number) => faults.AdapterError;
}

class OpenCases {
  readonly #options: OpenCasesOptions;
  readonly #open = new Map<string, OpenCase>();
  readonly #late = new Map<string, (hasArrived: boolean) => void>();
  readonly #answered = new Set<string>();
  #oddId: string | undefined;

  constructor(options: OpenCasesOptions) {
    this.#options = options;
  }

  wait(id: string, time: CaseTime, name: string): Promise<CaseAnswer> {
    return new Promise((deliver) => {
      this.#open.set(id, { name, sentAt: Date.now(), time, deliver });
      this.progress(id);
    });
  }

  progress(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    clearTimeout(open.timer);
    const remainingMs = open.sentAt + open.time.maxMs - Date.now();
    open.timer = setTimeout(() => this.#onDeadline(id, open), Math.max(0, Math.min(open.time.deadlineMs, remainingMs)));
  }

  /** Gives the open case at most `ms` more. If several cases are open, does nothing: any of them could be meant. */
  shortenDeadline(ms: number): void {
    const id = this.#only();
    const open = this.#open.get(id ?? '');
    if (id === undefined || open === undefined) return;
    open.time = { ...open.time, maxMs: Math.min(open.time.maxMs, Date.now() - open.sentAt + ms) };
    this.progress(id);
  }

  /** Returns whether a case was waiting for the result. `bytes` is the line of the result. */
  result(message: Message, bytes: Uint8Array): boolean {
    const { id } = message;
    if (typeof id !== 'string') return this.#withoutId(id, bytes);
    if (!this.#open.has(id)) return this.#oddResult(id, bytes);
    const read = replyOf(message);
    if ('reply' in read) this.#answer(id, { kind: 'reply', reply: read.reply });
    else this.#fail(id, faults.wrongResult(read.fault, bytes));
    return true;
  }

  /** Fails the case whose id is in an unreadable line, or else the only open case. Returns false if there is neither. */
  broken(bytes: Uint8Array, error: faults.AdapterError): boolean {
    const start = Buffer.from(bytes.subarray(0, 500)).toString('latin1');
    const namedId = /"id"\s*:\s*"([^"\\]{1,100})"/.exec(start)?.[1] ?? '';
    return this.#fail(this.#open.has(namedId) ? namedId : this.#only(), error);
  }

  state(): Pick<faults.AdapterState, 'caseName' | 'answered' | 'oddId'> {
    const caseName = this.#open.get(this.#only() ?? '')?.name;
    return { caseName, answered: this.#answered.size > 0, oddId: this.#oddId };
  }

  get idle(): boolean {
    return this.#open.size === 0;
  }

  end(error = faults.sessionClosed()): void {
    for (const id of [...this.#open.keys()]) this.#answer(id, { kind: 'ended', error });
    for (const settle of this.#late.values()) settle(false);
  }

  /** Adds a note: a result without an open case is late, repeated or unknown. Returns true if it is late. */
  #oddResult(id: string, bytes: Uint8Array): boolean {
    const { note } = this.#options;
    const line = faults.quoteBytes(bytes);
    const settle = this.#late.get(id);
    if (settle !== undefined) {
      settle(true);
      note('late results', `A result arrived after the deadline of its case and was not counted: ${line}`);
    } else if (this.#answered.has(id)) {
      note('repeated results', `A case was answered twice; only the first answer counts: ${line}`);
    } else {
      this.#oddId = faults.formatId(id);
      note('results of unknown cases', `A result has the id of a case that was never sent: ${line}`);
    }
    return settle !== undefined;
  }

  /** A result without a valid id fails the only open case. If several are open, its case times out: adds a note. */
  #withoutId(id: unknown, bytes: Uint8Array): boolean {
    const error = faults.wrongId(id, bytes);
    if (this.#fail(this.#only(), error)) return true;
    this.#oddId = faults.formatId(id);
    this.#options.note('results without an id', error.message);
    return false;
  }

  #fail(id: string | undefined, error: faults.AdapterError): boolean {
    if (id !== undefined) this.#answer(id, { kind: 'fault', error });
    return id !== undefined;
  }

  #only(): string | undefined {
    return this.#open.size === 1 ? [...this.#open.keys()][0] : undefined;
  }

  #onDeadline(id: string, { name, sentAt, deliver }: OpenCase): void {
    this.#open.delete(id);
    const late = new Promise<boolean>((resolve) => {
      const settle = (hasArrived: boolean): void => {
        clearTimeout(timer);
        // Remember the id, so that a second result with this id counts as repeated, not as unknown.
        if (hasArrived && this.#late.delete(id)) this.#answered.add(id);
        resolve(hasArrived);
      };
      const timer = setTimeout(settle, this.#options.lateMs, false);
      this.#late.set(id, settle);
    });
    deliver({ kind: 'timed-out', error: this.#options.timedOut(id, name, Date.now() - sentAt), late });
  }

  #answer(id: string, answer: CaseAnswer): void {
    const open = this.#open.get(id)!;
    clearTimeout(open.timer);
    this.#open.delete(id);
    this.#answered.add(id);
    open.deliver(answer);
  }
}
