/** The self-test of an adapter: a check for each point of the protocol. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { publishedIdentity } from '../../mock/identity.ts';
import { startProcess } from '../../peer/adapter/channel.ts';
import { type CaseAnswer, Conversation } from '../../peer/adapter/conversation.ts';
import {
  AdapterError,
  adapterError,
  flushHint,
  languageOf,
  sessionClosed,
  strayHint,
  utf8Hint,
} from '../../peer/adapter/faults.ts';
import type { Introduction, Message, SessionCase } from '../../peer/adapter/messages.ts';
import { authFor, caseLine, faultsOf, lineOf } from '../../peer/adapter/messages.ts';
import { Notes } from '../../peer/adapter/notes.ts';
import { type AdapterOptions, conversationOptions } from '../../peer/adapter/session.ts';
import type { LocalGateway } from '../../peer/local-gateway/local-gateway.ts';
import { emptyOk, finishedWith, gateText, htmlType, ordinaryCalls, plainGate, reply } from '../../plan/client/cases.ts';
import { base64Bytes } from '../../protocol/base64.ts';
import type { CallInput, ClientReply, LocalAnswer, RecurringInput } from '../../record/case.ts';
import { type Exchange, headerValues } from '../../record/exchange.ts';

export interface CheckedPoint {
  readonly name: string;
  readonly ok: boolean;
  /** `false` if the adapter does not offer the feature that the check needs. */
  readonly offered?: false;
  readonly what: string;
  readonly hint?: string;
}

type CheckResult = Omit<CheckedPoint, 'name' | 'ok'>;
type AdapterProbe = ReturnType<typeof newProbe>;

/** Resolves to a text if the check passed. Rejects with AdapterError if the adapter gives no valid answer. */
type Check = (probe: AdapterProbe) => Promise<CheckResult | string>;

/** Runs all checks in about ten seconds. If the greeting or an ordinary case fails, skips the later checks. */
export async function checkAdapter(options: AdapterOptions, peer: Peer, onPoint: (point: CheckedPoint) => void) {
  const probe = newProbe(options, peer);
  const points: CheckedPoint[] = [];
  const all = Object.entries(checks);
  try {
    for (const [name, check] of all) {
      const { isFault, ...result } = await resultOf(check, probe);
      const unchecked = all.length - points.length - 1;
      // If an ordinary case fails too, every later check would fail in the same way. So stop after this check.
      const isLast = isFault && (points.length === 0 || (await resultOf(checks[ordinaryCheck]!, probe)).isFault);
      const rest = isLast && points.length > 0 ? ` The ${unchecked} points after this one were not checked.` : '';
      points.push({ name, ok: result.hint === undefined, ...result, what: `${result.what}${rest}` });
      onPoint(points.at(-1)!);
      if (isLast) break;
    }
  } finally {
    await probe.end();
  }
  return points;
}

async function resultOf(check: Check, probe: AdapterProbe): Promise<CheckResult & { readonly isFault?: true }> {
  try {
    const result = await check(probe);
    return typeof result === 'string' ? { what: result } : result;
  } catch (error) {
    if (error instanceof AdapterError) return { what: error.message, hint: error.hint, isFault: true };
    throw error;
  }
}

const ordinaryCheck = 'an ordinary case is answered';

