/** The adapter under check and the scripted peer, with one conversation for most checks and fresh ones for others. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { publishedIdentity } from '../../mock/identity.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { LocalAnswer } from '../../plan/scenario.ts';
import type { ClientReply, CloseDayInput, RecurringInput } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { type AdapterError, adapterError } from '../adapter/channel.ts';
import { Conversation } from '../adapter/conversation.ts';
import { type AdapterLanguage, languageOf } from '../adapter/faults.ts';
import { authFor, caseLine, faultsOf, type Introduction, type Message, type SessionCase } from '../adapter/messages.ts';
import { Notes } from '../adapter/notes.ts';
import { type CaseAnswer, newCaseId } from '../adapter/open-cases.ts';
import { startProcess } from '../adapter/process-channel.ts';
import { type AdapterOptions, commandOf, conversationOptions } from '../adapter/session.ts';
import type { LocalGateway } from '../local-gateway/local-gateway.ts';

export interface CheckedPoint {
  readonly name: string;
  readonly ok: boolean;
  /** Absent if the adapter offers what the point is about. */
  readonly offered?: false;
  readonly what: string;
  /** What to do, in the adapter's language if known; only if not ok. */
  readonly hint?: string;
}

export interface Seen {
  readonly what: string;
  readonly offered?: false;
  readonly hint?: string;
}

export type Check = (probe: AdapterProbe) => Promise<Seen>;

export function wrong(what: string, hint: string): Seen {
  return { what, hint };
}

export function notOffered(what: string): Seen {
  return { what, offered: false };
}

export function right(what: string): Seen {
  return { what };
}

/** The error that came instead of a reply. `adapter_error` is a fault that the adapter reports itself. */
export function faultIn(answer: CaseAnswer): AdapterError | undefined {
  if (answer.kind !== 'reply') return answer.error;
  const { outcome, reason } = answer.reply;
  if (outcome !== 'adapter_error') return undefined;
  return adapterError('protocol-violation')`
    It reported adapter_error${reason === undefined ? '' : `: ${reason.slice(0, 300)}`}
    Catch what the client throws and report it: refused_locally before anything was sent, transport_error without an answer, completed with decoded.kind undecodable after one.`;
}

/** The reply. Throws the AdapterError in its place, and the check reports that. */
export function sound(answer: CaseAnswer): ClientReply {
  const fault = faultIn(answer);
  if (fault !== undefined || answer.kind !== 'reply') throw fault;
  return answer.reply;
}

export type Peer = Pick<LocalGateway, 'open'>;

export interface FreshConversation {
  readonly conversation: Conversation;
  readonly notes: Notes;
}

const deadlineMs = 10_000;

export class AdapterProbe {
  readonly notes = new Notes();
  readonly messages: Message[] = [];
  unanswered = 0;
  readonly #options: AdapterOptions;
  readonly #peer: Peer;
  #lasting: Conversation | undefined;
  #introduction: Introduction | undefined;
  readonly #open = new Set<Conversation>();

  constructor(options: AdapterOptions, peer: Peer) {
    this.#options = options;
    this.#peer = peer;
  }

  get introduction(): Introduction {
    return this.#introduction!;
  }

