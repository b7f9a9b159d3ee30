/** Cases that the adapter has not answered yet, with their deadlines, late results and unexpected results. */
import { randomBytes } from 'node:crypto';
import type { ClientReply } from '../../record/case.ts';
import type { AdapterError } from './channel.ts';
import { type AdapterState, formatId, quoteBytes, sessionClosed, wrongId, wrongResult } from './faults.ts';
import type { CaseTime } from './limits.ts';
import { type Message, replyOf } from './messages.ts';

export type CaseAnswer =
  | { readonly kind: 'reply'; readonly reply: ClientReply }
  | { readonly kind: 'fault'; readonly error: AdapterError }
  /** `late` resolves to true if an answer arrives within `lateMs`: then the adapter is not stuck. */
  | { readonly kind: 'timed-out'; readonly error: AdapterError; readonly late: Promise<boolean> }
  | { readonly kind: 'ended'; readonly error: AdapterError };

interface Open {
  readonly name: string;
  readonly sentAt: number;
  time: CaseTime;
  timer?: NodeJS.Timeout;
  readonly answer: (answer: CaseAnswer) => void;
}

interface OpenCasesOptions {
  readonly lateMs: number;
  readonly note: (kind: string, sentence: string) => void;
  /** Creates the error for a case after this time. Called once for each case. */
  readonly timedOut: (id: string, name: string, afterMs: number) => AdapterError;
}

/** Random, so that an adapter cannot infer anything from it. */
export function newCaseId(): string {
  return `c_${randomBytes(8).toString('hex')}`;
}

export class OpenCases {
  readonly #options: OpenCasesOptions;
  readonly #open = new Map<string, Open>();
  readonly #late = new Map<string, (came: boolean) => void>();
  readonly #answered = new Set<string>();
  #oddId: string | undefined;

  constructor(options: OpenCasesOptions) {
    this.#options = options;
  }

  wait(id: string, time: CaseTime, name: string): Promise<CaseAnswer> {
    return new Promise((answer) => {
      this.#open.set(id, { name, sentAt: Date.now(), time, answer });
      this.progress(id);
    });
  }

  progress(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    clearTimeout(open.timer);
    const left = open.sentAt + open.time.maxMs - Date.now();
    open.timer = setTimeout(() => this.#onDeadline(id, open), Math.max(0, Math.min(open.time.deadlineMs, left)));
  }

  /** Limits the remaining time of the only open case. With several it is unknown which one to limit. */
  hurry(ms: number): void {
    const id = this.#only();
    const open = id && this.#open.get(id);
    if (!open) return;
    open.time = { ...open.time, maxMs: Math.min(open.time.maxMs, Date.now() - open.sentAt + ms) };
    this.progress(id);
  }

  /** Returns whether a case was waiting. `bytes` is the line, for quotation. */
  result(message: Message, bytes: Uint8Array): boolean {
    if (typeof message.id !== 'string') return this.#withoutId(message.id, bytes);
    const { id } = message;
    if (!this.#open.has(id)) return this.#oddResult(id, bytes);
    const read = replyOf(message);
    if ('reply' in read) this.#answer(id, { kind: 'reply', reply: read.reply });
    else this.#answer(id, { kind: 'fault', error: wrongResult(read.fault, bytes) });
    return true;
  }

  /** Fails the case that an unreadable line names, or else the only open one. Returns false if there is neither. */
  broken(bytes: Uint8Array, error: AdapterError): boolean {
    const start = Buffer.from(bytes.subarray(0, 500)).toString('latin1');
    const named = /"id"\s*:\s*"([^"\\]{1,100})"/.exec(start)?.[1] ?? '';
    const id = this.#open.has(named) ? named : this.#only();
    if (id !== undefined) this.#answer(id, { kind: 'fault', error });
    return id !== undefined;
  }

  state(): Pick<AdapterState, 'asked' | 'answered' | 'oddId'> {
    const asked = this.#open.get(this.#only() ?? '')?.name;
    return { asked, answered: this.#answered.size > 0, oddId: this.#oddId };
  }

  get idle(): boolean {
    return this.#open.size === 0;
  }

  /** Answers all open cases, by default with the end of the session. */
  end(error = sessionClosed()): void {
    for (const id of [...this.#open.keys()]) this.#answer(id, { kind: 'ended', error });
    for (const late of this.#late.values()) late(false);
  }

  /** Only the line is lost; the run continues. */
  #oddResult(id: string, bytes: Uint8Array): boolean {
    const late = this.#late.get(id);
    if (late !== undefined) {
      late(true);
      this.#note('late results', 'A result arrived after the deadline of its case and was not counted', bytes);
    } else if (this.#answered.has(id)) {
      this.#note('repeated results', 'A case was answered twice; only the first answer counts', bytes);
    } else {
      this.#oddId = formatId(id);
      this.#note('results of unknown cases', 'A result names a case that was never sent', bytes);
    }
    return late !== undefined;
  }

  /** Fails the only open case at once. With several open cases the right one is unknown, so they time out. */
  #withoutId(id: unknown, bytes: Uint8Array): boolean {
    const error = wrongId(id, bytes);
    const only = this.#only();
    if (only !== undefined) {
      this.#answer(only, { kind: 'fault', error });
      return true;
    }
    this.#oddId = formatId(id);
    this.#options.note('results without an id', error.message);
    return false;
  }

  #only(): string | undefined {
    return this.#open.size === 1 ? [...this.#open.keys()][0] : undefined;
  }

  #note(kind: string, what: string, bytes: Uint8Array): void {
    this.#options.note(kind, `${what}: ${quoteBytes(bytes)}`);
  }

  #onDeadline(id: string, { name, sentAt, answer }: Open): void {
    this.#open.delete(id);
    const late = new Promise<boolean>((resolve) => {
      const settle = (came: boolean): void => {
        clearTimeout(timer);
        // A second answer then counts as a repeated one, not as one to an unknown case.
        if (came) {
          this.#late.delete(id);
          this.#answered.add(id);
        }
        resolve(came);
      };
      const timer = setTimeout(settle, this.#options.lateMs, false);
      this.#late.set(id, settle);
    });
    answer({ kind: 'timed-out', error: this.#options.timedOut(id, name, Date.now() - sentAt), late });
  }

  #answer(id: string, answer: CaseAnswer): void {
    const open = this.#open.get(id)!;
    clearTimeout(open.timer);
    this.#open.delete(id);
    this.#answered.add(id);
    open.answer(answer);
  }
}