const checks: Readonly<Record<string, Check>> = {
  'hello is answered with ready': async (probe) => {
    const startedAt = performance.now();
    await probe.openShared();
    const { adapter, client } = probe.introduction();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    return `${adapter.name} introduced ${client.name} in ${client.language ?? 'an unnamed language'} after ${seconds} s.`;
  },

  'no output before hello': async ({ notes }) => {
    const early = notes.first('messages before hello');
    return verdictOn(early, 'The adapter wrote nothing before "hello".', 'Write "ready" only after "hello".');
  },

  'ready has no unknown member': async (probe) =>
    verdictOn(probe.faults(true), 'Every member of "ready" is known.', 'schemas/adapter/ready.json lists the members.'),

  'ping is answered with pong': async (probe) => {
    const conversation = await probe.openShared();
    conversation.send(lineOf({ t: 'ping', n: 77 }));
    const late = (await hasPong(probe, 77)) ? undefined : 'No pong arrived within 2 s.';
    const hint = `Answer {"t":"ping","n":1} with {"t":"pong","n":1}. ${flushHint(probe.language())}`;
    return verdictOn(late, 'The adapter answered.', hint);
  },

  [ordinaryCheck]: async (probe) => {
    await probe.ask();
    return 'The adapter answered.';
  },

  'a message of an unknown kind is ignored': async (probe) => {
    const conversation = await probe.openShared();
    conversation.send('{"t":"of-a-later-version","id":"c_0"}\n');
    await probe.ask();
    return 'The adapter ignored the message and answered the next case.';
  },

  'a member of a later version is ignored': async (probe) => {
    await probe.askWith(',"of_a_later_version":{"empty":{},"list":[null,1.5,{"t":"case"}]}');
    return 'The adapter answered a case with an additional member.';
  },

  'a line of 200 KB is read completely': async (probe) => {
    // Use spaces. An adapter repeats the input in the signing steps of its result, which would then be too long.
    await probe.askWith(' '.repeat(200_000));
    return 'The adapter answered a case on such a line.';
  },

  'text beyond ASCII arrives': (probe) => sendText(probe, 'Zażółć-Ångström-訂單-😀'),

  'U+2028 and similar characters do not end a line': (probe) => sendText(probe, 'a\u2028b\u2029c\u0085d\u000be'),

  'quotes, backslashes and escapes arrive': (probe) => sendText(probe, '"\\/\b\f\n\r\t\u001f}]\\u0041'),

  'empty and absent differ': async (probe) => {
    if (!probe.offers().ops.includes('close-day')) return notOffered;
    const bodyOf = async (input: CallInput) =>
      (await probe.ask({ operation: 'close-day', input })).requests[0]?.request.body;
    const plain = ordinaryCalls['close-day'].input;
    const absent = await bodyOf(plain);
    const empty = await bodyOf({ ...plain, sale_approved_sum: '' });
    if (absent === undefined || empty === undefined)
      return 'The client refused an empty or an absent field, which is allowed.';
    if (Buffer.compare(absent, empty) !== 0) return 'An empty and an absent field gave different requests.';
    const hint = 'Pass every member of the input to the client, also empty members, and add none. ';
    const same = 'An empty field and an absent field gave the same request.';
    return failure(same, `${hint}If the client cannot do that, report "unsupported".`);
  },

  'each operation that is offered reaches the base URL': async (probe) => {
    const { ops } = probe.offers();
    if (ops.length === 0)
      return failure(
        'The adapter offers no operation.',
        'List at least one operation in "offers.ops", or omit "offers.ops".',
      );
    for (const operation of ops) {
      const { reply, requests } = await probe.ask({ operation });
      const { outcome, reason } = reply;
      const details = reason === undefined ? '' : ` (${reason.slice(0, 200)})`;
      const report = `${operation}: the adapter reported ${outcome}${details}`;
      const hint = outcome === 'unsupported' ? 'Leave a missing operation out of "offers.ops".' : reachHint;
      if (outcome !== 'completed') return failure(`${report} for ordinary input.`, hint);
      if (requests.length === 0) return failure(`${report}, and no request reached the base URL.`, reachHint);
    }
    return `Requests arrived for ${ops.join(' and ')}.`;
  },

  // The client may refuse these answers, but the adapter must send a result.
  'members of other types do not break a result': async (probe) => {
    if (!probe.offers().ops.includes('close-day')) return notOffered;
    const gate = gateText(plainGate).replace('"saleApprovedCount":"2"', '"saleApprovedCount":2');
    for (const changedGate of [gate, gateText(plainGate).replace('{', '{"extra":{"gateId":1,"gates":[]},')]) {
      await probe.ask({ operation: 'close-day', answer: reply(200, htmlType, finishedWith([changedGate])) });
    }
    return 'The adapter sent a result for a number instead of a text, and for an unknown member.';
  },

  'decoded values are reported as text': async (probe) => {
    if (!probe.offers().ops.includes('close-day')) return notOffered;
    const big = '9007199254740993';
    const answer = reply(200, htmlType, finishedWith([gateText({ ...plainGate, gateId: big })]));
    const { decoded } = (await probe.ask({ operation: 'close-day', answer })).reply;
    const gate = decoded?.kind === 'finished' ? decoded.gates?.[0]?.gateId : undefined;
    if (gate === undefined) return 'The adapter reports no "gateId".';
    if (!('long' in gate))
      return failure(
        'The adapter does not report "gateId" as "long".',
        `Write the digits that the client has, as text: {"gateId":{"long":"${big}"}}.`,
      );
    return gate.long === big
      ? 'A "long" above 2^53 kept its digits.'
      : `The value is text, but a "long" above 2^53 lost digits: ${gate.long.slice(0, 40)}. In a run, such a client fails.`;
  },

  'injected values are signed': async (probe) => {
    const { inject } = probe.offers();
    if (inject.length === 0) return notOffered;
    const values = { nonce: 'chosenByTheSuite', timestamp: '1700000000' };
    const { requests } = await probe.ask({ inject: values });
    const [header = ''] = requests.flatMap(({ request }) => headerValues(request.headers, 'authorization'));
    const missing = inject.filter((name) => !header.includes(values[name])).join(' and ');
    if (missing === '') return `The header has the ${inject.join(' and ')} of the case.`;
    return failure(
      `The ${missing} of the case is not in the header.`,
      'Offer only values that the client lets you set.',
    );
  },

  'stages that are offered are reported': async (probe) => {
    const { stages, ops } = probe.offers();
    if (stages.length === 0) return notOffered;
    const reported = new Set<string>();
    for (const operation of ops) {
      const { stages: sent = {} } = (await probe.ask({ operation })).reply;
      for (const name of Object.keys(sent)) reported.add(name);
      const bad = Object.keys(sent).find((name) => name.endsWith('_b64') && base64Bytes(sent[name]!) === undefined);
      const hint = 'A stage whose name ends in _b64 holds base64 (RFC 4648 section 4).';
      if (bad !== undefined) return failure(`stages.${bad} is not base64.`, hint);
    }
    const missing = stages.filter((stage) => !reported.has(stage) && !reported.has(`${stage}_b64`));
    if (missing.length === 0) return 'Every offered stage arrived.';
    return failure(`No result contained ${missing.join(', ')}.`, 'Offer only stages that a result contains.');
  },

  'the adapter waits for a slow server': async (probe) => {
    const hint = 'Let the client wait for the time in "deadline_ms".';
    return expectOutcome(
      'completed',
      probe.ask({ answer: slowAnswer(1000, probe) }),
      'before the deadline of the case',
      hint,
    );
  },

  'a reset is reported as transport_error': async (probe) => {
    const hint = 'Catch the connection error, and report "transport_error" with its text.';
    return expectOutcome(
      'transport_error',
      probe.ask({ answer: { kind: 'reset' } }),
      'although there was no answer',
      hint,
    );
  },

  'after a timeout, the next case still works': async (probe) => {
    const started = await probe.openShared();
    const { answer } = await probe.attempt({ answer: { kind: 'endless' }, deadlineMs: 700 });
    if (answer.kind === 'timed-out') await answer.late;
    const { answer: next } = await probe.attempt();
    if (started.finalError !== undefined)
      return failure(
        started.finalError.message,
        `Report "transport_error", and wait for the next case. ${started.finalError.hint}`,
      );
    replyIn(next);
    return 'The adapter answered the next case.';
  },

  'two cases at once are kept apart': async (probe) => {
    if (probe.offers().maxInFlight < 2) return notOffered;
    const order: string[] = [];
    const slow = probe.attempt({ answer: slowAnswer(800, probe) }).finally(() => order.push('slow'));
    await probe.ask();
    order.push('quick');
    replyIn((await slow).answer);
    if (order[0] === 'quick') return 'The quick case was answered before the slow case.';
    const hint = `Work on several cases at the same time, or offer "max_in_flight" 1. ${flushHint(probe.language())}`;
    return failure('The second case waited for the first.', hint);
  },

  'an operation that the client does not have is unsupported': async (probe) => {
    const { auth, input } = probe.caseAt('', { operation: 'close-day' });
    const call = probe.ask({ operation: 'open-day' as 'close-day', auth, input, answer: emptyOk });
    const hint = 'If the client does not have the operation in "op", answer "unsupported".';
    return expectOutcome('unsupported', call, 'for the operation open-day, which no client has', hint);
  },

  'bye ends the adapter': async (probe) => {
    const { conversation, notes } = await probe.startAdapter();
    await conversation.close();
    return exitResult(notes);
  },

  'the end of standard input ends the adapter': async (probe) => {
    const { conversation, notes } = await probe.startAdapter();
    conversation.finish();
    await conversation.waitForEnd();
    const result = exitResult(notes);
    await conversation.stop(sessionClosed());
    return result;
  },

  'the adapter works in any locale': async (probe) => {
    const { conversation } = await probe.startAdapter({ env: { LC_ALL: 'C', LANG: 'C' } });
    const { answer } = await probe.attempt({ conversation, ...probe.withText('Zażółć-訂單') });
    await conversation.close();
    const fault = faultIn(answer);
    if (fault === undefined) return 'Text beyond ASCII also arrives under LC_ALL=C.';
    return failure(`Under LC_ALL=C: ${fault.message}`, utf8Hint(probe.language()));
  },

  'the adapter works in any folder': async (probe) => {
    const { conversation } = await probe.startAdapter({ cwd: tmpdir(), ...probe.absoluteCommand() });
    await probe.ask({ conversation });
    await conversation.close();
    return 'The adapter answered from the folder for temporary files.';
  },

  'the adapter starts again after it was killed': async (probe) => {
    const first = await probe.startAdapter();
    await first.conversation.stop(sessionClosed());
    const second = await probe.startAdapter();
    await probe.ask({ conversation: second.conversation });
    await second.conversation.close();
    return 'The adapter started again and answered a case.';
  },

  'standard output has only the protocol': async ({ notes, language }) =>
    verdictOn(notes.first('lines that are not of the protocol'), 'Nothing else arrived.', strayHint(language())),

  'each case has one result, and no other result arrives': async ({ notes }) => {
    const fault = notes.first('repeated results', 'results of unknown cases', 'repeated ready messages');
    return verdictOn(fault, 'Each case had one answer.', 'Send one result for each case, with its id.');
  },

  'every message fits its schema': async (probe) => {
    const hint = 'schemas/adapter describes each message.';
    return verdictOn(probe.faults(false), 'Every member is known and has the right type.', hint);
  },
};