  get language(): AdapterLanguage {
    return languageOf(this.#introduction?.client.language, [this.#options.command, ...(this.#options.args ?? [])]);
  }

  /** Schema faults and unknown members, of `ready` or of all other messages. */
  faults(ready: boolean): readonly string[] {
    const messages = this.messages.filter(({ t }) => (t === 'ready') === ready);
    return [
      ...new Set(
        messages.flatMap((message) =>
          faultsOf(message, { strict: true }).map((fault) => `${message.t}: ${fault.sentence}`),
        ),
      ),
    ];
  }

  async lasting(): Promise<Conversation> {
    if (this.#lasting === undefined || this.#lasting.over !== undefined) {
      // The greeting is delayed to detect messages that are sent before it.
      this.#lasting = (await this.fresh({ limits: { helloAfterMs: 400 }, notes: this.notes })).conversation;
      this.#introduction = this.#lasting.introduced.introduction;
    }
    return this.#lasting;
  }

  async fresh(change: Partial<AdapterOptions> & { readonly notes?: Notes } = {}): Promise<FreshConversation> {
    const { notes = new Notes(), limits, env, ...rest } = change;
    const options: AdapterOptions = {
      ...this.#options,
      ...rest,
      env: { ...this.#options.env, ...env },
      limits: { ...this.#options.limits, ...limits },
      watch: (message) => this.messages.push(message),
    };
    const conversation = await Conversation.open((listener) => startProcess(commandOf(options), listener), {
      ...conversationOptions(options),
      notes,
      signal: new AbortController().signal,
    });
    this.#open.add(conversation);
    await conversation.greet();
    return { conversation, notes };
  }

  async ask(
    change: Partial<SessionCase> & { readonly answer?: LocalAnswer; readonly by?: Conversation } = {},
  ): Promise<{ readonly answer: CaseAnswer; readonly requests: readonly Exchange[] }> {
    const { answer: scripted, by, ...rest } = change;
    const conversation = by ?? (await this.lasting());
    const { operation } = this.caseAt('', rest);
    const place = await this.#peer.open(scripted ?? ordinaryCalls[operation].answer);
    if ('unavailable' in place) throw new Error(`no place for the self-test: ${place.unavailable}`);
    try {
      const answer = await conversation.ask(this.caseAt(place.baseUrl, rest));
      this.#count(answer);
      if (answer.kind !== 'timed-out') await place.settled();
      return { answer, requests: place.exchanges() };
    } finally {
      place.close();
    }
  }

  /** Sends a case on a changed line. Its URL (discard port) has no server: only reading the line matters. */
  async askOn(changed: (line: string) => string): Promise<CaseAnswer> {
    const conversation = await this.lasting();
    const call = this.caseAt('http://127.0.0.1:9/x', {});
    const answer = await conversation.askAs(
      newCaseId(),
      (id) => changed(caseLine(id, call, this.introduction.offers, deadlineMs)),
      { deadlineMs, maxMs: 3 * deadlineMs },
    );
    this.#count(answer);
    return answer;
  }

  #count({ kind }: CaseAnswer): void {
    this.unanswered = kind === 'timed-out' ? this.unanswered + 1 : 0;
  }

  caseAt(baseUrl: string, change: Partial<SessionCase>): SessionCase {
    const { ops } = this.introduction.offers;
    const operation = change.operation ?? ops[0] ?? 'close-day';
    return {
      baseUrl,
      endpointId: '1111',
      consumerKey: publishedIdentity.consumerKey,
      deadlineMs,
      ...change,
      operation,
      auth: change.auth ?? authFor(operation, publishedIdentity),
      input: change.input ?? ordinaryCalls[operation].input,
    };
  }

  withTexts(...texts: readonly string[]): Pick<SessionCase, 'operation' | 'input'> {
    if (!this.introduction.offers.ops.includes('process-recurring-payments')) {
      return { operation: 'close-day', input: { day_close_request_id: texts.join('') } };
    }
    const rows = texts.map((text) => [text, '1234567890', '10.42']);
    return { operation: 'process-recurring-payments', input: { ...probedBatch, rows } };
  }

  /** The command with absolute paths, so that it can be started in another folder. */
  absoluteCommand(): Pick<AdapterOptions, 'command' | 'args'> {
    const { command, args = [], cwd = '.' } = this.#options;
    const absolute = (word: string): string => (existsSync(resolve(cwd, word)) ? resolve(cwd, word) : word);
    return { command: /[\\/]/.test(command) ? absolute(command) : command, args: args.map(absolute) };
  }

  async end(): Promise<void> {
    await Promise.all([...this.#open].map((conversation) => conversation.close()));
  }
}

export const probedCloseDay: CloseDayInput = { day_close_request_id: 'a1b2c3d4e5f6' };

const probedBatch: RecurringInput = {
  columns: ['client-orderid', 'recurring-payment-id', 'amount'],
  rows: [['order-1', '1234567890', '10.42']],
};