async function expectOutcome(
  expected: ClientReply['outcome'],
  call: Promise<{ readonly reply: ClientReply }>,
  when: string,
  hint: string,
): Promise<CheckResult | string> {
  const { outcome } = (await call).reply;
  if (outcome === expected) return `The adapter reported ${outcome}.`;
  return failure(`The adapter reported ${outcome} ${when}.`, hint);
}

async function hasPong({ messages }: AdapterProbe, n: number): Promise<boolean> {
  const isPong = (message: Message) => message.t === 'pong' && message.n === n;
  for (let remaining = 100; remaining > 0 && !messages.some(isPong); remaining -= 1) await pause(20);
  return messages.some(isPong);
}

const reachHint =
  'Call the client with "base_url", including the path prefix. Trust "ca_file" of "hello", or offer "tls": false.';

/** Sends a case with the text. The client may refuse the text, but the adapter must send a result. */
async function sendText(probe: AdapterProbe, text: string): Promise<CheckResult | string> {
  const { answer } = await probe.attempt(probe.withText(text));
  const fault = faultIn(answer);
  if (fault === undefined) return `The adapter reported ${replyIn(answer).outcome}.`;
  return failure(fault.message, `${fault.hint} ${utf8Hint(probe.language())} Split the input at 0x0A only.`);
}

function slowAnswer(afterMs: number, probe: AdapterProbe): LocalAnswer {
  const slowReply = ordinaryCalls[probe.offers().ops[0] ?? 'close-day'].answer;
  return { kind: 'slow', afterMs, slowReply };
}

function exitResult(notes: Notes): CheckResult | string {
  const fault = notes.first('adapters that did not end', 'disorderly ends');
  const hint = 'After "bye", and when standard input ends, end threads and timers. Then exit with code 0.';
  return verdictOn(fault, 'The adapter exited with code 0.', hint);
}

function verdictOn(fault: string | undefined, passMessage: string, hint: string): CheckResult {
  return fault === undefined ? { what: passMessage } : failure(fault, hint);
}

function failure(what: string, hint: string): CheckResult {
  return { what, hint };
}

const notOffered: CheckResult = { what: 'The adapter does not offer this.', offered: false };

function faultIn(answer: CaseAnswer): AdapterError | undefined {
  if (answer.kind !== 'reply') return answer.error;
  const { outcome, reason } = answer.reply;
  if (outcome !== 'adapter_error') return undefined;
  return adapterError('protocol-violation')`
    The adapter reported adapter_error${reason === undefined ? '' : `: ${reason.slice(0, 300)}`}
    Catch what the client throws. If it sent no request, report "refused_locally". If no answer came, report "transport_error". If an answer came, report "completed" with "decoded.kind" "undecodable".`;
}

function replyIn(answer: CaseAnswer): ClientReply {
  const fault = faultIn(answer);
  if (fault !== undefined || answer.kind !== 'reply') throw fault;
  return answer.reply;
}

type Peer = Pick<LocalGateway, 'open'>;
type ProbedCase = Partial<SessionCase> & { readonly answer?: LocalAnswer; readonly conversation?: Conversation };

const deadlineMs = 10_000;

/** Most checks share one adapter, `shared`. If it has ended, the next check starts it again. */
function newProbe(options: AdapterOptions, peer: Peer) {
  const notes = new Notes();
  const messages: Message[] = [];
  const conversations = new Set<Conversation>();
  let shared: Conversation | undefined;
  let introduction: Introduction | undefined;
  const offers = () => introduction!.offers;

  /** Starts another adapter, and closes it at the end of the self-test. */
  const startAdapter = async (change: Partial<AdapterOptions> & { readonly notes?: Notes } = {}) => {
    const { notes = new Notes(), limits, env, ...rest } = change;
    const changed: AdapterOptions = {
      ...options,
      ...rest,
      env: { ...options.env, ...env },
      limits: { ...options.limits, ...limits },
      watch: (message) => messages.push(message),
    };
    const { signal } = new AbortController();
    const settings = { ...conversationOptions(changed), notes, signal };
    const conversation = await Conversation.open((listener) => startProcess(changed, listener), settings);
    conversations.add(conversation);
    await conversation.greet();
    return { conversation, notes };
  };

  const openShared = async (): Promise<Conversation> => {
    if (shared === undefined || shared.finalError !== undefined) {
      // Send hello late, to notice a message that the adapter sends before hello.
      shared = (await startAdapter({ limits: { helloAfterMs: 400, ...options.limits }, notes })).conversation;
      introduction = shared.ready.introduction;
    }
    return shared;
  };

  const caseAt = (baseUrl: string, change: Partial<SessionCase>): SessionCase => {
    const operation = change.operation ?? offers().ops[0] ?? 'close-day';
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
  };

  const attempt = async ({ answer: scriptedAnswer, conversation: by, ...change }: ProbedCase = {}) => {
    const conversation = by ?? (await openShared());
    const place = await peer.open(scriptedAnswer ?? ordinaryCalls[caseAt('', change).operation].answer);
    if ('unavailable' in place) throw new Error(`The self-test needs a server: ${place.unavailable}`);
    try {
      const answer = await conversation.sendCase(caseAt(place.baseUrl, change));
      if (answer.kind !== 'timed-out') await place.whenSettled();
      return { answer, requests: place.exchanges() };
    } finally {
      place.close();
    }
  };

  return {
    notes,
    messages,
    introduction: () => introduction!,
    offers,
    language: () => languageOf(introduction?.client.language, [options.command, ...(options.args ?? [])]),
    startAdapter,
    openShared,
    caseAt,
    attempt,

    /** Like `attempt`, but rejects with AdapterError if the adapter sends no valid result. */
    async ask(change?: ProbedCase): Promise<{ readonly reply: ClientReply; readonly requests: readonly Exchange[] }> {
      const { answer, requests } = await attempt(change);
      return { reply: replyIn(answer), requests };
    },

    /** Sends a case with `extraText` before its last brace. Its base URL has no server: any valid result is enough. */
    async askWith(extraText: string): Promise<void> {
      const conversation = await openShared();
      const call = caseAt('http://127.0.0.1:9/x', {});
      const line = (id: string) => caseLine(id, call, offers(), deadlineMs).replace(/\}\n$/, `${extraText}}\n`);
      replyIn(await conversation.sendCaseLine(line, { deadlineMs, maxMs: 3 * deadlineMs }));
    },

    /** The faults of all `ready` messages, or the first five of all other messages. Unknown members are faults too. */
    faults(ready: boolean): string | undefined {
      const found = messages
        .filter(({ t }) => (t === 'ready') === ready)
        .flatMap((message) => faultsOf(message, { strict: true }).map(({ sentence }) => `${message.t}: ${sentence}`));
      if (found.length === 0) return undefined;
      return `${[...new Set(found)].slice(0, ready ? undefined : 5).join('; ')}.`;
    },

    withText(text: string): Pick<SessionCase, 'operation' | 'input'> {
      if (!offers().ops.includes('process-recurring-payments')) {
        return { operation: 'close-day', input: { day_close_request_id: text } };
      }
      const input = ordinaryCalls['process-recurring-payments'].input as RecurringInput;
      return { operation: 'process-recurring-payments', input: { ...input, rows: [[text, '1234567890', '10.42']] } };
    },

    absoluteCommand(): Pick<AdapterOptions, 'command' | 'args'> {
      const { command, args = [], cwd = '.' } = options;
      const toAbsolute = (word: string): string => (existsSync(resolve(cwd, word)) ? resolve(cwd, word) : word);
      return { command: /[\\/]/.test(command) ? toAbsolute(command) : command, args: args.map(toAbsolute) };
    },

    async end(): Promise<void> {
      await Promise.all([...conversations].map((conversation) => conversation.close()));
    },
  };
}
